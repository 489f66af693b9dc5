/** One target: from its cells to a finished session. */
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../core/clock';
import { passConfirmation } from '../../../core/domain/checks/confirmation';
import { RefineError } from '../../../core/errors';
import { countPassed } from '../../../core/domain/execution';
import type { IExecutor } from '../../../core/domain/executor';
import { fold, initialState } from '../../../core/events/fold';
import { check, refine } from '../../../core/loop';
import type { RefineOptions } from '../../../core/options';
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
import {
  buildRequest,
  namesToInspect,
  plannedChecks,
  planTarget,
  resolveOptions,
  type NotebookCell
} from '../../../notebook';
import type { FinishedSession, NotebookPorts } from '../place';
import {
  cellLabel,
  type Status,
  type TargetResult
} from '../../report/results';
import { notChecked, reasonOf, type Reason } from '../../report/reasons';
import { counted, printable } from '../../report/screen';

type TargetRunInput = Pick<
  NotebookPorts,
  'models' | 'progress' | 'onEvent' | 'signal'
> & {
  readonly path: string;
  readonly cells: readonly NotebookCell[];
  readonly target: Target;
  readonly language: string;
  readonly settings: RefineOptions;
  /** In place of the notebook's own prompt; null: that. */
  readonly prompt: string | null;
  readonly executor: IExecutor;
};

/** Plan the target, ask the kernel about the variables it names, and drive the session. */
export async function runTarget(
  input: TargetRunInput
): Promise<FinishedSession> {
  const { models, executor, progress, onEvent, signal } = input;
  const request = await requestFor(input);
  // Nobody is asked: a target that passes is done, and what asks for a human is an error.
  const deps = { executor, clock: systemClock, signal };
  const stream =
    models === null
      ? check(request, deps)
      : refine(request, {
          ...deps,
          generator: models.generator,
          evaluatorModel: models.evaluator
        });
  let state = initialState(request.session);
  for (;;) {
    const next = await stream.next();
    if (next.done) {
      return { request: state.request ?? request, state, outcome: next.value };
    }
    state = fold(state, next.value);
    onEvent(next.value);
    progress.event(next.value, state);
  }
}

async function requestFor(input: TargetRunInput): Promise<RefineRequest> {
  const { path, cells, target, language, settings, executor, signal } = input;
  const plan = planTarget(cells, target, language, {
    panelPrompt: input.prompt ?? ''
  });
  if (input.prompt !== null && plan.promptOrigin === 'magic') {
    throw new RefineError(
      'input',
      `${path} ${cellLabel(target)} has its task in a %%refine cell. Change it there, or leave out --prompt.`
    );
  }
  const { options, warnings } = resolveOptions(settings, plan.cellOptions);
  await executor.prepare(signal);
  const variables =
    options.contextValues === 'none'
      ? []
      : await executor.inspect(
          namesToInspect(plan, cells, language),
          options.contextValues,
          signal
        );
  const request = buildRequest({
    cells,
    plan,
    settings,
    variables,
    session: randomUUID(),
    path,
    language
  });
  input.progress.title(`${path} ${cellLabel(target)}: ${planText(request)}`);
  const idle = plannedChecks(cells, plan, language).flatMap(
    ({ index, cellId, problem }) =>
      problem === null
        ? []
        : [
            `${cellLabel({ index, cellId })} is tagged as a check, but checks nothing.`
          ]
  );
  const notes = [...warnings, ...idle, ...(request.context.notes ?? [])];
  for (const warning of notes) {
    input.progress.warn(`  ${warning}`);
  }
  return request;
}

/** `4 checks and 1 held out, a scorer, 2 hidden names` */
function planText(request: RefineRequest): string {
  const { assertions, holdouts, scorer, hiddenData = [] } = request;
  const [shown, heldOut] = [statements(assertions), statements(holdouts)];
  return [
    [
      ...(shown > 0 || heldOut === 0 ? [counted(shown, 'check')] : []),
      ...(heldOut > 0 ? [`${heldOut} held out`] : [])
    ].join(' and '),
    ...(scorer ? ['a scorer'] : []),
    ...(hiddenData.length > 0
      ? [counted(hiddenData.length, 'hidden name')]
      : [])
  ].join(', ');
}

function statements(cells: readonly CheckCell[]): number {
  return cells.reduce((sum, cell) => sum + cell.statements, 0);
}

/** The result of a session, before anything was accepted. */
export function resultOf(
  target: Target,
  { request, state, outcome }: FinishedSession
): TargetResult {
  const best = bestAttempt(state, outcome);
  const ran = best?.execution?.assertions ?? [];
  const held = (role: 'assertion' | 'holdout', cells: readonly CheckCell[]) =>
    ran.length > 0
      ? countPassed(ran, role)
      : { passed: 0, total: statements(cells) };
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
    reason: outcome.passed ? null : reasonFor(state, outcome, best),
    message: outcome.passed
      ? keptText(state, best)
      : whyNot(state, outcome) || notAccepted(best)
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

/** Of what ran last, or of what kept it from running. */
function reasonFor(
  state: SessionState,
  outcome: Outcome,
  best: AttemptState | null
): Reason {
  const why = whyNot(state, outcome);
  const { stopReason } = outcome;
  if (stopReason === 'no-checks' || stopReason === 'runs') {
    return { kind: 'no-checks', message: why };
  }
  const ofRun = best?.execution ? reasonOf(best.execution) : null;
  if (ofRun || statusOf(outcome) === 'error') {
    return ofRun ?? { kind: 'fault', message: why };
  }
  return best?.execution && stopReason !== 'stopped'
    ? { kind: 'not-accepted', message: why || stopReason }
    : notChecked(why || stopReason);
}

export function bestAttempt(
  state: SessionState,
  outcome: Outcome
): AttemptState | null {
  return (
    state.attempts.find(({ attempt }) => attempt === outcome.best?.attempt) ??
    null
  );
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
  const statuses: Partial<Record<StopReason, Status>> = {
    stopped: 'interrupted',
    'model-error': 'error',
    refused: 'error',
    'internal-error': 'error',
    'kernel-died': 'error',
    'kernel-restarted': 'error'
  };
  const kind = error?.kind === 'input' ? 'input' : 'error';
  return statuses[stopReason] ?? (error ? kind : 'failed');
}

function whyNot(state: SessionState, outcome: Outcome): string {
  const { error, stopReason, dispute, attempts } = outcome;
  if (dispute) {
    const { number, check, reason } = dispute;
    return `the model disputes check ${number} (line ${check.line} of cell ${check.index} [${check.cellId}]): ${printable(reason)}`;
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
