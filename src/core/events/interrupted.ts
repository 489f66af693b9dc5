/** Attempts that ended because their session did. */
import type { AttemptState, SessionState } from './state';

/** The state of a session whose page or process went away: what was being written or run has ended. */
export function interrupted(state: SessionState): SessionState {
  return { ...state, attempts: state.attempts.map(endInterrupted) };
}

export function endInterrupted(attempt: AttemptState): AttemptState {
  const message = 'Interrupted before the attempt finished.';
  return attempt.phase === 'ended'
    ? attempt
    : {
        ...attempt,
        phase: 'ended',
        best: false,
        verdict: {
          evaluator: 'none',
          evaluation: 'unknown',
          score: null,
          reasons: [message]
        },
        failure: { code: 'interrupted', message }
      };
}
