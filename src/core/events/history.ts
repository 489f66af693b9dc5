/** What the scores of a session say so far. */
import type { SessionState } from './state';
import type { Verdict } from '../domain/verdict';

/**
 * What policies look at: in a session that measures, the metric in its own unit,
 * which is never mixed with scores; else the score.
 */
function valueOf(
  { request, attempts }: SessionState,
  verdict: Verdict | null
): number | null {
  const measured =
    request?.scorer !== undefined ||
    attempts.some(a => a.verdict?.metric !== undefined);
  return (measured ? verdict?.metric?.value : verdict?.score) ?? null;
}

/** One value for each attempt that has ended, in order of number, however they ended. */
export function scoreHistory(state: SessionState): readonly (number | null)[] {
  return state.attempts
    .filter(attempt => attempt.phase === 'ended')
    .map(attempt => valueOf(state, attempt.verdict));
}

/**
 * True when the best attempt is as good as asked for.
 *
 * @param since - first attempt that counts.
 */
export function reached(
  state: SessionState,
  target: number | null,
  since = 0
): boolean {
  const best = state.attempts.find(a => a.attempt === state.best);
  const verdict = best && best.attempt >= since ? best.verdict : null;
  const value = valueOf(state, verdict);
  if (target === null || value === null || wasRejected(verdict)) {
    return false;
  }
  return verdict?.metric?.goal === 'min' ? value <= target : value >= target;
}

/**
 * Attempts at the end whose value is that of the one before, or moved by no more
 * than a hundredth where the workflow goes by scores; an attempt without a value counts neither as progress nor as a plateau.
 *
 * @param since - first attempt that counts.
 */
export function standstill(state: SessionState, since = 1): number {
  const { request } = state;
  const step =
    request?.options.workflow === 'scored' && !request.scorer ? 0.01 : 0;
  const course = state.attempts
    .filter(a => a.attempt >= since)
    .map(a => valueOf(state, a.verdict))
    .filter(value => value !== null);
  const moved = course.findLastIndex(
    (value, i) => i > 0 && Math.abs(value - course[i - 1]!) > step
  );
  return Math.max(0, course.length - 1 - Math.max(0, moved));
}

/** Attempts that "Try 3 more" adds. */
export const MORE_ATTEMPTS = 3;

/** Number of the last attempt that may be made, those before the session went on included. */
export function attemptLimit(state: SessionState): number {
  const more = state.request?.options.maxAttempts ?? 1;
  const last = state.attempts.at(-1)?.attempt ?? 0;
  return Math.max((state.attemptsBefore ?? 0) + more, last);
}

/** Attempts that a session which was cut off may still make, in place of the one that was cut off as well; at least one. */
export function attemptsLeft(state: SessionState): number {
  const last = state.attempts.at(-1);
  const made = (last?.attempt ?? 0) - (last?.verdict === null ? 1 : 0);
  return Math.max(1, attemptLimit(state) - made);
}

/** No score outvotes the human. */
function wasRejected(verdict: Verdict | null): boolean {
  return (verdict?.parts ?? []).some(
    part => part.evaluator === 'human' && part.evaluation !== 'pass'
  );
}
