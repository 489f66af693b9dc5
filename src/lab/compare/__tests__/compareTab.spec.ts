import type { NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import type { IRefineManager } from '../../../tokens';
import { sharedNotebook } from '../../runtime/__tests__/sharedNotebook';
import { CompareTab } from '../compareTab';

it('closes with its notebook, once', () => {
  const owner = {};
  const manager = { viewChanged: new Signal<object, void>(owner) };
  const panel = {
    content: {
      model: sharedNotebook(['total = 1']),
      modelContentChanged: new Signal<object, void>(owner)
    },
    context: { path: 'a.ipynb' },
    disposed: new Signal<object, void>(owner)
  };
  const tab = new CompareTab({
    manager: manager as unknown as IRefineManager,
    panel: panel as unknown as NotebookPanel,
    cellId: 'cell0',
    mimeType: 'text/x-python',
    editors: {} as never,
    trans: nullTranslator.load('jupyterlab_refine')
  });
  const closed = jest.fn();
  tab.disposed.connect(closed);
  expect(tab.isDisposed).toBe(false);

  panel.disposed.emit();
  expect(tab.isDisposed).toBe(true);
  expect(closed).toHaveBeenCalledTimes(1);
  panel.disposed.emit();
  expect(closed).toHaveBeenCalledTimes(1);
});
