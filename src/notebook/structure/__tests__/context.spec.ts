/** @jest-environment node */
import type { NotebookCell } from '../cells';
import { chooseContext } from '../context';
import { MASK } from '../../secrets';
import { code, markdown, raw } from '../../__tests__/notebookFixture';

function context(
  cells: readonly NotebookCell[],
  budget: number,
  without: readonly string[] = []
) {
  const index = cells.findIndex(cell => cell.id === 't');
  const source = cells[index].source;
  return chooseContext(
    cells,
    { cellId: 't', index, kind: 'code', source },
    budget,
    without
  );
}

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
      masked: []
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
    expect(context(cells, 1000, ['m'])).toEqual({
      cells: [],
      cellsLeftOut: 0,
      masked: []
    });
  });

  it('never takes hidden tests', () => {
    const cells = [
      code(
        'a',
        'assert f(1)\n### BEGIN HIDDEN TESTS\nassert f(2)\n### END HIDDEN TESTS',
        { nbgrader: { grade: true } }
      ),
      code('t', '')
    ];
    expect(JSON.stringify(context(cells, 1000))).not.toContain('f(2)');
    expect(context(cells, 1000).cells[0].source).toContain('f(1)');
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
    expect(chosen.masked).toEqual([{ cellId: 'a', index: 0, count: 1 }]);
  });
});
