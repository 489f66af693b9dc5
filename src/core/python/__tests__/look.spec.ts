/** @jest-environment node */
import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PythonLook, type Wrong } from '../look';

/** What is seen, line by line: the first thing wrong, or null for right code and every start of it. */
function look(source: string): Wrong | null {
  const python = new PythonLook();
  for (const line of source.split('\n')) {
    const wrong = python.feed(line);
    if (wrong) {
      return wrong;
    }
  }
  return null;
}

describe('sees', () => {
  it.each([
    ['x = foo)', 1, '`)` closes nothing'],
    ['x = [1, 2)\ny = 1', 1, '`)` does not close `[`'],
    ['x = (\n  1,\n]', 3, '`]` does not close `(`'],
    ["print('abc)\nx = 1", 1, 'a string is not closed where the line ends'],
    ['x = "a\\"\n', 1, 'a string is not closed where the line ends'],
    ['x = f"{a} b\n', 1, 'a string is not closed where the line ends'],
    ["x = rb'abc\n", 1, 'a string is not closed where the line ends'],
    ["a = '''x\ny''' + 'z\n", 2, 'a string is not closed where the line ends'],
    [
      'def f():\n    if x:\n        y\n      z',
      4,
      'its indentation fits no block around it'
    ],
    ['if x:\n\t\ty\n\tz', 3, 'its indentation fits no block around it'],
    ['x = f"{d[\'a\']}")', 1, '`)` closes nothing']
  ])('%j', (source, line, reason) => {
    expect(look(source)).toEqual({ line, reason, kind: 'syntax' });
  });

  it('lines that follow each other without end', () => {
    const line = '    result.append(value)\n';
    const start = 'def f():\n';
    expect(look(start + line.repeat(39))).toBeNull();
    expect(look(start + line.repeat(40))).toMatchObject({
      line: 41,
      kind: 'runaway',
      reason: 'the same lines repeat 40 times'
    });
    const block = 'def is_even(n):\n    return n % 2 == 0\n\n';
    expect(look(block.repeat(39))).toBeNull();
    expect(look(block.repeat(40))?.kind).toBe('runaway');
  });

  it('not data that repeats, up to a point', () => {
    const row = '    [0, 0, 0, 0],\n';
    expect(look(`board = [\n${row.repeat(64)}]`)).toBeNull();
    expect(look(`board = [\n${row.repeat(401)}`)?.kind).toBe('runaway');
    expect(look(`"""\n${'a line of text\n'.repeat(100)}"""`)).toBeNull();
    expect(look('\n'.repeat(1000) + 'x\n'.repeat(100))).toBeNull();
  });
});

/** Right Python, and right in IPython: statements at no indentation. */
const RIGHT = [
  'x = 1',
  'x = "it\'s" + \'a "b"\' + "\\"" + \'\\\\\'',
  'x = """a " b \'\'\' ( [ {\n  ) ] }\n  \\""" still"""',
  "x = '''\n  it's\n'''",
  'x = r"\\" + "b"'.replace('r"\\" +', 'r"\\w" +'),
  'x = b"\\x00(" + rb\'[\'',
  'x = f"{a} {b!r:>{width}} {{ }} {d[\'k\']} {f(1, (2, 3))}"',
  'x = f"{d["k"]} {", ".join(f"{i}" for i in y)}"',
  'x = f"""{a}\n{b if c else "(" }\n{{"""',
  "x = f'{x:%Y-%m-%d} {y:,.2f}' f\"{'}'}\" rf'\\d{{2}}'",
  'x = f"\\N{BULLET} {a}"',
  'x = f"{\n    a\n}"',
  'x = t"{a}"',
  'x = "a\\\nb"',
  'x = (1 +\n  2) * [3,\n4][0]',
  'x = 1 + \\\n        2',
  'x = {\n    "a": [1, (2, 3)],\n  # a comment with ) and \'\n}',
  'x = 5 % 3; x %= 2; y = "%d %s" % (1, "a")',
  'assert x != 1, "no"',
  "# it's a comment )",
  "x = y  # don't )",
  '%matplotlib inline',
  "%timeit -n 1 print('it",
  '!ls "unclosed',
  "files = !ls *.py | grep 'a",
  'x = %time 1 + 1',
  'len?',
  '?len',
  'import os; os.path??',
  "cd John's files",
  'pip install "pandas>=2',
  'time = 3\ntime / (2 +\n1)',
  'lambda: (yield)',
  'class A: pass',
  '@decorator\ndef g(a, *, b: "int" = 1) -> "str": ...',
  'match x:\n    case {"a": [1, *_]}: pass\n    case _: pass',
  'if x:\n  if y:\n     z\n  w\nelse:\n      v',
  'if x:\n    """a\nb\n  c"""\n    y = (\n1,\n  2)\n\n# comment\n  # comment\n    z',
  'for i in y:\n\tx\n\tif x:\n\t\ty',
  'x: "dict[str, int]" = {}',
  'x = 0x1F + 1_000 + 1e-5j + .5',
  'async def h():\n    await (x)'
];

function nested(source: string, indent: string): string {
  // What is in a string, or continued, stays where it is: only simple ones are nested.
  return `if True:\n${source
    .split('\n')
    .map(line => indent + line)
    .join('\n')}`;
}

const simple = RIGHT.filter(
  source => !source.includes('\n') && !/^[%!?]|\?|^cd|^pip|!ls|= %/.test(source)
);

describe('lets pass', () => {
  it.each(RIGHT)('%j', source => {
    expect(look(source)).toBeNull();
  });

  it('any program of right statements, at any depth', () => {
    const statement = fc.oneof(
      fc.constantFrom(...RIGHT),
      fc
        .tuple(
          fc.constantFrom(...simple),
          fc.array(fc.constantFrom('  ', '    ', '\t'), { maxLength: 3 })
        )
        .map(([source, indents]) =>
          indents.length > 0 && new Set(indents).size === 1
            ? indents.reduce(nested, source)
            : source
        )
    );
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 12 }), statements => {
        expect(look(statements.join('\n'))).toBeNull();
      }),
      { numRuns: 500 }
    );
  });

  it('what only IPython reads', () => {
    expect(look('%%bash\necho "it\'s )')).toBeNull();
    expect(look('>>> x = 1\n... )')).toBeNull();
    expect(look("%load_ext a \\\n it's")).toBeNull();
    // IPython takes a common indentation away.
    expect(look('    if x:\n        y\n    z\nw\n  v')).toBeNull();
  });

  it('the Python of this project', () => {
    const root = join(__dirname, '../../../..', 'jupyterlab_refine');
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.py'))
      .map(path => ({
        path,
        wrong: look(readFileSync(join(root, path), 'utf8'))
      }));
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter(({ wrong }) => wrong)).toEqual([]);
  });
});
