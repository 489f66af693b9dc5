import fc from 'fast-check';
import { normalForm } from '../normalForm';
import { pythonTokens } from '../pythonTokens';

const same = (a: string, b: string) =>
  normalForm(a, 'python') === normalForm(b, 'python');

const BASE = `def f(n, start=0):
    total = start
    for i in range(n):
        total += i
    with open("a") as handle:
        pairs = [(k, v) for k, v in handle]
    first, *rest = pairs
    return total, rest
x = f(3)
`;

it.each([
  [
    'comments and blank lines',
    BASE.replace(
      '    total = start',
      '    # begin\n\n    total = start  # here'
    )
  ],
  [
    'layout',
    BASE.replace('f(n, start=0)', 'f( n,\n      start = 0 )').replace(
      / {4}/g,
      '  '
    )
  ],
  [
    'a line that is continued',
    BASE.replace('total = start', 'total = \\\n        start')
  ],
  [
    'names of locals',
    BASE.replace(/total/g, 'acc')
      .replace(/\bi\b/g, 'j')
      .replace(/handle/g, 'h')
      .replace(/\bk\b/g, 'q')
      .replace(/rest/g, 'others')
  ],
  ['CRLF and no line break at the end', BASE.trimEnd().replace(/\n/g, '\r\n')]
])('is the same with other %s', (_, other) => {
  expect(other).not.toBe(BASE);
  expect(same(BASE, other)).toBe(true);
});

it.each([
  ['a value', BASE.replace('start=0', 'start=1')],
  ['an operator', BASE.replace('+=', '-=')],
  ['a string', BASE.replace('"a"', '"b"')],
  ['a parameter', BASE.replace(/start/g, 'begin')],
  ['a global', BASE.replace('x = f', 'y = f')],
  ['a function', BASE.replace('def f', 'def g')],
  [
    'the block a line is in',
    BASE.replace('        total += i\n', '        pass\n    total += 1\n')
  ],
  ['an attribute', BASE.replace('in handle]', 'in handle.rest]')]
])('is another with other %s', (_, other) => {
  expect(other).not.toBe(BASE);
  expect(same(BASE, other)).toBe(false);
});

it('keeps which local is which', () => {
  const swapped = 'def f(n):\n    a = 1\n    b = 2\n    return b - a\n';
  expect(
    same(swapped, 'def f(n):\n    x = 1\n    y = 2\n    return y - x\n')
  ).toBe(true);
  expect(
    same(swapped, 'def f(n):\n    x = 1\n    y = 2\n    return x - y\n')
  ).toBe(false);
});

it('leaves keyword arguments, attributes, globals and inner functions’ parameters alone', () => {
  const keyword = (name: string) =>
    `def f(n):\n    key = 1\n    return sorted(n, ${name}=key)\n`;
  expect(same(keyword('key'), keyword('other'))).toBe(false);
  expect(
    same(
      'def f():\n    global a\n    a = 1\n',
      'def f():\n    global b\n    b = 1\n'
    )
  ).toBe(false);
  expect(
    same(
      'def f(o):\n    a = 1\n    o.a = a\n',
      'def f(o):\n    b = 1\n    o.b = b\n'
    )
  ).toBe(false);
  const inner = (p: string) =>
    `def f():\n    def g(${p}):\n        return ${p}\n    return g(${p}=1)\n`;
  expect(same(inner('a'), inner('b'))).toBe(false);
});

it('keeps names that a string uses', () => {
  const query = (name: string) =>
    `def f(df):\n    ${name} = 1\n    return df.query("x > @limit"), f"{limit}"\n`;
  expect(same(query('limit'), query('other'))).toBe(false);
  const locals = (name: string) =>
    `def f():\n    ${name} = 1\n    return locals()\n`;
  expect(same(locals('a'), locals('b'))).toBe(false);
});

it('reads the text of other languages without layout and comments', () => {
  expect(normalForm('f <- 1  # a\n\n  g <- 2', 'r')).toBe('f <- 1\ng <- 2');
});

it('reads strings of every kind as one token', () => {
  const strings = [
    '"a#b"',
    "'it\\'s'",
    '"""a\n"b" # c"""',
    "rb'\\d'",
    "f'{x}'",
    "''"
  ];
  for (const text of strings) {
    expect(pythonTokens(`x = ${text}  # c`).map(t => t.text)).toEqual([
      'x',
      '=',
      text,
      '\n'
    ]);
  }
});

it('ends on any text, and is blind to comments at line ends', () => {
  const piece = fc.constantFrom(
    'def f(a):',
    '    ',
    '\t',
    'x = 1',
    '"',
    "'''",
    '(',
    ')',
    '\n',
    '# c',
    '\\',
    'é',
    '🐍',
    '0x1F',
    '1e5',
    '.',
    'lambda y: y',
    'global q'
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), pieces => {
      expect(typeof normalForm(pieces.join(''), 'python')).toBe('string');
    }),
    { numRuns: 500 }
  );
});
