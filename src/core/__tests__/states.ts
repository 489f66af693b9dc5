/** Folded sessions for tests of what only reads them. */
import { initialState } from '../events/fold';
import { NO_USAGE } from '../domain/model';
import type { AttemptState, SessionState } from '../events/state';
import type { Verdict } from '../domain/verdict';
import { makeRequest } from './requests';

export function verdictOf(parts: Partial<Verdict> = {}): Verdict {
  return {
    evaluator: 'scorer',
    evaluation: 'needs-improvement',
    score: null,
    reasons: [],
    ...parts
  };
}

/** An ended attempt of a program of its own. */
export function attemptOf(
  attempt: number,
  parts: Partial<AttemptState> = {}
): AttemptState {
  return {
    attempt,
    phase: 'ended',
    prompt: [],
    thoughts: '',
    code: `x = ${attempt}`,
    assertions: [],
    output: '',
    execution: null,
    verdict: verdictOf(),
    feedback: null,
    usage: NO_USAGE,
    durationMs: 1,
    best: false,
    repeatOf: null,
    failure: null,
    ...parts
  };
}

export function stateOf(
  attempts: readonly AttemptState[],
  parts: Partial<SessionState> = {}
): SessionState {
  return {
    ...initialState('session-1'),
    request: makeRequest(),
    attempts,
    ...parts
  };
}
