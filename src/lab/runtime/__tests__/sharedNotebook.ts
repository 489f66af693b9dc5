/** A notebook model for tests: the real shared document, undo included, without editors and kernels. */
import { YNotebook, type ISharedCell } from '@jupyter/ydoc';
import type { ICellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';

function cellModel(sharedModel: ISharedCell): ICellModel {
  return {
    sharedModel,
    id: sharedModel.getId(),
    type: sharedModel.cell_type,
    metadata: sharedModel.getMetadata(),
    isDisposed: false,
    getMetadata: (key: string) => sharedModel.getMetadata(key),
    setMetadata: (key: string, value: never) =>
      sharedModel.setMetadata(key, value),
    deleteMetadata: (key: string) => sharedModel.deleteMetadata(key)
  } as unknown as ICellModel;
}

/** Code cells `cell0`, `cell1` … with the given sources. */
export function sharedNotebook(
  sources: readonly string[],
  disableDocumentWideUndoRedo = true
): INotebookModel {
  const shared = YNotebook.create({ disableDocumentWideUndoRedo });
  // Its timer would keep the test process alive.
  shared.awareness.destroy();
  shared.insertCells(
    0,
    sources.map((source, index) => ({
      id: `cell${index}`,
      cell_type: 'code',
      source,
      metadata: {}
    }))
  );
  shared.clearUndoHistory();
  return {
    sharedModel: shared,
    get cells() {
      const cells = shared.cells.map(cellModel);
      return Object.assign(cells, {
        get: (index: number) => cells[index],
        changed: {
          connect: (slot: () => void) => shared.changed.connect(slot),
          disconnect: (slot: () => void) => shared.changed.disconnect(slot)
        }
      });
    }
  } as unknown as INotebookModel;
}
