/** @jest-environment node */
import type { NotebookCell } from '../cells';
import { markedRole } from '../roles';
import { notebookStructure } from '../structure';
import { code, markdown } from '../../__tests__/notebookFixture';

const ASSERT = { tags: ['refine-assert'] };
const ONLY_TAGGED = { refine: { onlyTagged: true } };
const SCORER = { tags: ['refine-scorer'] };
const HOLDOUT = { tags: ['refine-holdout'] };
const LOCKED = { nbgrader: { locked: true, grade: false, solution: false } };
const READ_ONLY = { editable: false };
const SOLUTION = { nbgrader: { solution: true } };
const GRADED = { nbgrader: { grade: true, solution: false, locked: true } };

/** `check>target role` for every check, with ids instead of positions. */
function places(
  cells: readonly NotebookCell[],
  language = 'python'
): readonly string[] {
  const { checks, leftOut, helpers } = notebookStructure(cells, language);
  const helping = [...helpers].flatMap(([target, found]) =>
    found.map(index => [index, target] as const)
  );
  const all = [...checks, ...helping].sort(([a], [b]) => a - b);
  const counting = all.filter(([index]) => !leftOut.has(index));
  return counting.map(([index, target]) => {
    const checked = target === null ? 'none' : cells[target].id;
    const role = markedRole(cells[index]) ?? 'assertion';
    return `${cells[index].id}>${checked} ${role}`;
  });
}

