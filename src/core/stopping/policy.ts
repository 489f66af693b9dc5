/** When to stop: small predicates over the folded session, which can be combined. Asked between attempts. */
import { reached, standstill } from '../events/history';
import { normalForm } from './normalForm';
import type { StopReason } from '../domain/outcome';
import type { AttemptState, SessionState } from '../events/state';
import { circles, lastRestart, isSteered } from './stuck';
import { sentence } from '../messages/sentence';

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
export function whenPlateau(
  patience: number | null,
  minDelta: number,
  since: number
): Policy {
  return state =>
    patience !== null && standstill(state, minDelta, since) >= patience
      ? 'patience'
      : null;
}

/** Answers that a session has in which one program comes again and again, or two take turns. */
const ALWAYS_IN_TURNS = 5;

/**
 * Why another call would be wasted, as a sentence for the user; null while one
 * may help. The session then ends with `patience` and keeps its best attempt.
 * Two signs count, never before the third attempt of a run nor while a hint waits:
 *
 * - two attempts in a row, of different programs, crashed with the same message:
 *   then it is rarely the program, and no feedback fixes it;
 * - a fresh start has not helped, no stronger model is left to take over, and at
 *   least half of the answers were repeated programs. It has not helped where it
 *   brought one of them, or where the session goes in circles again. A session of
 *   one program, or of two in turn, always has {@link ALWAYS_IN_TURNS} answers: there,
 *   models repair in the second answer after a fresh start (docs/benchmarks.md).
 *
 * @param since - first attempt of this run.
 * @param stronger - whether there is a model that takes over after two fresh starts.
 * @param restartAfter - attempts without anything new that make a circle.
 */
export function wastedCalls(
  state: SessionState,
  since: number,
  stronger: boolean,
  restartAfter: number
): string | null {
  const made = state.attempts.filter(a => a.attempt >= Math.max(1, since));
  const last = made.at(-1);
  const before = made.at(-2);
  const isEarly = made.length < 3;
  if (!last || !before || isEarly || isSteered(state)) {
    return null;
  }
  const crash = crashOf(last);
  if (
    crash !== null &&
    crash === crashOf(before) &&
    !sameProgram(state, before, last)
  ) {
    return sentence('stuck.same-error', before.attempt, last.attempt, crash);
  }
  const repeats = made.filter(a => a.repeatOf !== null).length;
  const starts = state.restarts ?? [];
  const sinceStart = made.filter(a => a.attempt >= lastRestart(state));
  if (
    starts.length < (stronger ? 2 : 1) ||
    repeats * 2 < made.length ||
    (stronger && sinceStart.length < 2)
  ) {
    return null;
  }
  if (made.length < ALWAYS_IN_TURNS && takesTurns(made)) {
    return null;
  }
  const wayOut = sentence('stuck.hint');
  if (sinceStart.length === 1 && last.repeatOf !== null) {
    return `${sentence('stuck.fresh-start', last.attempt, last.repeatOf)} ${wayOut}`;
  }
  return circles(state, restartAfter) > 0
    ? `${sentence('stuck.repeats', repeats, made.length)} ${wayOut}`
    : null;
}

/** True for one program again and again (A A A A), and for two in turn (A B A B). */
function takesTurns(made: readonly AttemptState[]): boolean {
  const programs = made.map(a => a.repeatOf ?? a.attempt);
  return programs.every((program, i) => i < 2 || program === programs[i - 2]);
}

/** What a crash said; null for anything else, and for one of several candidates of one prompt. */
function crashOf({ execution, candidate, repeatOf }: AttemptState) {
  const crashed =
    execution?.stop === 'crashed' || execution?.stop === 'harness';
  return crashed && candidate === undefined && repeatOf === null
    ? (execution.stopMessage ?? null)
    : null;
}

function sameProgram(state: SessionState, a: AttemptState, b: AttemptState) {
  const language = state.request?.language ?? '';
  return normalForm(a.code, language) === normalForm(b.code, language);
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
