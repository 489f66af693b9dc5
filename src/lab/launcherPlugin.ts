/** The Launcher's card and its command, which open the example notebook. */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { showErrorMessage } from '@jupyterlab/apputils';
import { ILauncher } from '@jupyterlab/launcher';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { IRefineManager } from '../tokens';
import { refineIcon } from './icons';
import { CommandIDs, TRANSLATION_DOMAIN } from './ids';
import { showPanel } from './panel/showPanel';

export const launcherPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-refine:launcher',
  description: 'Opens the example notebook from the Launcher.',
  autoStart: true,
  requires: [IRefineManager],
  optional: [ILauncher, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    manager: IRefineManager,
    launcher: ILauncher | null,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load(TRANSLATION_DOMAIN);
    const command = CommandIDs.openExample;
    app.commands.addCommand(command, {
      label: trans.__('Refine a Cell (Example)'),
      caption: trans.__('Open a small notebook with a cell to refine'),
      icon: refineIcon,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: async () => {
        try {
          await manager.openDemo();
          showPanel(app.shell);
        } catch (error) {
          await showErrorMessage(trans.__('Refine'), error as Error);
        }
      }
    });
    launcher?.add({ command, category: trans.__('Other') });
  }
};
