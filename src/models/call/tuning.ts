/** Time limits and retry bounds of model calls. Tests inject short ones. */
import { systemClock, type IClock } from '../../core/clock';

export type Tuning = {
  /** Milliseconds without a byte of our server, which sends comments while it waits, and has limits of its own for providers. */
  readonly silenceMs: number;
  /** Calls made again after a failure that may pass. */
  readonly maxRetries: number;
  /** First wait before a retry; doubled each time. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** A provider that asks for a longer wait is not asked again. */
  readonly maxRetryAfterMs: number;
  /** Nor one that asks for more than this in all, until it answers. */
  readonly maxWaitMs: number;
  readonly clock: IClock;
};

export const DEFAULT_TUNING: Tuning = {
  silenceMs: 180_000,
  maxRetries: 2,
  backoffMs: 500,
  maxBackoffMs: 8_000,
  maxRetryAfterMs: 60_000,
  maxWaitMs: 300_000,
  clock: systemClock
};
