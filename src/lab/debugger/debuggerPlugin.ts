import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import { IDebugger } from '@jupyterlab/debugger';
import { INotebookTracker } from '@jupyterlab/notebook';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { IRefineManager, type RefineStart } from '../../tokens';
import { isRunning } from '../commands/enablement';
import { refineIcon } from '../icons';
import { CommandIDs, TRANSLATION_DOMAIN } from '../ids';
import { showPanel } from '../panel/showPanel';
import { debuggable, type DebugCode } from './debugCode';
import { debugInConsole } from './debugConsole';
import { pausedCell, type PausedCell } from './pausedFrame';

/** Refines the cell in which the debugger has stopped the kernel. */
export const debuggerPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-refine:debugger',
  description:
    'Refines a cell from where the debugger has stopped, and debugs attempts.',
  autoStart: true,
  requires: [IRefineManager, INotebookTracker],
  optional: [IDebugger, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    manager: IRefineManager,
    tracker: INotebookTracker,
    service: IDebugger | null,
    translator: ITranslator | null
  ) => {
    if (!service) {
      return;
    }
    const trans = (translator ?? nullTranslator).load(TRANSLATION_DOMAIN);
    const { callstack } = service.model;
    const find = (): RefineStart | null => {
      const panel = tracker.currentWidget;
      const paused = pausedCell(service, panel?.content.model?.cells ?? []);
      return panel && paused
        ? {
            path: panel.context.path,
            cellId: paused.cellId,
            frame: paused.frame,
            hint: stackText(paused, trans)
          }
        : null;
    };
    app.commands.addCommand(CommandIDs.refineFromHere, {
      label: trans.__('Refine from Here'),
      caption: trans.__(
        'Refine the cell that the debugger has stopped in; attempts run there, with its variables'
      ),
      icon: refineIcon,
      describedBy: { args: { type: 'object', properties: {} } },
      isVisible: () => service.hasStoppedThreads(),
      isEnabled: () => find() !== null,
      execute: async () => {
        const start = find();
        if (start) {
          showPanel(app.shell);
          await manager.refine(start);
        }
      }
    });
    app.commands.addCommand(CommandIDs.debugAttempt, {
      label: trans.__('Debug Attempt'),
      caption: trans.__(
        'Run an attempt and its failing check in a console, stopped at the failing line'
      ),
      describedBy: {
        args: {
          type: 'object',
          properties: {
            attempt: {
              type: 'integer',
              minimum: 0,
              description: trans.__(
                'Number of the attempt. Default: the last one in which a shown check failed.'
              )
            }
          }
        }
      },
      isEnabled: args =>
        app.commands.hasCommand('console:create') &&
        !isRunning(manager.view) &&
        debuggable(manager.view.session, numberIn(args)) !== null,
      execute: async args => {
        const code = debuggable(manager.view.session, numberIn(args));
        const panel = tracker.currentWidget;
        if (!code || !panel || !(await askToDebug(code, trans))) {
          return;
        }
        try {
          await debugInConsole(app, service, panel, code);
        } catch (error) {
          console.warn('jupyterlab-refine: debugger:', error);
          Notification.error(
            trans.__(
              'The debugger could not be switched on, so nothing was run. The console has the code.'
            )
          );
        }
      }
    });
    manager.viewChanged.connect(() =>
      app.commands.notifyCommandChanged(CommandIDs.debugAttempt)
    );
    const changed = () =>
      app.commands.notifyCommandChanged(CommandIDs.refineFromHere);
    callstack.framesChanged.connect(changed);
    callstack.currentFrameChanged.connect(changed);
  }
};

function numberIn({ attempt }: ReadonlyPartialJSONObject): number | undefined {
  return typeof attempt === 'number' ? attempt : undefined;
}

/** It runs in the user's kernel: never without a yes. */
async function askToDebug(
  { attempt, line }: DebugCode,
  trans: TranslationBundle
): Promise<boolean> {
  const { button } = await showDialog({
    title: trans.__('Run attempt %1 in your kernel?', attempt),
    body: trans.__(
      'It is not isolated there: it can change variables and files. The debugger stops it at line %1 of a console.',
      line
    ),
    buttons: [
      Dialog.cancelButton(),
      Dialog.okButton({ label: trans.__('Run and debug') })
    ],
    defaultButton: 0
  });
  return button.accept;
}

/** For the first prompt: where execution stands, innermost call first. */
function stackText({ stack }: PausedCell, trans: TranslationBundle): string {
  const lines = stack.map(({ name, line, cell }) =>
    cell === null
      ? trans.__('%1, line %2', name, line)
      : trans.__('%1, line %2 of cell %3', name, line, cell)
  );
  return [
    trans.__(
      'A debugger has stopped the notebook here; innermost call first. The cell and its checks see the local variables of this call.'
    ),
    ...lines
  ].join('\n');
}
