/** @jest-environment node */
import { settingsSchema } from '../../../../core/settings';
import { planTarget } from '../../../../notebook/plan';
import { cellsFromNotebook } from '../../../../notebook/structure/cells';
import { notebookRepair } from '../notebookRequest';
import type { PlannedTarget } from '../plannedTarget';

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
