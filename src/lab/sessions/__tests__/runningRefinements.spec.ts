import { nullTranslator } from '@jupyterlab/translation';
import type { RunningSession } from '../../../tokens';
import { FakeManager } from '../../../ui/__tests__/fakeManager';
import { view } from '../../../ui/__tests__/views';
import { RunningRefinements } from '../runningRefinements';

const RUNNING: RunningSession = {
  path: 'work/a.ipynb',
  cellId: 'one',
  label: 'cell 1',
  waitsFor: null
};
const WAITING = {
  ...RUNNING,
  cellId: 'two',
  label: 'cell 2',
  waitsFor: 'cell 1'
};

function setUp() {
  const manager = new FakeManager(view({}));
  const open = jest.fn();
  const trans = nullTranslator.load('jupyterlab_refine');
  const list = new RunningRefinements(manager, open, trans);
  const changed = jest.fn();
  list.runningChanged.connect(changed);
  return { manager, open, list, changed };
}

it('lists what runs and what waits', () => {
  const { manager, open, list } = setUp();
  manager.sessions = [RUNNING, WAITING];
  const items = list.running();
  expect(items.map(item => [item.label(), item.detail?.()])).toEqual([
    ['cell 1 of a.ipynb', 'running'],
    ['cell 2 of a.ipynb', 'waits for cell 1']
  ]);
  items[1]?.open?.();
  expect(open).toHaveBeenCalledWith(WAITING);
  items[1]?.shutdown?.();
  expect(manager.calls).toEqual([['stopSession', 'work/a.ipynb', 'two']]);
});

it('reports changes of the list, not of an answer', () => {
  const { manager, changed } = setUp();
  manager.sessions = [RUNNING];
  manager.show({});
  manager.show({});
  expect(changed).toHaveBeenCalledTimes(1);
});

it('stops what waits before it can start', () => {
  const { manager, list } = setUp();
  manager.sessions = [RUNNING, WAITING];
  list.shutdownAll();
  expect(manager.calls.map(([, , cellId]) => cellId)).toEqual(['two', 'one']);
});
