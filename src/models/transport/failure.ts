/** A call that failed, with what the retry layer needs to know. Never leaves this room: `generate` throws its `error`. */
import {
  RefineError,
  type RefineErrorCode,
  type RefineErrorKind
} from '../../core/errors';
import type { Where } from '../call/messages';
import type { ReportedError } from './errorBody';
import { maskKeys } from './mask';

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
export function failure(
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
