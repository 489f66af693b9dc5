/** Lists sessions in JupyterLab's panel of what is running. */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRunningSessionManagers } from '@jupyterlab/running';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { IRefineManager, type RunningSession } from '../../tokens';
import { TRANSLATION_DOMAIN } from '../ids';
import { showPanel } from '../panel/showPanel';
import { revealCell } from '../runtime/cells/notebookActions';
import { RunningRefinements } from './runningRefinements';

export const runningPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-refine:running',
  description: 'Lists the sessions that run.',
  autoStart: true,
  requires: [IRefineManager, INotebookTracker],
  optional: [IRunningSessionManagers, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    manager: IRefineManager,
    tracker: INotebookTracker,
    running: IRunningSessionManagers | null,
    translator: ITranslator | null
  ) => {
    const open = ({ path, cellId }: RunningSession) => {
      const panel = tracker.find(({ context }) => context.path === path);
      if (panel) {
        app.shell.activateById(panel.id);
        revealCell(panel, cellId);
        showPanel(app.shell);
      }
    };
    const trans = (translator ?? nullTranslator).load(TRANSLATION_DOMAIN);
    running?.add(new RunningRefinements(manager, open, trans));
  }
};
