/** @jest-environment node */
import { analyse } from '../analysis';

function kinds(source: string, language = 'python'): readonly string[] {
  return analyse(source, language).statements.map(
    statement => `${statement.line}:${statement.kind}`
  );
}

describe('statements of Python', () => {
  it.each([
    ['assert x == 3', ['1:check']],
    ['assert x\nassert y', ['1:check', '2:check']],
    ['a = 1; assert a', ['1:set-up', '1:check']],
    ['np.testing.assert_allclose(a, b)', ['1:check']],
    [
      'pd.testing.assert_frame_equal(\n  a,\n  b)\nassert c',
      ['1:check', '4:check']
    ],
    ['tm.assert_series_equal(a, b)', ['1:check']],
    ['def test_it():\n    assert f(1)', ['1:check']],
    ['@cache\ndef test_rows(n): return range(n)', ['1:set-up']],
    ['async def test_it():\n    assert await f(1)', ['1:check']],
    ['await test_it()', ['1:check']],
    [
      '@pytest.mark.parametrize("n", [1])\ndef test_n(n): assert n',
      ['1:check']
    ],
    ['def helper():\n    assert x', ['1:set-up']],
    ['class TestF:\n    def test_f(self): pass', ['1:check']],
    ['class TestData:\n    rows = 3', ['1:set-up']],
    ['with pytest.raises(ValueError):\n    f(-1)', ['1:check']],
    ['with self.assertRaises(ValueError) as e:\n    f(-1)', ['1:check']],
    ['with open("x") as f:\n    assert f.read()', ['1:check']],
    ['if not ok:\n    raise AssertionError("no")', ['1:check']],
    [
      'try:\n    f(-1)\nexcept ValueError:\n    pass\nelse:\n    raise AssertionError',
      ['1:check']
    ],
    ['for n in range(3):\n    def g(): assert n', ['1:other']],
    [
      'import numpy as np\nnp.random.seed(0)\nassert f()',
      ['1:set-up', '2:other', '3:check']
    ],
    ['"""Checks."""\n# comment\nassert f()', ['1:other', '3:check']],
    [
      'rows = []\nrows.append(1)\nassert f(rows)',
      ['1:set-up', '2:other', '3:check']
    ],
    [
      'def check(ok):\n    if not ok:\n        raise AssertionError\ncheck(f())',
      ['1:set-up', '4:check']
    ],
    [
      'def f(n):\n    assert n > 0\n    return n\nf(3)',
      ['1:set-up', '4:other']
    ],
    [
      'with contextlib.redirect_stdout(out):\n    hello()\nassert out.getvalue()',
      ['1:other', '3:check']
    ],
    ['ax = draw()\nplt.show()\nassert ax', ['1:set-up', '2:other', '3:check']],
    ['model.fit(x, y)\nassert model.ok', ['1:other', '2:check']],
    ['for n in range(3):\n    plot(n)', ['1:other']],
    ['%matplotlib inline\nassert f()', ['2:check']],
    ['!pip list\nassert f()', ['2:check']],
    ['assert (a\n    != b)', ['1:check']],
    ['%%bash\nassert x', []],
    ['%%time\nassert f()', ['2:check']],
    ['%time check_all(f)', ['1:set-up', '1:check']],
    ['%timeit -n 3 check_all(f)', []],
    ['', []],
    ['assert f(', ['1:check']]
  ])('%j', (source, expected) => {
    expect(kinds(source)).toEqual(expected);
  });
});

describe('statements of other languages', () => {
  it.each([
    ['r', 'stopifnot(f(3) == 2)', ['1:check']],
    [
      'r',
      'x <- f(3)\nstopifnot(\n  x == 2,\n  x > 1\n)',
      ['1:set-up', '2:check']
    ],
    ['r', 'testthat::expect_equal(f(3), 2)', ['1:check']],
    ['r', 'test_that("it works", {\n  expect_true(f())\n})', ['1:check']],
    [
      'r',
      'library(dplyr)\nset.seed(1)\nexpect_equal(f(), "a # b(")',
      ['1:set-up', '2:set-up', '3:check']
    ],
    ['r', 'plot(f())\nstopifnot(TRUE)', ['1:other', '2:check']],
    ['r', 'f == 3', ['1:other']],
    ['julia', '@assert f(3) == 2', ['1:check']],
    ['julia', 'using Test\n@test f(3) == 2', ['1:set-up', '2:check']],
    [
      'julia',
      'x = [i for i in 1:3]\n@test x[end] == 3',
      ['1:set-up', '2:check']
    ],
    [
      'julia',
      'function g(x)\n  if x > 1\n    2\n  end\nend\n@test_throws DomainError f(-1)',
      ['1:set-up', '6:check']
    ],
    ['julia', '@testset "all" begin\n  @test f(1) == 1\nend', ['1:check']],
    ['julia', 'plot(x)\n@test true', ['1:other', '2:check']],
    ['javascript', 'console.assert(f(3) === 2) // done', ['1:check']],
    [
      'javascript',
      'const x = f(3)\nassert.equal(x, 2)',
      ['1:set-up', '2:check']
    ],
    ['typescript', 'if (x !== 4) throw new Error("no")', ['1:check']],
    [
      'typescript',
      'const xs: number[] = [1]\nfor (const x of xs) {\n  if (f(x) !== 2) {\n    throw "no";\n  }\n}',
      ['1:set-up', '2:check']
    ],
    ['typescript', 'if (x > 4) x = 4', ['1:other']],
    ['typescript', 'await assertRejects(() => f())', ['1:check']],
    ['bash', 'y=$(f 2)\n[ $y = 4 ]', ['1:set-up', '2:check']],
    ['bash', '[[ $x == 4* ]]\ntest -f a', ['1:check', '2:check']],
    ['bash', '! [ -e a ] &&\n  [ -e b ]', ['1:check']],
    [
      'bash',
      'case $x in\n  a) echo 1;;\n  *) echo 2;;\nesac\nif [ $x != 4 ]; then\n  exit 1\nfi',
      ['1:other', '5:check']
    ],
    ['bash', 'f 3 # [ $x = 4 ]', ['1:other']],
    ['octave', "x = f(3);\nassert(x, 4) % 'y'", ['1:set-up', '2:check']],
    [
      'octave',
      "function y = g(x)\n  if x(end) > 1\n    y = 2;\n  end\nend\nif f(1) ~= 2\n  error('no')\nendif",
      ['1:set-up', '6:check']
    ]
  ])('%s: %j', (language, source, expected) => {
    expect(kinds(source, language)).toEqual(expected);
  });
});

