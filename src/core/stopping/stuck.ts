/** Telling that a session goes round in circles. */
import { normalForm } from './normalForm';
import { failureSignature } from './signature';
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

/** How many attempts at the end of `attempts`, in a row, brought nothing new. */
export type Streak = {
  /** Programs that an earlier attempt had. */
  readonly repeats: number;
  /** Programs or failures that an earlier one of `attempts` had. */
  readonly alike: number;
};

export function streakOf(attempts: readonly AttemptState[]): Streak {
  const seen = new Set<string>();
  let streak: Streak = { repeats: 0, alike: 0 };
  for (const attempt of attempts) {
    const signature = failureSignature(visibleAttempt(attempt));
    const repeated = attempt.repeatOf !== null;
    const again = repeated || (signature !== null && seen.has(signature));
    // Candidates of one prompt say nothing of what feedback changes.
    const counts = !attempt.candidate;
    streak = {
      repeats: repeated && counts ? streak.repeats + 1 : 0,
      alike: again && counts ? streak.alike + 1 : 0
    };
    if (signature !== null) {
      seen.add(signature);
    }
  }
  return streak;
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
  const { alike } = streakOf(current);
  const repeated = current.at(-1)?.repeatOf !== null;
  return alike >= enough + Number(!repeated) ? alike : 0;
}

/** Number of the last attempt that was a fresh start; 0 when none was. */
export function lastRestart(state: SessionState): number {
  return Math.max(0, ...(state.restarts ?? []));
}
