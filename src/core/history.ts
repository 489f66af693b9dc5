/** What the scores of a session say so far. */
import type { SessionState } from './state';
import type { Verdict } from './verdict';

/** The value that policies look at: the metric in its own unit where there is one, else the score. */
function valueOf(verdict: Verdict | null): number | null {
  return verdict?.metric?.value ?? verdict?.score ?? null;
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
  const value = valueOf(verdict);
  if (target === null || value === null) {
    return false;
  }
  return verdict?.metric?.goal === 'min' ? value <= target : value >= target;
}

/**
 * Attempts at the end whose value moved by no more than `minDelta` from the one
 * before; an attempt without a value neither moves nor stands still.
 *
 * @param since - first attempt that counts.
 */
export function standstill(
  state: SessionState,
  minDelta: number,
  since = 1
): number {
  const values = state.attempts
    .filter(a => a.attempt >= since && !a.candidate)
    .map(a => valueOf(a.verdict))
    .filter(value => value !== null);
  let still = 0;
  for (let i = 1; i < values.length; i++) {
    still = Math.abs(values[i] - values[i - 1]) <= minDelta ? still + 1 : 0;
  }
  return still;
}
