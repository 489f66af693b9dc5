/** @jest-environment jsdom */
import { classPage } from '../classPage';
import type { NotebookResult, TargetResult } from '../results';

function target(id: string, held: number, more = {}): TargetResult {
  const isPassed = held === 2;
  return {
    cellId: `${id}-cell`,
    index: 0,
    status: isPassed ? 'passed' : 'failed',
    outcome: null,
    model: null,
    assertions: { passed: held, total: 2 },
    holdouts: { passed: 0, total: 0 },
    confirmed: null,
    accepted: null,
    tests: [
      {
        cellId: `${id}-t`,
        gradeId: id,
        passed: held,
        total: 2,
        maxPoints: 4,
        unconfirmed: null
      }
    ],
    reason: isPassed
      ? null
      : { kind: 'wrong-value', message: '<script>alert("1 & 2")</script>' },
    message: '',
    ...more
  };
}

function notebook(
  path: string,
  targets: readonly TargetResult[]
): NotebookResult {
  return { path, targets, problem: null, written: null };
}

function cellsOf(results: readonly NotebookResult[], partial: boolean) {
  const page = new DOMParser().parseFromString(
    classPage(results, partial, '1.2.3'),
    'text/html'
  );
  const tables = [...page.querySelectorAll('table')].map(table =>
    [...table.rows].map(row =>
      [...row.cells].map(cell => cell.textContent?.trim())
    )
  );
  return { page, tables };
}

const hang = { kind: 'hang', message: 'ran longer than 30 s' };
const results = [
  notebook('ada.ipynb', [target('a', 2), target('b', 1)]),
  notebook('bob "<b>".ipynb', [
    target('a', 0),
    target('b', 0, { reason: hang })
  ]),
  {
    ...notebook('broken.ipynb', []),
    problem: { status: 'input' as const, message: 'no JSON\nmore' }
  }
];

it('counts each target over the notebooks', () => {
  const { page, tables } = cellsOf(results, false);
  expect(tables[0]).toEqual([
    ['Target', 'Passed', 'Mean points', 'Why not'],
    ['a', '1 of 2 (50 %)', '2 of 4', '1 × wrong-value'],
    ['b', '0 of 2 (0 %)', '0 of 4', '1 × wrong-value, 1 × hang']
  ]);
  expect(tables[1]).toEqual([
    ['Notebook', 'a', 'b', 'Points'],
    [
      'ada.ipynb',
      'passed',
      'wrong-value<script>alert("1 & 2")</script>',
      '4 of 8'
    ],
    [
      'bob "<b>".ipynb',
      'wrong-value<script>alert("1 & 2")</script>',
      'hangran longer than 30 s',
      '0 of 8'
    ],
    ['broken.ipynbno JSON', '–', '–', '']
  ]);
  expect(page.querySelector('script, b, [src], [href]')).toBeNull();
  expect(page.body.textContent).toContain(
    '3 notebooks, 2 targets. 1 of 4 (25 %) of all targets passed.'
  );
});

it('counts partial credit where it was asked for', () => {
  expect(cellsOf(results, true).tables[0]?.[2]).toEqual([
    'b',
    '0 of 2 (0 %)',
    '1 of 4',
    '1 × wrong-value, 1 × hang'
  ]);
});
