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
import type { Cell, ICodeCellModel } from '@jupyterlab/cells';
import type { IOutput } from '@jupyterlab/nbformat';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { IRefineManager } from '../../tokens';
import { TRANSLATION_DOMAIN } from '../ids';
import { inLite } from '../lite';
import {
  isRefineMagic,
  lineReply,
  magicProblems,
  refineLine
} from './lineReply';
import { withholdNext } from './withheld';

/**
 * Makes `%%refine` known to IPython as a magic that does nothing, for one cell: the
 * cell is a prompt, and what it starts happens here. A code console of the same kernel
 * still gets the sentence of `jupyterlab_refine/magics.py` afterwards. Kernels without
 * IPython are not changed.
 */
const REGISTER = `
def register():
    from IPython import get_ipython
    shell = get_ipython()
    magics = shell.magics_manager.magics
    before = {kind: magics[kind].get("refine") for kind in ("cell", "line")}
    # hasattr would load a lazy magic.
    if any("for_one_cell" in getattr(magic, "__dict__", ()) for magic in before.values()):
        return
    def refine(line, cell=""):
        pass
    refine.for_one_cell = True
    def restore(*_):
        shell.events.unregister("post_run_cell", restore)
        for kind, magic in before.items():
            if magic is None:
                magics[kind].pop("refine", None)
            else:
                magics[kind]["refine"] = magic
    for kind in before:
        shell.register_magic_function(refine, kind, "refine")
    shell.events.register("post_run_cell", restore)
register()
`;

/** Below what the kernel has written. */
function writeOutput({ model }: Cell, output: IOutput): void {
  if (!model.isDisposed && model.type === 'code') {
    (model as ICodeCellModel).outputs.add(output);
  }
}

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
 */
export const magicPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-refine:magic',
  description: 'Starts a refinement when a %%refine cell is run.',
  autoStart: true,
  requires: [IRefineManager, INotebookTracker],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    manager: IRefineManager,
    tracker: INotebookTracker,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load(TRANSLATION_DOMAIN);
    const panelOf = (notebook: Notebook) =>
      tracker.find(panel => panel.content === notebook) ?? null;
    const isOurs = (cell: Cell) =>
      cell.model.type === 'code' &&
      isRefineMagic(cell.model.sharedModel.getSource());

    const lineOf = (cell: Cell) =>
      cell.model.type === 'code'
        ? refineLine(cell.model.sharedModel.getSource())
        : null;

    const refine = async (panel: NotebookPanel, cell: Cell) => {
      const problems = await magicProblems(cell.model.sharedModel.getSource());
      if (problems.length > 0) {
        const evalue = problems.join('\n');
        writeOutput(cell, {
          output_type: 'error',
          ename: 'UsageError',
          evalue,
          traceback: [`UsageError: ${evalue}`]
        });
        return;
      }
      await manager.refine({
        path: panel.context.path,
        cellId: cell.model.id,
        unlessUnchanged: true
      });
    };

    NotebookActions.executionScheduled.connect((_, { notebook, cell }) => {
      const context = panelOf(notebook)?.sessionContext;
      const kernel = context?.session?.kernel;
      if (!context || !kernel || (!isOurs(cell) && lineOf(cell) === null)) {
        return;
      }
      if (lineOf(cell) === 'stop') {
        // At once: the kernel may be busy.
        manager.stop();
      }
      if (isPython(context, kernel.name) && !inLite()) {
        kernel.requestExecute({
          code: '',
          silent: true,
          store_history: false,
          stop_on_error: false,
          allow_stdin: false,
          user_expressions: {
            registered: `exec(${JSON.stringify(REGISTER)}, {})`
          }
        });
      } else {
        withholdNext(kernel, cell.model.sharedModel.getSource());
      }
    });
    NotebookActions.executed.connect((_, { notebook, cell, success }) => {
      const panel = panelOf(notebook);
      if (panel && success && isOurs(cell)) {
        void refine(panel, cell);
      }
      const line = success ? lineOf(cell) : null;
      if (line !== null) {
        writeOutput(cell, {
          output_type: 'stream',
          name: 'stdout',
          text: `${lineReply(line, manager.view, trans)}\n`
        });
      }
    });
  }
};
