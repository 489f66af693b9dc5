/** @jest-environment node */
import { parseMagicCell } from '../magicCell';

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
    [
      '%%refine maxAttempts=3 feedback=raw\nSort x=3.',
      [
        ['maxAttempts', '3'],
        ['feedback', 'raw']
      ],
      'Sort x=3.'
    ],
    ['%%refine x=3 by default', [], 'x=3 by default'],
    ["%%refine Don't sort", [], "Don't sort"],
    ['\n%%refine\n', [], '']
  ])('%j', (source, options, prompt) => {
    expect(parseMagicCell(source)).toEqual({ options, prompt });
  });
});
