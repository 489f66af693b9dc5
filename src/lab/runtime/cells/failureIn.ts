/** The first cell of a notebook whose outputs hold an error, to name it in a message. */
import type { ISharedCodeCell } from '@jupyter/ydoc';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { findCell } from './notebookEdits';
import { cellLabel } from '../words';

/** The first of these cells with an error output, `cell 3`, and the name of that error; null when there is none. */
export function failureIn(
  panel: NotebookPanel,
  cellIds: readonly string[],
  trans: TranslationBundle
): { readonly label: string; readonly error: string } | null {
  const model = panel.isDisposed ? null : panel.content.model;
  for (const cellId of cellIds) {
    const cell = findCell(model, cellId);
    if (cell?.sharedModel.cell_type === 'code') {
      const outputs = (cell.sharedModel as ISharedCodeCell).getOutputs();
      const output = outputs.find(({ output_type }) => output_type === 'error');
      if (output) {
        const label = cellLabel([...model!.cells], cellId, trans);
        return { label, error: String(output.ename) };
      }
    }
  }
  return null;
}
