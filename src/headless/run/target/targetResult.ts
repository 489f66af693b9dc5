/** What a session gave for its target, as a row of the results. */
import { passConfirmation } from '../../../core/domain/checks/confirmation';
import { countPassed } from '../../../core/domain/execution';
import type { Outcome, StopReason } from '../../../core/domain/outcome';
import type {
  CheckCell,
  RefineRequest,
  Target
} from '../../../core/domain/request';
import type { AttemptState, SessionState } from '../../../core/events/state';
import { KEPT } from '../../../core/parse/leftOut';
import { english } from '../../../core/text/english';
import { opinionLine, opinions } from '../../../core/text/verdictWords';
import { reasonOf, type Reason } from '../../report/reasons';
import type { Status, TargetResult } from '../../report/results';
import { counted, printable } from '../../report/screen';
import type { FinishedSession } from '../place';

/** `4 checks, 1 held out, a scorer, 2 hidden names` */
export function planText(request: RefineRequest): string {
  const { scorer, hiddenData = [] } = request;
  const heldOut = statements(request.holdouts);
  return [
    counted(statements(request.assertions), 'check'),
    heldOut > 0 ? `${heldOut} held out` : '',
    scorer ? 'a scorer' : '',
    hiddenData.length > 0 ? counted(hiddenData.length, 'hidden name') : ''
  ]
    .filter(Boolean)
    .join(', ');
}

function statements(cells: readonly CheckCell[]): number {
  return cells.reduce((sum, cell) => sum + cell.statements, 0);
}

/** The result of a session, before anything was accepted. */
export function resultOf(
  target: Target,
  { request, state, outcome }: FinishedSession
): TargetResult {
  const best = bestAttempt(state);
  const ran = best?.execution?.assertions ?? [];
  const held = (role: 'assertion' | 'holdout', cells: readonly CheckCell[]) =>
    ran.length > 0
      ? countPassed(ran, role)
      : { passed: 0, total: statements(cells) };
  const reason = outcome.passed ? null : reasonFor(outcome, best);
  return {
    cellId: target.cellId,
    index: target.index,
    status: statusOf(outcome),
    outcome,
    model: state.model,
    assertions: held('assertion', request.assertions),
    holdouts: held('holdout', request.holdouts),
    confirmed: outcome.confirmed ? passConfirmation(best?.execution) : null,
    accepted:
      outcome.best?.attempt === 0 && outcome.passed ? 'unchanged' : null,
    tests: [],
    reason,
    message: reason?.message ?? keptText(state, best)
  };
}

/** What the answer left out of the cell and was put back; empty for nothing. */
function keptText({ warnings }: SessionState, best: AttemptState | null) {
  const said = warnings.find(
    ({ attempt, message }) =>
      attempt === best?.attempt && message.startsWith(KEPT)
  );
  return said ? printable(said.message).replace(/\.$/, '') : '';
}

/** What ended the session, what ran last, or what kept it from running. */
function reasonFor(outcome: Outcome, best: AttemptState | null): Reason {
  const { stopReason } = outcome;
  const ofRun = best?.execution ? reasonOf(best.execution) : null;
  const why = whyNot(outcome);
  const message = why || ofRun?.message || notAccepted(best) || stopReason;
  if (stopReason === 'no-checks' || stopReason === 'runs') {
    return { kind: 'no-checks', message };
  }
  if (ofRun || statusOf(outcome) === 'error') {
    return { kind: 'fault', ...ofRun, message };
  }
  const isChecked = best?.execution && stopReason !== 'stopped';
  return { kind: isChecked ? 'not-accepted' : 'not-checked', message };
}

export function bestAttempt({ attempts, best }: SessionState) {
  return attempts.find(({ attempt }) => attempt === best) ?? null;
}

/** `judge: needs improvement (Name the units.)`, of those that did not accept the best attempt. */
function notAccepted(best: AttemptState | null): string {
  return opinions(best?.verdict ?? null)
    .filter(({ evaluation }) => evaluation !== 'pass')
    .map(opinion => {
      const [first] = opinion.reasons;
      return `${opinionLine(opinion, english)}${first ? ` (${printable(first)})` : ''}`;
    })
    .join('; ');
}

function statusOf({ passed, stopReason, error }: Outcome): Status {
  if (passed) {
    return 'passed';
  }
  return stopReason === 'stopped'
    ? 'interrupted'
    : !error
      ? 'failed'
      : error.kind === 'input'
        ? 'input'
        : 'error';
}

function whyNot({ error, stopReason, dispute, attempts }: Outcome): string {
  if (dispute) {
    const { number, check, reason } = dispute;
    return `the model disputes check ${number} (line ${check.line} of cell ${check.index} [${check.cellId}]): ${printable(reason)} Edit the check, or say in the prompt that it is right and run again`;
  }
  const reasons: Partial<Record<StopReason, string>> = {
    'no-checks':
      'nothing checks this cell. Add assertions below it, or tag a cell refine-assert',
    runs: 'it runs, but nothing checks it. Add assertions below it, or tag a cell refine-assert',
    timeout: 'the session timed out (--session-timeout)',
    budget:
      attempts === 0
        ? 'the budget has no room for an attempt; raise --max-tokens or --max-cost'
        : 'the session used up its budget (--max-tokens, --max-cost)'
  };
  return error?.message ?? reasons[stopReason] ?? '';
}
