/** The outcome of a session, whatever ended it. */
import { bestAttempt } from '../events/best';
import { isOpenEnded } from '../domain/checks/checks';
import { openDispute } from '../events/disputes';
import { confirmedCounts } from '../domain/checks/confirmation';
import { reached, standstill } from '../events/history';
import { CHECKING_EVALUATORS } from '../domain/evaluators';
import type { CheckedBy, Outcome } from '../domain/outcome';
import { attemptsStarted } from '../stopping/policy';
import type { SessionStop } from '../session/session';
import type { SessionState } from '../events/state';
import type { Verdict } from '../domain/verdict';
import type { Times } from './context';

export function outcomeOf(
  state: SessionState,
  stop: SessionStop,
  times: Times
): Outcome {
  const best = state.attempts.find(a => a.attempt === state.best) ?? null;
  const verdict = best?.verdict ?? null;
  const passed = verdict?.evaluation === 'pass';
  const confirmed = passed ? confirmedCounts(best) : undefined;
  const dispute = stop.reason === 'disputed' ? openDispute(state) : null;
  return {
    passed,
    ...(confirmed ? { confirmed } : {}),
    checkedBy: checkedBy(verdict),
    stopReason: stop.reason,
    best: best ? bestAttempt(best) : null,
    ...(dispute ? { dispute } : {}),
    attempts: attemptsStarted(state),
    scoreHistory: state.scoreHistory,
    converged: (passed && !goesOn(state)) || converged(state),
    usage: state.usage,
    modelMs: times.modelMs,
    kernelMs: times.kernelMs,
    ...(stop.error ? { error: stop.error } : {})
  };
}

/** True when a pass is not the end of it: a better value of the metric is wanted. */
function goesOn({ request }: SessionState): boolean {
  return request !== null && isOpenEnded(request);
}

/** At its target, or standing still above nothing at all. */
function converged(state: SessionState): boolean {
  const options = state.request?.options;
  if (!options) {
    return false;
  }
  const { targetScore, patience } = options;
  const best = state.attempts.find(a => a.attempt === state.best);
  return (
    reached(state, targetScore) ||
    (patience !== null &&
      standstill(state) >= patience &&
      (best?.verdict?.metric !== undefined || (best?.verdict?.score ?? 0) > 0))
  );
}

/** The strongest evaluator that had something to say of the best attempt. */
function checkedBy(verdict: Verdict | null): CheckedBy {
  const spoke = (verdict?.parts ?? (verdict ? [verdict] : []))
    .filter(part => part.evaluation !== 'unknown' && part.total !== 0)
    .map(part => part.evaluator);
  return CHECKING_EVALUATORS.find(name => spoke.includes(name)) ?? 'none';
}
