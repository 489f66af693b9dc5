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

/**
 * Hold back a request to close `widget` while `cells` names cells that are being
 * refined, and repeat it once the user agrees.
 *
 * @param agree asks the user.
 */
export function guardClosing(
  widget: Widget,
  cells: () => readonly string[],
  agree: (cells: readonly string[]) => Promise<boolean>
): void {
  let agreed = false;
  let asking = false;
  const ask = async (labels: readonly string[]) => {
    asking = true;
    try {
      agreed = await agree(labels);
    } finally {
      asking = false;
    }
    if (agreed && !widget.isDisposed) {
      // The request is handled before this returns.
      widget.close();
    }
    agreed = false;
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

async function agreeToClose(
  labels: readonly string[],
  trans: TranslationBundle
): Promise<boolean> {
  const { button } = await showDialog({
    title: trans.__('Close the notebook and stop Refine?'),
    body: trans._n(
      'Refine works on %2. Closing stops its session; the attempts are shown when you open the notebook again in this browser tab.',
      'Refine works on %2. Closing stops their sessions; the attempts are shown when you open the notebook again in this browser tab.',
      labels.length,
      labels.join(', ')
    ),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Keep open') }),
      Dialog.warnButton({ label: trans.__('Stop and close') })
    ]
  });
  return button.accept;
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
            labels => agreeToClose(labels, trans)
          );
        }
      });
    };
    tracker.forEach(guard);
    tracker.widgetAdded.connect((_, panel) => guard(panel));
  }
};
