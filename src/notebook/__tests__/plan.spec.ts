/** @jest-environment node */
import type { NotebookCell } from '../structure/cells';
import { settingsSchema } from '../../core/settings';
import { namesToInspect } from '../structure/names';
import { planTarget, plannedChecks } from '../plan';
import { buildRequest } from '../request';
import { code, markdown } from './notebookFixture';

function plan(cells: readonly NotebookCell[], id = 't') {
  const index = cells.findIndex(cell => cell.id === id);
  const { source, type } = cells[index];
  const kind = type === 'markdown' ? 'markdown' : 'code';
  return planTarget(cells, { cellId: id, index, kind, source }, 'python');
}

describe('checks of a plan', () => {
  it('keep nbgrader’s hidden tests as hold-outs, lines in place', () => {
    const source =
      'assert f(1)\n### BEGIN HIDDEN TESTS\nassert f(2)\n### END HIDDEN TESTS\nassert f(3)';
    const { assertions, holdouts } = plan([
      code('t', ''),
      code('a', source, { nbgrader: { grade: true, solution: false } })
    ]);
    expect(assertions.map(check => check.source)).toEqual([
      'assert f(1)\n\n\n\nassert f(3)'
    ]);
    expect(holdouts.map(check => check.source)).toEqual([
      '\n\nassert f(2)\n\n'
    ]);
  });

  it('are all hidden where only a remark stands beside the hidden ones', () => {
    const { assertions, holdouts } = plan([
      code('t', ''),
      code(
        'a',
        '# A test: keep it.\n### BEGIN HIDDEN TESTS\nassert f(2)\n### END HIDDEN TESTS',
        { nbgrader: { grade: true, solution: false } }
      )
    ]);
    expect(assertions).toEqual([]);
    expect(holdouts.map(check => check.statements)).toEqual([1]);
  });

  it('hide the whole cell where a hidden region is part of a block', () => {
    const source =
      'def test():\n    assert f(1)\n    ### BEGIN HIDDEN TESTS\n    assert f(2)\n    ### END HIDDEN TESTS\ntest()';
    const { assertions, holdouts } = plan([
      code('t', ''),
      code('a', source, { tags: ['refine-assert'] })
    ]);
    expect(assertions).toEqual([]);
    expect(holdouts.map(check => check.source)).toEqual([source]);
  });

  it('are distinguished from the same words elsewhere', () => {
    const source =
      "assert f('# BEGIN HIDDEN TESTS')\nx = 1  # no BEGIN HIDDEN TESTS here\nassert x";
    const { assertions, holdouts } = plan([
      code('t', ''),
      code('a', source, { tags: ['refine-assert'] })
    ]);
    expect(assertions.map(check => check.source)).toEqual([source]);
    expect(holdouts).toEqual([]);
  });

  it('hide to the end where a hidden region has none', () => {
    const { assertions, holdouts } = plan([
      code('t', ''),
      code('a', 'assert f(1)\n# BEGIN HIDDEN TESTS\nassert f(2)', {
        tags: ['refine-assert']
      })
    ]);
    expect(assertions[0].source).not.toContain('f(2)');
    expect(holdouts[0].source).toContain('f(2)');
  });

  it('read the options of the %%refine line and of both cells', () => {
    const { cellOptions } = plan([
      code('p', '%%refine --max-attempts 2\nSort', {
        refine: { options: { attemptTimeout: 3 } }
      }),
      code('t', '', {
        refine: {
          promptCell: 'p',
          options: { maxAttempts: 4, feedback: 'raw' }
        }
      })
    ]);
    expect(cellOptions).toEqual({
      values: [
        ['attemptTimeout', 3],
        ['feedback', 'raw'],
        ['maxAttempts', 2]
      ],
      warnings: []
    });
  });
});

