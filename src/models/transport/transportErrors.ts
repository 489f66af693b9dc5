/** Failures of the way to the provider: no connection, a page, silence, an end too early. */
import { duration } from '../../core/text/duration';
import { failure, type ModelFailure } from './failure';
import type { Where } from '../call/messages';

/** Reasons that a second call does not change; everything else (a reset, a browser's bare "Failed to fetch") may pass. */
const LASTING: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the host name cannot be looked up',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no network',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  ETIMEDOUT: 'it does not answer'
};

/** `fetch` itself failed: no response came. */
export function unreachable(where: Where, error: unknown): ModelFailure {
  const { code, text } = rootCause(error);
  const lasting =
    LASTING[code] ?? (/CERT|SSL|TLS/.test(code) ? `${text} (${code})` : null);
  const reason =
    lasting ??
    (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET'
      ? 'the connection was closed without an answer'
      : text || 'the connection failed');
  const message = `Cannot reach the Jupyter server: ${reason}.`;
  return failure(where, 'unreachable', message, {
    worthIt: lasting === null,
    advice: 'Check that it still runs and that this machine is online.',
    cause: error
  });
}

/** Why `fetch` reached nobody, as a clause; its own message where the cause is another. */
export function connectionReason(error: unknown): string {
  const { code, text } = rootCause(error);
  return LASTING[code] ?? (text || 'the connection failed');
}

/** A response that is no chat completion. `found`: "a web page", "JSON of another kind". */
export function notAnApi(where: Where, found: string): ModelFailure {
  const message = `The Jupyter server answered with ${found} instead of the model's answer (status 200). The login has probably expired: reload the page and sign in again.`;
  return failure(where, 'not-an-api', message, {
    status: 200
  });
}

/** Silence of our server. Not retried: the user has waited long enough to be asked. */
export function stalled(where: Where, ms: number): ModelFailure {
  const { host, model } = where;
  const message = `The Jupyter server sent nothing for ${duration(ms)} while it called model ${model} at ${host}. The call was ended. Try again; its log may have the reason.`;
  return failure(where, 'stalled', message, {
    numbers: { waitedMs: ms }
  });
}

/**
 * The stream ended before the answer did. Worth another call even when text
 * had come: half an answer may hold half a function that still parses, so it
 * must never be run as a candidate.
 */
export function streamCut(where: Where, characters: number): ModelFailure {
  const message = `The answer of model ${where.model} at ${where.host} broke off after ${characters} characters.`;
  return failure(where, 'stream-cut', message, {
    worthIt: true,
    advice: 'Try again.',
    numbers: { characters }
  });
}

/** The innermost error that has a code; with several addresses tried, the first one's. */
function rootCause(error: unknown): {
  readonly code: string;
  readonly text: string;
} {
  let text = '';
  let current: unknown = error;
  // No instanceof: the errors may come from another realm.
  for (let depth = 0; current && depth < 5; depth += 1) {
    const { code, message, cause, errors } = current as Partial<Error> & {
      readonly code?: unknown;
      readonly errors?: readonly unknown[];
    };
    text = message || text;
    if (typeof code === 'string') {
      return { code, text };
    }
    current = cause ?? errors?.[0];
  }
  return { code: '', text };
}
