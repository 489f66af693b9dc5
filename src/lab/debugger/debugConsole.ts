/** A console on the notebook's kernel with the debugger on, stopped in code that it runs. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IDebugger } from '@jupyterlab/debugger';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';
import type { DebugCode } from './debugCode';

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
export async function debugInConsole(
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
