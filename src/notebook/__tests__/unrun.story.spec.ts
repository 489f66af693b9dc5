/** @jest-environment node */
import type { NotebookCell } from '../structure/cells';
import { namesAbove, unrunCells } from '../structure/cellsAbove';
import { planTarget } from '../plan';
import { code } from './notebookFixture';

const IMPORT = code('import', 'import pandas as pd');
const DATA = code('data', 'df = pd.DataFrame()');
const POST = code('post', 'reply = post(df)', { tags: ['refine-skip'] });

/** The target's prompt is a comment in it. */
function found(
  above: readonly NotebookCell[],
  prompt: string,
  { ran, names = [] }: { ran: readonly string[] | null; names?: string[] }
) {
  const cells = [
    ...above,
    code('t', `# ${prompt}`),
    code('check', 'assert mean > 0')
  ];
  const index = above.length;
  const plan = planTarget(
    cells,
    { cellId: 't', index, kind: 'code', source: cells[index]!.source },
    'python'
  );
  const { cells: unrun, needed } = unrunCells(
    cells,
    plan,
    'python',
    ran === null ? null : new Set(ran),
    new Set(names)
  );
  return { ids: unrun.map(({ id }) => id), needed, unrun, plan, cells };
}

it('finds cells that a fresh kernel has not run', () => {
  const { ids, needed, unrun } = found([IMPORT, DATA, POST], 'mean of df', {
    ran: []
  });
  expect(ids).toEqual(['import', 'data', 'post']);
  expect(unrun.map(({ skip }) => skip)).toEqual([false, false, true]);
  expect(needed).toBe(true);
});

it('needs no cell whose names nobody asks for', () => {
  expect(
    found([code('kept', 'kept = 1')], 'mean: 3', { ran: [] })
  ).toMatchObject({ ids: ['kept'], needed: false });
});

it('counts a cell as run when the kernel ran its source', () => {
  const ran = [IMPORT.source, DATA.source];
  expect(found([IMPORT, DATA], 'mean of df', { ran, names: [] }).ids).toEqual(
    []
  );
});

it('counts an edited cell as run while its names are there', () => {
  const names = ['pd', 'df'];
  expect(found([IMPORT, DATA], 'mean of df', { ran: [], names }).ids).toEqual(
    []
  );
});

it('leaves out checks, comments and %%refine cells', () => {
  const { ids } = found(
    [
      DATA,
      code('assertion', 'assert len(df) == 0'),
      code('note', '# nothing'),
      code('magic', '%%refine\nsomething')
    ],
    'mean of df',
    { ran: [] }
  );
  expect(ids).toEqual(['data']);
});

it('includes cells without names only where history is known', () => {
  const style = code('style', 'pd.set_option("x", 1)');
  expect(found([style, DATA], 'df', { ran: [] }).ids).toContain('style');
  expect(found([style, DATA], 'df', { ran: null }).ids).not.toContain('style');
});

it('asks the kernel for the names that the cells above bind', () => {
  const { cells, plan } = found([IMPORT, DATA], 'df', { ran: [] });
  expect(namesAbove(cells, plan, 'python')).toEqual(['pd', 'df']);
});
