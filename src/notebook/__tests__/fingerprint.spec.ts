/** @jest-environment node */
import { fingerprint, wasRefined } from '../fingerprint';
import { planTarget } from '../plan';
import type { NotebookCell } from '../structure/cells';
import { code } from './notebookFixture';

describe('running a %%refine cell again', () => {
  const cells = (change: Record<string, string> = {}, stored?: string) =>
    [
      code('p', change['p'] ?? '%%refine\nSort.'),
      code('t', change['t'] ?? 'x = 1', {
        refine: { promptCell: 'p', fingerprint: stored }
      }),
      code('a', change['a'] ?? 'assert x')
    ] as const;
  const plan = (notebook: readonly NotebookCell[]) =>
    planTarget(
      notebook,
      { cellId: 't', index: 1, kind: 'code', source: notebook[1].source },
      'python'
    );
  const stored = fingerprint(plan(cells()));

  it('does nothing while all is what it was', () => {
    const notebook = cells({}, stored);
    expect(wasRefined(notebook, plan(notebook))).toBe(true);
  });

  it('is due the first time', () => {
    expect(wasRefined(cells(), plan(cells()))).toBe(false);
  });

  it.each([
    ['prompt', { p: '%%refine\nSort it.' }],
    ['options', { p: '%%refine --max-attempts 2\nSort.' }],
    ['source', { t: 'x = 2' }],
    ['checks', { a: 'assert x == 1' }]
  ])('is due after a change of the %s', (_, change) => {
    const notebook = cells(change, stored);
    expect(wasRefined(notebook, plan(notebook))).toBe(false);
  });
});
