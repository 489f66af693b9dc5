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

export type Unfinished = 'stopped' | 'timeout' | 'not-run' | 'interrupted';

/** By the code of the failure. */
const UNFINISHED: Readonly<Record<string, Unfinished>> = {
  stopped: 'stopped',
  cancelled: 'stopped',
  'kernel-died': 'stopped',
  'kernel-restarted': 'stopped',
  'target-changed': 'stopped',
  timeout: 'timeout',
  interrupted: 'interrupted',
  rejected: 'not-run'
};

/** Why an attempt that has ended was not run, or not to its end by itself; null when it was. */
export function unfinished(attempt: AttemptState): Unfinished | null {
  const { failure, execution, phase } = attempt;
  if (phase !== 'ended') {
    return null;
  }
  const reason = UNFINISHED[failure?.code ?? ''];
  if (reason !== undefined) {
    return reason;
  }
  return execution === null
    ? null
    : isGated(execution)
      ? 'not-run'
      : saysNothing(execution)
        ? 'stopped'
        : null;
}
