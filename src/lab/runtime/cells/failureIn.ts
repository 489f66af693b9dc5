/** The first cell of a notebook whose outputs hold an error, to name it in a message. */
import type { ISharedCodeCell } from '@jupyter/ydoc';
import type { INotebookModel } from '@jupyterlab/notebook';
import { findCell } from './notebookEdits';

export type CellFailure = {
  readonly cellId: string;
  /** Name of the error: `AssertionError`. */
  readonly error: string;
};

/** The first of these cells with an error output; null when there is none. */
export function failureIn(
  model: INotebookModel | null,
  cellIds: readonly string[]
): CellFailure | null {
  for (const cellId of cellIds) {
    const cell = model === null ? null : findCell(model, cellId);
    if (cell?.sharedModel.cell_type === 'code') {
      const outputs = (cell.sharedModel as ISharedCodeCell).getOutputs();
      const output = outputs.find(({ output_type }) => output_type === 'error');
      if (output) {
        return { cellId, error: String(output.ename) };
      }
    }
  }
  return null;
}
