/** What the attempts of a session say of the checks that the model has disputed. */
import type { Dispute, Objection, OpenDispute } from '../domain/outcome';
import {
  numberedChecks,
  resultOfCheck,
  type NumberedCheck
} from '../domain/checks/numberedChecks';
import { failedAssertions } from '../domain/execution';
import type { RefineRequest } from '../domain/request';
import { visibleExecution } from '../domain/visible';
import type { AttemptState, SessionState } from './state';

/** Characters of a check's source that events and prompts repeat. */
const SOURCE_LIMIT = 2000;

/**
 * The check that the next prompt lets the model object to: two programs fail there
 * alone and give the same value, so that the check may be wrong.
 */
export function disputableCheck({
  request,
  attempts
}: Pick<SessionState, 'request' | 'attempts'>): NumberedCheck | null {
  if (!request) {
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
        return found && !isConfirmed(found, request) ? found : null;
      }
      seen.add(failure);
    }
  }
  return null;
}

/**
 * The objection as one that ends the session, for the user to decide; null where it
 * is at no check, at one that the user has confirmed or that can hold, or beside code
 * that does not fail there alone.
 *
 * @param attempts - those of this run.
 * @param number - of the attempt whose answer holds it.
 */
export function openedDispute(
  objection: Objection,
  request: RefineRequest,
  attempts: readonly AttemptState[],
  number: number
): Dispute | null {
  const shown = numberedChecks(request).filter(({ skipped }) => !skipped);
  const check = shown.find(one => one.number === objection.number);
  const own = attempts.find(({ attempt }) => attempt === number);
  return !check ||
    isConfirmed(check, request) ||
    attempts.some(attempt => passesAll(shown, attempt)) ||
    (own?.verdict && !failsOnlyAt(check, own))
    ? null
    : { ...objection, check: checkOf(check) };
}

/** Of the last run: the first objection that ends it. */
export function openDispute(state: SessionState): OpenDispute | null {
  const { request, attempts, attemptsBefore = 0 } = state;
  const found = attempts.find(
    ({ attempt, dispute }) => attempt > attemptsBefore && dispute
  );
  const { dispute, attempt } = found ?? {};
  if (!request || !dispute || attempt === undefined) {
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
  if (!dispute || !request) {
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

function checkOf({
  cellId,
  index,
  line,
  source
}: NumberedCheck): Dispute['check'] {
  return { cellId, index, line, source: source.slice(0, SOURCE_LIMIT) };
}

function isConfirmed(
  { cellId, source }: Pick<Dispute['check'], 'cellId' | 'source'>,
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

function failsOnlyAt(check: NumberedCheck, attempt: AttemptState): boolean {
  const execution = attempt.execution && visibleExecution(attempt.execution);
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
