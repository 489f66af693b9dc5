import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { RefineEvent } from '../../core/events/events';
import { cellLabel } from './words';

/** A wait whose reason names the running cell, which the kernel does not know. */
export function nameRunningCell(
  panel: NotebookPanel,
  reason: string,
  trans: TranslationBundle
): string {
  const cells = [...(panel.content?.model?.cells ?? [])];
  const running = cells.find(
    cell =>
      (cell as { readonly executionState?: unknown }).executionState ===
      'running'
  );
  return running && /a cell is running/.test(reason)
    ? trans.__('waiting for %1', cellLabel(cells, running.id, trans))
    : reason;
}

/** The same for an event of the loop's. */
export function withRunningCell(
  event: RefineEvent,
  panel: NotebookPanel,
  trans: TranslationBundle
): RefineEvent {
  return event.type === 'wait-start' && event.for === 'kernel'
    ? { ...event, reason: nameRunningCell(panel, event.reason, trans) }
    : event;
}
