import type { INotebookTracker } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { settingsSchema } from '../../../../core/settings';
import { planTarget } from '../../../../notebook/plan';
import { cellsFromNotebook } from '../../../../notebook/structure/cells';
import { TabStore } from '../../tabStore';
import { notebookPanel } from '../../__tests__/sharedNotebook';
import { notebookRepair } from '../notebookRequest';
import type { PlannedTarget } from '../plannedTarget';
import { TargetFollower } from '../targetFollower';

describe('the target that the panel shows', () => {
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

  it('is that of a lone %%refine cell before it is created', () => {
    parts = setUp();
    const { cells, sharedModel } = parts.model;
    sharedModel.getCell(0).setSource('%%refine\nSet a');
    sharedModel.getCell(1).setSource('');
    parts.select(0);
    expect(parts.follower.current?.view).toMatchObject({
      cellId: 'cell0-target',
      label: 'cell 2',
      prompt: 'Set a',
      promptOrigin: 'magic',
      assertions: 1
    });
    expect([...cells]).toHaveLength(5);
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

  it('keeps a typed prompt for its notebook, not for a copy', () => {
    const { follower, panel } = parts;
    parts.select(1);
    follower.setPrompt(panel, 'cell1', 'typed');
    expect(follower.current?.view.prompt).toBe('typed');
    Object.assign(panel.context, { path: 'copy.ipynb' });
    follower.refresh();
    expect(follower.current?.view.prompt).toBe('a');
  });

  it('keeps a typed prompt when its notebook is renamed', () => {
    const { follower, panel } = parts;
    parts.select(1);
    follower.setPrompt(panel, 'cell1', 'typed');
    Object.assign(panel.context, { path: 'renamed.ipynb' });
    panel.context.pathChanged.emit('renamed.ipynb');
    follower.refresh();
    expect(follower.current?.view.prompt).toBe('typed');
  });

  it('refines a solution cell where the policy allows it, and checks it anyway', () => {
    const { follower, model, panel, state } = parts;
    model.cells
      .get(1)
      .setMetadata('nbgrader', { solution: true, grade: false });
    // The check below belongs to it: the cell that is named is the refused one.
    for (const active of ['cell1', 'cell2']) {
      const { view, plan, checkPlan } = follower.read(panel, active)!;
      expect(view).toMatchObject({
        cellId: 'cell1',
        refused: expect.stringMatching(/policy/) as string,
        assertions: 1
      });
      expect([plan, checkPlan?.target.cellId]).toEqual([null, 'cell1']);
    }
    state.allowed = true;
    expect(follower.read(panel, 'cell1')?.view.refused).toBeNull();
  });
});

describe('the error that goes to the model', () => {
  const KEY = 'sk-abcdefghijklmnopqrstuvwx';

  /** A notebook whose last cell has failed. */
  function failed(
    source: string,
    isDirty = false,
    traceback = `login('${KEY}')`
  ) {
    const cells = cellsFromNotebook({
      cells: [
        {
          cell_type: 'code',
          id: 'data',
          source: 'y_test = load()',
          metadata: { tags: ['refine-hide: y_test'] }
        },
        { cell_type: 'code', id: 'target', source, metadata: {} }
      ],
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5
    });
    const output = {
      output_type: 'error',
      ename: 'ValueError',
      evalue: `no access with ${KEY}`,
      traceback: [traceback]
    };
    const cell = {
      id: 'target',
      type: 'code',
      isDirty,
      sharedModel: { getSource: () => source },
      outputs: {
        length: 1,
        get: () => ({ type: 'error', toJSON: () => output })
      }
    };
    const plan = planTarget(
      cells,
      { cellId: 'target', index: 1, kind: 'code', source },
      'python'
    );
    const inspectFailure = jest.fn().mockResolvedValue(null);
    const target = {
      panel: { content: { model: { cells: [cell] } } },
      cells,
      plan,
      language: 'python'
    } as unknown as PlannedTarget;
    const goal = notebookRepair(
      target,
      settingsSchema.parse({}),
      { inspectFailure },
      new AbortController().signal
    );
    return { goal, inspectFailure };
  }

  it('masks what looks like a secret in the error', async () => {
    const goal = await failed('n = login(key)').goal;
    expect(goal?.error?.name).toBe('ValueError');
    expect(JSON.stringify(goal)).not.toContain(KEY);
  });

  it.each([
    ['reads hidden data', 'n = rate(y_test)', false, ''],
    ['was edited since', 'n = login(key)', true, ''],
    [
      'calls what reads hidden data',
      'n = f()',
      false,
      '--> 2 return x / y_test[0]'
    ]
  ])(
    'sends no error of a cell that %s',
    async (_, source, isDirty, traceback) => {
      const { goal, inspectFailure } = failed(source, isDirty, traceback);
      expect(await goal).toEqual({ names: ['n'], changed: [] });
      expect(inspectFailure).not.toHaveBeenCalled();
    }
  );
});