describe('namesToInspect', () => {
  const names = (cells: readonly NotebookCell[]) =>
    namesToInspect(plan(cells), cells, 'python');

  it('are those that prompt, target and assertions name', () => {
    const cells = [
      markdown('m', 'Group `d` and a frame df_sales by month.'),
      code('t', 'monthly = group(raw_rows)'),
      code('a', 'expected = 12\nassert len(monthly) == expected')
    ];
    expect(names(cells)).toEqual(
      expect.arrayContaining([
        'd',
        'df_sales',
        'month',
        'group',
        'raw_rows',
        'monthly',
        'expected',
        'len'
      ])
    );
    expect(names(cells)).not.toContain('a');
    expect(new Set(names(cells)).size).toBe(names(cells).length);
  });

  it('contain no names that only hold-outs bind or use', () => {
    const cells = [
      markdown('m', 'Use answers and shared.'),
      code('t', 'x = f(answers, shared)'),
      code('s', 'shared = 1'),
      code('h', 'answers = [1]\nshared = 2\nassert x == answers[only_there]', {
        tags: ['refine-holdout']
      })
    ];
    expect(names(cells)).toContain('shared');
    expect(names(cells)).not.toContain('answers');
    expect(names(cells)).not.toContain('only_there');
  });

  it('are bounded', () => {
    const many = Array.from({ length: 900 }, (_, i) => `name_${i}`).join(' + ');
    expect(names([code('t', many)])).toHaveLength(200);
  });
});

describe('buildRequest', () => {
  const cells = [
    code('i', 'import math'),
    markdown('m', 'Sort.'),
    code('t', 'x = 1', {
      refine: { options: { maxAttempts: 2, isolation: 'live' } }
    }),
    code('a', 'assert x'),
    code('h', 'assert held_out', { tags: ['refine-holdout'] })
  ];
  const request = buildRequest({
    cells,
    plan: plan(cells),
    settings: settingsSchema.parse({ contextValues: 'none' }),
    variables: [{ name: 'x', type: 'int' }],
    session: 'id',
    path: 'a.ipynb',
    language: 'python'
  });

  it('holds prompt, checks, context and the cell’s options', () => {
    expect(request).toMatchObject({
      session: 'id',
      path: 'a.ipynb',
      language: 'python',
      target: { cellId: 't', source: 'x = 1' },
      prompt: 'Sort.',
      promptOrigin: 'markdown',
      context: { values: 'none', cellsLeftOut: 0, variables: [{ name: 'x' }] },
      options: { maxAttempts: 2, isolation: 'auto' }
    });
  });

  it('maps the names of the checks to the cells that bind them', () => {
    expect(request.ownNames).toEqual(['x', 'held_out']);
    expect(request.askedNames).toEqual([]);
  });

  it('sends neither the prompt twice nor a hold-out as context', () => {
    expect(request.context.cells.map(cell => cell.cellId)).toEqual(['i']);
  });
});

describe('plannedChecks', () => {
  const ASSERT = { tags: ['refine-assert'] };
  const HOLDOUT = { tags: ['refine-holdout'] };
  const SCORER = { tags: ['refine-scorer'] };

  function planned(cells: readonly NotebookCell[]): readonly string[] {
    const index = cells.findIndex(cell => cell.id === 't');
    const { source } = cells[index];
    const target = { cellId: 't', index, kind: 'code' as const, source };
    const plan = planTarget(cells, target, 'python');
    return plannedChecks(cells, plan, 'python').map(check =>
      [
        check.cellId,
        check.role,
        check.statements,
        ...(check.tagged ? ['tagged'] : []),
        ...check.names,
        ...(check.checksNothing ? ['checks nothing'] : [])
      ].join(' ')
    );
  }

  it('lists checks, hold-outs, scorer and hidden data', () => {
    expect(
      planned([
        code('d', 'y = 1', { tags: ['refine-hide: y z'] }),
        code('t', 'x = 1'),
        code('u', 'assert x\nassert x > 0'),
        code('a', 'assert x < 2', ASSERT),
        code('h', 'assert x == 1', HOLDOUT),
        code('s', 'def score(ns): return 1', SCORER),
        code('w', 'other = 2')
      ])
    ).toEqual([
      'u assertion 2',
      'a assertion 1 tagged',
      'h holdout 1 tagged',
      's scorer 0 tagged',
      'd hidden-data 0 tagged y z'
    ]);
  });

  it('lists no untagged cell where only tagged ones count', () => {
    expect(
      planned([
        code('t', 'x = 1', { refine: { onlyTagged: true } }),
        code('u', 'assert x'),
        code('a', 'print(x)', ASSERT),
        code('e', '', HOLDOUT)
      ])
    ).toEqual(['a assertion 1 tagged', 'e holdout 0 tagged checks nothing']);
  });

  it('lists an nbgrader test with a hidden region in both roles', () => {
    const source = 'assert x\n### BEGIN HIDDEN TESTS\nassert x == 1\n';
    const nbgrader = { grade: true, solution: false };
    expect(
      planned([code('t', 'x = 1'), code('a', source, { nbgrader })])
    ).toEqual(['a assertion 1 tagged', 'a holdout 1 tagged']);
  });
});
