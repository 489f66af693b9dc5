import { frameOf, trimmedPart, withPart } from '../part';
import { movedPart, placeIn } from '../place';

const CELL = 'import re\n\ndef f(x):\n    return 1\n\n\nprint(f(2))\n';

describe('a frame', () => {
  it('is the source around some lines, byte for byte', () => {
    for (const [first, last] of [
      [1, 1],
      [3, 4],
      [1, 7],
      [7, 8],
      [8, 8]
    ] as const) {
      const frame = frameOf(CELL, { first, last });
      expect(withPart(frame, frame.text)).toBe(CELL);
      expect(frame.text).toBe(
        CELL.split('\n')
          .slice(first - 1, last)
          .join('\n')
      );
    }
  });

  it('leaves blank lines around a selection out', () => {
    expect(trimmedPart(CELL, { first: 2, last: 6 })).toEqual({
      first: 3,
      last: 4
    });
    expect(trimmedPart(CELL, { first: 5, last: 6 })).toBeNull();
    expect(trimmedPart('a', { first: 1, last: 9 })).toEqual({
      first: 1,
      last: 1
    });
  });
});

describe('the place of a part in an edited cell', () => {
  const part = { first: 3, last: 4 };

  it('has the same first line and as many lines as replace it', () => {
    const frame = frameOf(CELL, part);
    const now = withPart(frame, 'def f(x):\n    y = x\n    return y');
    expect(movedPart(part, CELL, now)).toEqual({ first: 3, last: 5 });
  });

  it('moves with lines that were added above and below', () => {
    const now = `# mine\n${CELL.replace('return 1', 'return 3')}\nprint(1)`;
    expect(movedPart(part, CELL, now)).toEqual({ first: 4, last: 5 });
  });

  it('is not there once its surroundings are gone', () => {
    expect(movedPart(part, CELL, 'total = 1\nprint(total)')).toBeNull();
    expect(movedPart(part, CELL, 'import re\n\nprint(f(2))\n')).toBeNull();
  });

  it('is unknown where nothing around it says where', () => {
    const frame = frameOf('{\na\n}', { first: 2, last: 2 });
    expect(placeIn(frame, '{\nb\n}')).toBeNull();
  });
});
