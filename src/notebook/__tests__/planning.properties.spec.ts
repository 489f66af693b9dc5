/** @jest-environment node */
import { settingsSchema } from '../../core/settings';
import type { Target } from '../../core/domain/request';
import { planTarget, plannedChecks } from '../plan';
import { buildRequest } from '../request';
import { namesToInspect } from '../structure/names';
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
