/** The state of a session and how it ended, in sentences. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { hasChecks } from '../../core/domain/checks/checks';
import type { Outcome } from '../../core/domain/outcome';
import { attemptLimit } from '../../core/events/history';
import type { SessionState } from '../../core/events/state';
import type { RefineView } from '../../tokens';
import { assertionCounts, type Counts } from '../../core/events/counts';
import { bestText, countsText } from '../shared/score';
import { visibleLine } from '../shared/safeText';

/** True while the session of this view is being worked on. */
export function isRunning(view: RefineView): boolean {
  const { session, interrupted } = view;
  return (
    session !== null &&
    !interrupted &&
    session.outcome === null &&
    session.phase !== 'ended'
  );
}

/** What the session was asked: its prompt, or the error to fix; null before it is known. */
export function sentPrompt(
  { request, attempts }: SessionState,
  trans: TranslationBundle
): string | null {
  const error =
    request?.repair && (request.repair.error ?? attempts[0]?.execution?.error);
  return request && error && request.prompt === ''
    ? trans.__('Fix %1: %2', error.name, error.message)
    : (request?.prompt ?? null);
}

/** True when a pause holds the session: no attempt is being made. */
export function isHeld(session: SessionState): boolean {
  return (
    session.paused &&
    session.request !== null &&
    session.waiting === null &&
    session.attempts.every(({ phase }) => phase === 'ended')
  );
}

/** `Attempt 3 of 5 · writing`, `Paused after attempt 1`. */
export function statusWords(
  session: SessionState,
  trans: TranslationBundle
): { readonly main: string; readonly phase: string | null } {
  if (!isHeld(session)) {
    return {
      main: attemptWords(session, trans),
      phase: phaseWords(session, trans)
    };
  }
  const last = session.attempts.at(-1)?.attempt ?? 0;
  return {
    main:
      last === 0
        ? trans.__('Paused before attempt 1')
        : trans.__('Paused after attempt %1', last),
    phase: null
  };
}

/** True when the model has begun to answer. */
function isRead({ attempts }: SessionState): boolean {
  return attempts.some(
    ({ phase, thoughts, code }) => phase === 'writing' && thoughts + code !== ''
  );
}

/** `Attempt 3 of 5`, `Current code`. */
function attemptWords(session: SessionState, trans: TranslationBundle): string {
  const current = session.attempts[session.attempts.length - 1];
  if (current === undefined) {
    // Before a request a kernel or the cells above are waited for; only drafts ask a model.
    return session.request === null &&
      session.waiting !== null &&
      session.waiting.for !== 'kernel' &&
      session.waiting.for !== 'permission'
      ? trans.__('Drafting')
      : trans.__('Starting');
  }
  if (current.attempt === 0) {
    return trans.__('Current code');
  }
  return trans.__('Attempt %1 of %2', current.attempt, attemptLimit(session));
}

/** `writing`, `waiting for cell [12]`, `waiting for you`. */
function phaseWords(session: SessionState, trans: TranslationBundle): string {
  if (session.waiting !== null) {
    return waitingWords(session.waiting, trans);
  }
  switch (session.phase) {
    case 'starting':
      return trans.__('reading the notebook');
    case 'checking':
      return trans.__('checking');
    case 'writing':
      return isRead(session)
        ? trans.__('writing')
        : trans.__('reading the prompt');
    case 'running':
      return trans.__('running');
    case 'judging':
      return trans.__('judging');
    case 'waiting':
      return trans.__('waiting');
    case 'ended':
      return trans.__('ended');
  }
}

function waitingWords(
  waiting: NonNullable<SessionState['waiting']>,
  trans: TranslationBundle
): string {
  switch (waiting.for) {
    case 'human':
    case 'permission':
      return trans.__('waiting for you');
    case 'kernel':
      return waiting.reason === ''
        ? trans.__('waiting for the kernel')
        : waiting.reason;
    case 'model':
      return trans.__('waiting for the model');
  }
}

/** `Passed on attempt 3`, `Stopped after 5 attempts: best 3 of 4`, `Interrupted by a page reload`. */
export function endTitle(
  session: SessionState,
  trans: TranslationBundle
): string {
  const { outcome } = session;
  if (outcome?.passed) {
    const number = outcome.best?.attempt ?? session.best ?? 0;
    return passedTitle(number, outcome, trans);
  }
  const checked = onlyChecked(session);
  if (checked !== null && outcome?.stopReason !== 'no-checks') {
    return trans.__('Current code: %1', countsText(checked, trans));
  }
  const reason =
    outcome === null
      ? trans.__('Interrupted by a page reload')
      : stopWords(outcome, trans);
  const { stopReason } = outcome ?? {};
  if (stopReason === 'no-checks' || stopReason === 'runs') {
    return reason;
  }
  if (stopReason === 'stopped' && nothingPassed(session)) {
    return trans.__('%1. Nothing passed.', reason);
  }
  const best = bestText(session, trans);
  return best === null ? reason : trans.__('%1: best %2', reason, best);
}

