/** Time limits and retry bounds of model calls. Tests inject short ones. */
import { systemClock, type IClock } from '../../core/clock';

export type Tuning = {
  /** Milliseconds without a sign of life before the first token; a comment of the stream is one: a model that loads is no stall. */
  readonly firstTokenMs: number;
  /** Milliseconds to the first token in all, however many comments come. */
  readonly loadingMs: number;
  /** Milliseconds without data after the first token; comments do not count. */
  readonly stallMs: number;
  /** Milliseconds to wait for usage once the answer has ended. */
  readonly closingMs: number;
  /** Calls made again after a failure that may pass. */
  readonly maxRetries: number;
  /** First wait before a retry; doubled each time. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** A provider that asks for a longer wait is not asked again. */
  readonly maxRetryAfterMs: number;
  readonly clock: IClock;
};

export const DEFAULT_TUNING: Tuning = {
  firstTokenMs: 300_000,
  loadingMs: 600_000,
  stallMs: 60_000,
  closingMs: 5_000,
  maxRetries: 2,
  backoffMs: 500,
  maxBackoffMs: 8_000,
  maxRetryAfterMs: 60_000,
  clock: systemClock
};

/**
 * Through our server, which has limits of its own: it ends a silent call and
 * says why, so these come a little later and bound only a server that hangs.
 */
export const SERVER_TUNING: Partial<Tuning> = {
  loadingMs: Infinity,
  stallMs: 65_000
};
