/** Masks what looks like a key, a token or a password in a source that goes to a model. */

/** Stands for a masked literal; says so to whoever reads what is sent. */
export const MASK = '[masked: looks like a secret]';

/** Keys that are recognised by their form. */
const KEY_FORMS: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{12,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\bAIza[0-9A-Za-z_-]{30,}/g,
  /\bhf_[A-Za-z0-9]{20,}/g,
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g
];

const SECRET_NAME =
  '[\\w-]*(?:passw(?:or)?d|passphrase|pwd|secret|api_?key|access_?key|private_?key|auth_?token|access_?token|bearer|credential)[\\w-]*|\\w*_?(?:token|key)';
/** `password = "…"`, `"password": "…"`, `f(token="…")`, `pwd <- "…"`; `key` and `token` alone need a long value. */
const ASSIGNED = new RegExp(
  `(["']?\\b(${SECRET_NAME})["']?\\]?\\s*(?:=(?!=)|:(?!:)|<-|=>)\\s*[rbuf]{0,2})(["'])((?:\\\\.|(?!\\3)[^\\\\\\n])+)\\3`,
  'gi'
);
const PLAIN_NAME =
  /^(?!.*(api|access|private|auth|secret|pass))(\w*_)?(token|key)$/i;
const URL_PASSWORD =
  /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:@/'"]+:)([^\s@/'"{}]+)(?=@)/gi;

/** The text with every literal masked that looks like a secret, and the number of these. */
export function maskSecrets(source: string) {
  let count = 0;
  const mask = () => {
    count++;
    return MASK;
  };
  let text = source;
  for (const form of KEY_FORMS) {
    text = text.replace(form, mask);
  }
  text = text.replace(URL_PASSWORD, (_, before: string) => before + mask());
  text = text.replace(
    ASSIGNED,
    (whole, before: string, name: string, quote: string, value: string) =>
      value === MASK ||
      (PLAIN_NAME.test(name) && !looksRandom(value)) ||
      /^[\s<>{}*.…]*$/.test(value)
        ? whole
        : `${before}${quote}${mask()}${quote}`
  );
  return { text, count };
}

/** Long, without blanks, letters and digits mixed: a key and no word. */
function looksRandom(value: string): boolean {
  return /^(?=.*\d)(?=.*[A-Za-z])\S{16,}$/.test(value);
}
