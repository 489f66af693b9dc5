/** The outcome of a session, whatever ended it. */
import { bestAttempt } from './best';
import { reached, standstill } from './history';
import type { CheckedBy, Outcome } from './outcome';
import { attemptsBegun } from './policy';
import type { SessionStop } from './session';
import type { SessionState } from './state';
import type { Verdict } from './verdict';
import type { Times } from './attemptContext';

export function outcomeOf(
  state: SessionState,
  stop: SessionStop,
  times: Times
): Outcome {
  const best = state.attempts.find(a => a.attempt === state.best) ?? null;
  const verdict = best?.verdict ?? null;
  const passed = verdict?.evaluation === 'pass';
  return {
    passed,
    checkedBy: checkedBy(verdict),
    stopReason: stop.reason,
    best: best ? bestAttempt(best) : null,
    attempts: attemptsBegun(state),
    scoreHistory: state.scoreHistory,
    converged: passed || converged(state),
    usage: state.usage,
    modelMs: times.modelMs,
    kernelMs: times.kernelMs,
    ...(stop.error ? { error: stop.error } : {})
  };
}

/** At its target, or standing still above nothing at all. */
function converged(state: SessionState): boolean {
  const options = state.request?.options;
  if (!options) {
    return false;
  }
  const { targetScore, patience, minDelta } = options;
  const best = state.attempts.find(a => a.attempt === state.best);
  return (
    reached(state, targetScore) ||
    (patience !== null &&
      standstill(state, minDelta) >= patience &&
      (best?.verdict?.metric !== undefined || (best?.verdict?.score ?? 0) > 0))
  );
}

const ORDER: readonly CheckedBy[] = ['assertions', 'scorer', 'judge', 'human'];

/** The strongest evaluator that had something to say of the best attempt. */
function checkedBy(verdict: Verdict | null): CheckedBy {
  const spoke = (verdict?.parts ?? (verdict ? [verdict] : []))
    .filter(part => part.evaluation !== 'unknown' && part.total !== 0)
    .map(part => part.evaluator);
  return ORDER.find(name => spoke.includes(name)) ?? 'none';
}
