import { textDifference } from '../textDifference';

const x = (count: number) => 'x'.repeat(count);

describe('texts that are compared by eye', () => {
  it.each([
    ['', ''],
    ['a', 'b'],
    ['one\ntwo', 'one\n2'],
    [x(59), x(58) + 'y'],
    [x(200), x(200)]
  ])('says nothing of %j and %j', (expected, observed) => {
    expect(textDifference(expected, observed)).toBeNull();
  });

  it.each([
    [x(60), 'y'],
    ['y', x(60)]
  ])('reports where %j and %j differ: one of them is long', (a, b) => {
    expect(textDifference(a, b)).toMatch(/^first at character 1: /);
  });
});

describe('within one line', () => {
  const difference = (expected: string, observed: string) =>
    textDifference(expected, observed);

  it('shows the whole start while at most 24 characters agree', () => {
    expect(difference(x(24) + 'a' + x(40), x(24) + 'b' + x(40))).toBe(
      `first at character 25: expected "${x(24)}a${x(23)}…", observed "${x(24)}b${x(23)}…"`
    );
  });

  it('leaves out what comes before that', () => {
    expect(
      difference('q' + x(24) + 'a' + x(40), 'q' + x(24) + 'b' + x(40))
    ).toBe(
      `first at character 26: expected "…${x(24)}a${x(23)}…", observed "…${x(24)}b${x(23)}…"`
    );
  });

  it('shows the whole end while at most 24 characters are left', () => {
    expect(difference(x(50) + 'a' + x(23), x(50) + 'b' + x(24))).toBe(
      `first at character 51: expected "…${x(24)}a${x(23)}", observed "…${x(24)}b${x(23)}…"`
    );
  });

  it.each([
    [x(60), x(61), `"…${x(24)}"`, `"…${x(25)}"`],
    [x(61), x(60), `"…${x(25)}"`, `"…${x(24)}"`]
  ])(
    'reports a text that continues after the other',
    (a, b, expected, observed) => {
      expect(difference(a, b)).toBe(
        `first at character 61: expected ${expected}, observed ${observed}`
      );
    }
  );

  it('reports an empty text', () => {
    expect(difference('', x(60))).toBe(
      `first at character 1: expected "", observed "${x(24)}…"`
    );
  });

  it('counts and cuts visible characters', () => {
    const snakes = '🐍'.repeat(30);
    expect(difference(snakes + 'a', snakes + 'b')).toBe(
      `first at character 31: expected "…${'🐍'.repeat(24)}a", observed "…${'🐍'.repeat(24)}b"`
    );
    expect(difference('a' + snakes, 'b' + snakes)).toBe(
      `first at character 1: expected "a${'🐍'.repeat(23)}…", observed "b${'🐍'.repeat(23)}…"`
    );
  });

  it('quotes what could be mistaken', () => {
    expect(difference(x(60) + '"', x(60) + '\\')).toMatch(
      /x\\"", observed .*x\\\\"$/
    );
  });
});

describe('over several lines', () => {
  it.each([
    [
      `a\n${x(60)}`,
      x(60),
      `first at line 1: expected "a", observed "${x(60)}" (2 lines expected, 1 observed)`
    ],
    [
      x(60),
      `a\n${x(60)}`,
      `first at line 1: expected "${x(60)}", observed "a" (1 line expected, 2 observed)`
    ],
    [
      `${x(60)}\nmore`,
      x(60),
      'first at line 2: expected "more", observed nothing (2 lines expected, 1 observed)'
    ],
    [
      `a\nb\n${x(60)}`,
      `a\nc\n${x(60)}`,
      'first at line 2: expected "b", observed "c"'
    ]
  ])('reports the line of %j and %j', (expected, observed, words) => {
    expect(textDifference(expected, observed)).toBe(words);
  });

  it('shows the first 160 characters of a line', () => {
    expect(textDifference(`a\n${x(161)}`, 'a\ny')).toBe(
      `first at line 2: expected "${x(160)}", observed "y"`
    );
  });
});
