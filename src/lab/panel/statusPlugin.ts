import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { IRefineManager, type RefineView } from '../../tokens';
import { TRANSLATION_DOMAIN } from '../ids';
import { showPanel } from './showPanel';

/** `Refine: attempt 2`, `Refine: passed`; empty without a session. */
export function statusText(
  { session, interrupted, question }: RefineView,
  trans: TranslationBundle
): string {
  if (session === null) {
    return '';
  }
  if (question !== null) {
    return trans.__('Refine: waiting for you');
  }
  if (session.outcome !== null) {
    return session.outcome.passed
      ? trans.__('Refine: passed')
      : trans.__('Refine: ended');
  }
  const attempt = session.attempts.at(-1)?.attempt ?? 0;
  return interrupted
    ? trans.__('Refine: interrupted')
    : session.paused
      ? trans.__('Refine: paused')
      : attempt > 0
        ? trans.__('Refine: attempt %1', attempt)
        : trans.__('Refine: starting');
}

/** The state of the shown session in the status bar; a click shows the panel. */
export const statusPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-refine:status',
  description: 'Shows the session of a notebook in the status bar.',
  autoStart: true,
  requires: [IRefineManager],
  optional: [IStatusBar, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    manager: IRefineManager,
    statusBar: IStatusBar | null,
    translator: ITranslator | null
  ) => {
    if (!statusBar) {
      return;
    }
    const trans = (translator ?? nullTranslator).load(TRANSLATION_DOMAIN);
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'jp-Refine-statusItem';
    button.title = trans.__('Show the Refine panel');
    button.addEventListener('click', () => showPanel(app.shell));
    const item = new Widget();
    item.node.append(button);
    const update = () => {
      const text = statusText(manager.view, trans);
      if (text !== button.textContent) {
        button.textContent = text;
        item.setHidden(text === '');
      }
    };
    item.setHidden(true);
    manager.viewChanged.connect(update);
    statusBar.registerStatusItem('jupyterlab-refine:status', {
      item,
      align: 'left',
      rank: 5
    });
  }
};
