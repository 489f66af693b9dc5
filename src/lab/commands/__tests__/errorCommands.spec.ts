import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { INotebookTracker } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import type { IRefineManager } from '../../../tokens';
import { CommandIDs } from '../../ids';
import type { CommandContext } from '../enablement';
import { errorCommands } from '../errorCommands';

const SOURCE = 'row = {}\ntotal = row["b"]\nprint(total)';

/** Executes Fix Error for a failed cell, with columns of its second line selected. */
async function fixed(from: number, to: number, cellId: string) {
  const cell = (id: string) => ({
    model: {
      id,
      type: 'code',
      outputs: { length: 1, get: () => ({ type: 'error' }) },
      sharedModel: { getSource: () => SOURCE }
    },
    editor: {
      getSelection: () => ({
        start: { line: 1, column: from },
        end: { line: 1, column: to }
      })
    }
  });
  const [active, other] = [cell('active'), cell('other')];
  const tracker = {
    activeCell: active,
    currentWidget: {
      context: { path: 'a.ipynb' },
      content: {
        activeCell: active,
        model: { cells: [active.model, other.model] }
      }
    }
  };
  const refine = jest.fn(async (start: object) => undefined);
  const commands = errorCommands({
    app: {} as JupyterFrontEnd,
    manager: { refine } as unknown as IRefineManager,
    tracker: tracker as unknown as INotebookTracker,
    trans: nullTranslator.load('jupyterlab_refine'),
    showPanel: () => undefined,
    context: () => ({ view: {}, activeCell: 'code' }) as CommandContext
  });
  await commands[CommandIDs.refineError]!.execute({ cellId });
  return refine.mock.calls[0]?.[0];
}

it('Fix Error keeps to the lines selected in the failed cell', async () => {
  const whole = { path: 'a.ipynb', cellId: 'active', repair: true };
  expect(await fixed(0, 16, 'active')).toEqual({
    ...whole,
    part: { first: 2, last: 2 }
  });
  // A word, a cursor, and the selection of another cell are no such lines.
  expect(await fixed(8, 11, 'active')).toEqual(whole);
  expect(await fixed(4, 4, 'active')).toEqual(whole);
  expect(await fixed(0, 16, 'other')).toEqual({ ...whole, cellId: 'other' });
});
