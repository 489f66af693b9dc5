/** Maps the errors that our server and Jupyter answer with to a `ModelFailure`. */
import type { RefineErrorCode } from '../../core/errors';
import { parseErrorBody, readError, type ReportedError } from './errorBody';
import { failure, type ModelFailure } from './failure';
import { completed, wayOut, type Where } from '../call/messages';
import { notAnApi } from './transportErrors';

/** Codes of our server's errors, and whether the same call may succeed if made again. */
const SERVER_CODES: Readonly<Partial<Record<RefineErrorCode, boolean>>> = {
  unauthorized: false,
  'model-not-found': false,
  'rate-limited': true,
  'provider-error': true,
  loading: true,
  unreachable: false,
  'not-an-api': false,
  stalled: false,
  'stream-cut': true,
  'context-too-long': false,
  'bad-request': false,
  'no-model': false,
  'demo-only': false,
  'bad-option': false,
  other: false
};

const RETRY_STATUS = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);

const QUOTA = /insufficient_quota|billing|exceeded your current quota|credit/i;

/** A response with a status that is no success. */
export function fromStatus(
  where: Where,
  status: number,
  body: string
): ModelFailure {
  const error = parseErrorBody(body);
  return error !== null && isKnown(error.code)
    ? fromServer(where, error, error.code)
    : fromJupyter(where, status);
}

/** An error object inside a stream, or in a body with status 200. */
export function fromErrorObject(where: Where, value: unknown): ModelFailure {
  const error = readError(value);
  if (error === null) {
    return notAnApi(where, 'an error that it does not explain');
  }
  return fromServer(where, error, isKnown(error.code) ? error.code : 'other');
}

function isKnown(code: string): code is RefineErrorCode {
  return Object.hasOwn(SERVER_CODES, code);
}

/** An error that our server wrote: its message is made for the user already. */
function fromServer(
  where: Where,
  error: ReportedError,
  code: RefineErrorCode
): ModelFailure {
  const worthIt =
    SERVER_CODES[code] === true &&
    (error.status === null ||
      error.status < 400 ||
      RETRY_STATUS.has(error.status)) &&
    !QUOTA.test(error.text);
  return failure(where, code, completed(where, error.text), {
    advice: wayOut(code, error.text),
    status: error.status,
    worthIt,
    afterMs: error.retryAfterMs,
    refusal: code === 'bad-request' ? error : undefined
  });
}

/** An answer of the Jupyter server, or of a proxy before it, that is none of our routes'. */
function fromJupyter(where: Where, status: number): ModelFailure {
  const facts = { kind: 'server', status } as const;
  if (status === 404 || status === 405) {
    return failure(
      where,
      'routes-missing',
      'The Jupyter server does not know the routes of jupyterlab-refine (404): it was started before the extension was installed. Restart the Jupyter server.',
      facts
    );
  }
  if (status < 500) {
    const message = `The Jupyter server refused the request (${status}). Reload the page and sign in again.`;
    return failure(where, 'unauthorized', message, facts);
  }
  const worthIt = RETRY_STATUS.has(status);
  const message = `The Jupyter server, or a proxy in front of it, failed (${status}). Its log has the reason.`;
  return failure(where, 'other', message, {
    ...facts,
    advice: 'Try again.',
    worthIt
  });
}
