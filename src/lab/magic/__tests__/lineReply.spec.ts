/** @jest-environment node */
import { nullTranslator } from '@jupyterlab/translation';
import { initialState } from '../../../core/events/fold';
import type { RefineView } from '../../../tokens';
import { lineReply, refineLine } from '../lineReply';
import { magicProblems } from '../magicOptions';

const trans = nullTranslator.load('jupyterlab_refine');

it.each([
  ['%refine', ''],
  ['x = 1\n  %refine  stop ', 'stop'],
  ['%%refine\n%refine', null],
  ['%refined', null],
  ['refine = 1', null]
])('reads the line magic of %j', (source, expected) => {
  expect(refineLine(source)).toBe(expected);
});

it('reports options that are unknown or wrong', () => {
  expect(magicProblems('%%refine --max-attempts 2\nx')).toEqual([]);
  expect(magicProblems('%%refine --max-attempts many --modle x')).toHaveLength(
    2
  );
});

it('says how to use a line that it does not know', () => {
  const target = { label: 'cell 3' };
  const view = { session: null, question: null, target } as RefineView;
  expect(lineReply('', view, trans)).toContain('with %%refine and a prompt');
  expect(lineReply('halt', view, trans)).toContain('%refine stop');
  const running = { ...view, session: initialState('s') };
  expect(lineReply('', running, trans)).toBe('Refine: starting (cell 3)');
});
