/** What running a check in the live kernel says of it. */
import type { AssertionResult } from '../../core/domain/execution';
import { languageOf } from '../../core/languages/list';
import type { LiveCheck } from './liveChecks';
import type { LiveAnswer } from './liveRequest';

/** An answer of code that was run. */
export type Ended = Extract<LiveAnswer, { status: 'ok' | 'error' }>;

/** @param isBroken The answer is that of the set-up above the check. */
export function checkResult(
  check: LiveCheck,
  answer: Ended,
  language: string,
  durationMs: number,
  isBroken: boolean
): AssertionResult {
  const fields = { ...fieldsOf(check), durationMs };
  if (answer.status === 'ok') {
    return check.nothing === undefined
      ? { ...fields, outcome: 'passed' }
      : { ...fields, outcome: 'not-run', difference: check.nothing };
  }
  const { error } = answer;
  if (isBroken) {
    return { ...fields, outcome: 'error', error };
  }
  const failed = languageOf(language).isFailedCheck(error.name, error.message);
  return { ...fields, outcome: failed ? 'failed' : 'error', error };
}

/** Reported as an abort, or as the error that Python and Julia raise. */
export function isInterrupt(answer: LiveAnswer): boolean {
  return (
    answer.status === 'interrupted' ||
    (answer.status === 'error' &&
      /^(KeyboardInterrupt|InterruptException)$/.test(answer.error.name))
  );
}

export function notRunResult(check: LiveCheck): AssertionResult {
  return { ...fieldsOf(check), outcome: 'not-run', durationMs: 0 };
}

function fieldsOf({ id, cellId, role, line, source }: LiveCheck) {
  return { id, cellId, role, line, source };
}
