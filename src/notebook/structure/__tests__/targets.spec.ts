/** @jest-environment node */
import type { NotebookCell } from '../cells';
import { allTargets, editRefusal, findTarget, lostChecks } from '../targets';
import { code, markdown, raw } from '../../__tests__/notebookFixture';

/** Id of the target of the active cell, or the first words of the refusal. */
function found(
  cells: readonly NotebookCell[],
  active: number,
  allowSolutionCells = false
): string {
  const { target, refused } = findTarget(cells, active, 'python');
  const reason = target
    ? editRefusal(cells, target.index, { allowSolutionCells })
    : refused;
  return reason === null ? target!.cellId : reason.split(' ', 4).join(' ');
}

describe('findTarget', () => {
  it.each<[string, readonly NotebookCell[], number, string]>([
    ['code', [code('t', 'x = 1')], 0, 't'],
    ['an assertion', [code('t', 'x = 1'), code('a', 'assert x')], 1, 't'],
    [
      'a hold-out',
      [code('t', 'x = 1'), code('h', 'assert x', { tags: ['refine-holdout'] })],
      1,
      't'
    ],
    ['the prompt above', [markdown('m', 'Sort.'), code('t', '')], 0, 't'],
    [
      'markdown above a check',
      [code('t', 'x = 1'), markdown('m', 'Check'), code('a', 'assert x')],
      1,
      'm'
    ],
    [
      'markdown above markdown',
      [markdown('m', 'A'), markdown('n', 'B'), code('t', '')],
      0,
      't'
    ],
    [
      'markdown that is checked itself',
      [
        markdown('m', 'A'),
        code('t', ''),
        code('a', 'assert x', {
          tags: ['refine-assert'],
          refine: { target: 'm' }
        })
      ],
      0,
      'm'
    ],
    [
      'markdown above a locked cell',
      [markdown('m', 'A'), code('l', '', { editable: false })],
      0,
      'm'
    ],
    [
      'a linked %%refine cell',
      [
        code('p', '%%refine\nsort'),
        code('o', ''),
        code('t', '', { refine: { promptCell: 'p' } })
      ],
      0,
      't'
    ],
    [
      'an unlinked %%refine cell',
      [code('p', '%%refine\nsort'), code('o', '')],
      0,
      'The %%refine cell has'
    ],
    [
      'a locked cell',
      [code('l', 'x', { nbgrader: { locked: true } })],
      0,
      'This cell is locked,'
    ],
    [
      'a read-only cell',
      [code('l', 'x', { editable: false })],
      0,
      'This cell is locked,'
    ],
    [
      'a locked test of a solution',
      [
        code('t', 'x', { nbgrader: { solution: true } }),
        code('a', 'assert x', {
          nbgrader: { grade: true, solution: false, locked: true }
        })
      ],
      1,
      'Refine edits an nbgrader'
    ],
    [
      'a test of its own beside the graded one',
      [
        code('t', 'x = 1', { nbgrader: { solution: true } }),
        code('u', 'y = x\nassert y'),
        code('a', 'assert x', { nbgrader: { grade: true, solution: false } })
      ],
      1,
      'Refine edits an nbgrader'
    ],
    [
      'a check of nothing',
      [code('a', 'assert x', { tags: ['refine-assert'] })],
      0,
      'This check has no'
    ],
    [
      'a test of nothing above',
      [code('a', 'assert f(1) == 2')],
      0,
      'This check has no'
    ],
    ...[0, 1, 2, 3, 4].map(
      (active): [string, readonly NotebookCell[], number, string] => [
        `any cell of a task: ${active}`,
        [
          markdown('h', '# Squares'),
          markdown('m', 'Write squares.'),
          code('t', 'def squares(n): ...'),
          code('d', 'squares(10)'),
          code('a', 'assert squares(1) == [1]')
        ],
        active,
        't'
      ]
    ),
    [
      'a cell that shows something under its own text',
      [
        code('t', 'def f(): ...'),
        markdown('m', 'Plot it.'),
        code('d', 'plot(f())'),
        code('a', 'assert f()')
      ],
      2,
      'd'
    ],
    ['a raw cell', [raw('r', 'x')], 0, 'A raw cell cannot'],
    ['no cell', [], 0, 'No cell is selected.'],
    ['a cell out of range', [code('t', '')], -1, 'No cell is selected.']
  ])('%s', (_, cells, active, expected) => {
    expect(found(cells, active)).toBe(expected);
  });

  it('takes a solution cell where the policy allows it', () => {
    const cells = [code('t', 'x', { nbgrader: { solution: true } })];
    expect(found(cells, 0)).toBe('Refine edits an nbgrader');
    expect(found(cells, 0, true)).toBe('t');
    expect(editRefusal(cells, 0)).toMatch(/policy/);
    expect(editRefusal(cells, 0, { allowSolutionCells: true })).toBeNull();
  });

  it('gives position, kind and source of the target', () => {
    const cells = [markdown('m', 'Sort.'), code('t', 'x = 1')];
    expect(findTarget(cells, 0, 'python')).toEqual({
      target: { cellId: 't', index: 1, kind: 'code', source: 'x = 1' }
    });
  });
});

