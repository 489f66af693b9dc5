/** The first cell of a notebook whose outputs hold an error, to name it in a message. */
import type { ISharedCodeCell } from '@jupyter/ydoc';
import type { INotebookModel, NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { findCell } from './notebookEdits';
import { cellLabel } from '../words';

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

/** The same of an open notebook, with the cell as texts name it. */
export function namedFailure(
  panel: NotebookPanel,
  cellIds: readonly string[],
  trans: TranslationBundle
): { readonly label: string; readonly error: string } | null {
  const model = panel.isDisposed ? null : panel.content.model;
  const failure = failureIn(model, cellIds);
  return (
    failure && {
      label: cellLabel([...(model?.cells ?? [])], failure.cellId, trans),
      error: failure.error
    }
  );
}
