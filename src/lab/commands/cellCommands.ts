/** Commands that change a cell's role, or insert a `%%refine` cell. */
import type { INotebookTracker } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import { CommandIDs, METADATA_KEY } from '../ids';
import { toggleCellRole } from '../runtime/cells/notebookEdits';
import { HOLDOUT_TAG, SCORER_TAG, tagsOf } from '../tags';

const NO_ARGS = { args: { type: 'object', properties: {} } } as const;

const PROMPT_SOURCE = '%%refine\n';

export function cellCommands(
  tracker: INotebookTracker,
  trans: TranslationBundle
): Readonly<Record<string, CommandRegistry.ICommandOptions>> {
  const isCode = () =>
    tracker.currentWidget !== null && tracker.activeCell?.model.type === 'code';
  const role = (tag: string): CommandRegistry.ICommandOptions => ({
    describedBy: NO_ARGS,
    isEnabled: isCode,
    isToggled: () =>
      tagsOf(tracker.activeCell?.model.getMetadata('tags')).includes(tag),
    execute: () => {
      if (isCode()) {
        toggleCellRole(tracker.activeCell!.model, tag);
      }
    }
  });
  return {
    [CommandIDs.toggleHoldout]: {
      ...role(HOLDOUT_TAG),
      label: trans.__('Hold-out Cell'),
      caption: trans.__('Mark this cell as a check that the model never sees')
    },
    [CommandIDs.toggleScorer]: {
      ...role(SCORER_TAG),
      label: trans.__('Scorer Cell'),
      caption: trans.__('Mark this cell as the one that defines score(ns)')
    },
    [CommandIDs.insertPrompt]: {
      label: trans.__('Insert %1 Prompt Cell', '%%refine'),
      caption: trans.__('Insert a prompt cell for the active cell above it'),
      describedBy: NO_ARGS,
      isEnabled: isCode,
      execute: () => insertPrompt(tracker)
    }
  };
}

/** A `%%refine` cell above the active code cell, which becomes its target; ready to type in. */
function insertPrompt(tracker: INotebookTracker): void {
  const notebook = tracker.currentWidget?.content;
  const target = notebook?.activeCell?.model;
  const shared = notebook?.model?.sharedModel;
  if (!notebook || !target || !shared || target.type !== 'code') {
    return;
  }
  const index = notebook.activeCellIndex;
  shared.transact(() => {
    const prompt = shared.insertCell(index, {
      cell_type: 'code',
      source: PROMPT_SOURCE
    });
    const own: unknown = target.getMetadata(METADATA_KEY);
    target.setMetadata(METADATA_KEY, {
      ...(typeof own === 'object' ? own : {}),
      promptCell: prompt.getId()
    });
  });
  notebook.activeCellIndex = index;
  notebook.mode = 'edit';
  notebook.activeCell?.editor?.setCursorPosition({ line: 1, column: 0 });
}
