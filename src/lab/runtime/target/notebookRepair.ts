import type { IExecutor } from '../../../core/domain/executor';
import type { RepairGoal } from '../../../core/domain/repair';
import type { RefineOptions } from '../../../core/options';
import { repairGoal } from '../../../notebook/repair';
import { wholeSource } from '../../../notebook/structure/ownChecks';
import { isCodeCell } from '../../errorOutput';
import { findCell } from '../cells/notebookEdits';
import type { PlannedTarget } from './plannedTarget';
import { isHidden, shownError } from './shownError';

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
