/** Opens the panel on the session that a reload of the page has cut off. */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { IRefineManager } from '../../tokens';
import { showPanel } from './showPanel';

export const reopeningPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-refine:reopening',
  description: 'Shows a session that a reload interrupted.',
  autoStart: true,
  requires: [IRefineManager, INotebookTracker],
  activate: (
    app: JupyterFrontEnd,
    manager: IRefineManager,
    tracker: INotebookTracker
  ) => {
    const seen = new WeakSet<NotebookPanel>();
    const look = async () => {
      const panel = tracker.currentWidget;
      if (!panel || seen.has(panel)) {
        return;
      }
      seen.add(panel);
      const { readJournal } = await import('../runtime/session/journal');
      if (!readJournal(window.sessionStorage, panel.context.path)) {
        return;
      }
      await panel.revealed;
      // Loads the manager, which brings the session back.
      await manager.refreshModels();
      if (manager.view.interrupted && tracker.currentWidget === panel) {
        showPanel(app.shell);
      }
    };
    void app.restored.then(() => {
      tracker.currentChanged.connect(() => void look());
      void look();
    });
  }
};
