import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  IEditorExtensionRegistry,
  IEditorLanguageRegistry
} from '@jupyterlab/codemirror';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { IRefineManager } from '../../tokens';
import { CommandIDs, TRANSLATION_DOMAIN } from '../ids';
import type { CompareTab } from './compareTab';

/** Shows two attempts against each other in a tab of the main area, as they are now. */
export const comparePlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-refine:compare',
  description: 'Compares the attempts of a session in a tab.',
  autoStart: true,
  requires: [
    IRefineManager,
    INotebookTracker,
    IEditorExtensionRegistry,
    IEditorLanguageRegistry
  ],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    manager: IRefineManager,
    tracker: INotebookTracker,
    extensions: IEditorExtensionRegistry,
    languages: IEditorLanguageRegistry,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load(TRANSLATION_DOMAIN);
    let tab: CompareTab | null = null;
    const side = (description: string) => ({
      type: ['integer', 'string'] as const,
      description
    });
    /** The session that the panel shows: the target's, or an earlier one. */
    const session = () => {
      const { history, session } = manager.view;
      return history?.shown?.session ?? session;
    };
    app.commands.addCommand(CommandIDs.compare, {
      label: trans.__('Compare Attempts'),
      caption: trans.__('Compare two attempts, or an attempt and the cell'),
      describedBy: {
        args: {
          type: 'object',
          properties: {
            left: side(
              trans.__(
                'Number of an attempt, or "cell". Default: the attempt before the other.'
              )
            ),
            right: side(
              trans.__(
                'Number of an attempt, or "cell". Default: the newest attempt.'
              )
            )
          }
        }
      },
      isEnabled: () =>
        session()?.attempts.some(({ code }) => code !== '') ?? false,
      execute: async ({ left, right }) => {
        const { history, target } = manager.view;
        const compared = session();
        const path = history?.path ?? target?.path;
        const panel = tracker.find(({ context }) => context.path === path);
        if (!panel || !compared) {
          return;
        }
        const { CompareTab } = await import('./compareTab');
        const cells = [...(panel.content.model?.cells ?? [])];
        const cellId = compared.request?.target.cellId;
        const cell = cells.find(({ id }) => id === cellId);
        // The cell of an earlier session may be gone.
        const { mimeType = 'text/plain' } =
          cell ?? cells.find(({ type }) => type === 'code') ?? {};
        await languages.getLanguage(languages.findByMIME(mimeType) ?? mimeType);
        tab?.dispose();
        const shown = new CompareTab(compared, {
          source: cell?.sharedModel.getSource() ?? null,
          editors: { extensions, languages, mimeType },
          trans
        });
        shown.compare({ left, right });
        tab = shown;
        panel.disposed.connect(shown.dispose, shown);
        app.shell.add(shown, 'main', { ref: panel.id, type: 'Refine' });
        if (!shown.isAttached) {
          // Notebook 7 shows one document in its main area.
          app.shell.add(shown, 'down', { type: 'Refine' });
        }
        app.shell.activateById(shown.id);
      }
    });
    let enabled = false;
    manager.viewChanged.connect(() => {
      const now = app.commands.isEnabled(CommandIDs.compare);
      if (now !== enabled) {
        enabled = now;
        app.commands.notifyCommandChanged(CommandIDs.compare);
      }
    });
  }
};
