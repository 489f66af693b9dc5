import type { INotebookTracker } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { TabStore } from '../../tabStore';
import { TargetFollower } from '../targetFollower';
import { notebookPanel } from '../../__tests__/sharedNotebook';

/** Cells: a free one, a target with its check, a second target with its check, a lonely raw one. */
const SOURCES = ['kept = 1', '# a', 'assert a', '# b', 'assert b'];

function setUp(interrupted: string | null = null, isReady = true) {
  const { model, panel, tracker } = notebookPanel(SOURCES);
  panel.context.isReady = isReady;
  const { content } = panel;
  const state: { running: string | null; allowed: boolean } = {
    running: null,
    allowed: false
  };
  const follower = new TargetFollower(
    tracker as unknown as INotebookTracker,
    nullTranslator.load('jupyterlab_refine'),
    new TabStore(window.sessionStorage),
    () => state.running,
    () => state.allowed,
    () => interrupted
  );
  const activate = () => tracker.activeCellChanged.emit(undefined);
  return {
    follower,
    panel,
    state,
    model,
    activate,
    shown: () => follower.current?.view.cellId,
    select: (index: number) => {
      content.activeCell.model.id = `cell${index}`;
      activate();
    },
    begin: (cellId: string) => {
      state.running = cellId;
      follower.refresh();
    },
    end: () => {
      state.running = null;
      follower.refresh();
    }
  };
}

let parts: ReturnType<typeof setUp>;

beforeEach(() => {
  parts = setUp();
});
afterEach(() => parts.follower.dispose());

it('follows the active cell; a check stands for its target', () => {
  parts.select(1);
  expect(parts.shown()).toBe('cell1');
  parts.select(4);
  expect(parts.shown()).toBe('cell3');
});

it('stays on a session, whatever is selected while it runs', () => {
  parts.select(1);
  parts.begin('cell1');
  parts.select(3);
  expect(parts.shown()).toBe('cell1');
  parts.end();
  expect(parts.shown()).toBe('cell1');
  // The notebook comes to the front again: nobody selected anything.
  parts.activate();
  expect(parts.shown()).toBe('cell1');
});

it('stays on an ended session until another target is active', () => {
  parts.begin('cell1');
  parts.end();
  parts.select(2);
  expect(parts.shown()).toBe('cell1');
  parts.select(3);
  expect(parts.shown()).toBe('cell3');
  parts.select(1);
  expect(parts.shown()).toBe('cell1');
});

it('shows an interrupted session, whatever becomes active while the notebook loads', () => {
  const { panel, select, shown } = setUp('cell3', false);
  // First the empty cell of a notebook that is not loaded, then the first of the loaded one.
  select(0);
  select(1);
  expect(shown()).toBe('cell3');
  Object.assign(panel.context, { isReady: true });
  select(1);
  expect(shown()).toBe('cell3');
  select(2);
  select(0);
  expect(shown()).toBe('cell0');
});

it('lists the cells that check', () => {
  parts.select(1);
  expect(parts.follower.current?.view.checks).toMatchObject([
    { cellId: 'cell2', label: 'cell 3', role: 'assertion', tagged: false }
  ]);
});

it('keeps a typed prompt for its notebook, not for a copy', () => {
  const { follower, panel } = parts;
  parts.select(1);
  follower.setPrompt(panel, 'cell1', 'typed');
  expect(follower.current?.view.prompt).toBe('typed');
  Object.assign(panel.context, { path: 'copy.ipynb' });
  follower.refresh();
  expect(follower.current?.view.prompt).toBe('a');
});

it('refines a solution cell where the policy allows it', () => {
  const { follower, model, panel, state } = parts;
  model.cells.get(1).setMetadata('nbgrader', { solution: true, grade: false });
  // The check below belongs to it: the cell that is named is the refused one.
  for (const active of ['cell1', 'cell2']) {
    const { cellId, refused } = follower.read(panel, active)!.view;
    expect([cellId, refused]).toEqual([
      'cell1',
      expect.stringMatching(/policy/)
    ]);
  }
  state.allowed = true;
  expect(follower.read(panel, 'cell1')?.view.refused).toBeNull();
});
