/** The buttons above an error that a cell shows: its traceback may be long. */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { CodeCell, type Cell } from '@jupyterlab/cells';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Debouncer } from '@lumino/polling';
import { showsError } from '../errorOutput';
import { CommandIDs, TRANSLATION_DOMAIN } from '../ids';

/** Milliseconds of quiet before the buttons follow an output. */
const SETTLE_MS = 150;

const ACTIONS_CLASS = 'jp-Refine-errorActions';

/** What a button says, and the command that it executes for its cell. */
type Action = {
  readonly command: string;
  readonly label: string;
  readonly title: string;
};

/** Show the buttons on the cells that show an error, and on no others. */
function update(
  cells: readonly Cell[],
  actions: readonly Action[],
  execute: (command: string, cellId: string) => void,
  trans: TranslationBundle
): void {
  for (const cell of cells) {
    if (!(cell instanceof CodeCell)) {
      continue;
    }
    const outputs = cell.node.querySelector(':scope > .jp-Cell-outputWrapper');
    const shown = cell.node.querySelector(`:scope > .${ACTIONS_CLASS}`);
    if (!showsError(cell.model)) {
      shown?.remove();
    } else if (outputs && !shown) {
      const row = document.createElement('div');
      row.className = ACTIONS_CLASS;
      row.setAttribute('role', 'group');
      row.setAttribute('aria-label', trans.__('Actions for this error'));
      for (const { command, label, title } of actions) {
        const button = document.createElement('button');
        button.type = 'button';
        button.className = 'jp-Refine-button';
        button.textContent = label;
        button.title = title;
        button.addEventListener('click', () => execute(command, cell.model.id));
        row.appendChild(button);
      }
      outputs.before(row);
    }
  }
}

/** Puts "Fix error" and "Explain" on every output that is an error. */
export const errorActionsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-refine:error-actions',
  description: 'Adds buttons to the errors that cells show.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load(TRANSLATION_DOMAIN);
    const actions: readonly Action[] = [
      {
        command: CommandIDs.refineError,
        label: trans.__('Fix error'),
        title: trans.__('Let the model fix this cell. Each attempt is run.')
      },
      {
        command: CommandIDs.explainError,
        label: trans.__('Explain'),
        title: trans.__('Explain the error in words. Nothing is run.')
      }
    ];
    const execute = (command: string, cellId: string) =>
      void app.commands.execute(command, { cellId });
    const follow = (panel: NotebookPanel) => {
      const settle = new Debouncer(() => {
        if (!panel.isDisposed) {
          update(panel.content.widgets, actions, execute, trans);
        }
      }, SETTLE_MS);
      const changed = () => void settle.invoke();
      panel.content.modelContentChanged.connect(changed);
      void panel.revealed.then(changed);
      panel.disposed.connect(() => settle.dispose());
    };
    tracker.forEach(follow);
    tracker.widgetAdded.connect((_, panel) => follow(panel));
  }
};
