/** Telling that a session goes round in circles. */
import { normalForm } from './normalForm';
import { failureSignature } from './signature';
import { hintsUsed } from '../events/fold';
import type { AttemptState, SessionState } from '../events/state';
import { visibleAttempt } from '../domain/visible';

/**
 * The earlier attempt whose candidate is the same program and whose result is
 * known, so that running it again would say nothing new; null when there is none.
 *
 * @param since - first attempt whose result still holds: the kernel may have
 * changed since earlier ones.
 */
export function repeatedAttempt(
  state: SessionState,
  candidate: string,
  before: number,
  since: number
): AttemptState | null {
  const language = state.request?.language ?? '';
  const form = normalForm(candidate, language);
  return (
    state.attempts.find(
      a =>
        a.attempt >= since &&
        a.attempt < before &&
        a.failure === null &&
        a.verdict !== null &&
        a.verdict.evaluation !== 'unknown' &&
        a.phase === 'ended' &&
        // What was denied may have been allowed since.
        (a.execution?.denied.length ?? 0) === 0 &&
        normalForm(a.code, language) === form
    ) ?? null
  );
}

/** How many attempts at the end of `attempts`, in a row, had a program or a failure that an earlier one of them had. */
export function alikeAtEnd(attempts: readonly AttemptState[]): number {
  const seen = new Set<string>();
  let alike = 0;
  for (const attempt of attempts) {
    const signature = failureSignature(visibleAttempt(attempt));
    const again =
      attempt.repeatOf !== null || (signature !== null && seen.has(signature));
    // Candidates of one prompt say nothing of what feedback changes.
    alike = again && !attempt.candidate ? alike + 1 : 0;
    if (signature !== null) {
      seen.add(signature);
    }
  }
  return alike;
}

/**
 * Attempts at the end of the session, since its last fresh start, that brought
 * nothing new: a repeated candidate, or a failure that one of them had already.
 * 0 while there are fewer than `enough`, or no more than that and the last was a
 * new program: that often comes closer, though its failure looks the same.
 */
export function circles(state: SessionState, enough: number): number {
  const since = lastRestart(state);
  const current = state.attempts.filter(
    a => a.attempt > 0 && a.attempt >= since && a.phase === 'ended'
  );
  const alike = alikeAtEnd(current);
  const repeated = current.at(-1)?.repeatOf !== null;
  return alike >= enough + Number(!repeated) ? alike : 0;
}

/** Number of the last attempt that was a fresh start; 0 when none was. */
export function lastRestart(state: SessionState): number {
  return Math.max(0, ...(state.restarts ?? []));
}

/** True when the user has said or done something since the last attempt that the next one is the first to know. */
export function isSteered(state: SessionState): boolean {
  const last = state.attempts.at(-1);
  return (
    state.hints.length > hintsUsed(state) ||
    last?.editedFrom !== undefined ||
    (state.base !== undefined && state.base.after === (last?.attempt ?? 0))
  );
}
