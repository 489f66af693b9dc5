import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import type { Cell, ICodeCellModel } from '@jupyterlab/cells';
import { IConsoleTracker, type ConsolePanel } from '@jupyterlab/console';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { TRANSLATION_DOMAIN } from '../ids';
import { explainUnknownMagic } from './consoleMagic';

export const consolePlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-refine:console',
  description: 'Says in a code console that only notebooks are refined.',
  autoStart: true,
  optional: [IConsoleTracker, ITranslator],
  activate: (
    _: JupyterFrontEnd,
    tracker: IConsoleTracker | null,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load(TRANSLATION_DOMAIN);
    const message = trans.__(
      'Refine: nothing was refined. Run this cell in a notebook that is open in JupyterLab, or run `jupyter refine run NOTEBOOK`.'
    );
    const explain = ({ model }: Cell) => {
      if (model.type === 'code') {
        explainUnknownMagic(model as ICodeCellModel, message);
      }
    };
    const watch = ({ console: { cells } }: ConsolePanel) => {
      [...cells].forEach(explain);
      cells.changed.connect((_, { type, newValues }) => {
        if (type === 'add') {
          newValues.forEach(explain);
        }
      });
    };
    tracker?.forEach(watch);
    tracker?.widgetAdded.connect((_, panel) => watch(panel));
  }
};
