/** States of a session that no event reports: before its first one, and after a start that failed. */
import { UUID } from '@lumino/coreutils';
import { systemClock } from '../../../../core/clock';
import type { WaitFor } from '../../../../core/events/events';
import { initialState } from '../../../../core/events/fold';
import type { SessionState } from '../../../../core/events/state';

/** @param earlier the session that goes on; a new one when left out. */
export function startingState(earlier?: SessionState): SessionState {
  return earlier
    ? { ...earlier, outcome: null, phase: 'starting' }
    : { ...initialState(UUID.uuid4()), startedAt: systemClock.now() };
}

/** @param reason what the start waits for; null: it goes on. */
export function waitingState(
  state: SessionState,
  reason: string | null,
  subject: WaitFor
): SessionState {
  const waiting = reason === null ? null : { for: subject, reason };
  return { ...state, phase: waiting ? 'waiting' : 'starting', waiting };
}

/** What the panel shows when a run could not start, or broke off: the session before it. */
export function stateAfterFailure(
  state: SessionState,
  earlier?: SessionState
): SessionState | null {
  if (!state.request) {
    return null;
  }
  return earlier && state.outcome === null ? { ...earlier } : state;
}
