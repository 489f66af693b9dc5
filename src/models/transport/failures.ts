/** Failures of a call: what our server, Jupyter or the network says, as an error for the user and for the retry layer. */
import * as z from 'zod';
import {
  RefineError,
  type RefineErrorCode,
  type RefineErrorKind
} from '../../core/errors';

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
function completed({ host, model }: Where, text: string): string {
  const named = text.includes(host) && text.includes(model);
  // A provider's own words may end without a full stop.
  const ended = ENDS.test(text) ? text : `${text}.`;
  return named || !model ? ended : `${ended} Model: ${model} at ${host}.`;
}

/** What to do about a failure that our server reported; empty where its own part of the message says it. */
function wayOut(code: RefineErrorCode, text: string): string {
  const [own = ''] = text.split(' It said: ');
  return SAYS_WHAT_TO_DO.test(own) ? '' : (WAY_OUT[code] ?? '');
}

/** Characters of a message, and of a name in it, that are read: patterns search them. */
const MAX_TEXT = 4000;
const MAX_NAME = 200;

/** What our server reports of an error; its message is cut to 4,000 characters. */
export type ReportedError = {
  readonly message: string;
  readonly code: string;
  readonly param: string | null;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
};

export class ModelFailure extends Error {
  constructor(
    /** For the user: what failed, and what to do next. */
    readonly error: RefineError,
    readonly retry: {
      /** True when the same call may succeed if made again. */
      readonly worthIt: boolean;
      /** What the provider asks for, milliseconds; null: nothing. */
      readonly afterMs?: number | null;
    } = { worthIt: false },
    /** A refusal of the request, to be read for the parameter that it names. */
    readonly refusal: ReportedError | null = null,
    /** What failed, without what to do next: for a call that is made again by itself. */
    readonly reason: string = error.message
  ) {
    super(error.message);
    this.name = 'ModelFailure';
  }
}

/** What is known of a failure beside what failed. */
type Facts = {
  readonly kind?: RefineErrorKind;
  readonly status?: number | null;
  readonly worthIt?: boolean;
  readonly afterMs?: number | null;
  readonly refusal?: ReportedError;
  /** What to do next. */
  readonly advice?: string;
  readonly numbers?: Readonly<Record<string, number>>;
  readonly cause?: unknown;
};

/** @param what - what failed, as a sentence. */
function failure(
  { secrets }: Where,
  code: RefineErrorCode,
  what: string,
  facts: Facts = {}
): ModelFailure {
  const { kind = 'model', status, worthIt = false, afterMs, advice } = facts;
  const numbers = {
    ...facts.numbers,
    ...(status ? { status } : {}),
    ...(afterMs ? { retryAfterMs: afterMs } : {})
  };
  const message = maskKeys(advice ? `${what} ${advice}` : what, secrets);
  return new ModelFailure(
    new RefineError(kind, message, {
      code,
      numbers,
      cause: safeCause(facts.cause, secrets)
    }),
    { worthIt, afterMs },
    facts.refusal ?? null,
    maskKeys(what, secrets)
  );
}

/** A cause that carries name and text only: the client's and the network's own errors may hold headers and bodies. */
export function safeCause(
  error: unknown,
  secrets: readonly string[]
): Error | undefined {
  // No instanceof: the error may come from another realm.
  const { name, message } = (error ?? {}) as Partial<Error>;
  if (typeof message !== 'string') {
    return undefined;
  }
  const safe = new Error(maskKeys(message, secrets));
  safe.name = name ?? safe.name;
  safe.stack = undefined;
  return safe;
}

/** What to throw when the signal of a call is aborted. */
export function abortError(): DOMException {
  return new DOMException('The model call was stopped.', 'AbortError');
}

const errorSchema = z.looseObject({
  message: z.string().transform(text => text.slice(0, MAX_TEXT)),
  code: z.string().transform(text => text.slice(0, MAX_NAME)),
  param: z
    .string()
    .transform(text => text.slice(0, MAX_NAME))
    .nullable()
    .catch(null),
  status: z.number().nullable().catch(null),
  retryAfterMs: z.number().nullable().catch(null)
});

/** An error of our server: `{"error": {message, code, status, …}}`, with or without the `error` around it; null for anything else. */
export function readError(value: unknown): ReportedError | null {
  const inner = (value as { readonly error?: unknown } | null)?.error;
  return errorSchema.safeParse(inner ?? value).data ?? null;
}

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
  let error: ReportedError | null = null;
  try {
    error = readError(JSON.parse(body));
  } catch {
    // A page, of a proxy perhaps.
  }
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
    !QUOTA.test(error.message);
  return failure(where, code, completed(where, error.message), {
    advice: wayOut(code, error.message),
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
const MOST_MASKED = 8000;

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
    .slice(0, MOST_MASKED)
    .replace(AFTER_BEARER, `$1 ${MASK}`)
    .replace(IN_FIELD, `$1${MASK}`);
  return KEY_LIKE.reduce((rest, key) => rest.replace(key, MASK), masked);
}
