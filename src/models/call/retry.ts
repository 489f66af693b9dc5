/**
 * The one retry layer: when a failed call is made again, and after which wait.
 *
 * Made again: 429 and 5xx (after the time that the provider asks for, if that
 * is short, as often as it asks), a model that still loads, a connection that was reset before an answer, a stream that ended
 * too early. Not made again: a refused connection or key, an unknown model, a
 * refused request, a page, a prompt that is too long, silence.
 */
import { duration } from '../../core/text/duration';
import { RefineError } from '../../core/errors';
import type { ModelFailure } from '../transport/failure';
import type { Tuning } from './tuning';

/**
 * Milliseconds to wait before retry number `retries` (from 0); null: give up.
 *
 * @param sinceMs - since the first call.
 */
export function retryDelay(
  failure: ModelFailure,
  retries: number,
  sinceMs: number,
  tuning: Tuning
): number | null {
  const { worthIt, afterMs } = failure.retry;
  const isLast = retries >= tuning.maxRetries;
  if (worthIt && typeof afterMs === 'number') {
    // A wait that is asked for is made as often as it takes, but not in haste.
    const delay = Math.max(afterMs, isLast ? tuning.maxBackoffMs : 0);
    return afterMs <= tuning.maxRetryAfterMs &&
      sinceMs + delay <= tuning.maxWaitMs
      ? delay
      : null;
  }
  return !worthIt || isLast
    ? null
    : Math.min(tuning.backoffMs * 2 ** retries, tuning.maxBackoffMs);
}

/** The error to throw when no retry helped: it says how often was tried. */
export function afterRetries(
  { error }: ModelFailure,
  retries: number,
  waitedMs: number
): RefineError {
  if (retries === 0) {
    return error;
  }
  const tried = `It was tried ${retries + 1} times within ${duration(waitedMs)}.`;
  return new RefineError(error.kind, [error.message, tried].join(' '), {
    ...error.details,
    numbers: { ...error.details.numbers, retries }
  });
}
