import type { JupyterFrontEnd } from '@jupyterlab/application';
import { CodeCellModel } from '@jupyterlab/cells';
import type { ConsolePanel, IConsoleTracker } from '@jupyterlab/console';
import type { IOutput } from '@jupyterlab/nbformat';
import { Signal } from '@lumino/signaling';
import { consolePlugin } from '../consolePlugin';

const HINT =
  'Refine: nothing was refined. Run this cell in a notebook that is open in JupyterLab, or run `jupyter refine run NOTEBOOK`.\n';

const printed = (text: string) => ({
  output_type: 'stream',
  name: 'stderr',
  text
});

/** Runs a cell in a console; what is below it once the kernel has sent this output. */
function outputBelow(source: string, output: IOutput) {
  const widgetAdded = new Signal<object, ConsolePanel>({});
  const tracker = { forEach: () => undefined, widgetAdded };
  void consolePlugin.activate(
    {} as JupyterFrontEnd,
    tracker as unknown as IConsoleTracker,
    null
  );
  const cells = Object.assign([], { changed: new Signal<object, object>({}) });
  widgetAdded.emit({ console: { cells } } as unknown as ConsolePanel);
  const model = new CodeCellModel();
  model.sharedModel.setSource(source);
  cells.changed.emit({ type: 'add', newValues: [{ model }] });
  model.outputs.add(output);
  const below = model.outputs.toJSON();
  model.dispose();
  return below;
}

describe('%%refine in a code console', () => {
  it.each([
    [
      '%%refine\nanswer: 42',
      printed('UsageError: Cell magic `%%refine` not found.\n')
    ],
    [
      '%refine stop',
      printed('UsageError: Line magic function `%refine` not found.\n')
    ],
    [
      '%%refine\nanswer: 42',
      {
        output_type: 'error',
        ename: 'UsageError',
        evalue: 'Cell magic `%%refine` not found.',
        traceback: ['UsageError: Cell magic `%%refine` not found.']
      }
    ]
  ])('explains what IPython says of %j', (source, output) => {
    expect(outputBelow(source, output)).toEqual([printed(HINT)]);
  });

  it.each([
    ['%%refined', 'UsageError: Cell magic `%%refined` not found.\n'],
    ['%%refine\nanswer: 42', HINT],
    ['print(text)', 'UsageError: Cell magic `%%refine` not found.\n']
  ])('leaves other output alone: %j', (source, text) => {
    expect(outputBelow(source, printed(text))).toEqual([printed(text)]);
  });
});
