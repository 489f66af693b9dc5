/** From an open notebook and its kernel to the request that the loop takes, and to what of an error may reach a model. */
import type { ICellModel } from '@jupyterlab/cells';
import type { Kernel } from '@jupyterlab/services';
import type { IExecutor } from '../../../core/domain/executor';
import type { RepairGoal } from '../../../core/domain/repair';
import type { RefineRequest } from '../../../core/domain/request';
import type { RefineOptions } from '../../../core/settings';
import { untilAborted } from '../../../core/session/abort';
import { createExecutor } from '../../../kernel';
import type { TargetPlan } from '../../../notebook/plan';
import { analyse } from '../../../notebook/python/analysis';
import { repairGoal, type ErrorOutput } from '../../../notebook/repair';
import { buildRequest, requestChecks } from '../../../notebook/request';
import { maskSecrets } from '../../../notebook/secrets';
import { namesToInspect } from '../../../notebook/structure/names';
import { wholeSource } from '../../../notebook/structure/ownChecks';
import { markedRole } from '../../../notebook/structure/roles';
import {
  namesAbove,
  unrunCells,
  type CellAbove
} from '../../../notebook/structure/cellsAbove';
import { errorOutput, isCodeCell } from '../../errorOutput';
import { findCell } from '../cells/notebookEdits';
import type { PlannedTarget } from './plannedTarget';
import type { FollowedTarget } from './targetFollower';

/** Use an executor that only reads the kernel: nothing runs in it, so nobody is asked. */
export async function readKernel<T>(
  kernel: Kernel.IKernelConnection,
  { isolation }: RefineOptions,
  keyVariables: readonly string[] | undefined,
  signal: AbortSignal,
  use: (executor: IExecutor) => Promise<T>
): Promise<T> {
  const executor = await createExecutor(kernel, {
    isolation,
    allowLive: () => Promise.resolve(true),
    keyVariables,
    signal
  });
  try {
    return await use(executor);
  } finally {
    executor.dispose();
  }
}

/**
 * Ask the kernel for the variables that matter and put the request together.
 *
 * @param frameNames - Local variables of the frame in which attempts run.
 */
export async function notebookRequest(
  target: PlannedTarget,
  settings: RefineOptions,
  session: string,
  executor: IExecutor,
  signal: AbortSignal,
  frameNames: readonly string[] = []
): Promise<RefineRequest> {
  const { cells, language, panel, plan } = target;
  const names =
    settings.contextValues === 'none'
      ? []
      : [...new Set([...frameNames, ...namesToInspect(plan, cells, language)])];
  const variables =
    names.length === 0
      ? []
      : await executor.inspect(names, settings.contextValues, signal);
  const unrun = await unrunAbove(target, executor, signal);
  return buildRequest({
    cells,
    notRun: unrun.cells.map(({ id }) => id),
    plan,
    settings,
    variables,
    session,
    path: panel.context.path,
    language
  });
}

/**
 * The error that the target shows, with what the kernel knows of it; null when
 * it shows none. Without both where the cell was edited since, and where its
 * error may quote hidden data: attempt 0 then runs the cell.
 */
export async function notebookRepair(
  { panel, plan, cells, language }: PlannedTarget,
  settings: RefineOptions,
  executor: Pick<IExecutor, 'inspectFailure'>,
  signal: AbortSignal
): Promise<RepairGoal | null> {
  const { cellId, source } = plan.target;
  const cell = findCell(panel.content.model, cellId);
  const shown = cell && shownError(cell);
  if (!shown) {
    return null;
  }
  const isStale = isCodeCell(cell) && cell.isDirty;
  const current =
    isStale || isHidden({ cells, language }, plan, cellId, shown)
      ? null
      : shown;
  const known = current
    ? await executor.inspectFailure?.(
        { source: wholeSource(plan.target), name: current.name },
        settings.contextValues,
        signal
      )
    : null;
  return repairGoal(source, language, current, known ?? null);
}

/** The error that a cell shows, without what looks like a secret; null when it shows none. */
export function shownError(cell: ICellModel): ErrorOutput | null {
  const error = errorOutput(cell);
  return (
    error && {
      name: error.name,
      message: maskSecrets(error.message).text,
      traceback: maskSecrets(error.traceback).text
    }
  );
}

/**
 * True for a hold-out, and for a cell whose error may quote what no model sees: it names that itself, or the
 * traceback passes through a function that does.
 */
export function isHidden(
  { cells, language }: Pick<FollowedTarget, 'cells' | 'language'>,
  plan: TargetPlan,
  cellId: string,
  error: ErrorOutput
): boolean {
  const cell = cells.find(({ id }) => id === cellId);
  if (!cell || plan.holdouts.some(holdout => holdout.cellId === cellId)) {
    return true;
  }
  const { hiddenNames = [], hiddenData = [] } = requestChecks(
    cells,
    plan,
    language
  );
  const { reads, binds } = analyse(cell.source, language);
  const quoted = new Set(error.traceback.match(/[\p{L}\p{N}_]+/gu) ?? []);
  return (
    markedRole(cell) === 'holdout' ||
    [...hiddenNames, ...hiddenData].some(
      name => reads.has(name) || binds.has(name) || quoted.has(name)
    )
  );
}

export type UnrunAbove = {
  readonly cells: readonly Pick<CellAbove, 'id' | 'index' | 'skip'>[];
  /** Prompt, target or checks name what only they define. */
  readonly needed: boolean;
};

/** The cells above a target that its kernel has not run; only of Python are names known. */
export async function unrunAbove(
  { cells, language, panel, plan }: PlannedTarget,
  executor: Pick<IExecutor, 'inspect'>,
  signal: AbortSignal
): Promise<UnrunAbove> {
  const kernel = panel.sessionContext.session?.kernel;
  const names = language === 'python' ? namesAbove(cells, plan, language) : [];
  if (!kernel || names.length === 0) {
    return { cells: [], needed: false };
  }
  const known = await executor.inspect(names, 'types', signal);
  if (known.length === names.length) {
    return { cells: [], needed: false };
  }
  const ran = await kernelHistory(kernel, signal);
  const there = new Set(known.map(({ name }) => name));
  return unrunCells(cells, plan, language, ran, there);
}

/** Above the number of any execution. */
const ALL = 1_000_000;
/** A kernel that the debugger has stopped does not answer. */
const LIMIT_MS = 3000;

/** Sources without trailing blanks; null when the kernel does not report them. */
async function kernelHistory(
  kernel: Pick<Kernel.IKernelConnection, 'requestHistory'>,
  signal: AbortSignal
): Promise<ReadonlySet<string> | null> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  try {
    const { content } = await untilAborted(
      kernel.requestHistory({
        output: false,
        raw: true,
        hist_access_type: 'range',
        session: 0,
        start: 1,
        stop: ALL
      }),
      limit
    );
    return content.status === 'ok'
      ? new Set(content.history.map(([, , input]) => text(input).trimEnd()))
      : null;
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/** With `output` an entry is a pair. */
function text(input: unknown): string {
  return String(Array.isArray(input) ? input[0] : input);
}
