/** @jest-environment node */
import type { CheckCell } from '../../../core/domain/request';
import type { NotebookCell } from '../cells';
import { chooseContext } from '../context';
import { hiddenData, hiddenNames } from '../hidden';
import { namesToInspect } from '../names';
import { planTarget } from '../../plan';

const cell = (id: string, source: string, ...tags: string[]) =>
  ({ id, type: 'code', source, metadata: { tags } }) as NotebookCell;

const check = (cellId: string, source: string) =>
  ({ cellId, source }) as CheckCell;

const INNER =
  '# BEGIN HIDDEN TESTS\ninner = 5\nassert f(inner)\n# END HIDDEN TESTS';
const SECRET = 'secret = 3\nsample = 2\nassert f(secret) == 3';
const cells = [
  cell('target', 'def f(n):\n    return n'),
  cell('visible', `sample = 1\nassert f(sample) == 1\n${INNER}`),
  cell('hidden', SECRET, 'refine-holdout')
];

it('hides what only a hold-out defines', () => {
  const holdouts = [check('hidden', SECRET), check('visible', INNER)];
  expect(hiddenNames(cells, holdouts, 'python')).toEqual(['secret', 'inner']);
  expect(hiddenNames(cells, [], 'python')).toEqual([]);
});

it('reads the names of all refine-hide tags', () => {
  expect(
    hiddenData([
      cell('a', '', 'refine-hide: X_test, y_test', 'other'),
      cell('b', '', 'refine-hide:y_test  labels')
    ])
  ).toEqual(['X_test', 'y_test', 'labels']);
});

it('sends no cells, values or names of hidden data and scorers', () => {
  const notebook = [
    cell('data', 'X = [1]\ny_test = [42]', 'refine-hide: y_test'),
    cell('other scorer', 'def score(ns): return 1', 'refine-scorer'),
    cell('shown', 'Z = 2'),
    cell('target', '# fit X, never y_test\nprint(X, y_test, Z)')
  ];
  const target = {
    cellId: 'target',
    index: 3,
    kind: 'code',
    source: notebook[3].source
  } as const;
  const plan = planTarget(notebook, target, 'python');
  const context = chooseContext(notebook, plan, 'python');
  expect(context.cells.map(({ cellId }) => cellId)).toEqual(['shown']);
  const names = namesToInspect(plan, notebook, 'python');
  expect(names).toEqual(expect.arrayContaining(['X', 'Z']));
  expect(names).not.toContain('y_test');
});