describe('which cell checks which', () => {
  it.each<[string, readonly NotebookCell[], readonly string[]]>([
    [
      'an unmarked assertion right below',
      [code('t', 'def f(): pass'), code('a', 'assert f() is None')],
      ['a>t assertion']
    ],
    [
      'a run of them, and one below a cell that only shows something',
      [
        code('t', 'def f(): pass'),
        code('a', 'n = 1\nassert f() is None'),
        code('b', 'assert f() != n'),
        code('w', 'plot(f())'),
        code('c', 'assert f()')
      ],
      ['a>t assertion', 'b>t assertion', 'c>t assertion']
    ],
    [
      'an empty target below another cell',
      [code('i', 'import math'), code('t', ''), code('a', 'assert f()')],
      ['a>t assertion']
    ],
    [
      'work whose result is used below',
      [
        code('t', 'x = 1'),
        code('a', 'y = x + 1\nassert y'),
        code('b', 'plot(y)')
      ],
      []
    ],
    [
      'a marked assertion, in addition to unmarked ones around it',
      [
        code('t', 'x = 1'),
        code('u', 'assert x'),
        code('a', 'assert x > 0', ASSERT),
        code('v', 'assert x < 2')
      ],
      ['u>t assertion', 'a>t assertion', 'v>t assertion']
    ],
    [
      'only marked ones where the target wants it so',
      [
        code('t', 'x = 1', ONLY_TAGGED),
        code('u', 'assert x'),
        code('a', 'assert x > 0', ASSERT),
        code('w', 'y = x'),
        code('b', 'assert y')
      ],
      ['a>t assertion', 'b>w assertion']
    ],
    [
      'nbgrader: what is graded is all that checks',
      [
        code('t', 'def f(): pass', { nbgrader: { solution: true } }),
        code('u', 'assert f()'),
        code('a', 'assert f()', GRADED)
      ],
      ['a>t assertion']
    ],
    [
      'nbgrader: a solution that is no longer marked, below that of another task',
      [
        code('t', 'def f(): pass', { nbgrader: { solution: true } }),
        code('a', 'assert f()', GRADED),
        markdown('m', 'Write `g`.'),
        code('u', 'def g(): pass'),
        code('b', 'assert g()', GRADED)
      ],
      ['a>t assertion', 'b>u assertion']
    ],
    [
      'nbgrader: a test below nothing, which has only to run, or has nothing to check',
      [
        markdown('m', 'Run this cell.'),
        code('a', 'print(1)', GRADED),
        code('b', '# nothing', GRADED),
        code('c', 'assert f() == 1', GRADED)
      ],
      ['a>a assertion', 'b>none assertion', 'c>none assertion']
    ],
    [
      'nbgrader: data below a solution that is still to be written',
      [
        code('t', '# YOUR CODE HERE', { nbgrader: { solution: true } }),
        markdown('m', 'Some data:'),
        code('u', 'y = 1'),
        code('a', 'assert x == y', GRADED)
      ],
      ['u>t assertion', 'a>t assertion']
    ],
    [
      'a tag on a test of nbgrader: the tag decides',
      [
        code('t', 'def f(): pass'),
        code('u', 'assert f()'),
        code('a', 'assert f()', { ...GRADED, tags: ['refine-holdout'] })
      ],
      ['u>t assertion', 'a>t holdout']
    ],
    [
      'prose: a marked assertion adds to the unmarked one',
      [
        markdown('m', 'Text'),
        code('u', 'assert response'),
        code('a', 'assert len(response) < 9', ASSERT)
      ],
      ['u>m assertion', 'a>m assertion']
    ],
    [
      'a hold-out, which leaves unmarked assertions what they are',
      [
        code('t', 'def f(): pass'),
        code('a', 'assert f()'),
        code('h', 'assert f(2)', HOLDOUT)
      ],
      ['a>t assertion', 'h>t holdout']
    ],
    [
      'both tags: the hold-out reveals less',
      [
        code('t', 'x = 1'),
        code('h', 'assert x', { tags: ['refine-assert', 'refine-holdout'] })
      ],
      ['h>t holdout']
    ],
    [
      'work that ends with an assertion and whose result is checked below',
      [
        code('i', 'import pandas'),
        code('t', 'clean = df.dropna()\nassert len(clean)'),
        code('a', 'assert clean.shape == (3, 2)', ASSERT)
      ],
      ['a>t assertion']
    ],
    [
      'a marked check far below, over locked cells and checks',
      [
        code('t', 'x = 1'),
        code('l', 'y = 2', { nbgrader: { locked: true } }),
        code('s', 'def score(ns): return 1', { tags: ['refine-scorer'] }),
        markdown('m', 'text'),
        code('a', 'assert x', ASSERT)
      ],
      ['l>t assertion', 's>t scorer', 'a>t assertion']
    ],
    [
      'an empty cell below nbgrader’s solution, which is no solution',
      [
        code('i', 'import math'),
        code('t', 'def f(): pass', SOLUTION),
        code('e', ''),
        code('n', '# mine'),
        code('a', 'assert f()', GRADED),
        code('u', '', SOLUTION),
        code('b', 'assert g()', GRADED)
      ],
      ['a>t assertion', 'b>u assertion']
    ],
    [
      'a link to another target',
      [
        code('t', 'x = 1'),
        code('u', 'y = 1'),
        code('a', 'assert x', {
          tags: ['refine-assert'],
          refine: { target: 't' }
        })
      ],
      ['a>t assertion']
    ],
    [
      'nbgrader: a graded solution is no check',
      [
        code('t', 'x = 1'),
        code('s', 'assert x', { nbgrader: { grade: true, solution: true } })
      ],
      ['s>t assertion']
    ],
    [
      'nothing above',
      [markdown('m', 'text'), code('a', 'assert x', ASSERT)],
      ['a>none assertion']
    ],
    [
      'a linked target between',
      [
        code('t', 'x = 1'),
        code('p', '%%refine\nsort'),
        code('u', 'assert x', { refine: { promptCell: 'p' } }),
        code('a', 'assert y', ASSERT)
      ],
      ['a>u assertion']
    ],
    [
      'a linked target that is empty, above the empty cell of before',
      [
        code('p', '%%refine\nsort'),
        code('u', '', { refine: { promptCell: 'p' } }),
        code('e', ''),
        code('a', 'assert y')
      ],
      ['a>u assertion']
    ],
    [
      'an unlinked %%refine cell ends a run',
      [code('t', 'x = 1'), code('p', '%%refine\nsort'), code('a', 'assert x')],
      []
    ],
    [
      'prose: assertions that read response',
      [
        code('i', 'import re'),
        markdown('m', 'Text'),
        code('a', 'assert len(response) < 100')
      ],
      ['a>m assertion']
    ],
    ...['ns["response"]', "ns.get('response')", 'response'].map(
      (read): [string, readonly NotebookCell[], readonly string[]] => [
        `prose: a scorer that reads ${read}`,
        [
          code('i', 'import re'),
          markdown('m', 'Text'),
          code('s', `def score(ns):\n    return len(${read})`, SCORER)
        ],
        ['s>m scorer']
      ]
    ),
    [
      'a key of that name elsewhere is no prose',
      [
        code('t', 'answer = {"response": 1}'),
        markdown('m', 'Text'),
        code('a', 'assert answer["response"] == 1')
      ],
      ['a>t assertion']
    ],
    [
      'response that the notebook itself binds is no prose',
      [
        markdown('m', 'Text'),
        code('t', 'response = get()'),
        code('a', 'assert response.ok')
      ],
      ['a>t assertion']
    ],
    [
      'a locked helper between nbgrader’s solution and test runs with the test',
      [
        code('t', 'def f(): pass', SOLUTION),
        code('l', 'def check(g): assert g()', LOCKED),
        code('a', 'check(f)', GRADED),
        code('k', 'def other(): pass', LOCKED)
      ],
      ['l>t assertion', 'a>t assertion']
    ],
    [
      'a locked helper belongs to the nearest target above',
      [
        code('t', 'x = 1'),
        code('l', 'def same(a): assert a', READ_ONLY),
        markdown('m', 'text'),
        code('a', 'same(x)\nassert x == 1'),
        code('u', 'y = 1'),
        code('k', 'limit = 3', READ_ONLY),
        code('s', 'slow()', { ...READ_ONLY, tags: ['refine-skip'] }),
        code('b', 'assert y < limit')
      ],
      ['l>t assertion', 'a>t assertion', 'k>u assertion', 'b>u assertion']
    ],
    [
      'a target that is read-only, below a cell that is not',
      [
        code('i', 'import math'),
        code('t', 'def f(): pass', READ_ONLY),
        code('a', 'assert f()')
      ],
      ['a>t assertion']
    ],
    [
      'a notebook that is read-only as a whole',
      [
        code('i', 'import math', READ_ONLY),
        code('t', 'def f(): pass', READ_ONLY),
        code('a', 'assert f()', READ_ONLY),
        code('u', 'def g(): pass', READ_ONLY),
        code('b', 'assert g()', READ_ONLY)
      ],
      ['a>t assertion', 'b>u assertion']
    ],
    [
      'other calls in a check',
      [
        code('t', '@cache\ndef f(n): return n'),
        code('a', 'f.cache_clear()\nassert f(1)'),
        code('b', 'os.makedirs(d)\nassert f(2)')
      ],
      ['a>t assertion', 'b>t assertion']
    ],
    [
      'four tasks, of which one has its checks in its own cell',
      [
        markdown('m1', 'Add.'),
        code('t1', ''),
        code('a1', 'assert add(1, 2) == 3'),
        markdown('m2', 'Subtract.'),
        code('t2', ''),
        markdown('m3', 'Double.'),
        code('t3', 'def double(x): return 2 * x\nassert double(2) == 4'),
        markdown('m4', 'Halve.'),
        code('t4', ''),
        code('a4', 'assert halve(double(2)) == 2')
      ],
      ['a1>t1 assertion', 'a4>t4 assertion']
    ],
    [
      'a demonstration between a solution and its tests',
      [
        code('t', 'def squares(n): return [i * i for i in range(n)]', SOLUTION),
        code('d', 'squares(10)'),
        code('a', 'assert squares(1) == [1]', GRADED),
        code('b', 'assert squares(0) == []')
      ],
      ['a>t assertion']
    ],
    [
      'a stub before the helper below it, and the same once it is written',
      [
        code('t', 'def mul(a, b): ...'),
        code('h', 'def case(n): return n'),
        code('a', 'assert mul(case(1), 2) == 2')
      ],
      ['h>t assertion', 'a>t assertion']
    ],
    [
      'a stub before the cell that calls it for what is checked',
      [
        code('t', 'def fit(x): ...'),
        code('w', 'slope = fit([1, 2])'),
        code('a', 'assert slope == 1')
      ],
      ['w>t assertion', 'a>t assertion']
    ],
    [
      'no check of a version',
      [
        code('t', 'def f(x): return x'),
        code('a', 'import numpy\nassert numpy.__version__ > "1"'),
        code('b', 'import sys\nassert sys.version_info >= (3, 5)')
      ],
      []
    ],
    [
      'a cell that runs tests which only print',
      [
        code('t', 'def f(x): return x'),
        code('a', 'def run_tests(): print(f(1) == 1)\nrun_tests()')
      ],
      ['a>t assertion']
    ],
    [
      'what the text asks for before the helper below it',
      [
        markdown('m', 'Write `third(x)`.'),
        code('t', 'def third(x): return x / 3'),
        code('h', 'def close(a, b): return abs(a - b) < 1e-9'),
        code('a', 'assert close(third(1), 1 / 3)')
      ],
      ['h>t assertion', 'a>t assertion']
    ],
    [
      'the cell that provenance says it checked',
      [
        code('t', 'def mul(a, b): return a * b', {
          refine: { result: { checkCells: ['a'] } }
        }),
        code('h', 'def case(n): return n'),
        code('a', 'assert mul(case(1), 2) == 2'),
        code('b', 'assert mul(2, 2) == 4')
      ],
      ['h>t assertion', 'a>t assertion', 'b>t assertion']
    ],
    [
      'what an accepted candidate asserts is no check of another cell',
      [
        code('t', 'def add(a, b): return a + b'),
        code('u', 'total = add(1, 2)\nassert total == 3', {
          refine: { result: {} }
        })
      ],
      []
    ],
    [
      'an empty cell, where something is missing or a text stands above it',
      [
        code('d', 'rows = load()'),
        code('e', ''),
        code('a', 'assert total == sum(rows)'),
        code('f', 'def f(): pass'),
        markdown('m', 'Clean the rows.'),
        code('g', ''),
        code('b', 'assert all(rows)'),
        code('s', ''),
        code('c', 'assert f() is None')
      ],
      ['a>e assertion', 'b>g assertion', 'c>s assertion']
    ],
    [
      'a scratch cell between a function and its checks',
      [
        code('t', 'def add(a, b): return a + b'),
        code('s', ''),
        code('a', 'assert add(1, 2) == 3')
      ],
      ['a>t assertion']
    ],
    [
      'a cell that changes what it does not bind',
      [
        code('d', 'df = load()'),
        code('t', "df['total'] = df.a + df.b"),
        code('a', "assert 'total' in df")
      ],
      ['a>t assertion']
    ],
    ...[
      '@patch\ndef area(self: Box): return 1',
      '@fastcore.patch(as_prop=True)\ndef area(self:Box): return 1',
      '@patch\n@curryable\ndef area(self:Box): return 1',
      '@patch_to(Box)\ndef area(self): return 1',
      '@d2l.add_to_class(Box)  #@save\ndef area(self): return 1'
    ].map((source): [string, readonly NotebookCell[], readonly string[]] => [
      source,
      [
        code('c', 'class Box:\n    side = 1'),
        code('t', source),
        code('a', 'assert Box().area == 1')
      ],
      ['a>t assertion']
    ]),
    [
      'an import that checks of two targets need',
      [
        code('t', 'def f(): return 1'),
        code('u', 'def g(): return 2'),
        code('i', 'import pandas as pd'),
        code('a', 'assert f() != pd.NA'),
        code('b', 'assert g() != pd.NA')
      ],
      ['i>t assertion', 'i>u assertion', 'a>t assertion', 'b>u assertion']
    ],
    [
      'a name that a check has bound again, though a text asks for it above',
      [
        markdown('m', 'A class `T`.'),
        code('s', 'class T: pass\nassert T().x is None'),
        code('t', 'def kwargs(kind): return kind'),
        code('a', '@kwargs\nclass T: pass\nt = T()\nassert t is not None'),
        markdown('n', 'And `T`:'),
        code('b', 'assert T is not None')
      ],
      ['a>t assertion', 'b>t assertion']
    ],
    [
      'a value of the check above, though a cell further up is open',
      [
        code('o', 'class Base: ...'),
        code('t', 'def f(x): return x'),
        code('a', 'y = f(1)\nassert y == 1'),
        code('b', 'test_eq(y + 1, 2)')
      ],
      ['a>t assertion', 'b>t assertion']
    ],
    [
      'no cell of directives, as nbdev and Quarto have them',
      [
        code('d', '#| default_exp basics'),
        code('i', 'from fastcore.imports import *'),
        code('a', 'assert noop(1) == 1')
      ],
      ['a>i assertion']
    ],
    [
      'tests that stand above what they test, and are called below it',
      [
        code('a', 'def test_f(): assert f() == 1'),
        code('t', 'def f(): return 1'),
        code('b', 'test_f()')
      ],
      ['b>t assertion']
    ],
    [
      'helpers between a target and its checks, which run with them',
      [
        code('t', 'def f(): ...'),
        code('l', 'def test_eq(a, b): assert a == b'),
        code('d', 'rows = f()'),
        code('p', 'plot(rows)'),
        code('r', '%run ../utils/results.py'),
        code('a', 'test_eq(f(), 1)')
      ],
      ['l>t assertion', 'r>t assertion', 'a>t assertion']
    ],
    [
      'cells below a target that define what it calls, and what these call',
      [
        code('u', 'def known(): return 1'),
        code('t', 'def whole(): return known() + part()'),
        code('c', 'def rest(): return 2'),
        code('p', 'def part(): return rest()'),
        code('s', 'whole()'),
        code('o', 'def known(): return 0'),
        code('a', 'assert whole() == 3')
      ],
      ['c>t assertion', 'p>t assertion', 'a>t assertion']
    ],
    [
      'functions that only check, and are used by checks alone',
      [
        code('t', 'def add(a, b): return a + b'),
        code('l', 'def test_eq(a, b): assert a == b'),
        code('a', 'test_eq(add(1, 2), 3)')
      ],
      ['l>t assertion', 'a>t assertion']
    ],
    [
      'a file of tests that a cell writes and another runs',
      [
        code('t', 'class Rev:\n    def of(self, s): return s[::-1]'),
        code('o', 'class Other:\n    n = 1'),
        code(
          'w',
          '%%writefile test_rev.py\nimport unittest\nclass T(unittest.TestCase):\n    def test_rev(self): self.assertEqual(Rev().of("ab"), "ba")\ndef main(): T().test_rev()\nif __name__ == "__main__": main()'
        ),
        code('a', '%run -i test_rev.py')
      ],
      ['w>t assertion', 'a>t assertion']
    ],
    [
      'a value that a check has prepared, under a name that a cell further up has too',
      [
        code('o', 'rows = load()'),
        code('t', 'def add(a, b): return a + b'),
        code('a', 'rows = add(1, 2)\nassert rows == 3'),
        code('b', 'assert rows > 0')
      ],
      ['a>t assertion', 'b>t assertion']
    ],
    [
      'what raises an exception whose class stands above it',
      [
        code('e', 'class EmptyError(Exception): pass'),
        code('t', 'def pop(s):\n    if not s: raise EmptyError'),
        code('a', 'with pytest.raises(EmptyError): pop([])')
      ],
      ['a>t assertion']
    ],
    [
      'a run of doctests, whose module is imported further up',
      [
        code('i', 'import doctest'),
        code(
          't',
          'def add(a, b):\n    """\n    >>> add(1, 2)\n    3\n    """\n    return a + b'
        ),
        code('a', 'doctest.testmod(verbose=True)')
      ],
      ['a>t assertion']
    ],
    [
      'checks of one cell that prepare values for the next',
      [
        code('t', 'def add(a, b): return a + b'),
        code('a', 'three = add(1, 2)\nassert three == 3'),
        code('b', 'assert three > 0')
      ],
      ['a>t assertion', 'b>t assertion']
    ],
    [
      'a check that names nothing, below an empty cell of another question',
      [
        code('e', '# notes'),
        markdown('m', 'b'),
        code('t', 'x = 2'),
        code('a', 'grader.check("q")')
      ],
      ['a>t assertion']
    ],
    ...[
      'f_test(f)',
      'y = f(x)\nf_test(f)',
      'def f_test(g): compare(g(2), 4)\nf_test(f)',
      'f_test(f)\nf(x)'
    ].map((source): [string, readonly NotebookCell[], readonly string[]] => [
      `a function handed to its test, below its example's data: ${source}`,
      [
        code('t', 'def f(n):\n    return 0  # your code'),
        markdown('m', 'Now an example:'),
        code('d', 'x = load()'),
        code('a', source),
        code('u', 'plot(y)')
      ],
      [...(source.includes('x') ? ['d>t assertion'] : []), 'a>t assertion']
    ]),
    ...[
      'import unittest\nclass T(unittest.TestCase):\n    def test_f(self): self.assertTrue(f())\nunittest.main(argv=[""], exit=False)',
      'class T(unittest.TestCase):\n    def test_f(self, g): self.assertTrue(g())\ndef main():\n    T().test_f(f)\nif __name__ == "__main__":\n    main()',
      'result = unittest.TextTestRunner().run(suite(f))',
      'import doctest\ndoctest.testmod()',
      '%run -i test_f.py',
      '%%ipytest -q\ndef test_f(): assert f()',
      'from public_tests import *\nf_test(f)',
      'if f() != 3:\n    raise ValueError("f")',
      'for n in [1, 2]:\n    assert f(n)',
      'try:\n    f(-1)\nexcept ValueError:\n    pass\nelse:\n    raise Exception("no error")',
      'def cases():\n    for n in [1, 2]:\n        assert f(n)\ncases()',
      'check_answer(f)',
      'class U(unittest.TestCase):\n    def testF(self, g): self.assertTrue(g())\ndef main():\n    test = U()\n    test.testF(f)\nif __name__ == "__main__":\n    main()',
      'pd.testing.assert_frame_equal(f(), df)'
    ].map((source): [string, readonly NotebookCell[], readonly string[]] => [
      source,
      [
        code('i', 'import unittest'),
        code('t', 'def f(): pass'),
        code('a', source)
      ],
      ['a>t assertion']
    ]),
    ...[
      'f() == 3',
      'print(f())  # 3',
      'model = f()\nmodel.fit(x)',
      'x, y = train_test_split(f())',
      'def g():\n    return f()\nassert g() == 3',
      'raise NotImplementedError'
    ].map((source): [string, readonly NotebookCell[], readonly string[]] => [
      `no check: ${source}`,
      [code('t', 'def f(): pass'), code('a', source)],
      []
    ]),
    ...['fit(model)', 'train_model(model, x)', 'sort_rows(model)'].map(
      (source): [string, readonly NotebookCell[], readonly string[]] => [
        `a call that changes what is checked: ${source}`,
        [
          code('m', 'model = Model()'),
          code('t', source),
          code('p', 'plot(model)'),
          code('a', 'assert model.w == 2')
        ],
        ['a>t assertion']
      ]
    ),
    [
      'marked markdown is no check',
      [code('t', 'x = 1'), markdown('m', 'text', ASSERT)],
      []
    ]
  ])('%s', (_, cells, expected) => {
    expect(places(cells)).toEqual(expected);
  });

  it('reads checks of other languages', () => {
    const cells = [
      code('t', 'f <- function(n) n'),
      code('a', 'stopifnot(f(1) == 1)')
    ];
    expect(places(cells, 'r')).toEqual(['a>t assertion']);
    expect(places(cells, 'python')).toEqual([]);
  });
});
