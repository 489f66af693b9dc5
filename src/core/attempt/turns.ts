/**
 * What a model is asked for next: to correct its last program, or to write one
 * anew. After a failed check one correction is worth its price; then a fresh
 * program, written at a higher temperature, passes more often than another
 * correction (docs/benchmarks.md). An error that is new says what to correct.
 */
import { memoryStyle } from '../domain/workflow';
import type { Session } from '../session/session';
import {
  countPassed,
  failedAssertions,
  type ExecutionError
} from '../domain/execution';
import { hintsUsed } from '../events/fold';
import type { AttemptState, SessionState } from '../events/state';
import { holdoutFailed, visibleAttempt } from '../domain/visible';

/** Of a correction, at least where one is set: a cooler model writes the same again. */
const CORRECTING = 0.7;
/** Of a fresh start, at least; more after one that repeated an earlier program, up to the warmest. */
const WARM = 0.9;
const WARMER = 0.2;
const WARMEST = 1.3;

/** Attempts in a row with the same feedback after which a session that keeps all of them starts afresh. */
const SAME_FEEDBACK = 3;

/**
 * The temperature of the next attempt; reports a restart when it is a fresh start.
 *
 * @param temperature - as set; null: the provider's default.
 */
export function nextTemperature(
  session: Session,
  attempt: number,
  temperature: number | null
): number | null {
  if (startsAfresh(session.state)) {
    session.emit({
      type: 'restart',
      attempt,
      reason: 'The last attempt came no closer. A fresh start follows.'
    });
  }
  const { attempts, restarts = [] } = session.state;
  const repeats = attempts.filter(
    a => a.repeatOf !== null && restarts.includes(a.attempt)
  ).length;
  return restarts.includes(attempt)
    ? Math.max(temperature ?? 0, Math.min(WARMEST, WARM + WARMER * repeats))
    : attempts.some(a => a.attempt > 0) && temperature !== null
      ? Math.max(temperature, CORRECTING)
      : temperature;
}

/**
 * True when nothing of the attempts so far is worth another correction. What the
 * user has said or done since the last attempt always is.
 */
export function startsAfresh(state: SessionState): boolean {
  const since = lastRestart(state);
  const series = state.attempts.filter(
    a => a.attempt > 0 && a.attempt >= since
  );
  const last = series.at(-1);
  if (!last || isSteered(state)) {
    return false;
  }
  if (last.repeatOf !== null) {
    return true;
  }
  const hasBase = state.base !== undefined && state.base.after >= since;
  if (
    hasBase ||
    !state.request ||
    memoryStyle(state.request.options) !== 'compact'
  ) {
    const texts = series.slice(-SAME_FEEDBACK).map(a => a.feedback?.text);
    return texts.length === SAME_FEEDBACK && new Set(texts).size === 1;
  }
  // A judge or scorer that wants more says what.
  const isFirst = since === 0 && series.length === 1;
  return (
    failed(last) &&
    !isFirst &&
    !cameCloser(state, last) &&
    !hasNewError(state, last)
  );
}

/** No code, an error, a check that does not hold; not what a judge or scorer asks for. */
function failed({ failure, execution }: AttemptState): boolean {
  return (
    failure !== null ||
    (execution !== null &&
      (execution.status !== 'completed' ||
        failedAssertions(execution).length > 0 ||
        holdoutFailed(execution)))
  );
}

/** It passes more checks than any attempt before it. */
function cameCloser({ attempts }: SessionState, last: AttemptState): boolean {
  const passed = (attempt: AttemptState) =>
    countPassed(attempt.execution?.assertions ?? []).passed;
  return attempts.every(a => a === last || passed(a) < passed(last));
}

/** It got past the errors before it, to another one. */
function hasNewError({ attempts }: SessionState, last: AttemptState): boolean {
  const key = (attempt: AttemptState) => {
    const { name, message } = raisedBy(attempt) ?? {};
    return name && `${name}: ${message}`;
  };
  const newest = key(last);
  return (
    newest !== undefined && attempts.every(a => a === last || key(a) !== newest)
  );
}

/** The error that a program raised, by itself or where a check called it. */
export function raisedBy(attempt: AttemptState): ExecutionError | undefined {
  const { execution } = visibleAttempt(attempt);
  return (
    execution?.error ??
    execution?.assertions.find(a => a.error?.candidateLine !== undefined)?.error
  );
}

/** Number of the last attempt that was a fresh start; 0 when none was. */
export function lastRestart({ restarts = [] }: SessionState): number {
  return Math.max(0, ...restarts);
}

/** True when the user has said or done something since the last attempt that the next one is the first to know. */
function isSteered(state: SessionState): boolean {
  const last = state.attempts.at(-1);
  return (
    state.hints.length > hintsUsed(state) ||
    last?.editedFrom !== undefined ||
    // The user has decided on what it objected to.
    last?.dispute !== undefined ||
    (state.base !== undefined && state.base.after === (last?.attempt ?? 0))
  );
}

/**
 * The earlier attempt with the same text and a known result, so that running it
 * again would say nothing new; null when there is none.
 *
 * @param since - first attempt whose result still holds: the kernel may have
 * changed since earlier ones.
 */
export function repeatedAttempt(
  { attempts }: SessionState,
  candidate: string,
  before: number,
  since: number
): AttemptState | null {
  return (
    attempts.find(
      a =>
        a.attempt >= since &&
        a.attempt < before &&
        a.failure === null &&
        a.verdict !== null &&
        a.verdict.evaluation !== 'unknown' &&
        a.phase === 'ended' &&
        // What was denied may have been allowed since.
        (a.execution?.denied.length ?? 0) === 0 &&
        plain(a.code) === plain(candidate)
    ) ?? null
  );
}

/** Without blank lines and blanks at the ends of lines. */
function plain(code: string): string {
  return code
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n')
    .trim();
}
