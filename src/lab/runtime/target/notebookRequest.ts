/** From an open notebook to the request that the loop takes. */
import type { IExecutor } from '../../../core/domain/executor';
import type { RefineOptions } from '../../../core/options';
import type { RefineRequest } from '../../../core/domain/request';
import { namesToInspect } from '../../../notebook/structure/names';
import { buildRequest } from '../../../notebook/request';
import type { TargetPlan } from '../../../notebook/plan';
import type { FollowedTarget } from './targetFollower';
import { unrunAbove } from './unrunAbove';
import type { RepairGoal } from '../../../core/domain/repair';
import { repairGoal } from '../../../notebook/repair';
import { wholeSource } from '../../../notebook/structure/ownChecks';
import { isCodeCell } from '../../errorOutput';
import { findCell } from '../cells/notebookEdits';
import type { PlannedTarget } from './plannedTarget';
import { isHidden, shownError } from './shownError';

/**
 * Ask the kernel for the variables that matter and put the request together.
 *
 * @param frameNames - Local variables of the frame in which attempts run.
 */
export async function notebookRequest(
  followed: FollowedTarget,
  plan: TargetPlan,
  settings: RefineOptions,
  session: string,
  executor: IExecutor,
  signal: AbortSignal,
  frameNames: readonly string[] = []
): Promise<RefineRequest> {
  const { cells, language, panel } = followed;
  const names =
    settings.contextValues === 'none'
      ? []
      : [...new Set([...frameNames, ...namesToInspect(plan, cells, language)])];
  const variables =
    names.length === 0
      ? []
      : await executor.inspect(names, settings.contextValues, signal);
  const unrun = await unrunAbove(followed, plan, executor, signal);
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
