/** Maps everything that can go wrong with a model call to a `ModelFailure`. */
import {
  RefineError,
  type RefineErrorCode,
  type RefineErrorKind
} from '../../core/errors';
import { parseErrorBody, readError, type ProviderError } from './errorBody';
import { ModelFailure } from './failure';
import { maskKeys } from './mask';
import { completed, messages, quote, type Where } from '../call/messages';

/** Codes of our server's errors, and whether the same call may succeed if made again. */
const SERVER_CODES: Readonly<Partial<Record<RefineErrorCode, boolean>>> = {
  unauthorized: false,
  'model-not-found': false,
  'rate-limited': true,
  'provider-error': true,
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

const CONTEXT =
  /context[_ ]length|maximum context|context (?:window|size)|prompt is too long|too many (?:input )?tokens|exceeds? the (?:available|model'?s?) context/i;
const OUTPUT_LIMIT = /max_(?:completion_)?tokens\b.{0,60}\btoo large/i;
const QUOTA = /insufficient_quota|billing|exceeded your current quota|credit/i;

type Facts = {
  readonly kind?: RefineErrorKind;
  readonly status?: number | null;
  readonly text?: string;
  readonly worthIt?: boolean;
  readonly afterMs?: number | null;
  readonly refusal?: ProviderError;
};

function failure(
  where: Where,
  code: RefineErrorCode,
  message: string,
  facts: Facts = {}
): ModelFailure {
  const numbers = {
    ...(facts.status ? { status: facts.status } : {}),
    ...(facts.afterMs ? { retryAfterMs: facts.afterMs } : {})
  };
  const error = new RefineError(
    facts.kind ?? 'model',
    maskKeys(message, where.secrets) + quote(where, facts.text ?? ''),
    { code, numbers }
  );
  return new ModelFailure(
    error,
    { worthIt: facts.worthIt ?? false, afterMs: facts.afterMs },
    facts.refusal ?? null
  );
}

/** A response with a status that is no success. */
export function fromStatus(
  where: Where,
  status: number,
  body: string,
  headerAfterMs: number | null
): ModelFailure {
  const error = parseErrorBody(body);
  const afterMs = error.retryAfterMs ?? headerAfterMs;
  if (where.through === 'server') {
    return (
      fromServer(where, error, afterMs) ?? fromJupyter(where, status, afterMs)
    );
  }
  return fromProvider(where, status, error, afterMs);
}

/** An error object inside a stream, or in a body with status 200. */
export function fromErrorObject(where: Where, value: unknown): ModelFailure {
  const error = readError(value);
  if (where.through === 'server') {
    const known = fromServer(where, error, error.retryAfterMs);
    if (known) {
      return known;
    }
  }
  return fromProvider(where, error.status, error, error.retryAfterMs);
}

/** An error that our server wrote: its message is made for the user already. */
function fromServer(
  where: Where,
  error: ProviderError,
  afterMs: number | null
): ModelFailure | null {
  const code = error.code as RefineErrorCode | null;
  if (!code || !(code in SERVER_CODES)) {
    return null;
  }
  const worthIt =
    SERVER_CODES[code] === true &&
    (error.status === null ||
      error.status < 400 ||
      RETRY_STATUS.has(error.status)) &&
    !QUOTA.test(error.text);
  const message = completed(where, code, error.text);
  return failure(where, code, message, {
    status: error.status,
    worthIt,
    afterMs,
    refusal: code === 'bad-request' ? error : undefined
  });
}

/** An answer of the Jupyter server, or of a proxy before it, that is none of our routes'. */
function fromJupyter(
  where: Where,
  status: number,
  afterMs: number | null
): ModelFailure {
  const facts = { kind: 'server', status } as const;
  if (status === 404 || status === 405) {
    return failure(where, 'routes-missing', messages.routesMissing(), facts);
  }
  if (status < 500) {
    const message = messages.serverRefused(where, status);
    return failure(where, 'unauthorized', message, facts);
  }
  const worthIt = RETRY_STATUS.has(status);
  const message = messages.serverFailed(where, status);
  return failure(where, 'other', message, { ...facts, worthIt, afterMs });
}

/** Reads the provider's words first by status, then by what they say. */
function fromProvider(
  where: Where,
  status: number | null,
  error: ProviderError,
  afterMs: number | null
): ModelFailure {
  const { text } = error;
  const hints = `${error.code ?? ''} ${error.type ?? ''} ${text}`;
  const known = status ?? statusOf(hints);
  const facts = { status, text, afterMs };
  const make = (code: RefineErrorCode, message: string, more: Facts = {}) =>
    failure(where, code, message, { ...facts, ...more });
  if (known === 401) {
    return make('unauthorized', messages.unauthorized(where, known));
  }
  if (known === 403) {
    return make('unauthorized', messages.forbidden(where, known));
  }
  if (known === 404) {
    return /model/i.test(hints) && error.structured
      ? make('model-not-found', messages.modelNotFound(where, known))
      : make('not-an-api', messages.wrongPath(where, known));
  }
  if (known === 402 || (known === 429 && QUOTA.test(hints))) {
    return make('rate-limited', messages.quota(where, known));
  }
  if (known === 429) {
    const message = messages.rateLimited(where, known, afterMs);
    return make('rate-limited', message, { worthIt: true });
  }
  if (
    CONTEXT.test(hints) &&
    !OUTPUT_LIMIT.test(text) &&
    !isServerError(known)
  ) {
    const message = messages.contextTooLong(where, known ?? 400, text);
    return make('context-too-long', message, { text: '' });
  }
  if (known === null || RETRY_STATUS.has(known) || known >= 500) {
    const worthIt = known === null || RETRY_STATUS.has(known);
    const message = messages.providerError(where, known);
    return make('provider-error', message, { worthIt });
  }
  return make('bad-request', messages.badRequest(where, known), {
    refusal: error
  });
}

function isServerError(status: number | null): boolean {
  return status !== null && status >= 500;
}

/** The status that the words of an error in a stream stand for; null for none. */
function statusOf(hints: string): number | null {
  if (/invalid_api_key|authentication/i.test(hints)) {
    return 401;
  }
  if (/model_not_found/i.test(hints)) {
    return 404;
  }
  if (/rate_limit|insufficient_quota/i.test(hints)) {
    return 429;
  }
  return /invalid_request/i.test(hints) ? 400 : null;
}
