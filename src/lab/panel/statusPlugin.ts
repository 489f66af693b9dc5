import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { IRefineManager } from '../../tokens';
import { TRANSLATION_DOMAIN } from '../ids';
import { statusText } from '../magic/lineReply';
import { showPanel } from './showPanel';

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
