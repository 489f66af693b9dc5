import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import { IDebugger } from '@jupyterlab/debugger';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
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
import { pausedCell } from './pausedFrame';
import type { Widget } from '@lumino/widgets';

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
            hint: trans.__(
              'A debugger has stopped the notebook in %1, line %2. The cell and its checks see the local variables of this call.',
              paused.name,
              paused.line
            )
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

/** Longest wait for the console's kernel and for the debugger, ms. */
const WAIT_MS = 20_000;
const LOOK_MS = 50;

/** The parts of JupyterLab's console panel that are used. */
type ConsoleWidget = Widget & {
  readonly console: {
    readonly promptCell: {
      readonly model: {
        readonly sharedModel: { setSource(source: string): void };
      };
    } | null;
    execute(force?: boolean): Promise<void>;
  };
};

/**
 * Opens the console below the notebook, switches its debugger on, sets the
 * breakpoint and runs the code. Resolves when it is running.
 *
 * @throws Error `debugger` when the debugger could not be switched on; the
 * console has the code then, and has not run it.
 */
async function debugInConsole(
  { commands, shell }: JupyterFrontEnd,
  service: IDebugger,
  panel: NotebookPanel,
  { source, line }: DebugCode
): Promise<void> {
  const opened = (await commands.execute('console:create', {
    path: panel.context.path,
    preferredLanguage: 'python',
    activate: true,
    ref: panel.id,
    insertMode: 'split-bottom'
  })) as ConsoleWidget;
  await until(() => opened.console.promptCell !== null);
  opened.console.promptCell?.model.sharedModel.setSource(source);
  await switchOn(opened, service, shell);
  await service.updateBreakpoints(source, [{ line, verified: true }]);
  // It ends when the user has gone on from the breakpoint.
  void opened.console.execute(true).catch(() => undefined);
}

/** By the console's own button, so that its state stays true. */
async function switchOn(
  opened: Widget,
  service: IDebugger,
  shell: JupyterFrontEnd.IShell
): Promise<void> {
  const button = () =>
    opened.node.querySelector<HTMLElement>('.jp-DebuggerBugButton');
  const isOn = () =>
    service.isStarted &&
    opened.node.getAttribute('data-jp-debugger') === 'true';
  await until(() => isOn() || isEnabled(button()));
  if (!isOn()) {
    // The button does nothing for a panel that is not the current one.
    shell.activateById(opened.id);
    await until(() => shell.currentWidget === opened);
    button()?.click();
    await until(isOn);
  }
}

function isEnabled(button: HTMLElement | null): boolean {
  return (
    button !== null &&
    button.getAttribute('aria-disabled') !== 'true' &&
    !button.hasAttribute('disabled')
  );
}

/** @throws Error when it has not become true in time. */
async function until(isTrue: () => boolean): Promise<void> {
  for (let waited = 0; !isTrue(); waited += LOOK_MS) {
    if (waited > WAIT_MS) {
      throw new Error('debugger');
    }
    await new Promise(resolve => setTimeout(resolve, LOOK_MS));
  }
}
