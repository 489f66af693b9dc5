/** @jest-environment node */
import fc from 'fast-check';
import { settingsSchema } from '../../core/settings';
import type { CheckCell, Target } from '../../core/domain/request';
import { plannedChecks } from '../checkPlan';
import { planTarget } from '../plan';
import { analyse } from '../python/analysis';
import { buildRequest } from '../request';
import { holdsHiddenData } from '../structure/hidden';
import { namesToInspect } from '../structure/names';
import { splitHiddenTests } from '../structure/nbgrader';
import { isMagicCell, markedRole } from '../structure/roles';
import type { NotebookCell } from '../structure/cells';
import { allTargets } from '../structure/targets';
import { code, markdown } from './notebookFixture';

type Cells = readonly NotebookCell[];

function requestFor(cells: Cells, target: Target) {
  const plan = planTarget(cells, target, 'python');
  namesToInspect(plan, cells, 'python');
  plannedChecks(cells, plan, 'python');
  return buildRequest({
    cells,
    plan,
    settings: settingsSchema.parse({}),
    variables: [],
    session: 's',
    path: 'p',
    language: 'python'
  });
}

const SOURCES = [
  'def f(a):\n    return a',
  'x = f(1)\nq = 2',
  'assert f(1) == 1 and x',
  'from m import *',
  '',
  'assert f(2)\n# BEGIN HIDDEN TESTS\nq = 3\nassert f(q)\n# END HIDDEN TESTS',
  '%%refine\nWrite f',
  'password = "hunter2secret"\n'.repeat(20)
];
const drawnCells = fc
  .array(
    fc.record({
      source: fc.constantFrom(...SOURCES),
      isCode: fc.boolean(),
      tags: fc.subarray(
        ['refine-assert', 'refine-holdout', 'refine-hide: x, q'],
        { maxLength: 1 }
      )
    }),
    { minLength: 1, maxLength: 15 }
  )
  .map(drawn =>
    drawn.map(({ source, isCode, tags }, index) =>
      (isCode ? code : markdown)(`c${index}`, source, { tags })
    )
  );

/** As the names are defined, with all cells read for each target. */
function namesByDefinition(
  cells: Cells,
  target: Target,
  assertions: readonly CheckCell[],
  holdouts: readonly CheckCell[]
) {
  const names = (key: 'reads' | 'binds', from: readonly { source: string }[]) =>
    from.flatMap(({ source }) => [...analyse(source, 'python')[key]]);
  const others = cells.filter(
    ({ type, id }) => type === 'code' && id !== target.cellId
  );
  const bound = names('binds', others);
  const own = others.some(({ source }) => /import \*|^%/m.test(source))
    ? names('binds', [target])
    : null;
  const seen = names(
    'binds',
    cells
      .filter(cell => cell.type === 'code' && markedRole(cell) !== 'holdout')
      .map(({ source }) => ({ source: splitHiddenTests(source).visible }))
  );
  const read = names('reads', [...assertions, ...holdouts]);
  return {
    ownNames: [...new Set(read)].filter(
      name => !bound.includes(name) && (own === null || own.includes(name))
    ),
    hiddenNames: [...new Set(names('binds', holdouts))].filter(
      name => !seen.includes(name)
    )
  };
}

function shownAbove(cells: Cells, index: number, without: readonly string[]) {
  return cells
    .slice(0, index)
    .filter(
      cell =>
        !isMagicCell(cell) &&
        markedRole(cell) !== 'holdout' &&
        !holdsHiddenData(cell) &&
        splitHiddenTests(cell.source).visible.trim() &&
        !without.includes(cell.id)
    )
    .map(({ id }) => id);
}

it('names and context are those that all cells give', () => {
  fc.assert(
    fc.property(drawnCells, cells => {
      for (const target of allTargets(cells, 'python')) {
        const plan = planTarget(cells, target, 'python');
        const request = requestFor(cells, target);
        const { assertions, holdouts } = plan;
        expect(request).toMatchObject(
          namesByDefinition(cells, target, assertions, holdouts)
        );
        const own = [...assertions, ...holdouts].map(check => check.cellId);
        const shown = shownAbove(cells, target.index, [
          ...own,
          ...plan.promptCells
        ]);
        const chosen = request.context.cells.map(({ cellId }) => cellId);
        expect(shown.filter(id => chosen.includes(id))).toEqual(chosen);
      }
    })
  );
});

/** How often a field of a cell is read while all targets of a notebook are planned. */
function readsFor(targets: number): number {
  let reads = 0;
  const counted = (cell: NotebookCell) =>
    new Proxy(cell, {
      get: (from, key) => {
        reads++;
        return from[key as keyof NotebookCell];
      }
    });
  // So that few cells fill a prompt.
  const long = `# ${'x'.repeat(2000)}\n`;
  const cells = Array.from({ length: targets }, (_, i) => [
    code(`p${i}`, `%%refine\nWrite f${i}`),
    code(`t${i}`, `${long}def f${i}():\n    pass`, {
      refine: { promptCells: `p${i}` }
    }),
    code(`a${i}`, `assert f${i}() == ${i}`),
    code(`h${i}`, `hidden = 1\nassert f${i}()`, { tags: ['refine-holdout'] }),
    code(`s${i}`, 'def score(ns):\n    return 1', { tags: ['refine-scorer'] }),
    code(`u${i}`, `${long}def g${i}():\n    pass`, {
      refine: { promptCells: `m${i}` }
    }),
    markdown(`m${i}`, `Text ${i}`)
  ])
    .flat()
    .map(counted);
  for (const target of allTargets(cells, 'python')) {
    requestFor(cells, target);
  }
  return reads;
}

it('the work for a target does not grow with their number', () => {
  const [some, more] = [readsFor(50), readsFor(200)];
  expect(more / some).toBeLessThan(4.5);
});
