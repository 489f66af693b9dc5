import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IDebugger } from '@jupyterlab/debugger';
import { INotebookTracker } from '@jupyterlab/notebook';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import { IRefineManager, type RefineStart } from '../../tokens';
import { refineIcon } from '../icons';
import { CommandIDs, TRANSLATION_DOMAIN } from '../ids';
import { showPanel } from '../panel/showPanel';
import { pausedCell, type PausedCell } from './pausedFrame';

/** Refines the cell in which the debugger has stopped the kernel. */
export const debuggerPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-refine:debugger',
  description: 'Refines a cell from where the debugger has stopped.',
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
      isEnabled: () => service.hasStoppedThreads() && find() !== null,
      execute: async () => {
        const start = find();
        if (start) {
          showPanel(app.shell);
          await manager.refine(start);
        }
      }
    });
    const changed = () =>
      app.commands.notifyCommandChanged(CommandIDs.refineFromHere);
    callstack.framesChanged.connect(changed);
    callstack.currentFrameChanged.connect(changed);
  }
};

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
