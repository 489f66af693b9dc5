/** What the user reads when a model call fails: what, where, the numbers, the way out. */
import type { RefineErrorCode } from '../../core/errors';
import { maskKeys } from '../transport/mask';

/** Who was called through the Jupyter server, which holds the key. */
export type Where = {
  readonly host: string;
  readonly model: string;
  /** Values that must not appear in any text. */
  readonly secrets: readonly string[];
};

const MAX_QUOTE = 300;

/** ` It says: "…"`, masked, on one line, cut to 300 characters; empty for an empty text. */
export function quote(where: Where, text: string): string {
  const line = maskKeys(text, where.secrets).replace(/\s+/g, ' ').trim();
  if (!line) {
    return '';
  }
  const cut = line.length > MAX_QUOTE ? `${line.slice(0, MAX_QUOTE)}…` : line;
  return ` ${`It says: "${cut}"`}`;
}

/** What one can do about an error of our server that does not say it. */
const WAY_OUT: Readonly<Partial<Record<RefineErrorCode, string>>> = {
  unauthorized:
    'Enter a valid key in the panel, or set it where the Jupyter server is started.',
  'model-not-found': 'Choose another model.',
  'rate-limited': 'Try again later, or choose another model.',
  'provider-error': 'Try again later, or choose another model.',
  stalled: 'Try again, or choose another model.',
  'stream-cut': 'Try again.',
  'context-too-long': 'Choose a model with a larger context.'
};

const SAYS_WHAT_TO_DO = /\b(?:set|choose|check|try|enter|starts? again)\b/i;

const ENDS = /[.!?\u2026]["'\u201d\u2019)\]]*$/;

/** A message of our server as whole sentences, with host and model where it names only one of them. */
export function completed({ host, model }: Where, text: string): string {
  const named = text.includes(host) && text.includes(model);
  // A provider's own words may end without a full stop.
  const ended = ENDS.test(text) ? text : `${text}.`;
  return named || !model ? ended : `${ended} ${`Model: ${model} at ${host}.`}`;
}

/** What to do about a failure that our server reported; empty where its own part of the message says it. */
export function wayOut(code: RefineErrorCode, text: string): string {
  const [own = ''] = text.split(' It said: ');
  return SAYS_WHAT_TO_DO.test(own) ? '' : (WAY_OUT[code] ?? '');
}
