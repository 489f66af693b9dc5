import type { INotebookModel } from '@jupyterlab/notebook';
import type { NotebookCell } from '../notebook/structure/cells';

/** The cells of an open notebook as plain data; outputs are not touched, so that big ones cost nothing. */
export function notebookCells(model: INotebookModel): NotebookCell[] {
  return [...model.cells].map(cell => ({
    id: cell.id,
    type: cell.type === 'code' || cell.type === 'markdown' ? cell.type : 'raw',
    source: cell.sharedModel.getSource(),
    metadata: cell.metadata
  }));
}
