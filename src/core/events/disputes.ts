/** What the attempts of a session say of the checks that the model has disputed. */
import type { Dispute, Objection, OpenDispute } from '../domain/outcome';
import {
  numberedChecks,
  resultOfCheck,
  type NumberedCheck
} from '../domain/checks/numberedChecks';
import {
  countPassed,
  failedAssertions,
  type Execution
} from '../domain/execution';
import type { RefineRequest } from '../domain/request';
import { visibleExecution, type VisibleAssertion } from '../domain/visible';
import type { AttemptState, SessionState } from './state';

/** Characters of a check's source that events and prompts repeat. */
const SOURCE_LIMIT = 2000;

/**
 * The check that the next prompt lets the model object to: the last program fails
 * there alone and gives the same values as one before it, so that the check may be
 * wrong. It is offered once: a small model objects in place of writing code.
 */
export function disputableCheck({
  request,
  attempts
}: Pick<SessionState, 'request' | 'attempts'>): NumberedCheck | null {
  const last = attempts.at(-1);
  const only = onlyFailure(last?.execution ?? null);
  const failure = failureOf(last);
  const same = attempts.filter(
    a => a.attempt > 0 && a.repeatOf === null && failureOf(a) === failure
  );
  return request &&
    only &&
    failure !== null &&
    same.length === 2 &&
    same[1] === last
    ? (openChecks(request).find(check => resultOfCheck(check, [only])) ?? null)
    : null;
}

/** The only failing check with its values; null too where the program itself raised an error there. */
function failureOf(attempt: AttemptState | undefined): string | null {
  const only = onlyFailure(attempt?.execution ?? null);
  const { id, observed, operands = [], error } = only ?? {};
  const values = [observed, ...operands].map(value => value?.repr);
  return only && error?.candidateLine === undefined
    ? [id, ...values, error?.message].join(' ')
    : null;
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
  const check = openChecks(request).find(
    one => one.number === objection.number
  );
  const own = attempts.find(({ attempt }) => attempt === number);
  const only = onlyFailure(own?.execution ?? null);
  const isBeside =
    own?.execution?.status === 'completed' &&
    only &&
    check &&
    resultOfCheck(check, [only]);
  if (!check || attempts.some(passesAll) || (own?.verdict && !isBeside)) {
    return null;
  }
  const { cellId, index, line, source } = check;
  const place = { cellId, index, line, source: source.slice(0, SOURCE_LIMIT) };
  return { ...objection, check: place };
}

/** Of the last run: the first objection that ends it. */
export function openDispute(state: SessionState): OpenDispute | null {
  const { request, attempts, attemptsBefore = 0 } = state;
  const found = attempts.find(
    ({ attempt, dispute }) => attempt > attemptsBefore && dispute
  );
  if (!request || !found?.dispute) {
    return null;
  }
  const { attempt, dispute } = found;
  const best = attempts.find(a => a.attempt === state.best);
  const check = numberedChecks(request).find(c => c.number === dispute.number);
  const [given] = [best, found].flatMap(one => {
    const results = one?.execution?.assertions ?? [];
    const result = check && resultOfCheck(check, results);
    return one && result ? [{ attempt: one.attempt, result }] : [];
  });
  return { attempt, ...dispute, ...(given ? { given } : {}) };
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

function isConfirmed(
  { cellId, source }: Pick<Dispute['check'], 'cellId' | 'source'>,
  { rightChecks = [] }: RefineRequest
): boolean {
  return rightChecks.some(
    right =>
      right.cellId === cellId && right.source === source.slice(0, SOURCE_LIMIT)
  );
}

/** Those that the user has neither left out nor confirmed. */
function openChecks(request: RefineRequest): readonly NumberedCheck[] {
  return numberedChecks(request).filter(
    check => !check.skipped && !isConfirmed(check, request)
  );
}

/** The visible check that does not hold, where it is the only one. */
function onlyFailure(execution: Execution | null): VisibleAssertion | null {
  const failed = execution && failedAssertions(visibleExecution(execution));
  return failed?.length === 1 ? (failed[0] ?? null) : null;
}

function passesAll({ execution }: AttemptState): boolean {
  const { passed, total } = countPassed(
    execution?.assertions ?? [],
    'assertion'
  );
  return total > 0 && passed === total;
}
