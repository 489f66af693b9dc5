import { definitionAt } from '../definitionAt';
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

describe('the definition at a line', () => {
  const source = [
    'import re', // 1
    '', // 2
    '@cache', // 3
    'def f(', // 4
    '    a,', // 5
    ') -> int:', // 6
    '    """Text', // 7
    'at the margin', // 8
    '    """', // 9
    '    return a', // 10
    '    # behind', // 11
    '', // 12
    'class A:', // 13
    '    x = 1', // 14
    '', // 15
    '    async def g(self):', // 16
    '        def inner():', // 17
    '            return 1', // 18
    '        return inner', // 19
    '', // 20
    'print(f(1))' // 21
  ].join('\n');
  const at = (line: number) => {
    const part = definitionAt(source, line, 'python');
    return part && [part.first, part.last];
  };

  it('is the innermost one, with decorators and comments', () => {
    for (const line of [3, 4, 5, 6, 7, 8, 9, 10, 11]) {
      expect(at(line)).toEqual([3, 11]);
    }
    expect(at(13)).toEqual([13, 19]);
    expect(at(14)).toEqual([13, 19]);
    expect(at(15)).toEqual([13, 19]);
    expect(at(16)).toEqual([16, 19]);
    expect(at(18)).toEqual([17, 18]);
    expect(at(19)).toEqual([16, 19]);
  });

  it('is none outside of any', () => {
    expect([1, 2, 12, 20, 21].map(at)).toEqual([null, null, null, null, null]);
  });

  it('is found below a magic, and in Python alone', () => {
    const timed = '%%time\ndef f():\n    return 1';
    expect(definitionAt(timed, 3, 'python')).toEqual({ first: 2, last: 3 });
    expect(definitionAt('%%bash\ndef f():\n  x', 2, 'python')).toBeNull();
    expect(definitionAt('def f()\n  1\nend', 2, 'ruby')).toBeNull();
  });
});
