import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { RunningSession } from '../../../tokens';
import { cellLabel } from '../words';

/**
 * What runs in a notebook, then what waits there; each waits for the one before it.
 *
 * @param latest - the cell whose session runs or ran last.
 * @param waiting - cells, in order.
 */
export function runningSessions(
  { context, content }: NotebookPanel,
  latest: { readonly cellId: string; readonly isRunning: boolean } | null,
  waiting: readonly string[],
  trans: TranslationBundle
): readonly RunningSession[] {
  const cells = [...(content.model?.cells ?? [])];
  const label = (cellId: string) => cellLabel(cells, cellId, trans);
  const { path } = context;
  const queue = waiting.map((cellId, n) => ({
    path,
    cellId,
    label: label(cellId),
    waitsFor: label(waiting[n - 1] ?? latest?.cellId ?? '')
  }));
  return latest?.isRunning
    ? [
        {
          path,
          cellId: latest.cellId,
          label: label(latest.cellId),
          waitsFor: null
        },
        ...queue
      ]
    : queue;
}
