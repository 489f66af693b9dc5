/** When to stop: small predicates over the folded session, which can be combined. Asked between attempts. */
import { reached, standstill } from '../events/history';
import type { StopReason } from '../domain/outcome';
import type { SessionState } from '../events/state';

/** The reason to stop now; null to continue. */
export type Policy = (state: SessionState) => StopReason | null;

/** The first reason that any of them has. */
export function anyOf(...policies: readonly Policy[]): Policy {
  return state => {
    for (const policy of policies) {
      const reason = policy(state);
      if (reason !== null) {
        return reason;
      }
    }
    return null;
  };
}

/** @param since - first attempt that counts: the session continued after earlier passes. */
export function whenPassed(since: number): Policy {
  return state =>
    state.attempts.some(
      a => a.attempt >= since && a.verdict?.evaluation === 'pass'
    )
      ? 'passed'
      : null;
}

/** For a target without checks: what the model wrote ran without error, if it is code. */
export const whenUncheckable: Policy = state => {
  const last = lastAttempt(state);
  return last &&
    last.attempt > 0 &&
    last.failure === null &&
    (last.execution === null || last.execution.status === 'completed')
    ? 'no-checks'
    : null;
};

/** For an error to fix where nothing checks the cell: it runs, and does not only hide the error. */
export const whenRuns: Policy = state => {
  const last = lastAttempt(state);
  return last?.failure === null &&
    last.execution?.status === 'completed' &&
    last.verdict?.evaluation === 'unknown'
    ? 'runs'
    : null;
};

/** The best attempt is good enough, whether or not it passes. */
export function whenReached(target: number | null, since: number): Policy {
  return state => (reached(state, target, since) ? 'target' : null);
}

/** The score has reached a plateau. */
export function whenPlateau(patience: number | null, since: number): Policy {
  return state =>
    patience !== null && standstill(state, since) >= patience
      ? 'patience'
      : null;
}

/** @param limit - attempts of this run. @param before - attempts made before it went on. */
export function maxAttempts(limit: number, before = 0): Policy {
  return state =>
    attemptsStarted(state) - before >= limit ? 'max-attempts' : null;
}

/** Attempts started, attempt 0 not counted. */
export function attemptsStarted(state: SessionState): number {
  return state.attempts.filter(a => a.attempt > 0).length;
}

function lastAttempt(state: SessionState) {
  return state.attempts[state.attempts.length - 1];
}
