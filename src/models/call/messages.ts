/** What the user reads when a model call fails: what, where, the numbers, the way out. */
import type { RefineErrorCode } from '../../core/errors';
import { duration } from '../../core/text/duration';
import { maskKeys } from '../transport/mask';

/** Who was called, and by which way. */
export type Where = {
  readonly host: string;
  readonly model: string;
  /** `server`: through the Jupyter server, which holds the key. */
  readonly through: 'server' | 'direct';
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
  unauthorized: ({ host, model, through }: Where, status: number) =>
    `${host} refused the key (${status}) for model ${model}. ` +
    (through === 'server'
      ? 'Enter a valid key in the panel, or set it where the Jupyter server is started.'
      : 'Set a valid key, for example in the environment variable OPENAI_API_KEY.'),

  forbidden: ({ host, model }: Where, status: number) =>
    `${host} does not allow the use of model ${model} with this key (${status}). Choose another model, or a key that may use it.`,

  modelNotFound: ({ host, model }: Where, status: number) =>
    `${host} has no model ${model} (${status}). Choose another model` +
    (host.endsWith(':11434')
      ? `, or fetch it: ollama pull ${model}`
      : ' or correct its name.'),

  wrongPath: ({ host }: Where, status: number) =>
    `${host} knows no chat completions at this address (${status}). Check the base URL: it usually ends with /v1.`,

  rateLimited: (
    { host, model }: Where,
    status: number,
    afterMs: number | null
  ) =>
    `${host} takes no more requests for model ${model} for now (${status}). ` +
    (afterMs === null
      ? 'Try again later, or choose another model.'
      : `Try again in ${duration(afterMs)}, or choose another model.`),

  quota: ({ host, model }: Where, status: number) =>
    `The quota of this key at ${host} is used up (${status}, model ${model}). Check the plan and the billing there, or choose another model.`,

  providerError: ({ host, model }: Where, status: number | null) =>
    `${host} failed${status === null ? '' : ` (${status})`} on a request for model ${model}. Try again later, or choose another model.`,

  unreachable: ({ host, model }: Where, reason: string) =>
    `Cannot reach ${host} for model ${model}: ${reason}. Check that it runs and that the base URL is right.`,

  serverUnreachable: (_: Where, reason: string) =>
    `Cannot reach the Jupyter server: ${reason}. Check that it still runs and that this machine is online.`,

  notAnApi: ({ host }: Where, found: string) =>
    `${host} answered with ${found} instead of a chat completion (status 200). A login page or a proxy is in the way: sign in there, and check the base URL, which usually ends with /v1.`,

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

  contextTooLong: ({ host, model }: Where, status: number, text: string) =>
    `The prompt is too long for model ${model} at ${host} (${status}${tokenNumbers(text)}). Send fewer characters of the notebook (setting contextBudget), or choose a model with a larger context.`,

  badRequest: ({ host, model }: Where, status: number) =>
    `${host} refused the request for model ${model} (${status}).`,

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

function tokenNumbers(text: string): string {
  const limit = /maximum context length is (\d+)/i.exec(text)?.[1];
  const asked = /(?:resulted in|requested|request has) (\d+)/i.exec(text)?.[1];
  const parts = [
    ...(limit ? [`${limit} tokens at most`] : []),
    ...(asked ? [`${asked} sent`] : [])
  ];
  return parts.length ? `; ${parts.join(', ')}` : '';
}
