/** The one error class of the project: a broken transport, a dead kernel, a bad configuration, bad input. */
import type { Usage } from './domain/model';

export type RefineErrorKind =
  /** Bad input or usage; command line exit status 2. */
  | 'input'
  /** Configuration; exit status 3. */
  | 'config'
  /** Model or its provider; exit status 3. */
  | 'model'
  /** Kernel or its transport; exit status 3. */
  | 'kernel'
  /** No room for a call outside of a session. */
  | 'budget'
  /** Our server's routes are missing or refuse; exit status 3. */
  | 'server';

/** What went wrong with a model, finer than the kind; stable names for tests and other extensions. */
export type RefineErrorCode =
  | 'unauthorized'
  | 'model-not-found'
  | 'rate-limited'
  | 'provider-error'
  /** The provider answers, and its model is not there yet. */
  | 'loading'
  | 'unreachable'
  | 'not-an-api'
  | 'stalled'
  | 'stream-cut'
  | 'no-code'
  | 'context-too-long'
  | 'bad-request'
  /** The model or a content filter refused to answer; asking again gives the same. */
  | 'refused'
  | 'no-model'
  | 'routes-missing'
  | 'demo-only'
  | 'kernel-dead'
  | 'kernel-restarted'
  | 'kernel-busy'
  /** The kernel cannot be forked now; running live may still be possible. */
  | 'kernel-refused'
  /** A fork failed before the candidate started, twice; the cause is its traceback. */
  | 'child-failed'
  | 'no-target'
  | 'bad-option'
  /** A scorer or check fails, whatever the candidate is. */
  | 'broken-check'
  | 'budget'
  /** A bug of this extension. */
  | 'internal'
  | 'other';

export class RefineError extends Error {
  constructor(
    readonly kind: RefineErrorKind,
    message: string,
    readonly details: {
      readonly code?: RefineErrorCode;
      /** The numbers behind the message: `{ status: 429, retryAfterMs: 2000 }`. */
      readonly numbers?: Readonly<Record<string, number>>;
      /** What the failed call of a model has used, where its provider reported it. */
      readonly usage?: Usage;
      readonly cause?: unknown;
    } = {}
  ) {
    super(
      message,
      details.cause === undefined ? undefined : { cause: details.cause }
    );
    this.name = 'RefineError';
  }

  get code(): RefineErrorCode {
    return this.details.code ?? 'other';
  }
}
