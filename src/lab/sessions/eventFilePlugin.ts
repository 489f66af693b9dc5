/** Opens the sessions of an event file, as `jupyter refine run --events` writes it, in the panel. */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { InputDialog, showErrorMessage } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import { IFileBrowserFactory } from '@jupyterlab/filebrowser';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { IRefineManager } from '../../tokens';
import { CommandIDs, TRANSLATION_DOMAIN } from '../ids';
import { showPanel } from '../panel/showPanel';

/** A file in the file browser. */
const FILE_ITEM = '.jp-DirListing-item[data-isdir="false"]';

export const eventFilePlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-refine:event-files',
  description: 'Shows recorded sessions in the panel.',
  autoStart: true,
  requires: [IRefineManager],
  optional: [ITranslator, IFileBrowserFactory],
  activate: (
    app: JupyterFrontEnd,
    manager: IRefineManager,
    translator: ITranslator | null,
    browsers: IFileBrowserFactory | null
  ) => {
    const trans = (translator ?? nullTranslator).load(TRANSLATION_DOMAIN);
    /** Path of the event file that is selected in the file browser. */
    const selected = (): string | null => {
      const [item, ...others] =
        browsers?.tracker.currentWidget?.selectedItems() ?? [];
      return item?.path.endsWith('.jsonl') && others.length === 0
        ? item.path
        : null;
    };
    const ask = async (): Promise<string | null> => {
      const { value } = await InputDialog.getText({
        title: trans.__('Open Recorded Session'),
        label: trans.__('Path of an event file (jupyter refine run --events)'),
        placeholder: 'events.jsonl',
        okLabel: trans.__('Open')
      });
      return value?.trim() || null;
    };
    app.commands.addCommand(CommandIDs.openEvents, {
      label: trans.__('Open Recorded Session…'),
      caption: trans.__(
        'Show the sessions of an event file in the Refine panel'
      ),
      describedBy: {
        args: {
          type: 'object',
          properties: {
            path: {
              type: 'string',
              description: trans.__(
                'Path of the event file. Default: you are asked.'
              )
            },
            inContextMenu: {
              type: 'boolean',
              description: trans.__('The file that the context menu is for.')
            }
          }
        }
      },
      isVisible: args => !args['inContextMenu'] || selected() !== null,
      execute: async args => {
        const { path: given } = args;
        const path =
          typeof given === 'string'
            ? given
            : args['inContextMenu']
              ? selected()
              : await ask();
        if (path === null) {
          return;
        }
        try {
          await manager.openEvents(path);
          showPanel(app.shell);
        } catch (reason) {
          const why = reason instanceof Error ? reason.message : String(reason);
          await showErrorMessage(
            trans.__(
              'Cannot open %1 as a recorded session',
              PathExt.basename(path)
            ),
            why
          );
        }
      }
    });
    if (browsers) {
      app.contextMenu.addItem({
        command: CommandIDs.openEvents,
        args: { inContextMenu: true },
        selector: FILE_ITEM,
        rank: 5
      });
    }
  }
};
