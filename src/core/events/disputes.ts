/** What the attempts of a session say of the checks that the model has disputed. */
import type {
  Dispute,
  DisputedCheck,
  Objection,
  OpenDispute
} from '../domain/checks/dispute';
import {
  numberedChecks,
  resultOfCheck,
  type NumberedCheck
} from '../domain/checks/numberedChecks';
import { failedAssertions } from '../domain/execution';
import type { RefineRequest } from '../domain/request';
import type { Verdict } from '../domain/verdict';
import { visibleExecution } from '../domain/visible';
import type { AttemptState, SessionState } from './state';

/** Characters of a check's source that events and prompts repeat. */
const SOURCE_LIMIT = 2000;

/**
 * True where an answer may object to a check, also one that was not asked to. Not any
 * more once the model has disputed a check again that the user had confirmed.
 */
export function hearsDispute(
  request: Pick<RefineRequest, 'assertions' | 'language' | 'options'>,
  attempts: readonly Pick<AttemptState, 'dispute'>[]
): boolean {
  return (
    attempts.every(({ dispute }) => dispute?.ruling !== 'right') &&
    numberedChecks(request).some(check => !check.skipped)
  );
}

/**
 * The check that the next prompt lets the model object to: two programs fail there
 * alone and give the same value, so that the check may be wrong.
 */
export function disputableCheck({
  request,
  attempts
}: Pick<SessionState, 'request' | 'attempts'>): NumberedCheck | null {
  if (!request || !hearsDispute(request, attempts)) {
    return null;
  }
  const seen = new Set<string>();
  for (const { attempt, execution, repeatOf } of attempts) {
    const results =
      execution && attempt > 0 && repeatOf === null
        ? failedAssertions(visibleExecution(execution))
        : [];
    const [only, ...others] = results;
    if (only && others.length === 0) {
      const { id, observed, error } = only;
      const failure = `${id} ${observed?.repr ?? error?.message}`;
      if (seen.has(failure)) {
        const found = numberedChecks(request).find(
          check => !check.skipped && resultOfCheck(check, results) === only
        );
        return found ?? null;
      }
      seen.add(failure);
    }
  }
  return null;
}

/**
 * @param attempts - those against the checks as they are now.
 * @param own - the attempt whose answer holds the objection; with what its code gave, if it had code.
 */
export function ruleOn(
  objection: Objection,
  request: RefineRequest,
  attempts: readonly AttemptState[],
  own: { readonly attempt: number; readonly verdict: Verdict | null }
): Dispute {
  const checks = numberedChecks(request);
  const check = checks.find(
    ({ number, skipped }) => number === objection.number && !skipped
  );
  if (!check) {
    return { ...objection, ruling: 'unknown' };
  }
  const ruled = (ruling: Dispute['ruling']): Dispute => ({
    ...objection,
    ruling,
    check: checkOf(check)
  });
  const shown = checks.filter(({ skipped }) => !skipped);
  if (attempts.some(attempt => passesAll(shown, attempt))) {
    return ruled('passed');
  }
  const attempt = attempts.find(a => a.attempt === own.attempt);
  if (own.verdict && !failsOnlyAt(check, attempt)) {
    return ruled(own.verdict.evaluation === 'pass' ? 'passed' : 'aside');
  }
  return ruled(isConfirmed(check, request) ? 'right' : 'open');
}

/** Of the last run: the first objection that ends it. */
export function openDispute(state: SessionState): OpenDispute | null {
  const { request, attempts, attemptsBefore = 0 } = state;
  const found = attempts.find(
    ({ attempt, dispute }) =>
      attempt > attemptsBefore && dispute?.ruling === 'open'
  );
  const { dispute, attempt } = found ?? {};
  if (!request || !dispute?.check || attempt === undefined) {
    return null;
  }
  const { number, reason, check } = dispute;
  const best = attempts.find(a => a.attempt === state.best);
  const numbered = numberedChecks(request).find(c => c.number === number);
  const given = [best, found]
    .filter(candidate => candidate !== undefined)
    .flatMap(candidate => {
      const results = candidate.execution?.assertions ?? [];
      const result = numbered && resultOfCheck(numbered, results);
      return result ? [{ attempt: candidate.attempt, result }] : [];
    });
  return {
    attempt,
    number,
    reason,
    check,
    ...(given[0] ? { given: given[0] } : {})
  };
}

/** What the user decided on the disputed check, as prompts and digests say it; empty where nothing was disputed. */
export function answerToDispute(
  { dispute }: Pick<AttemptState, 'dispute'>,
  request: RefineRequest | null
): string {
  if (dispute?.ruling !== 'open' || !dispute.check || !request) {
    return '';
  }
  const { number, check } = dispute;
  const skipped = numberedChecks(request).some(
    c => c.number === number && c.skipped
  );
  return skipped
    ? `The user has left check ${number} out.`
    : isConfirmed(check, request)
      ? `The user has confirmed check ${number}: it is right.`
      : `Check ${number} has not changed.`;
}

/** What is said of a dispute that did not end the session. */
export function rulingText(
  { ruling, number }: Dispute,
  request: RefineRequest,
  attempts: readonly AttemptState[]
): string {
  const checks = numberedChecks(request);
  if (ruling === 'unknown') {
    return `There is no check ${number}. Numbers of checks: ${checks
      .filter(check => !check.skipped)
      .map(check => check.number)
      .join(', ')}.`;
  }
  const shown = checks.filter(({ skipped }) => !skipped);
  const passing = attempts.find(attempt => passesAll(shown, attempt));
  return ruling === 'passed' && passing
    ? `Attempt ${passing.attempt} passes all shown checks, check ${number} included.`
    : `The user has confirmed check ${number}: it is right.`;
}

function checkOf({
  cellId,
  index,
  line,
  source
}: NumberedCheck): DisputedCheck {
  return { cellId, index, line, source: source.slice(0, SOURCE_LIMIT) };
}

function isConfirmed(
  { cellId, source }: Pick<DisputedCheck, 'cellId' | 'source'>,
  { rightChecks = [] }: RefineRequest
): boolean {
  return rightChecks.some(
    right =>
      right.cellId === cellId && right.source === source.slice(0, SOURCE_LIMIT)
  );
}

function passesAll(
  checks: readonly NumberedCheck[],
  { execution }: Pick<AttemptState, 'execution'>
): boolean {
  return (
    execution !== null &&
    checks.every(
      check => resultOfCheck(check, execution.assertions)?.outcome === 'passed'
    )
  );
}

function failsOnlyAt(
  check: NumberedCheck,
  attempt: AttemptState | undefined
): boolean {
  const execution = attempt?.execution && visibleExecution(attempt.execution);
  if (execution?.status !== 'completed') {
    return false;
  }
  const [failed, ...others] = failedAssertions(execution);
  return (
    failed !== undefined &&
    others.length === 0 &&
    resultOfCheck(check, execution.assertions) === failed
  );
}
