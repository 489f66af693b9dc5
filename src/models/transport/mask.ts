/** Takes keys out of text that others wrote, before it can reach a message, an event or a log. */

const KEY_LIKE = [
  // Providers that quote a refused key star its middle out: the rest goes as well.
  /\b(?:sk|pk|rk|gsk|xai|key|hf|nvapi|csk|pplx|tgp)[-_][\w*.-]{6,}/g,
  /\bAIza[\w-]{10,}/g,
  // Not after a character of its own: else each `eyJ` of a long word would be a start.
  /(?<![\w-])eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g
];

const AFTER_BEARER = /\b(bearer|basic)\s+[\w*.~+/=-]{6,}/gi;
const IN_FIELD =
  /((?:api[-_ ]?key|authorization|token|secret|password)["']?\s*[:=]\s*["']?)[\w*.~+/=-]{8,}/gi;

const MASK = '[key]';

/** Shorter values are placeholders (`ollama`, `EMPTY`); replacing them would only garble messages. */
const MIN_SECRET_LENGTH = 8;

/** No pattern reads more characters of a text that others wrote. */
const MAX_TEXT = 8000;

/** `text`, cut to 8,000 characters, without the given secrets and without anything that looks like a key. */
export function maskKeys(
  text: string,
  secrets: readonly string[] = []
): string {
  let masked = text;
  for (const secret of secrets) {
    if (secret.length >= MIN_SECRET_LENGTH) {
      masked = masked.split(secret).join(MASK);
    }
  }
  masked = masked
    .slice(0, MAX_TEXT)
    .replace(AFTER_BEARER, `$1 ${MASK}`)
    .replace(IN_FIELD, `$1${MASK}`);
  return KEY_LIKE.reduce((rest, key) => rest.replace(key, MASK), masked);
}