describe('names of Python', () => {
  it.each([
    ['x = f(y)', 'f y', 'x'],
    ['x += y', 'x y', 'x'],
    ['a.b = c', 'a c', ''],
    ['a[i] = c', 'a i c', ''],
    ['(a, *b), c = d', 'd', 'a b c'],
    ['x: int = y', 'int y', 'x'],
    ['import numpy as np, os.path', '', 'np os'],
    ['from a.b import (c as d,\n  e)', '', 'd e'],
    ['def f(n, m=k):\n    t = n + g\n    return t', 'k g', 'f'],
    ['def f():\n    global n\n    n = 1', '', 'f n'],
    ['class C(B):\n    k = v', 'B v', 'C'],
    ['[u * w for u, v in rows if v]', 'w rows', ''],
    ['h = lambda a, b=c: a + d', 'c d', 'h'],
    ['for i, j in rows: use(i)', 'rows use i', 'i j'],
    ['with open(p) as f: g(f)', 'open p g f', 'f'],
    ['try:\n    f()\nexcept E as e:\n    g(e)', 'f E g e', 'e'],
    ['if (n := f()) > 5: g(n)', 'f g n', 'n'],
    ['f(key=value)', 'f value', ''],
    ['print(f"{a!r} {b:>{w}}")', 'print a b w', ''],
    ['@deco\ndef f(): pass', 'deco', 'f'],
    ['del x', 'x', ''],
    ['df.groupby("a").sum()', 'df', '']
  ])('%j', (source, reads, binds) => {
    const analysis = analyse(source, 'python');
    expect([...analysis.reads].sort()).toEqual(words(reads));
    expect([...analysis.binds].sort()).toEqual(words(binds));
  });

  it('distinguishes imports from other names', () => {
    const { imports } = analyse('import a\nb = 1', 'python');
    expect([...imports]).toEqual(['a']);
  });
});

describe('isTest', () => {
  it.each([
    ['assert f(1) == 1', true],
    ['n = 5\nassert f(n) == 5', true],
    ['assert f(1) == 1\nprint("ok")', true],
    ['x = f(1)\nassert x == 1\nprint(x)', true],
    ['ax = draw()\nassert ax\nplt.show()', true],
    ['df.plot()\nassert f(1) == 1', true],
    ['f.cache_clear()\nassert f(1) == 1', true],
    ['os.makedirs(d)\nopen(p, "w").write(s)\nassert f(p)', true],
    ['def f(): return 1\nplot(f())\nassert f() == 1', false],
    ['def same(a):\n    assert a\nos.mkdir(d)\nsame(f(d))', true],
    ['assert f(1) == 1\nprint(f"{n} held", n)', true],
    ['assert f(1) == 1\nplot(f(1))', true],
    ['x = f(1)\nassert x == 1\nplot(x)', false],
    ['cart = []\nadd_item(cart, 3)\nassert cart == [3]', true],
    ['it = count()\nnext(it)\nassert next(it) == 1', true],
    ['cart = []\nadd_item(cart=3)\nassert cart == [3]', true],
    ['with patch("os.getcwd") as p:\n    f()\nassert p.called', true],
    ['with mock.patch.object(a, "b"):\n    f(1)\n    assert c()', true],
    ['for n in range(3):\n    add(cart, n)\nassert cart', true],
    ['cart = []\nfor n in range(3):\n    add(cart, n)\nassert cart', true],
    ['x = f(1)', false],
    ['assert total(_) == f(1)', false],
    ['_, rest = f(1)\nassert rest == _', true],
    ['', false],
    ['%%bash\ntest -f x', false]
  ])('%j is %s', (source, expected) => {
    expect(analyse(source, 'python').isTest).toBe(expected);
  });

  it('counts the checking statements', () => {
    const helper = 'def same(a):\n    assert a\n';
    expect(analyse('n = 1\nassert n\nassert f(n)', 'python').checks).toBe(2);
    expect(analyse(`${helper}same(f(1))`, 'python').checks).toBe(1);
  });
});

function words(text: string): readonly string[] {
  return text.split(' ').filter(Boolean).sort();
}
