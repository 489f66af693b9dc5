/** @jest-environment node */
import type { CheckCell } from '../../../core/domain/request';
import type { NotebookCell } from '../cells';
import { chooseContext } from '../context';
import { MASK } from '../../secrets';
import { code, markdown, raw } from '../../__tests__/notebookFixture';

function context(
  cells: readonly NotebookCell[],
  budget: number,
  {
    prompt = '',
    checks = [],
    promptCells = [],
    language = 'python'
  }: {
    readonly prompt?: string;
    readonly checks?: readonly string[];
    readonly promptCells?: readonly string[];
    readonly language?: string;
  } = {}
) {
  const index = cells.findIndex(cell => cell.id === 't');
  const source = cells[index].source;
  const assertions = checks.map((check): CheckCell => ({
    cellId: 'c',
    index: index + 1,
    role: 'assertion',
    source: check,
    statements: 1
  }));
  const target = { cellId: 't', index, kind: 'code', source } as const;
  const plan = { target, prompt, promptCells, assertions };
  return chooseContext(cells, plan, language, budget);
}

const ids = (...args: Parameters<typeof context>) =>
  context(...args).cells.map(({ cellId }) => cellId);

const lines = (n: number) =>
  Array.from(
    { length: n },
    (_, i) => `value_${String(i).padStart(4, '0')}`
  ).join('\n');

describe('chooseContext', () => {
  it('takes the cells above in notebook order', () => {
    const cells = [
      markdown('m', 'About'),
      code('a', 'import math'),
      code('t', 'x'),
      code('z', 'below')
    ];
    expect(context(cells, 1000)).toEqual({
      cells: [
        {
          cellId: 'm',
          index: 0,
          kind: 'markdown',
          source: 'About',
          cut: false
        },
        {
          cellId: 'a',
          index: 1,
          kind: 'code',
          source: 'import math',
          cut: false
        }
      ],
      cellsLeftOut: 0,
      notes: []
    });
  });

  it('takes no hold-outs, raw, empty, %%refine or excluded cells', () => {
    const cells = [
      code('h', 'assert secret(3)', { tags: ['refine-holdout'] }),
      raw('r', 'raw'),
      code('e', '  \n'),
      code('p', '%%refine\nSort'),
      markdown('m', 'prompt'),
      code('t', '')
    ];
    expect(context(cells, 1000, { promptCells: ['m'] })).toEqual({
      cells: [],
      cellsLeftOut: 0,
      notes: []
    });
  });

  it('takes what the task, the checks and the cell name, and what that needs', () => {
    const cells = [
      code('imports', 'import numpy as np'),
      code('base', 'scale = 2'),
      code('helper', 'def grow(x):\n    return np.dot(x, scale)'),
      code('unused', 'other = 1'),
      code('log', 'log = "a"'),
      code('data', 'points = [1]'),
      code('t', 'y = grow(1)')
    ];
    expect(
      ids(cells, 1000, {
        prompt: 'Count the lines of `log`.',
        checks: ['assert points']
      })
    ).toEqual(['imports', 'base', 'helper', 'log', 'data']);
    expect(ids(cells, 1000, { language: 'julia' })).toHaveLength(6);
  });

  it('takes no checks, prompts or empty cells of other targets', () => {
    const check = { tags: ['refine-assert'] };
    const cells = [
      markdown('intro', '# Text\n\nAbout words.'),
      code('setup', 'words = []'),
      markdown('m1', 'Write first(words).'),
      code('t1', 'def first(words):\n    return words[0]'),
      code('c1', 'assert first(words)', check),
      markdown('m2', 'Write second(words).'),
      code('t2', ''),
      code('c2', 'assert second(words)', check),
      markdown('m3', 'Notes.'),
      markdown('p', 'Write third(words).'),
      code('t', ''),
      code('c', 'assert third(words)', check)
    ];
    expect(
      ids(cells, 1000, {
        prompt: 'Write third(words).',
        checks: ['assert third(words)'],
        promptCells: ['p']
      })
    ).toEqual(['setup', 'm3']);
  });

  it('takes the text of the section up to its heading', () => {
    const cells = [
      markdown('before', 'Other.'),
      markdown('heading', '## Growth\n\nIn per cent.'),
      code('a', 'rate = 1'),
      markdown('text', 'Rates are yearly.'),
      code('t', 'rate')
    ];
    expect(ids(cells, 1000)).toEqual(['heading', 'a', 'text']);
  });

  it('fills the budget nearest first, and cuts at a line', () => {
    const cells = [
      code('far', 'x = 1'),
      code('mid', lines(100)),
      code('near', lines(10)),
      code('t', '')
    ];
    const near = lines(10).length;
    const chosen = context(cells, near + 250);
    expect(chosen.cells.map(cell => [cell.cellId, cell.cut])).toEqual([
      ['mid', true],
      ['near', false]
    ]);
    expect(chosen.cellsLeftOut).toBe(1);
    expect(lines(100).startsWith(chosen.cells[0].source)).toBe(true);
    expect(chosen.cells[0].source).toMatch(/value_\d{4}$/);
  });

  it.each([0, 1, 150, 199, 200, 500, 1500, 100000])(
    'stays within %d characters',
    budget => {
      const cells = [
        code('a', lines(50)),
        code('b', lines(3)),
        code('c', 'y'.repeat(700)),
        code('t', '')
      ];
      const chosen = context(cells, budget);
      const used = chosen.cells.reduce(
        (sum, cell) => sum + cell.source.length,
        0
      );
      expect(used).toBeLessThanOrEqual(budget);
      expect(chosen.cells.length + chosen.cellsLeftOut).toBe(3);
    }
  );

  it('masks what looks like a secret and says so', () => {
    const cells = [code('a', 'password = "hunter2"'), code('t', '')];
    const chosen = context(cells, 1000);
    expect(chosen.cells[0].source).toBe(`password = "${MASK}"`);
    expect(chosen.notes).toEqual([
      '1 literal in cell 0 [a] masked: looks like a secret.'
    ]);
  });
});
