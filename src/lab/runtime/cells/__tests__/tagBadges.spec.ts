/** @jest-environment node */
import { nullTranslator } from '@jupyterlab/translation';
import type { NotebookCell } from '../../../../notebook/structure/cells';
import { tagBadges } from '../tagBadges';

const cell = (id: string, source: string, ...tags: string[]): NotebookCell => ({
  id,
  type: 'code',
  source,
  metadata: { tags }
});

it('names the role of each tagged cell, quietly', () => {
  const badges = tagBadges(
    [
      cell('target', '# one: 1'),
      cell('below', 'assert one'),
      cell('tagged', 'assert one == 1', 'refine-assert'),
      cell('secret', 'assert one < 2', 'refine-holdout'),
      cell('measure', 'def score(ns): return 1', 'refine-scorer'),
      cell('idle', ' ', 'refine-holdout')
    ],
    'python',
    nullTranslator.load('')
  );
  expect([...badges].map(([id, { kind, text }]) => [id, kind, text])).toEqual([
    ['tagged', 'stale', 'check'],
    ['secret', 'stale', 'held out'],
    ['measure', 'stale', 'scorer'],
    ['idle', 'stale', 'checks nothing']
  ]);
  expect(badges.get('idle')?.label).toContain('asserts nothing');
  expect(badges.get('secret')?.label).toMatch(/^Held out: /);
});
