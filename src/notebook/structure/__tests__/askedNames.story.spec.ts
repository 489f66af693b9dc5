/** @jest-environment node */
import type { Target } from '../../../core/domain/request';
import { askedNames } from '../names';

const asked = (source: string, prompt: string, checks: string) =>
  askedNames(
    { cellId: 't', source } as Target,
    prompt,
    [{ source: checks }],
    'python'
  );

it.each([
  'def isclose(a, b):\n    pass',
  'isclose = None',
  'class isclose: pass',
  '@cache\ndef isclose(a, b):\n    """Near."""\n    # YOUR CODE HERE\n    raise NotImplementedError',
  'class isclose:\n    """Near."""\n    def __call__(self, a, b): ...'
])('are those that the target leaves to be written: %s', source => {
  expect(asked(source, '', 'assert isclose(z, 3)')).toEqual(['isclose']);
});

it.each([
  'def isclose(a, b):\n    return True',
  'isclose = lambda *a, **k: True',
  'class isclose:\n    def __call__(self, *a): return True',
  'def f():\n    def isclose(): pass'
])('are none that the target defines in full: %s', source => {
  expect(asked(source, '', 'assert isclose(z, 3)')).toEqual([]);
});

it('are none that it imports', () => {
  expect(asked('from math import isclose', '', 'assert isclose(z, 3)')).toEqual(
    []
  );
});

it.each([
  'Write a function median(values).',
  'Write median.',
  'A function called median',
  'Implement your own `median` without numpy.',
  'def median(values): ...',
  'Eine Funktion `median(values)`.'
])('are those that the prompt asks for: %s', prompt => {
  expect(asked('', prompt, 'assert median([1]) == 1')).toEqual(['median']);
});

it.each([
  'Compute the median of the values.',
  'z = median(values) must hold.',
  '`assert median(values) == 3` must hold.',
  'Write median_of_three.',
  'Write median.py.'
])('are none that the prompt merely mentions: %s', prompt => {
  expect(asked('', prompt, 'assert median([1]) == 1')).toEqual([]);
});

it('are none that no check reads', () => {
  expect(asked('x = 1', 'Write median.', 'assert y')).toEqual([]);
});
