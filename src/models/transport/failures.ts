/** Failures of a call: what our server, Jupyter or the network says, as an error for the user and for the retry layer. */
import * as z from 'zod';
import {
  RefineError,
  type RefineErrorCode,
  type RefineErrorKind
} from '../../core/errors';

/** Who was called through the Jupyter server, which holds the key and masks it in all that it passes on. */
export type Where = {
  readonly host: string;
  readonly model: string;
};

const MAX_QUOTE = 300;

/** ` It says: "…"`, on one line, cut to 300 characters; empty for an empty text. */
export function quote(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const cut = line.length > MAX_QUOTE ? `${line.slice(0, MAX_QUOTE)}…` : line;
  return cut && ` It says: "${cut}"`;
}

/** What is known of a failure beside what failed. */
type Facts = {
  readonly kind?: RefineErrorKind;
  readonly status?: number | null;
  /** True when the same call may succeed if made again. */
  readonly worthIt?: boolean;
  /** What the provider asks to wait, milliseconds; null: nothing. */
  readonly afterMs?: number | null;
  /** A refusal of the request, to be read for the parameter that it names. */
  readonly refusal?: ReportedError;
  /** What to do next. */
  readonly advice?: string;
  readonly numbers?: Readonly<Record<string, number>>;
  readonly cause?: unknown;
};

export class ModelFailure extends RefineError {
  /** @param reason - what failed, as a sentence, without what to do next: for a call that is made again by itself. */
  constructor(
    code: RefineErrorCode,
    readonly reason: string,
    readonly facts: Facts = {}
  ) {
    const { kind = 'model', status, afterMs, advice, cause } = facts;
    super(kind, advice ? `${reason} ${advice}` : reason, {
      code,
      numbers: {
        ...facts.numbers,
        ...(status ? { status } : {}),
        ...(afterMs ? { retryAfterMs: afterMs } : {})
      },
      cause
    });
  }
}

/** What to throw when the signal of a call is aborted. */
export function abortError(): DOMException {
  return new DOMException('The model call was stopped.', 'AbortError');
}

/** What our server reports of an error. */
const errorSchema = z.object({
  message: z.string(),
  code: z.string().transform(code => code as RefineErrorCode),
  param: z.string().nullish(),
  status: z.number().nullish(),
  retryAfterMs: z.number().nullish()
});

export type ReportedError = Readonly<z.infer<typeof errorSchema>>;

/** `{"error": {message, code, status, …}}`, with or without the `error` around it; null for anything else. */
function readError(value: unknown): ReportedError | null {
  const inner = (value as { readonly error?: unknown } | null)?.error;
  return errorSchema.safeParse(inner ?? value).data ?? null;
}

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
  return error ? fromServer(where, error) : fromJupyter(status);
}

/** An error object inside a stream, or in a body with status 200. */
export function fromErrorObject(where: Where, value: unknown): ModelFailure {
  const error = readError(value);
  return error
    ? fromServer(where, error)
    : notAnApi('an error that it does not explain');
}

const RETRY_CODES: ReadonlySet<RefineErrorCode> = new Set([
  'rate-limited',
  'provider-error',
  'loading',
  'stream-cut'
] as const);
/** And all from 500 on. */
const RETRY_STATUS = new Set([408, 409, 425, 429]);

/** What one can do about an error of our server that does not say it. */
const WAY_OUT: Readonly<Partial<Record<RefineErrorCode, string>>> = {
  'model-not-found': 'Choose another model.',
  'rate-limited': 'Try again later, or choose another model.',
  'provider-error': 'Try again later, or choose another model.',
  'stream-cut': 'Try again.'
};

/** An error that our server wrote: its message is made for the user already. */
function fromServer({ host, model }: Where, error: ReportedError) {
  const { message, code, status, retryAfterMs } = error;
  // A provider's own words may end without a full stop.
  const said = /[.!?…。！？]["'”’)\]]*$/.test(message)
    ? message
    : `${message}.`;
  const isNamed = message.includes(host) && message.includes(model);
  const reason =
    isNamed || !model ? said : `${said} Model: ${model} at ${host}.`;
  return new ModelFailure(code, reason, {
    advice: WAY_OUT[code],
    status,
    worthIt:
      RETRY_CODES.has(code) &&
      (!status || status < 400 || status >= 500 || RETRY_STATUS.has(status)),
    afterMs: retryAfterMs,
    // Some fail where they do not know a parameter, or cannot make a grammar of a schema.
    refusal:
      code === 'bad-request' || /unexpected keyword|grammar/.test(message)
        ? error
        : undefined
  });
}

/** An answer of the Jupyter server, or of a proxy before it, that is none of our routes'. */
function fromJupyter(status: number): ModelFailure {
  const facts = { kind: 'server', status } as const;
  if (status === 404 || status === 405) {
    return new ModelFailure(
      'routes-missing',
      'The Jupyter server does not know the routes of jupyterlab-refine (404): it was started before the extension was installed. Restart the Jupyter server.',
      facts
    );
  }
  return status < 500
    ? new ModelFailure(
        'unauthorized',
        `The Jupyter server refused the request (${status}). Reload the page and sign in again.`,
        facts
      )
    : new ModelFailure(
        'other',
        `The Jupyter server, or a proxy in front of it, failed (${status}). Its log has the reason.`,
        { ...facts, advice: 'Try again.', worthIt: true }
      );
}

/** `fetch` itself failed: no response came. A browser says no more than "Failed to fetch". */
export function unreachable(error: unknown): ModelFailure {
  const reason = `Cannot reach the Jupyter server: ${connectionReason(error)}.`;
  return new ModelFailure('unreachable', reason, {
    worthIt: true,
    advice: 'Check that it still runs and that this machine is online.',
    cause: error
  });
}

/** By the code of an error of Node's. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the host name cannot be looked up',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no network',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  ETIMEDOUT: 'it does not answer'
};

/** Why `fetch` reached nobody, as a clause; its own message where the cause is another. */
export function connectionReason(error: unknown): string {
  const { code, text } = rootCause(error);
  return REASONS[code] ?? (text || 'the connection failed');
}

/** The innermost error that has a code; with several addresses tried, the first one's. */
function rootCause(error: unknown): {
  readonly code: string;
  readonly text: string;
} {
  let text = '';
  // No instanceof: the errors may come from another realm.
  let current = error as
    | (Partial<Error> & {
        readonly code?: unknown;
        readonly errors?: unknown[];
      })
    | undefined;
  // No deeper: a cause may lead back to itself.
  for (let depth = 0; current && depth < 5; depth++) {
    const { code, message, cause, errors } = current;
    text = message || text;
    if (typeof code === 'string') {
      return { code, text };
    }
    current = (cause ?? errors?.[0]) as typeof current;
  }
  return { code: '', text };
}

/** A response that is no chat completion. `found`: "a web page", "JSON of another kind". */
export function notAnApi(found: string): ModelFailure {
  return new ModelFailure(
    'not-an-api',
    `The Jupyter server answered with ${found} instead of the model's answer (status 200). The login has probably expired: reload the page and sign in again.`,
    { status: 200 }
  );
}

/**
 * The stream ended before the answer did. Worth another call even when text
 * had come: half an answer may hold half a function that still parses, so it
 * must never be run as a candidate.
 */
export function streamCut(
  { host, model }: Where,
  characters: number
): ModelFailure {
  return new ModelFailure(
    'stream-cut',
    `The answer of model ${model} at ${host} broke off after ${characters} characters.`,
    { worthIt: true, advice: 'Try again.', numbers: { characters } }
  );
}
