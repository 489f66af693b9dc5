/** @jest-environment node */
import fc from 'fast-check';
import { planTarget } from '../../../plan';
import { requestChecks } from '../../../request';
import { code, markdown } from '../../../__tests__/notebookFixture';
import type { NotebookCell } from '../../cells';
import { chooseContext } from '../../context';
import { editedCells } from '../editedCells';
import { notebookStructure } from '../../structure';
import { allTargets } from '../../targets';

const contextOf = (
  cells: readonly NotebookCell[],
  { target, prompt, assertions }: ReturnType<typeof planTarget>
) =>
  chooseContext(cells, {
    target,
    prompt,
    checks: assertions.map(({ source }) => source),
    without: [],
    budget: 500,
    language: 'python'
  });

function findings(cells: readonly NotebookCell[]) {
  return allTargets(cells, 'python').map(target => {
    const plan = planTarget(cells, target, 'python');
    const checks = requestChecks(cells, plan, 'python');
    return { plan, checks, context: contextOf(cells, plan) };
  });
}

const cell = fc
  .record({
    source: fc.constantFrom(
      'def f():\n    pass',
      'def f():\n    return 1',
      'def g():\n    return f()',
      'f = 2\nprint(response)',
      'exec("")',
      '',
      'assert f()',
      'x = 1\nassert g()',
      '%%refine\nWrite f',
      '# BEGIN HIDDEN TESTS\nq = 1\nassert f()'
    ),
    isCode: fc.boolean(),
    tags: fc.subarray(['refine-assert', 'refine-holdout', 'refine-hide: x'], {
      maxLength: 1
    }),
    refine: fc.constantFrom({}, { result: 1 }, { target: 'c0' })
  })
  .map(
    ({ source, isCode, ...extra }) =>
      (id: string) =>
        (isCode ? code : markdown)(id, source, extra)
  );

it('are planned as if nothing of the notebook was known', () => {
  fc.assert(
    fc.property(
      fc.array(cell, { minLength: 2, maxLength: 8 }),
      fc.array(fc.tuple(fc.nat(7), cell), { minLength: 1, maxLength: 3 }),
      (made, edits) => {
        let cells: readonly NotebookCell[] = made.map((one, i) => one(`c${i}`));
        findings(cells);
        for (const [at, edit] of edits) {
          const after = cells.map((old, i) => (i === at ? edit(old.id) : old));
          cells = editedCells(after, cells, 'python');
          expect(findings(cells)).toEqual(findings([...cells]));
        }
      }
    ),
    { numRuns: 300 }
  );
});

it('keep what was found where the names are the same', () => {
  const before = [code('t', 'def f():\n    pass'), code('a', 'assert f()')];
  const found = notebookStructure(before, 'python');
  const edited = (source: string) =>
    notebookStructure(
      editedCells([code('t', source), before[1]], before, 'python'),
      'python'
    );
  expect(edited('def f():\n    return 1')).toBe(found);
  expect(edited('def g():\n    return 1')).not.toBe(found);
});
