/** Does with a notebook what its user could: run cells, go to one. */
import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import {
  NotebookActions,
  type Notebook,
  type NotebookPanel
} from '@jupyterlab/notebook';
import { Debouncer } from '@lumino/polling';

/** A cell that has run in the notebook. */
export type CellRun = { readonly cellId: string; readonly success: boolean };

/** Milliseconds of quiet after which an edit is reported: each session of a notebook looks its cells up then. */
const SETTLE_MS = 100;

/** Cells of the notebook by id, in the order of `cellIds`; ids that are gone are left out. */
function cellWidgets(
  panel: NotebookPanel,
  cellIds: readonly string[]
): readonly Cell[] {
  return cellIds
    .map(id => panel.content.widgets.find(cell => cell.model.id === id))
    .filter(cell => cell !== undefined);
}

/**
 * Run cells in the notebook through its own executor, so that outputs, counts
 * and other extensions see them. The user's mode and selection stay.
 *
 * @returns true when every cell ran without an error.
 */
export function runInNotebook(
  panel: NotebookPanel,
  cellIds: readonly string[],
  dialogs: ISessionContextDialogs | null
): Promise<boolean> {
  const { content, sessionContext } = panel;
  const { mode } = content;
  const running = NotebookActions.runCells(
    content,
    cellWidgets(panel, cellIds),
    sessionContext,
    dialogs ?? undefined
  );
  // Running sets command mode; somebody who types in another cell must not land in shortcuts.
  content.mode = mode;
  return running;
}

/** Make a cell the active one and bring it into view. */
export function revealCell(panel: NotebookPanel, cellId: string): void {
  const index = panel.content.widgets.findIndex(
    cell => cell.model.id === cellId
  );
  if (index >= 0) {
    panel.content.activeCellIndex = index;
    void panel.content.scrollToItem(index, 'smart');
  }
}

/** Calls back when a cell of the notebook has run, and with null soon after something was edited; returns what stops it. */
export function watchCells(
  { content }: NotebookPanel,
  listener: (run: CellRun | null) => void
): () => void {
  const onRun = (
    _: unknown,
    run: { notebook: Notebook; cell: Cell; success: boolean }
  ) => {
    if (run.notebook === content) {
      listener({ cellId: run.cell.model.id, success: run.success });
    }
  };
  const settle = new Debouncer(() => listener(null), SETTLE_MS);
  const onEdit = () => void settle.invoke();
  NotebookActions.executed.connect(onRun);
  content.modelContentChanged.connect(onEdit);
  return () => {
    NotebookActions.executed.disconnect(onRun);
    content.modelContentChanged.disconnect(onEdit);
    settle.dispose();
  };
}

/** Put the cursor at the start of a line of the active cell, from 1. */
export function editActiveCell({ content }: NotebookPanel, line: number): void {
  content.mode = 'edit';
  const editor = content.activeCell?.editor;
  editor?.setCursorPosition({
    line: Math.min(line, editor.lineCount) - 1,
    column: 0
  });
  editor?.focus();
}
