/** @jest-environment node */
import { plannedChecks } from '../checkPlan';
import { planTarget } from '../plan';
import type { NotebookCell } from '../structure/cells';
import { code } from './notebookFixture';

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
      ...(check.problem ? [check.problem] : [])
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
  ).toEqual(['a assertion 1 tagged', 'e holdout 0 tagged no-check']);
});

it('lists an nbgrader test with a hidden region in both roles', () => {
  const source = 'assert x\n### BEGIN HIDDEN TESTS\nassert x == 1\n';
  const nbgrader = { grade: true, solution: false };
  expect(
    planned([code('t', 'x = 1'), code('a', source, { nbgrader })])
  ).toEqual(['a assertion 1 tagged', 'a holdout 1 tagged']);
});
