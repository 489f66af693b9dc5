/** @jest-environment node */
import { fingerprint, parseMagicCell, wasRefined } from '../magicCell';
import { planTarget } from '../plan';
import type { NotebookCell } from '../structure/cells';
import { code } from './notebookFixture';

describe('parseMagicCell', () => {
  it.each<[string, readonly (readonly [string, string])[], string]>([
    ['%%refine\nSort the list.\n', [], 'Sort the list.'],
    ['%%refine --max-attempts 3\nSort.', [['max-attempts', '3']], 'Sort.'],
    [
      '%%refine --max-attempts=3 --feedback raw\nSort.',
      [
        ['max-attempts', '3'],
        ['feedback', 'raw']
      ],
      'Sort.'
    ],
    [
      '%%refine --a --b 2\nSort.',
      [
        ['a', 'true'],
        ['b', '2']
      ],
      'Sort.'
    ],
    [
      '%%refine Sort --max-attempts 3 "the list"',
      [['max-attempts', '3']],
      'Sort the list'
    ],
    ['%%refine Sort\nthe list', [], 'Sort\nthe list'],
    [
      '%%refine --criteria "short names"\nSort',
      [['criteria', 'short names']],
      'Sort'
    ],
    ["%%refine Don't sort", [], "Don't sort"],
    ['\n%%refine\n', [], '']
  ])('%j', (source, options, prompt) => {
    expect(parseMagicCell(source)).toEqual({ options, prompt });
  });
});

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