describe('allTargets', () => {
  it('finds linked cells and cells above a group of assertions', () => {
    const cells = [
      code('i', 'import math'),
      code('t1', ''),
      code('a1', 'assert f()'),
      code('p', '%%refine\nsort'),
      code('t2', '', { refine: { promptCell: 'p' } }),
      code('t3', 'df = load()'),
      code('a3', 'assert df.ok', { tags: ['refine-holdout'] }),
      code('last', 'x = 1')
    ];
    const targets = allTargets(cells, 'python');
    expect(targets.map(target => target.cellId)).toEqual(['t1', 't2', 't3']);
  });

  it('finds cells with their own checks', () => {
    const cells = [
      code('t1', 'def f(): ...\nassert f() == 1'),
      code('t2', 'def g(): ...'),
      code('a2', 'assert g() == f()')
    ];
    const targets = allTargets(cells, 'python');
    expect(targets.map(target => target.cellId)).toEqual(['t1', 't2']);
  });

  it('finds no target in a test that does not count', () => {
    const cells = [
      code('t', 'x = 1', { nbgrader: { solution: true } }),
      code('u', 'y = x\nassert y'),
      code('a', 'assert x', { nbgrader: { grade: true, solution: false } })
    ];
    const targets = allTargets(cells, 'python');
    expect(targets.map(target => target.cellId)).toEqual(['t']);
  });

  it('finds none in a notebook without checks', () => {
    expect(allTargets([code('t', 'x = 1')], 'python')).toEqual([]);
  });

  it.each([
    'radius = 3 / 2\nq1.check()',
    'a, b = b, a\ngrader.check("q1")',
    'def f(n): return n\ncheck_all()',
    'def f(n): return n\n%time check_all()',
    'x = ...\nassert x == 3',
    'x = # TODO\nassert x == 3',
    'x = <YOUR CODE>\n\nassert x == 3',
    'def loss(y):\n    assert y > 0\n    # YOUR CODE\n    raise NotImplementedError\n\ntest(loss)'
  ])('takes a task with its checks for a target: %j', source => {
    const cells = [code('i', 'y = load()'), code('t', source)];
    const targets = allTargets(cells, 'python');
    expect(targets.map(({ cellId }) => cellId)).toEqual(['t']);
  });
});

it('names cells whose checks do not count', () => {
  const cells = [
    code('t', 'def f(n): return n'),
    code('a', 'f(2) == 2'),
    code('b', 'for n in [1]:\n    assert f(n)\nmore = f(1)\nlast = more'),
    code('c', 'assert f(1) == 1'),
    code('d', 'print(last)')
  ];
  expect(lostChecks(cells, 'python')).toEqual([{ cellId: 'b', index: 2 }]);
});
