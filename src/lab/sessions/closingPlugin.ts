/** Asks before a notebook is closed in the middle of a session. */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Dialog, showDialog } from '@jupyterlab/apputils';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { TranslationBundle } from '@jupyterlab/translation';
import { MessageLoop, type Message } from '@lumino/messaging';
import type { Widget } from '@lumino/widgets';
import { IRefineManager } from '../../tokens';
import { TRANSLATION_DOMAIN } from '../ids';

/** Stay open; close as usual; close without saving, and without a further question. */
export type Closing = 'keep' | 'close' | 'discard';

/**
 * Hold back a request to close `widget` while `cells` names cells that are being
 * refined, and repeat it once the user agrees.
 *
 * @param agree asks the user.
 */
export function guardClosing(
  widget: Widget,
  cells: () => readonly string[],
  agree: (cells: readonly string[]) => Promise<Closing>
): void {
  let agreed = false;
  let asking = false;
  const ask = async (labels: readonly string[]) => {
    asking = true;
    let closing: Closing;
    try {
      closing = await agree(labels);
    } finally {
      asking = false;
    }
    if (closing === 'discard') {
      widget.dispose();
    } else if (closing === 'close' && !widget.isDisposed) {
      agreed = true;
      // The request is handled before this returns.
      widget.close();
      agreed = false;
    }
  };
  MessageLoop.installMessageHook(widget, (_, { type }: Message) => {
    if (type !== 'close-request' || agreed) {
      return true;
    }
    const labels = cells();
    if (labels.length > 0 && !asking) {
      void ask(labels);
    }
    return labels.length === 0;
  });
}

/**
 * Ask whether to stop the sessions, and about unsaved changes in the same dialog:
 * JupyterLab then has nothing left to ask. Saves where the user says so.
 *
 * @param unsaved - the notebook has changes that closing it would lose.
 */
export async function agreeToClose(
  labels: readonly string[],
  unsaved: boolean,
  save: () => Promise<unknown>,
  trans: TranslationBundle
): Promise<Closing> {
  const body = trans._n(
    'Refine works on %2. Closing stops its session; the attempts are shown when you open the notebook again in this browser tab.',
    'Refine works on %2. Closing stops their sessions; the attempts are shown when you open the notebook again in this browser tab.',
    labels.length,
    labels.join(', ')
  );
  const { button } = await showDialog({
    title: trans.__('Close the notebook and stop Refine?'),
    body: unsaved
      ? `${body} ${trans.__('The notebook has unsaved changes.')}`
      : body,
    buttons: [
      Dialog.cancelButton({ label: trans.__('Keep open') }),
      ...(unsaved
        ? [
            Dialog.warnButton({ label: trans.__('Discard and close') }),
            Dialog.okButton({ label: trans.__('Save and close') })
          ]
        : [Dialog.warnButton({ label: trans.__('Stop and close') })])
    ]
  });
  if (!button.accept) {
    return 'keep';
  }
  if (unsaved && button.displayType === 'warn') {
    return 'discard';
  }
  if (unsaved && (await save()) === false) {
    return 'keep';
  }
  return 'close';
}

/** As the document manager decides it: another view of the document would keep the changes. */
function isUnsaved(
  { context }: NotebookPanel,
  tracker: INotebookTracker
): boolean {
  const views = tracker.filter(panel => panel.context === context);
  return context.model.dirty && views.length <= 1;
}

/** False where the user has not chosen another place for a file that cannot be written. */
async function save({ context }: NotebookPanel): Promise<unknown> {
  try {
    return context.contentsModel?.writable === false
      ? await context.saveAs()
      : await context.save();
  } catch {
    // The context has shown why.
    return false;
  }
}

export const closingPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-refine:closing',
  description: 'Asks before a notebook with a running session is closed.',
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
    const guard = (panel: NotebookPanel) => {
      // By then the document manager has its own hook: the last one is asked first.
      void panel.context.ready.then(() => {
        if (!panel.isDisposed) {
          guardClosing(
            panel,
            () =>
              manager.sessions
                .filter(({ path }) => path === panel.context.path)
                .map(({ label }) => label),
            labels =>
              agreeToClose(
                labels,
                isUnsaved(panel, tracker),
                () => save(panel),
                trans
              )
          );
        }
      });
    };
    tracker.forEach(guard);
    tracker.widgetAdded.connect((_, panel) => guard(panel));
  }
};
