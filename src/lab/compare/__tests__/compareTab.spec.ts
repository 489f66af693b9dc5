import type { NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { initialState } from '../../../core/events/fold';
import {
  pastDate,
  type HistoryView,
  type IRefineManager
} from '../../../tokens';
import { sharedNotebook } from '../../runtime/__tests__/sharedNotebook';
import { CompareTab } from '../compareTab';

const past = {
  entry: { id: 'earlier', path: 'a.ipynb', at: 0, cell: 1, attempts: 1 },
  session: {
    ...initialState('earlier'),
    attempts: [
      {
        attempt: 1,
        code: 'total = 2',
        phase: 'ended',
        assertions: [],
        execution: null,
        verdict: null,
        failure: null
      }
    ]
  }
} as unknown as NonNullable<HistoryView['shown']>;

function setUp(shown: typeof past | null) {
  const owner = {};
  const manager = {
    viewChanged: new Signal<object, void>(owner),
    sessionOf: () => initialState('present')
  };
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
    cellId: shown ? 'deleted' : 'cell0',
    past: shown,
    mimeType: 'text/x-python',
    editors: {} as never,
    trans: nullTranslator.load('jupyterlab_refine')
  });
  return { tab, panel };
}

it('closes with its notebook, once', () => {
  const { tab, panel } = setUp(null);
  const closed = jest.fn();
  tab.disposed.connect(closed);
  expect(tab.isDisposed).toBe(false);

  panel.disposed.emit();
  expect(tab.isDisposed).toBe(true);
  expect(closed).toHaveBeenCalledTimes(1);
  panel.disposed.emit();
  expect(closed).toHaveBeenCalledTimes(1);
});

it('shows the attempts of an earlier session, in a tab of its own', () => {
  const { tab, panel } = setUp(past);
  const notebook = panel as unknown as NotebookPanel;
  expect(tab.isOf(notebook, 'deleted', past)).toBe(true);
  expect(tab.isOf(notebook, 'deleted')).toBe(false);
  tab.compare({ right: 1 });
  expect(tab.title.label).toBe(`Compare the cell, ${pastDate(past.entry)}`);
  expect(tab.node.textContent).toContain('There is only one version');
  tab.dispose();
});
