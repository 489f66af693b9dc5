/** What the user reads when a model call fails: what, where, the numbers, the way out. */
import type { RefineErrorCode } from '../../core/errors';
import { duration } from '../../core/text/duration';
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
  return ` It says: "${cut}"`;
}

export const messages = {
  serverUnreachable: (_: Where, reason: string) =>
    `Cannot reach the Jupyter server: ${reason}. Check that it still runs and that this machine is online.`,

  loginPage: (_: Where, found: string) =>
    `The Jupyter server answered with ${found} instead of the model's answer (status 200). The login has probably expired: reload the page and sign in again.`,

  silent: ({ host, model }: Where, ms: number) =>
    `${host} sent no answer of model ${model} for ${duration(ms)}. The call was given up. Check the load of the provider, or choose another model.`,

  stalled: ({ host, model }: Where, ms: number, characters: number) =>
    `The answer of model ${model} at ${host} stood still for ${duration(ms)} after ${characters} characters. The call was given up. Try again, or choose another model.`,

  streamCut: ({ host, model }: Where, characters: number) =>
    `The answer of model ${model} at ${host} broke off after ${characters} characters. Try again.`,

  malformed: ({ host, model }: Where, characters: number) =>
    `The answer of model ${model} at ${host} became unreadable after ${characters} characters. Try again.`,

  routesMissing: () =>
    'The Jupyter server does not know the routes of jupyterlab-refine (404): it was started before the extension was installed. Restart the Jupyter server.',

  serverRefused: (_: Where, status: number) =>
    `The Jupyter server refused the request (${status}). Reload the page and sign in again.`,

  serverFailed: (_: Where, status: number) =>
    `The Jupyter server, or a proxy in front of it, failed (${status}). Try again; its log has the reason.`
} as const;

/** What one can do about an error of our server that does not say it. */
const WAY_OUT: Readonly<Partial<Record<RefineErrorCode, string>>> = {
  unauthorized:
    'Enter a valid key in the panel, or set it where the Jupyter server is started.',
  'model-not-found': 'Choose another model.',
  'rate-limited': 'Try again later, or choose another model.',
  'provider-error': 'Try again later, or choose another model.',
  stalled: 'Try again, or choose another model.',
  'stream-cut': 'Try again.',
  'context-too-long': 'Or choose a model with a larger context.'
};

const SAYS_WHAT_TO_DO = /\b(?:set|choose|check|try|enter|starts? again)\b/i;

/** A message of our server, with host and model where it names only one of them, and the way out. */
export function completed(
  { host, model }: Where,
  code: RefineErrorCode,
  text: string
): string {
  const named = text.includes(host) && text.includes(model);
  const who = named || !model ? '' : ` Model: ${model} at ${host}.`;
  const own = text.split(' It said: ')[0];
  const wayOut = SAYS_WHAT_TO_DO.test(own) ? undefined : WAY_OUT[code];
  return `${text}${who}${wayOut ? ` ${wayOut}` : ''}`;
}
