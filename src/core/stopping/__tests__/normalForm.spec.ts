import fc from 'fast-check';
import { normalForm } from '../normalForm';
import { pythonTokens } from '../../python/tokens';

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

it('keeps keyword arguments, attributes, globals, parameters', () => {
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

/** A function with these lines as its body. */
const body = (...lines: string[]) =>
  `def f(n):\n${lines.map(line => `    ${line}\n`).join('')}`;

/** Whether the programs are the same that differ in what `NAME` stands for. */
const anyName = (program: string) =>
  same(program.replace(/NAME/g, 'a'), program.replace(/NAME/g, 'bb'));

it.each([
  ['an assignment', body('NAME = n', 'return NAME')],
  ...'+= -= *= /= %= @= &= |= ^= **= //= >>= <<='
    .split(' ')
    .map(operator => [operator, body(`NAME ${operator} n`)]),
  ['a tuple', body('NAME, c = n', 'return NAME')],
  ['the last of a tuple', body('c, NAME = n', 'return NAME')],
  ['a starred name', body('*NAME, c = n', 'return NAME')],
  ['an annotation', body('NAME: int = n', 'return NAME')],
  ['an annotation of a later line', body('g(n)', 'NAME: int = n')],
  ['an annotation after a block', body('if n:', '    g(n)', 'NAME: int = n')],
  ['the loop', body('for NAME in n:', '    g(NAME)')],
  ['the first of a loop', body('for NAME, c in n:', '    g(NAME)')],
  ['the middle of a loop', body('for c, NAME, d in n:', '    g(NAME)')],
  ['the last of a loop', body('for c, NAME in n:', '    g(NAME)')],
  ['a list', body('return [NAME for NAME in n]')],
  ['the last of a dict', body('return {c: NAME for c, NAME in n}')],
  ['with', body('with n as NAME:', '    g(NAME)')],
  ['except', body('try:', '    n()', 'except E as NAME:', '    g(NAME)')],
  ['import', body('import numpy as NAME', 'return NAME')],
  [
    'an assignment within an expression',
    body('if (NAME := n):', '    g(NAME)')
  ],
  ['a value in a call', body('NAME = n', 'return g(NAME, k=NAME)')],
  ['a default that is compared', body('NAME = n', 'return g(NAME == 1)')],
  ['after (', body('g(1)', 'NAME = n')],
  ['after [', body('g[1]', 'NAME = n')],
  ['after {', body('g = {1}', 'NAME = n')],
  ['after a block', body('if n:', '    g(n)', 'NAME = n', 'return NAME')],
  ['after a lambda', body('g = lambda c: c', 'NAME = n')],
  ['after global', body('global c', 'NAME = n')],
  ['after an inner function', body('def g(c):', '    pass', 'NAME = n')],
  ['an inner function', body('def g(c):', '    NAME = c', '    return NAME')],
  ['a second function', `${body('c = 1')}${body('NAME = 2', 'return NAME')}`],
  ['a name next to a string of another', body('NAME = "c"', 'return NAME')]
])('is the same with another local: %s', (_, program) => {
  expect(anyName(program)).toBe(true);
});

it.each([
  ...'== != <= >= < >'
    .split(' ')
    .map(operator => [operator, body(`g(n)`, `NAME ${operator} n`)]),
  ['a name that is only read', body('return NAME')],
  ['what is returned with another', body('return NAME, n')],
  ['what is looked up', body('return NAME in n')],
  ['what is tested', body('if NAME in n:', '    g(n)')],
  ['a condition', body('if NAME:', '    g(n)')],
  ['what is gone through', body('for c in NAME:', '    g(c)')],
  ['one of what is gone through', body('for c in NAME, n:', '    g(c)')],
  ['what stands above an assignment', body('NAME, n', 'c = 1')],
  ['what is compared with more', body('NAME, n == 1')],
  ['an argument before an assignment', body('g(NAME)[0], c = n')],
  ['an index', body('return n[NAME:1]')],
  ['the key of a dict', body('return {NAME: 1}')],
  ['one of a list', body('return [NAME, n]')],
  ['the last of a list', body('return [n, NAME]')],
  ['a keyword argument', body('return g(NAME=1)')],
  ['a keyword argument named like a local', body('a = bb = 1', 'g(NAME=2)')],
  ['an attribute', body('n.NAME = 1')],
  ['an attribute named like a local', body('a = bb = 1', 'return n.NAME')],
  ['global', body('global NAME', 'NAME = n')],
  ['the second of global', body('global c, NAME', 'NAME = n')],
  ['nonlocal', body('nonlocal NAME', 'NAME = n')],
  ['an inner function', body('def NAME():', '    pass', 'NAME = 1')],
  ['an inner class', body('class NAME:', '    pass', 'NAME = 1')],
  ['the parent of an inner class', body('class C(NAME):', '    pass')],
  ['a parameter of a lambda', body('NAME = 1', 'return lambda NAME: NAME')],
  ['a default', 'def f(n=NAME):\n    NAME = n\n    return NAME\n'],
  ['what a string names', body('NAME = n', "return f'{a}{bb}'")],
  ['a function that reads its locals', body('NAME = n', 'return locals()')],
  ['what comes after the function', `${body('c = 1')}NAME = 2\n`],
  ['what comes after a function on one line', 'def f(): pass\nNAME = 2\n'],
  ['a block that is no function', 'if n:\n    NAME = 1\n'],
  ['a function on one line', 'def f(): NAME = 1\n']
])('is another with another name: %s', (_, program) => {
  expect(anyName(program)).toBe(false);
});

it.each(['self', 'cls', '_'])('keeps %s, which has a meaning', name => {
  const program = body('NAME = n', 'return NAME');
  expect(
    same(program.replace(/NAME/g, name), program.replace(/NAME/g, 'a'))
  ).toBe(false);
});

it('distinguishes a local from the same name elsewhere', () => {
  const after = (local: string, global: string) =>
    `${body(`${local} = n`, `return ${local}`)}${global} = 2\n`;
  expect(same(after('a', 'a'), after('b', 'a'))).toBe(true);
  expect(same(after('a', 'a'), after('a', 'b'))).toBe(false);
  for (const use of ['g(a=LOCAL)', 'g((1), a=LOCAL)', 'g(n.a, LOCAL)']) {
    const named = (local: string) =>
      body(`${local} = n`, use.replace('LOCAL', local));
    expect(same(named('a'), named('b'))).toBe(true);
  }
  // No name that a program could have stands for a local.
  for (const name of ['local', 'local0']) {
    expect(
      same(body('a = 1', 'return a'), body('a = 1', `return ${name}`))
    ).toBe(false);
  }
});

it('distinguishes words and blocks', () => {
  expect(same('not x', 'notx')).toBe(false);
  expect(same('if a:\n    b\n    c', 'if a:\n    b\nc')).toBe(false);
  expect(same('a\nb', 'a;b')).toBe(false);
});

it.each([
  ['a <- 1\n\n\n  # words\nb <- 2\n', 'a <- 1\nb <- 2', true],
  ['a   <-\t 1', 'a <- 1', true],
  ['\ta <- 1  ', 'a <- 1', true],
  ['a <- 1\t# words', 'a <- 1', true],
  ['#words', '', true],
  ['x <- "a#b"', 'x <- "a"', false],
  ['x <- "a#b"', 'x <- "a#c"', false],
  ['a <- 1\nb', 'a <- 1 b', false],
  ['else if', 'elseif', false],
  ['f <- function() { a <- 1 }', 'f <- function() { b <- 1 }', false],
  ['a <- 1', 'a <- 2', false]
])('compares %j and %j of another language', (a, b, equal) => {
  expect(normalForm(a, 'r') === normalForm(b, 'r')).toBe(equal);
});

it('reads other languages without layout and comments', () => {
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

it('distinguishes programs by the fields of inner classes', () => {
  const make = (field: string) =>
    `def make():\n    class A:\n        ${field} = 1\n    return A`;
  expect(normalForm(make('x'), 'python')).not.toBe(
    normalForm(make('y'), 'python')
  );
});
