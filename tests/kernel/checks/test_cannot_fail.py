"""Checks that cannot fail are reported, with the reason, before anything runs; those that can are not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from corpus import rows
from live_kernel import LiveKernel
from mbpp import DATA, tasks
from test_checks_story import COMPARISONS

from jupyterlab_refine.kernel.checks.statements import list_statements

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True

CANNOT: dict[str, tuple[str, int, str]] = {
    "tuple": ("assert (x == 6, 'x')", 1, "a tuple is always true; remove the parentheses"),
    "constant": ("assert True", 1, "a constant is always true"),
    "text": ("assert 'x == 6'", 1, "a constant is always true"),
    "text with a value": ("assert f'x is {x}'", 1, "a string is always true"),
    "constants compared": ("assert 1 + 1 == 2 and not 0", 1, "a constant is always true"),
    "or a constant": (
        "assert x == 5 or 6",
        1,
        "one side of its or always passes: a constant is always true",
    ),
    "and": ("assert True and (x, 1)", 1, "a constant is always true"),
    "list": ("assert [x == 6]", 1, "a list is true as soon as it has items; is all() missing?"),
    "comprehension": (
        "assert [v > 0 for v in x]",
        1,
        "a list is true as soon as it has items; is all() missing?",
    ),
    "generator": (
        "assert (v > 0 for v in x)",
        1,
        "a function or generator is always true; it is never called",
    ),
    "lambda": ("assert lambda: x == 6", 1, "a function or generator is always true; it is never called"),
    "function": (
        "def check():\n    return x == 6\nassert check",
        3,
        "check is a function or class, which is always true; it is never called",
    ),
    "itself": ("assert x.a[0] == x.a[0]", 1, "it compares x.a[0] with itself"),
    "itself with unittest": (
        "import unittest\nunittest.TestCase().assertEqual(x, x)",
        2,
        "it compares x with itself",
    ),
    "itself with numpy": ("np.testing.assert_allclose(x, x)", 1, "it compares x with itself"),
    "assertTrue of a constant": ("t.assertTrue('x == 6')", 1, "a constant is always true"),
    "ANY": ("assert x == mock.ANY", 1, "ANY is equal to anything"),
    "length": ("assert len(x) >= 0", 1, "a length is never below 0"),
    "length, strictly": ("assert len(x) > -1", 1, "a length is never below 0"),
    "object": ("assert isinstance(x, object)", 1, "everything is an object"),
    "coroutine": ("async def f(): return False\nassert f()", 2, "a coroutine is always true; await it"),
    "coroutine of the notebook": ("assert fetch()", 1, "a coroutine is always true; await it"),
    "coroutine that is not awaited": (
        "async def f():\n    assert x == 6\ndef test_x():\n    f()\n    assert x",
        3,
        "the coroutine is never awaited, so it is not run",
    ),
    "except AssertionError": (
        "try:\n    assert x == 6\nexcept AssertionError:\n    print('failed')",
        1,
        "the failure is caught by its own except",
    ),
    "except Exception as e": (
        "for v in x:\n    try:\n        assert v == 6\n    except Exception as e:\n        print(e)",
        1,
        "the failure is caught by its own except",
    ),
    "bare except": (
        "try:\n    assert x == 6\nexcept:\n    pass",
        1,
        "the failure is caught by its own except",
    ),
    "except in a test": (
        "def test_x():\n    try:\n        assert x == 6\n    except (OSError, AssertionError): pass",
        1,
        "the failure is caught by its own except",
    ),
    "suppress": (
        "with contextlib.suppress(AssertionError):\n    assert x == 6",
        1,
        "the failure is suppressed by its own with",
    ),
    "if False": ("if False:\n    assert x == 6", 1, "its condition is never true, so it is not run"),
    "loop over nothing": ("for v in []:\n    assert v == 6", 1, "it loops over nothing"),
    "loop over an empty range": ("for v in range(0):\n    assert v == 6", 1, "it loops over nothing"),
    "behind a return": (
        "def test_x():\n    return\n    assert x == 6",
        1,
        "it follows a return or raise, so it never runs",
    ),
    "test with arguments": (
        "def test_x(value):\n    assert value == 6",
        1,
        "the test needs value, but pytest fixtures",
    ),
    "test without checks": ("def test_x():\n    return x == 6", 1, "the test checks nothing"),
    "checks of a function that is not called": (
        "def test_x():\n    def inner():\n        assert x == 6\n    print('done')",
        1,
        "the test checks nothing",
    ),
    "test with a yield": ("def test_x():\n    yield x\n    assert x == 6", 1, "the test has a yield"),
    "test class without checks": (
        "class TestX:\n    def test_x(self):\n        x == 6",
        1,
        "its tests check nothing",
    ),
    "function that nobody calls": (
        "def check_x():\n    assert x == 6",
        1,
        "nothing calls check_x, so its checks never run",
    ),
    "method that nobody calls": (
        "class Checks:\n    def check(self):\n        assert x == 6",
        1,
        "nothing calls Checks, so its checks never run",
    ),
    "test that is not at the top": (
        "if x:\n    def test_x():\n        assert x == 6",
        2,
        "nothing calls test_x: only tests at the top of a cell are called",
    ),
    "comparison without assert": ("x == 6", 1, "its result is not used; write assert before it"),
    "np.allclose without assert": (
        "np.allclose(x, 6)",
        1,
        "its result is not used; write assert before it",
    ),
    "nothing": ("print(x)", 1, "the cell checks nothing"),
    "cell magic": ("%%bash\nassert x == 6", 1, "a cell magic takes the cell, so its checks are not seen"),
    "syntax": ("assert x = 6", 1, "the cell cannot be parsed"),
    "except BaseException": (
        "try:\n    assert x == 6\nexcept BaseException:\n    pass",
        1,
        "the failure is caught by its own except",
    ),
    "not more than itself": ("assert x <= x", 1, "it compares x with itself"),
    "not less than itself": ("assert x >= x", 1, "it compares x with itself"),
    "is itself": ("assert x is x", 1, "it compares x with itself"),
    "tuples compared": ("assert (1, 2) == (1, 2)", 1, "a constant is always true"),
    "sets compared": ("assert {1} == {1}", 1, "a constant is always true"),
    "dicts compared": ("assert {'a': 1} == {'a': 1}", 1, "a constant is always true"),
    "constants with or": ("assert 1 or 0", 1, "a constant is always true"),
    "tuple that gets a name": ("assert (y := (x, 1))", 1, "a tuple is always true; remove the parentheses"),
    "dict": ("assert {'a': x == 6}", 1, "a list is true as soon as it has items; is all() missing?"),
    "comprehension with not": (
        "assert [not v for v in x]",
        1,
        "a list is true as soon as it has items; is all() missing?",
    ),
    "assertIs": ("t.assertIs(x, x)", 1, "it compares x with itself"),
    "length and False": ("assert len(x) >= False", 1, "a length is never below 0"),
    "for a type checker": (
        "if typing.TYPE_CHECKING:\n    assert x == 6",
        1,
        "its condition is never true, so it is not run",
    ),
    "test with an argument by its name": (
        "def test_x(*, value):\n    assert value == 6",
        1,
        "the test needs value, but pytest fixtures",
    ),
    "decorated test with arguments": (
        "@slow\ndef test_x(value):\n    assert value == 6",
        2,
        "the test needs value, but pytest fixtures",
    ),
    "test with arguments that is repeated": (
        "@repeat(3)\ndef test_x(value):\n    assert value == 6",
        2,
        "the test needs value, but pytest fixtures",
    ),
}

CAN = {
    "comparison": "assert x == 6",
    "with a message": "assert x == 6, 'x must be 6'",
    "two calls": "assert next(it) == next(it)",
    "not a number": "assert x != x",
    "or": "assert x == 5 or x == 6",
    "empty": "assert not [v for v in x if v < 0]",
    "any": "assert [v for v in x if v > 0]",
    "all": "assert all(v > 0 for v in x)",
    "length": "assert len(x) > 0",
    "function that is called": "def check(v):\n    assert v == 6\ncheck(x)",
    "callback": "def check(v):\n    assert v == 6\nlist(map(check, x))\nassert x",
    "test that is called": "def test_x():\n    assert x == 6\ntest_x()",
    "await": "async def f(): return True\nassert await f()",
    "awaited by the statement": "async def f():\n    assert x == 6\nawait f()",
    "async test": "async def test_x():\n    assert x == 6",
    "except that fails": "try:\n    f(x)\n    assert False\nexcept AssertionError:\n    raise",
    "except that is checked": "try:\n    f(x)\n    late = 0\nexcept ValueError:\n    late = 1\nassert late",
    "except that remembers": (
        "failed = []\nfor v in x:\n    try:\n        assert v == 6\n    except AssertionError:\n"
        "        failed.append(v)\nassert not failed"
    ),
    "suppress of something else": (
        "def test_x():\n    with contextlib.suppress(Exception):\n        f(x)\n    assert x == 6"
    ),
    "except of something else": "try:\n    assert f(x) == 6\nexcept ValueError:\n    pass",
    "pytest.raises": "with pytest.raises(ValueError):\n    f(x)",
    "unittest": "class TestX(unittest.TestCase):\n    def test_x(self):\n        self.assertEqual(x, 6)",
    "unittest.main": (
        "class TestX(unittest.TestCase):\n    def test_x(self):\n        self.assertEqual(x, 6)\n"
        "unittest.main(argv=['x'], exit=False)"
    ),
    "base class": (
        "class Base(unittest.TestCase):\n    def same(self, a):\n        self.assertEqual(a, 6)\n"
        "class TestX(Base):\n    def test_x(self):\n        self.same(x)"
    ),
    "parametrized": "@pytest.mark.parametrize('v', [6])\ndef test_x(v):\n    assert v == x",
    "early return": "def test_x():\n    if x is None:\n        return\n    assert x == 6",
    "nested helper": "def test_x():\n    def inner():\n        assert x == 6\n    inner()",
    "test that calls a helper": "def check(v):\n    assert v == 6\ndef test_x():\n    check(x)",
    "test that passes a helper on": "def check(v):\n    assert v == 6\ndef test_x():\n    each(x, check)",
    "a range": "for v in range(3):\n    assert x[v] == 6",
    "a range of unknown length": "for v in range(n):\n    assert x[v] == 6",
    "what raises": "assert 1 / 0",
    "set-up": "expected = 6\nassert x == expected",
    "expected failure": "def test_x():\n    try: f(x)\n    except ValueError: return\n    raise OSError",
    "doctest": "import doctest\ndoctest.testmod()",
    "test of the notebook": "test_sums()",
    "awaited without a word": "async def f():\n    assert x == 6\nf()",
    "check that a decorator takes": "@register\ndef check_x():\n    assert x == 6\nassert x",
    "function without checks that is not called": "if x:\n    def show(): print(x)\n    assert x == 6",
    "inner function that is called": "if x:\n    def check(v):\n        assert v == 6\n    check(x)",
    "branch without checks": "def test_x():\n    if False:\n        print(x)\n    assert x == 6",
    "loop without checks": "def test_x():\n    for v in []:\n        print(v)\n    assert x == 6",
    "loop over what a function gives": "for v in rows(0):\n    assert v == 6",
    "a range that begins at 0": "for v in range(0, 3):\n    assert x[v] == 6",
    "no tuple": "assert ()",
    "text that may be empty": "assert f'{x}'",
    "a chain": "assert x == x == 6",
    "a function like isinstance": "assert same(x, object)",
    "isinstance of a pair": "assert isinstance(*pair)",
    "what may take long to compute": "assert 1 << 3",
    "what may take as long": "assert 2 * 3",
    "what Python warns of": "assert 1 is not 2",
    "nothing but ANY": "assert x is mock.ANY",
    "a function like len": "assert count(x) >= 0",
    "a number": "assert x >= 0",
    "a longer length": "assert len(x) >= 3",
    "an unknown length": "assert len(x) >= n",
    "a length that is never reached": "assert len(x) == -1",
    "a length above a number": "assert len(x) > +3",
    "a length above what may be below 0": "assert len(x) > -n",
    "assertTrue by its name": "t.assertTrue(expr=x == 6)",
    "assertGreater": "t.assertGreater(x, x)",
    "not equal": "assert_not_equal(x, x)",
    "two new lists": "assert [] is []",
    # Telling calls nothing, also where it could.
    "a call of a constant": "assert 'x'.zfill(3) == '00x'",
    "any below 0": "assert [-v for v in x]",
    "a copy of a list": "assert [*x]",
    "a copy of a dict": "assert {**x}",
    "test with an argument that it need not have": "def test_x(*, limit=6):\n    assert x == limit",
    "except where nothing is checked": (
        "def test_x():\n    try:\n        x.close()\n    except Exception:\n        pass\n    assert x == 6"
    ),
    "except that is checked afterwards": (
        "late = False\ntry:\n    assert f(x) == 6\nexcept AssertionError:\n    late = True\nassert not late"
    ),
    "with a lock": "with lock:\n    assert x == 6",
    "raises of a failing assert": "with pytest.raises(AssertionError):\n    assert x == 6",
    "suppress of OSError": "with contextlib.suppress(OSError):\n    assert x == 6",
}


@pytest.fixture(scope="module")
def notebook(kernel: LiveKernel) -> LiveKernel:
    kernel.run("import unittest\nasync def fetch(): return 1")
    return kernel


def problems(
    kernel: LiveKernel, *sources: str, role: str = "assertion", **fields: Any
) -> list[tuple[int, str]]:
    cells = [{"cellId": f"c{n}", "role": role, "source": source} for n, source in enumerate(sources)]
    reported = kernel.call("statements", cells=cells, **fields)["statements"]
    return [(statement["line"], statement["problem"]) for statement in reported if "problem" in statement]


async def fetch() -> None: ...


def problems_here(source: str) -> list[tuple[int, str]]:
    """Without a kernel."""
    reported = list_statements([{"cellId": "c", "role": "assertion", "source": source}], {"fetch": fetch})
    return [(statement["line"], statement["problem"]) for statement in reported if "problem" in statement]


@pytest.mark.parametrize("name", CANNOT)
def test_reported(name: str) -> None:
    source, line, problem = CANNOT[name]
    found = problems_here(source)
    assert (len(found), found[0][0]) == (1, line), found
    assert found[0][1].startswith(problem)


@pytest.mark.parametrize("name", CAN)
def test_left_alone(name: str) -> None:
    assert problems_here(CAN[name]) == []


@pytest.mark.parametrize(
    "name",
    (
        *("allclose", "isclose", "array_equal", "array_equiv", "equals", "isinstance"),
        *("issubset", "isdisjoint"),
    ),
)
def test_a_result_that_is_not_used(name: str) -> None:
    reported = "its result is not used; write assert before it"
    assert problems_here(f"thing.{name}(x, y)") == [(1, reported)]


def test_a_kernel_reports_the_same(notebook: LiveKernel) -> None:
    sources = [*(source for source, _, _ in CANNOT.values()), *CAN.values()]
    assert [problems(notebook, source) for source in sources] == [problems_here(s) for s in sources]


def test_a_function_called_by_another_cell(notebook: LiveKernel) -> None:
    assert problems(notebook, "def check(v):\n    assert v == 6", "check(x)\nassert x") == []


def test_a_cell_of_helpers(notebook: LiveKernel) -> None:
    assert problems(notebook, "def near(a, b): return abs(a - b) < 1", "assert near(x, 6)") == []
    assert problems(notebook, "def near(a, b): return abs(a - b) < 1", "assert x") == [
        (1, "the cell checks nothing")
    ]


def test_python_without_asserts(notebook: LiveKernel, python: str, tmp_path: Path) -> None:
    """`python -O`: an attempt checks all the same, a check in the live kernel does not."""
    source = "import unittest\nassert x == 6\nunittest.TestCase().assertEqual(x, 6)"
    assert problems(notebook, source, live=True) == []
    optimised = LiveKernel(python, tmp_path, ["-O"])
    try:
        reported = "Python runs with -O here, which removes asserts"
        assert problems(optimised, source, live=True) == [(2, reported)]
        assert problems(optimised, source) == []
        execution = optimised.attempt("x = 5", source)
        assert [result["outcome"] for result in execution["assertions"]] == ["failed", "failed"]
    finally:
        optimised.close()


def test_the_report_prints_nothing(notebook: LiveKernel) -> None:
    notebook.run("1")
    notebook.iopub()
    problems(notebook, "assert 1 is 1", "assert 9 ** 9 ** 9 ** 9", "assert 'x' * 10 ** 12", "assert (x, 'y')")
    assert [m["content"] for m in notebook.iopub(0.2) if m["msg_type"] == "stream"] == []


def test_holdouts_are_reported_without_their_source(notebook: LiveKernel) -> None:
    cells = [{"cellId": "h", "role": "holdout", "source": "assert (secret_value == 6, 'x')\nassert y == 7"}]
    reported = notebook.call("statements", cells=cells)["statements"]
    assert [(statement["source"], "problem" in statement) for statement in reported] == [
        ("", True),
        ("", False),
    ]
    assert "secret" not in str(reported)


def test_the_checks_of_the_corpora_can_fail(notebook: LiveKernel) -> None:
    reported = {row.name: problems(notebook, *row.checks) for row in rows()}
    assert {name: found for name, found in reported.items() if found} == {}
    assert {
        name: found for name, (_, check, *_) in COMPARISONS.items() if (found := problems(notebook, check))
    } == {}


@pytest.mark.skipif(not DATA.is_file(), reason=f"no MBPP at {DATA}")
def test_the_checks_of_mbpp_can_fail(notebook: LiveKernel) -> None:
    sources = ["\n".join([task["test_setup_code"], *task["test_list"]]) for task in tasks()]
    assert problems(notebook, *sources) == []
