import type { IExecutor } from '../../../core/domain/executor';
import type { RepairGoal } from '../../../core/domain/repair';
import type { RefineOptions } from '../../../core/options';
import { repairGoal } from '../../../notebook/repair';
import { errorOutput, isCodeCell } from '../../errorOutput';
import { findCell } from '../cells/notebookEdits';
import type { PlannedTarget } from './plannedTarget';

/** The error that the target shows, with what the kernel knows of it; null when it shows none. */
export async function notebookRepair(
  { panel, plan, language }: PlannedTarget,
  settings: RefineOptions,
  executor: IExecutor,
  signal: AbortSignal
): Promise<RepairGoal | null> {
  const { cellId, source } = plan.target;
  const cell = findCell(panel.content.model, cellId);
  const shown = cell && errorOutput(cell);
  if (!shown) {
    return null;
  }
  const current = isCodeCell(cell) && cell.isDirty ? null : shown;
  const known = current
    ? await executor.inspectFailure?.(
        { source, name: current.name },
        settings.contextValues,
        signal
      )
    : null;
  return repairGoal(source, language, current, known ?? null);
}
