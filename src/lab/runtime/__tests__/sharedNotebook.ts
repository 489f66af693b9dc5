/** A notebook model for tests: the real shared document, undo included, without editors and kernels. */
import { YNotebook, type ISharedCell } from '@jupyter/ydoc';
import type { ICellModel } from '@jupyterlab/cells';
import type { INotebookModel, NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

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

/** An open notebook of such cells, the first of which is active, with an idle kernel. */
export function notebookPanel(sources: readonly string[]) {
  const model = sharedNotebook(sources);
  Object.assign(model, { nbformat: 4, nbformatMinor: 5, metadata: {} });
  const owner = {};
  const parts = {
    isDisposed: false,
    content: {
      model,
      activeCell: { model: { id: 'cell0' } },
      modelContentChanged: new Signal<object, void>(owner)
    },
    context: {
      path: 'a.ipynb',
      pathChanged: new Signal<object, string>(owner),
      isReady: true,
      ready: Promise.resolve()
    },
    sessionContext: {
      ready: Promise.resolve(),
      initialize: () => Promise.resolve(false),
      hasNoKernel: false,
      session: {
        kernel: {
          status: 'idle',
          statusChanged: new Signal<object, unknown>(owner)
        }
      },
      kernelChanged: new Signal<object, unknown>(owner)
    },
    disposed: new Signal<object, void>(owner),
    revealed: new Promise<void>(() => undefined)
  };
  const panel = parts as unknown as NotebookPanel & typeof parts;
  const tracker = {
    currentWidget: panel,
    currentChanged: new Signal<object, unknown>(owner),
    activeCellChanged: new Signal<object, unknown>(owner)
  };
  return { model, panel, tracker };
}

/** Storage of a browser tab; writing more than `limit` characters fails. */
export function memoryStorage(limit = Infinity) {
  const items = new Map<string, string>();
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (value.length > limit) {
        throw new DOMException('full', 'QuotaExceededError');
      }
      items.set(key, value);
    },
    removeItem: (key: string) => void items.delete(key)
  };
}

export async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 400 && !holds(); i++) {
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  expect(holds()).toBe(true);
}
