import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, InputDialog } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import { attemptsLeft } from '../../core/events/history';
import { IRefineManager, type RefineStart } from '../../tokens';
import {
  enabled,
  enablementKey,
  isRunning,
  type CommandContext,
  type CommandPorts
} from './enablement';
import { checkIcon, refineIcon } from '../icons';
import { CommandIDs, TRANSLATION_DOMAIN, METADATA_KEY } from '../ids';
import { errorCommands } from './errorCommands';
import { selectionCommands } from './selectionCommands';
import { showPanel } from '../panel/showPanel';
import {
  ASSERTION_TAG,
  HOLDOUT_TAG,
  SCORER_TAG,
  tagsOf,
  toggleCellRole
} from '../runtime/cells/notebookEdits';

const NO_ARGS = { args: { type: 'object', properties: {} } } as const;

/** Depend on the active cell alone. */
const CELL_COMMANDS = [
  CommandIDs.toggleAssertion,
  CommandIDs.toggleHoldout,
  CommandIDs.toggleScorer,
  CommandIDs.insertPrompt
];

type CommandTable = Readonly<Record<string, CommandRegistry.ICommandOptions>>;

/** A line that checks. */
const ASSERTS = /^\s*assert\b/m;

/** The active cell; the panel may show the session of another one. */
function activeCell(tracker: INotebookTracker): RefineStart | undefined {
  const panel = tracker.currentWidget;
  const cellId = panel?.content.activeCell?.model.id;
  return panel && cellId ? { path: panel.context.path, cellId } : undefined;
}

function sessionCommands(ports: CommandPorts): CommandTable {
  const { manager, tracker, trans, showPanel, context } = ports;
  return {
    [CommandIDs.refineCell]: {
      label: trans.__('Refine Cell'),
      caption: trans.__(
        'Refine cell: rewrite it until the assertions below it pass'
      ),
      icon: refineIcon,
      isEnabled: () => enabled.refine(context()),
      execute: () => {
        showPanel();
        return manager.refine(activeCell(tracker));
      }
    },
    [CommandIDs.checkCell]: {
      label: trans.__('Check Cell'),
      caption: trans.__('Run the cell and its checks; no model is called'),
      icon: checkIcon,
      isEnabled: () => enabled.check(context()),
      execute: () => {
        showPanel();
        return manager.check(activeCell(tracker));
      }
    },
    [CommandIDs.generateAssertions]: {
      label: trans.__('Draft Assertions for Cell'),
      caption: trans.__(
        'Draft assertions for a cell without checks; you choose which to use'
      ),
      isEnabled: () => enabled.generateAssertions(context()),
      execute: () => {
        showPanel();
        return manager.generateAssertions(activeCell(tracker));
      }
    },
    [CommandIDs.stop]: {
      label: trans.__('Stop Refining'),
      caption: trans.__(
        'Stop the session of this notebook; the best attempt is kept'
      ),
      isEnabled: () => enabled.stop(context()),
      execute: () => manager.stop()
    },
    [CommandIDs.pause]: {
      label: trans.__('Pause Refining'),
      caption: trans.__('Pause before the next attempt'),
      isEnabled: () => enabled.pause(context()),
      execute: () => manager.setPaused(true)
    },
    [CommandIDs.continue]: {
      label: trans.__('Continue Refining'),
      caption: trans.__('Continue a session that is paused or was stopped'),
      isEnabled: () => enabled.continue(context()),
      execute: () => {
        const { view } = manager;
        return isRunning(view) || !view.session
          ? manager.setPaused(false)
          : manager.moreAttempts(attemptsLeft(view.session));
      }
    }
  };
}

