import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import type { ISessionContext } from '@jupyterlab/apputils';
import {
  INotebookTracker,
  NotebookActions,
  type Notebook,
  type NotebookPanel
} from '@jupyterlab/notebook';
import type { Cell } from '@jupyterlab/cells';
import { IRefineManager } from '../../tokens';
import { isRefineMagic } from './magic';
import { RestOfRun } from './restOfRun';
import { withholdNext } from './withheld';

/**
 * Makes `%%refine` known to IPython as a magic that does nothing: the cell is a
 * prompt, and what it starts happens here. Anything but IPython is left alone.
 */
const REGISTER = `__import__('IPython').get_ipython().register_magic_function(lambda line, cell='': None, 'cell', 'refine')`;

/** By the kernel's specification; one without a language may be Python. */
function isPython({ specsManager }: ISessionContext, name: string): boolean {
  const language = specsManager.specs?.kernelspecs[name]?.language;
  return !language || /^i?python/i.test(language);
}

/**
 * Running a `%%refine` cell starts the refinement it describes. The magic is
 * registered on the same channel right before the cell's own request, so that
 * neither a restart nor Run All can come in between, and only kernels that see
 * such a cell are touched. A kernel of another language gets none of its text.
 * What Run All could not run before the session had ended runs after it.
 */
export const magicPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-refine:magic',
  description: 'Starts a refinement when a %%refine cell is run.',
  autoStart: true,
  requires: [IRefineManager, INotebookTracker],
  activate: (
    app: JupyterFrontEnd,
    manager: IRefineManager,
    tracker: INotebookTracker
  ) => {
    const panelOf = (notebook: Notebook) =>
      tracker.find(panel => panel.content === notebook) ?? null;
    const isOurs = (cell: Cell) =>
      cell.model.type === 'code' &&
      isRefineMagic(cell.model.sharedModel.getSource());

    const rests = new WeakMap<Notebook, RestOfRun<Cell>>();
    const restOf = (notebook: Notebook) => {
      const rest = rests.get(notebook) ?? new RestOfRun<Cell>();
      rests.set(notebook, rest);
      return rest;
    };
    const refine = async (panel: NotebookPanel, cell: Cell) => {
      await manager.refine({
        path: panel.context.path,
        cellId: cell.model.id,
        unlessUnchanged: true
      });
      const rest = restOf(panel.content)
        .take()
        .filter(held => !held.isDisposed);
      if (rest.length > 0 && !panel.isDisposed) {
        await NotebookActions.runCells(
          panel.content,
          rest,
          panel.sessionContext
        );
      }
    };

    NotebookActions.executionScheduled.connect((_, { notebook, cell }) => {
      restOf(notebook).scheduled(cell, isOurs(cell));
      const context = panelOf(notebook)?.sessionContext;
      const kernel = context?.session?.kernel;
      if (!context || !kernel || !isOurs(cell)) {
        return;
      }
      if (isPython(context, kernel.name)) {
        kernel.requestExecute({
          code: '',
          silent: true,
          store_history: false,
          stop_on_error: false,
          allow_stdin: false,
          user_expressions: { registered: REGISTER }
        });
      } else {
        withholdNext(kernel, cell.model.sharedModel.getSource());
      }
    });
    NotebookActions.executed.connect((_, { notebook, cell, success }) => {
      restOf(notebook).executed(cell, success);
      const panel = panelOf(notebook);
      if (panel && success && isOurs(cell)) {
        void refine(panel, cell);
      }
    });
  }
};
