/** How many assertions of an attempt held: the same counts wherever an attempt is named. */
import { countPassed, isGated, saysNothing } from '../domain/execution';
import type { AttemptState } from './state';

export type Counts = { readonly passed: number; readonly total: number };

/** Assertions that held and all of them, hold-outs apart; null when none is known, or the attempt did not run to its end. */
export function assertionCounts(attempt: AttemptState): Counts | null {
  if (unfinished(attempt) !== null) {
    return null;
  }
  const counted = countPassed(attempt.assertions, 'assertion');
  if (counted.total > 0) {
    return counted;
  }
  const { passed, total } = attempt.verdict ?? {};
  return passed !== undefined && total !== undefined && total > 0
    ? { passed, total }
    : null;
}

/** Codes of failures that ended an attempt before its end. */
const STOPPED: ReadonlySet<string> = new Set([
  'stopped',
  'kernel-died',
  'kernel-restarted',
  'target-changed',
  'timeout',
  'interrupted'
]);

/** Whether an attempt that has ended was not run, or not to its end by itself; null when it was. */
export function unfinished({
  failure,
  execution,
  phase
}: AttemptState): 'stopped' | 'not-run' | null {
  return phase !== 'ended'
    ? null
    : failure?.code === 'rejected' || (execution && isGated(execution))
      ? 'not-run'
      : STOPPED.has(failure?.code ?? '') ||
          (execution && saysNothing(execution))
        ? 'stopped'
        : null;
}