function editCommands(ports: CommandPorts): CommandTable {
  const { manager, tracker, trans, showPanel, context } = ports;
  return {
    [CommandIDs.hint]: {
      label: trans.__('Give a Hint…'),
      caption: trans.__('Give the model a hint for its next attempt'),
      describedBy: {
        args: {
          type: 'object',
          properties: {
            text: {
              type: 'string',
              description: trans.__('Text of the hint. Default: ask for it.')
            }
          }
        }
      },
      isEnabled: () => enabled.hint(context()),
      execute: async args => {
        const given = typeof args.text === 'string' ? args.text : null;
        const text =
          given ??
          (
            await InputDialog.getText({
              title: trans.__('Hint for the next attempt')
            })
          ).value;
        if (text?.trim()) {
          showPanel();
          manager.hint(text.trim());
        }
      }
    },
    [CommandIDs.accept]: {
      label: trans.__('Use Attempt'),
      caption: trans.__('Write an attempt into the cell'),
      describedBy: {
        args: {
          type: 'object',
          properties: {
            attempt: {
              type: 'integer',
              minimum: 0,
              description: trans.__(
                'Number of the attempt. Default: the best one.'
              )
            }
          }
        }
      },
      isEnabled: () => enabled.accept(context()),
      execute: async args => {
        const session = manager.view.session;
        const attempt =
          typeof args.attempt === 'number'
            ? args.attempt
            : (session?.outcome?.best?.attempt ?? session?.best);
        if (attempt !== null && attempt !== undefined) {
          await manager.accept(attempt);
        }
      }
    },
    [CommandIDs.history]: {
      label: trans.__('Show Earlier Sessions'),
      caption: trans.__('Show the earlier Refine sessions of this notebook'),
      isEnabled: () => tracker.currentWidget !== null,
      execute: () => {
        showPanel();
        return manager.showHistory(true);
      }
    },
    [CommandIDs.restore]: {
      label: trans.__('Restore Refined Cell'),
      caption: trans.__('Restore the code that the cell started with'),
      isEnabled: () => enabled.restore(context()),
      execute: () => manager.restore()
    }
  };
}

/** The commands and their palette entries. */
export const commandsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-refine:commands',
  description: 'Commands to refine and check cells.',
  autoStart: true,
  requires: [IRefineManager, INotebookTracker],
  optional: [ITranslator, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    manager: IRefineManager,
    tracker: INotebookTracker,
    translator: ITranslator | null,
    palette: ICommandPalette | null
  ) => {
    const trans = (translator ?? nullTranslator).load(TRANSLATION_DOMAIN);
    const context = (): CommandContext => ({
      view: manager.view,
      activeCell: tracker.currentWidget
        ? (tracker.activeCell?.model.type as CommandContext['activeCell'])
        : null,
      activeCellId: tracker.activeCell?.model.id
    });
    const ports: CommandPorts = {
      app,
      manager,
      tracker,
      trans,
      context,
      showPanel: () => showPanel(app.shell)
    };
    const table = {
      ...sessionCommands(ports),
      ...editCommands(ports),
      ...cellCommands(tracker, trans),
      ...selectionCommands(ports),
      ...errorCommands(ports)
    };
    for (const [id, options] of Object.entries(table)) {
      app.commands.addCommand(id, { describedBy: NO_ARGS, ...options });
    }
    for (const id of Object.values(CommandIDs)) {
      palette?.addItem({ command: id, category: trans.__('Refine') });
    }

    let key = enablementKey(context());
    const follow = () => {
      const now = enablementKey(context());
      if (now !== key) {
        key = now;
        Object.keys(table).forEach(id => app.commands.notifyCommandChanged(id));
      }
    };
    manager.viewChanged.connect(follow);
    tracker.activeCellChanged.connect(() => {
      follow();
      CELL_COMMANDS.forEach(id => app.commands.notifyCommandChanged(id));
    });
    tracker.currentChanged.connect(follow);
  }
};

const PROMPT_SOURCE = '%%refine\n';

function cellCommands(
  tracker: INotebookTracker,
  trans: TranslationBundle
): Readonly<Record<string, CommandRegistry.ICommandOptions>> {
  const isCode = () =>
    tracker.currentWidget !== null && tracker.activeCell?.model.type === 'code';
  const role = (tag: string): CommandRegistry.ICommandOptions => ({
    isEnabled: isCode,
    isToggled: () => tagsOf(tracker.activeCell?.model).includes(tag),
    execute: () => {
      if (isCode()) {
        toggleCellRole(tracker.activeCell!.model, tag);
      }
    }
  });
  return {
    [CommandIDs.toggleAssertion]: {
      ...role(ASSERTION_TAG),
      label: trans.__('Assertion Cell'),
      caption: trans.__('Mark this cell as a check of the cell above'),
      icon: args => (args.onCheckCell ? checkIcon : undefined),
      describedBy: {
        args: {
          type: 'object',
          properties: {
            onCheckCell: {
              type: 'boolean',
              description: trans.__(
                'Shown only on a cell that checks something.'
              )
            }
          }
        }
      },
      isVisible: args =>
        !args.onCheckCell ||
        tagsOf(tracker.activeCell?.model).includes(ASSERTION_TAG) ||
        ASSERTS.test(tracker.activeCell?.model.sharedModel.getSource() ?? '')
    },
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