/** It differs for a pass that also holds in a fresh kernel. */
function passedTitle(
  number: number,
  { clean }: Outcome,
  trans: TranslationBundle
): string {
  if (number === 0) {
    return trans.__('The cell already passes');
  }
  if (clean === undefined) {
    return trans.__('Passed on attempt %1', number);
  }
  return clean.passed
    ? trans.__('Passed on attempt %1, also in a fresh kernel', number)
    : trans.__('Passed on attempt %1, in this kernel only', number);
}

/** True when it ended for want of checks. */
export function lacksChecks({ outcome, request }: SessionState): boolean {
  return (
    outcome?.stopReason === 'no-checks' &&
    outcome.error === undefined &&
    request !== null &&
    !hasChecks(request)
  );
}

/** Counts of a session that has only checked what the cell held, whose end offers nothing; null for any other. */
export function onlyChecked({
  outcome,
  attempts
}: SessionState): Counts | null {
  const checked = attempts.find(({ attempt }) => attempt === 0);
  return outcome === null ||
    outcome.attempts > 0 ||
    hasFailed(outcome) ||
    checked === undefined
    ? null
    : assertionCounts(checked);
}

/** The same may go well when it is tried again. */
export function hasFailed({ stopReason }: Outcome): boolean {
  return stopReason === 'model-error' || stopReason === 'internal-error';
}

/** True when no attempt passed an assertion or has a metric. */
function nothingPassed({ attempts }: SessionState): boolean {
  return attempts.every(
    attempt =>
      !attempt.verdict?.metric && (assertionCounts(attempt)?.passed ?? 0) === 0
  );
}

function stopWords(outcome: Outcome, trans: TranslationBundle): string {
  const n = outcome.attempts;
  if (outcome.error?.code === 'broken-check') {
    return trans.__('Stopped: a check cannot be run');
  }
  if (outcome.error?.code === 'bad-option') {
    return trans.__('Not started: an evaluator is unknown');
  }
  switch (outcome.stopReason) {
    case 'max-attempts':
    case 'passed':
      return trans._n(
        'Stopped after %1 attempt',
        'Stopped after %1 attempts',
        n
      );
    case 'target':
      return trans._n(
        'Target reached after %1 attempt',
        'Target reached after %1 attempts',
        n
      );
    case 'patience':
      return trans._n(
        'No progress after %1 attempt',
        'No progress after %1 attempts',
        n
      );
    case 'budget':
      return trans._n(
        'Budget used up after %1 attempt',
        'Budget used up after %1 attempts',
        n
      );
    case 'timeout':
      return trans._n(
        'Time limit reached after %1 attempt',
        'Time limit reached after %1 attempts',
        n
      );
    case 'stopped':
      return n === 0
        ? trans.__('You stopped the session')
        : trans.__('You stopped attempt %1', n);
    case 'rejected':
      return trans.__('You rejected the attempt');
    case 'kernel-died':
      return isAlive(outcome)
        ? trans.__('The kernel could not run the attempt')
        : trans.__('The kernel died');
    case 'kernel-restarted':
      return trans.__('The kernel was restarted');
    case 'model-error':
      return trans.__('The model gave no answer');
    case 'refused':
      return trans.__('The model or its content filter refused to answer');
    case 'internal-error':
      return trans.__('Internal error in jupyterlab-refine');
    case 'target-changed':
      return trans.__('The cell was deleted during the session');
    case 'disputed':
      return outcome.dispute
        ? trans.__('The model disputes check %1', outcome.dispute.number)
        : trans.__('The model disputes a check');
    case 'no-checks':
      return trans.__('Not checked: the cell has no assertions');
    case 'runs':
      return trans.__('Runs; nothing checked');
  }
}

/** True when the kernel refused or failed, and did not end. */
function isAlive({ stopReason, error }: Outcome): boolean {
  return (
    stopReason === 'kernel-died' &&
    error !== undefined &&
    error.code !== 'kernel-dead'
  );
}

/** What explains the end, one sentence each. */
export function stoppedReasons(
  session: SessionState,
  outcome: Outcome,
  trans: TranslationBundle
): readonly string[] {
  const { error, stopReason } = outcome;
  const stuck = stopReason === 'max-attempts' ? stuckAt(session) : null;
  const isGone =
    (stopReason === 'kernel-died' || stopReason === 'kernel-restarted') &&
    !isAlive(outcome);
  return [
    ...(error && stopReason !== 'kernel-restarted' ? [error.message] : []),
    isGone
      ? trans.__(
          'Its variables are gone. Run the cells above, then continue. All attempts are kept.'
        )
      : stopReason === 'target-changed'
        ? trans.__('All attempts are kept. Undo the deletion to continue.')
        : trans.__('Nothing was written to the cell.'),
    ...(stuck
      ? [trans.__('No attempt passed `%1`. Is that check right?', stuck)]
      : [])
  ];
}

/** The one check that none of several attempts passed: it may be wrong. */
function stuckAt({ attempts }: SessionState): string | null {
  const ran = attempts.filter(a => a.attempt > 0 && a.assertions.length > 0);
  const [open, ...more] = (ran.length < 3 ? [] : ran[0]!.assertions).filter(
    ({ id, role }) =>
      role === 'assertion' &&
      ran.every(a =>
        a.assertions.some(o => o.id === id && o.outcome !== 'passed')
      )
  );
  return open && more.length === 0 ? visibleLine(open.source, 100) : null;
}
