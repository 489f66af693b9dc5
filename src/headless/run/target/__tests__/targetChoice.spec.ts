/** @jest-environment node */
import type { NotebookCell } from '../../../../notebook';
import { cellIdsOf, CHECK_POLICY, chooseTargets } from '../targetChoice';

function cell(id: string, source: string, metadata: object = {}): NotebookCell {
  return { id, type: 'code', source, metadata: { ...metadata } };
}

const CELLS = [
  cell('a', 'x = 1'),
  cell('a1', 'assert x'),
  cell('s', 'y = 1', { nbgrader: { solution: true } }),
  cell('s1', 'assert y', {
    nbgrader: { grade: true, solution: false, locked: true }
  })
];

const choose = (
  named: readonly string[],
  cells: readonly NotebookCell[] = CELLS,
  policy = CHECK_POLICY
) =>
  chooseTargets(
    'n.ipynb',
    cells,
    'python',
    cellIdsOf('n.ipynb', cells, named),
    policy
  );

const ids = (named: readonly string[], cells?: readonly NotebookCell[]) =>
  choose(named, cells).targets.map(target => target.cellId);

it.each<[readonly string[], readonly string[]]>([
  [[], ['a', 's']],
  [['s'], ['s']],
  [['3'], ['s']],
  [
    ['s1', 'a1', '0'],
    ['a', 's']
  ]
])('%j gives %j', (named, expected) => {
  expect(ids(named)).toEqual(expected);
});

it('prefers an id that looks like a position', () => {
  expect(ids(['1'], [cell('a', 'x'), cell('b', 'y'), cell('1', 'z')])).toEqual([
    '1'
  ]);
});

it('reports solution cells that the policy does not allow', () => {
  const chosen = choose([], CELLS, {});
  expect(chosen.targets.map(target => target.cellId)).toEqual(['a']);
  expect(chosen.notes).toEqual([
    expect.stringMatching(/^n\.ipynb cell 2 \[s\]: .*policy/)
  ]);
});

it.each<[readonly string[], readonly NotebookCell[], string]>([
  [
    ['zzz'],
    CELLS,
    '--cell zzz: n.ipynb has no such cell; it has 4, from 0 to 3.'
  ],
  [['4'], CELLS, '--cell 4: n.ipynb has no such cell'],
  [['-1'], CELLS, '--cell -1: n.ipynb has no such cell'],
  [['s'], CELLS, 'n.ipynb cell 2 [s]: Refine edits an nbgrader solution cell'],
  [
    [],
    CELLS.slice(2),
    'n.ipynb cell 0 [s]: Refine edits an nbgrader solution cell'
  ],
  [
    [],
    [cell('a', 'x = 1')],
    'n.ipynb has no target. Add a cell with assertions'
  ]
])('%j is bad input', (named, cells, message) => {
  expect(() => choose(named, cells, {})).toThrow(message);
  expect(() => choose(named, cells, {})).toThrow(
    expect.objectContaining({ kind: 'input', code: 'no-target' })
  );
});
