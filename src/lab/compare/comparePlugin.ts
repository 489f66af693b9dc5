import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  IEditorExtensionRegistry,
  IEditorLanguageRegistry
} from '@jupyterlab/codemirror';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { IRefineManager, type HistoryView } from '../../tokens';
import { CommandIDs, TRANSLATION_DOMAIN } from '../ids';
import type { CompareTab } from './compareTab';
import type { SideId } from './sides';

type PastView = NonNullable<HistoryView['shown']>;

/** Shows two attempts against each other in a tab of the main area. */
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
    const side = (description: string) => ({
      type: ['integer', 'string'] as const,
      description
    });
    const tabs = new Set<CompareTab>();
    const open = async (
      panel: NotebookPanel,
      cellId: string,
      past: PastView | null
    ): Promise<CompareTab> => {
      const known = [...tabs].find(tab => tab.isOf(panel, cellId, past));
      if (known) {
        return known;
      }
      const { CompareTab } = await import('./compareTab');
      const { findCell } = await import('../runtime/cells/notebookEdits');
      const { model } = panel.content;
      // The cell of an earlier session may be gone.
      const cell =
        findCell(model, cellId) ??
        [...(model?.cells ?? [])].find(({ type }) => type === 'code');
      const mimeType = cell?.mimeType ?? 'text/plain';
      await languages.getLanguage(languages.findByMIME(mimeType) ?? mimeType);
      const editors = { extensions, languages };
      const tab = new CompareTab({
        ...{ manager, panel, cellId, past, mimeType, editors, trans }
      });
      tabs.add(tab);
      tab.disposed.connect(() => tabs.delete(tab));
      app.shell.add(tab, 'main', { ref: panel.id, type: 'Refine' });
      if (!tab.isAttached) {
        // Notebook 7 shows one document in its main area.
        app.shell.add(tab, 'down', { type: 'Refine' });
      }
      return tab;
    };
    /** The session that the panel shows: the target's, or an earlier one. */
    const shown = () => {
      const { history, session, target } = manager.view;
      const past = history?.shown ?? null;
      return past
        ? {
            path: history?.path,
            cellId: past.session.request?.target.cellId,
            session: past.session,
            past
          }
        : { path: target?.path, cellId: target?.cellId, session, past };
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
        shown().session?.attempts.some(({ code }) => code !== '') ?? false,
      execute: async args => {
        const { path, cellId, past } = shown();
        const panel = tracker.find(({ context }) => context.path === path);
        if (cellId !== undefined && panel) {
          const tab = await open(panel, cellId, past);
          tab.compare(pairIn(args));
          app.shell.activateById(tab.id);
        }
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

function pairIn(args: ReadonlyPartialJSONObject): {
  readonly left?: SideId;
  readonly right?: SideId;
} {
  const { left, right } = args;
  return {
    ...(isSide(left) ? { left } : {}),
    ...(isSide(right) ? { right } : {})
  };
}

function isSide(value: unknown): value is SideId {
  return typeof value === 'number' || value === 'cell';
}
