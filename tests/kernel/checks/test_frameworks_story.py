"""Checks that are tests: functions, classes, doctests, hypothesis, pytest. Each test that ran is a row."""

from __future__ import annotations

import sys

import pytest
from live_kernel import LiveKernel, first, outcomes, reasons, verdict

RIGHT = "def add(a, b):\n    return a + b"
WRONG = "def add(a, b):\n    return a - b"
CLASS = (
    "import unittest\nclass TestAdd(unittest.TestCase):\n"
    "    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n"
)
DOCTEST = "import doctest\nadd.__doc__ = '>>> add(1, 2)\\n3\\n'\n"
FUNCTION = "def test_add():\n    assert add(1, 2) == 3\n"
PYTEST = f"import pytest, pathlib, sys\npathlib.Path('test_it.py').write_text('''{FUNCTION}''')\n"

#: How a check runs its tests, and the name of the row that they give.
RUNNERS = {
    "nothing runs the class": (CLASS, "TestAdd.test_add"),
    "unittest.main": (CLASS + "unittest.main(argv=[''], exit=False)", "TestAdd.test_add"),
    "a main that exits": (CLASS + "unittest.main(argv=[''])", "TestAdd.test_add"),
    "a main under a guard": (
        CLASS + "if __name__ == '__main__':\n    unittest.main(argv=['first'], exit=False)",
        "TestAdd.test_add",
    ),
    "a runner": (
        CLASS
        + "suite = unittest.TestLoader().loadTestsFromTestCase(TestAdd)\n"
        + "unittest.TextTestRunner().run(suite)",
        "TestAdd.test_add",
    ),
    "a suite by hand": (
        CLASS + "s = unittest.TestSuite([TestAdd('test_add')])\nr = unittest.TestResult()\ns.run(r)",
        "TestAdd.test_add",
    ),
    "sub-tests": (
        "import unittest\nclass TestAdd(unittest.TestCase):\n    def test_add(self):\n"
        "        for b in (0, 2):\n            with self.subTest(b=b):\n"
        "                self.assertEqual(add(1, b), 1 + b)\n",
        "TestAdd.test_add",
    ),
    "run_docstring_examples": (
        DOCTEST + "doctest.run_docstring_examples(add, globals())",
        "docstring: example 1 (>>> add(1, 2))",
    ),
    "a runner of doctest": (
        DOCTEST
        + "for test in doctest.DocTestFinder().find(add, 'add', globs={'add': add}):\n"
        + "    doctest.DocTestRunner(verbose=True).run(test)",
        "add: example 1 (>>> add(1, 2))",
    ),
    "parametrize": (
        "import pytest\n@pytest.mark.parametrize('a, b, c', [(1, 2, 3)])\n"
        "def test_add(a, b, c):\n    assert add(a, b) == c",
        "test_add[1-2-3]",
    ),
    "a fixture": (
        "import pytest\n@pytest.fixture\ndef one():\n    return 1\n\n"
        "def test_add(one):\n    assert add(one, 2) == 3",
        "def test_add(one):",
    ),
    "a plain class": (
        "class TestAdd:\n    def setup_method(self):\n        self.sum = add(1, 2)\n"
        "    def test_add(self):\n        assert self.sum == 3",
        "TestAdd.test_add",
    ),
    "a test of a function": ("async " + FUNCTION, "async def test_add():"),
}


@pytest.mark.parametrize("name", RUNNERS)
def test_a_failure_counts_however_tests_are_run(checks: LiveKernel, name: str) -> None:
    check, row = RUNNERS[name]
    right, wrong = checks.attempt(RIGHT, check), checks.attempt(WRONG, check)
    assert verdict(right) == "confirmed", reasons(right)
    assert verdict(wrong) == "failed"
    for execution in (right, wrong):
        assert [one["source"].splitlines()[0] for one in execution["assertions"]] == [row]
    result = first(wrong)
    assert (result["observed"]["repr"], result["expected"]["repr"]) == ("-1", "3")


def test_doctests_of_the_candidate_are_confirmed(checks: LiveKernel) -> None:
    source = "def add(a, b):\n    '''\n    >>> add(1, 2)\n    3\n    '''\n    return a {} b"
    check = "import doctest\ndoctest.testmod()"
    right, wrong = (checks.attempt(source.format(sign), check) for sign in "+-")
    assert (verdict(right), verdict(wrong)) == ("confirmed", "failed")
    assert first(wrong)["source"] == "add: example 1 (>>> add(1, 2))"


#: As otter's: it takes the globals of its caller, and its cases are doctests.
OTTER = """
import doctest, sys, types
from types import SimpleNamespace as Made
sys.modules["otter.check.notebook"] = module = types.ModuleType("otter.check.notebook")
class Notebook:
    def check(self, question, global_env=None):
        found = doctest.DocTestParser().get_doctest(
            ">>> add(1, 2)\\n3\\n", global_env or sys._getframe(1).f_globals, question + " 0", "", 0)
        lines = []
        failed = doctest.DocTestRunner(verbose=True).run(found, out=lines.append).failed
        return Made(test_case_results=[
            Made(test_case=Made(name=question + " - 1"), passed=not failed, message="".join(lines))])
module.Notebook = Notebook
grader = Notebook()
"""


def test_otter_tests_what_the_notebook_has(checks: LiveKernel) -> None:
    checks.run(OTTER)
    right, wrong = (checks.attempt(code, 'grader.check("q1")') for code in (RIGHT, WRONG))
    assert (outcomes(right), outcomes(wrong)) == (["passed"], ["failed"])
    result = first(wrong)
    assert result["source"] == "q1 - 1 (>>> add(1, 2))"
    assert (result["observed"]["repr"], result["expected"]["repr"]) == ("-1", "3")


def test_pytest_runs_a_file(checks: LiveKernel) -> None:
    checks.run(
        PYTEST + "sys.path.insert(0, '')\npathlib.Path('added.py').write_text('def add(a, b): return a - b')"
    )
    checks.run(
        "pathlib.Path('test_it.py').write_text('from added import add\\n' + open('test_it.py').read())"
    )
    execution = checks.attempt("pass", "code = pytest.main(['-q', '-p', 'no:cacheprovider', 'test_it.py'])")
    assert [(one["source"], one["outcome"]) for one in execution["assertions"]] == [("test_add", "failed")]
    execution = checks.attempt("pass", "pytest.main(['-q', '-k', 'nothing', 'test_it.py'])")
    assert first(execution)["difference"] == "no tests were collected"


NONE = {
    "no test": ("suite = unittest.TestSuite()\nsuite.run(unittest.TestResult())", "no tests were collected"),
    "no example": (
        "import doctest\ndoctest.run_docstring_examples(add, globals())",
        "no examples were found",
    ),
    "all skipped": (
        "class TestAdd(unittest.TestCase):\n    @unittest.skip('later')\n    def test_add(self): pass\n",
        "every test was skipped",
    ),
}


@pytest.mark.parametrize("name", NONE)
def test_a_framework_that_runs_nothing_is_no_pass(checks: LiveKernel, name: str) -> None:
    check, reason = NONE[name]
    result = first(checks.attempt(RIGHT, "import unittest\n" + check))
    assert (result["outcome"], result["difference"]) == ("failed", reason)


def test_a_skipped_test_is_no_row(checks: LiveKernel) -> None:
    skipped = "    @unittest.skip('later')\n    def test_more(self): pass\n"
    execution = checks.attempt(RIGHT, CLASS + skipped)
    assert outcomes(execution) == ["passed"]
    assert execution["warnings"] == ["Skipped: TestAdd.test_more (later)"]


HELPERS = {
    "fastcore's": "def test_eq(a, b):\n    assert a == b\n\ntest_eq(add(1, 2), 3)",
    "called with defaults": "def test(f, g=add):\n    assert f(1, 2) == g(2, 1) == 3\n\ntest(add)",
    "called by another": (
        "def main():\n    for one in tests: one()\n\n" + FUNCTION + "tests = [test_add]\nmain()"
    ),
}


@pytest.mark.parametrize("name", HELPERS)
def test_a_helper_is_not_called_again(checks: LiveKernel, name: str) -> None:
    right, wrong = checks.attempt(RIGHT, HELPERS[name]), checks.attempt(WRONG, HELPERS[name])
    assert (outcomes(right), outcomes(wrong)) == (["passed"], ["failed"])


def test_a_framework_that_the_candidate_patched_confirms_nothing(checks: LiveKernel) -> None:
    patch = "import unittest\nunittest.TestCase.run = lambda self, result=None: result.addSuccess(self)\n"
    execution = checks.attempt(patch + WRONG, CLASS + "unittest.main(argv=[''], exit=False)")
    assert verdict(execution) in ("unconfirmed", "failed")
    # What listens is gone after the checks.
    assert checks.evaluate("unittest.TestCase.run.__module__")["text/plain"] == "'unittest.case'"


def test_test_functions_are_called(checks: LiveKernel) -> None:
    source = """
def test_one():
    assert r == 1

async def test_two():
    import asyncio
    await asyncio.sleep(0)
    assert r == 2

def helper(x):
    assert x == 1

helper(r)
def test_three():
    assert r
test_three()
"""
    execution = checks.attempt("r = 1", source)
    assert outcomes(execution) == ["passed", "failed", "passed", "passed"]
    result = execution["assertions"][1]
    assert (result["line"], result["observed"]["repr"], result["expected"]["repr"]) == (5, "1", "2")


def test_parametrized_tests(checks: LiveKernel) -> None:
    source = (
        "import pytest\n@pytest.mark.parametrize('n, m', [(1, 1), (2, 2), (3, 4)])\n"
        "def test_n(n, m):\n    assert n == m\n\n"
        "class TestMore:\n    @pytest.mark.parametrize('n', [5])\n"
        "    def test_m(self, n):\n        assert n == 5\n"
        "    @pytest.mark.skip\n    def test_s(self):\n        assert False"
    )
    execution = checks.attempt("pass", source)
    assert outcomes(execution) == ["passed", "passed", "failed", "passed"]
    third, fourth = execution["assertions"][2:]
    assert (third["source"], fourth["source"]) == ("test_n[3-4]", "TestMore.test_m[5]")
    assert (third["observed"]["repr"], third["expected"]["repr"]) == ("3", "4")


def test_unittest_classes(checks: LiveKernel) -> None:
    source = """
class TestR(unittest.TestCase):
    def test_a(self):
        self.assertEqual(r, 1)
    def test_b(self):
        self.assertEqual(r, 2)
    def test_c(self):
        assert r == 3
class TestAsync(unittest.IsolatedAsyncioTestCase):
    async def test_a(self):
        assert r == 1
"""
    execution = checks.attempt("r = 1", source)
    assert outcomes(execution) == ["passed", "failed", "failed", "passed"]
    second = execution["assertions"][1]
    assert (second["id"], second["source"]) == ("assertion-0:2.TestR.test_b", "TestR.test_b")
    assert (second["observed"]["repr"], second["expected"]["repr"]) == ("1", "2")


def test_hypothesis_reports_the_failing_example(checks: LiveKernel) -> None:
    source = (
        "from hypothesis import given, strategies as st\n"
        "@given(st.integers())\ndef test_double(n):\n    assert double(n) == 2 * n"
    )
    execution = checks.attempt("def double(n): return 2 * n if n < 100 else 0", source)
    assert outcomes(execution) == ["failed"]
    result = first(execution)
    assert (result["observed"]["repr"], result["expected"]["repr"]) == ("0", "200")
    assert result["error"]["locals"][0] == {"name": "n", "type": "int", "repr": "100"}
    if sys.version_info >= (3, 11):
        assert "test_double(\n    n=100" in result["error"]["traceback"]
    # Its own data base is nothing that the candidate wrote.
    assert execution["filesWritten"] == []
    assert outcomes(checks.attempt("def double(n): return 2 * n", source)) == ["passed"]


RAISES = {
    "nothing raised": ("def f(): return 1", "failed", "DID NOT RAISE", "ValueError"),
    "something else raised": ("def f(): raise KeyError('k')", "error", "", "KeyError"),
    "another message": ("def f(): raise ValueError('odd')", "failed", "Actual message: 'odd'", ""),
    "as expected": ("def f(): raise ValueError('even')", "passed", "", ""),
}


@pytest.mark.parametrize("name", RAISES)
def test_pytest_raises(checks: LiveKernel, name: str) -> None:
    candidate, outcome, difference, error = RAISES[name]
    source = "import pytest\nwith pytest.raises(ValueError, match='even'):\n    f()"
    result = first(checks.attempt(candidate, source))
    assert result["outcome"] == outcome, result
    assert difference in result.get("difference", "")
    assert error in str(result.get("error", ""))


def test_pytest_fail_and_approx(checks: LiveKernel) -> None:
    result = first(checks.attempt("r = 3", "import pytest\nif r > 2:\n    pytest.fail('too many rows')"))
    assert (result["outcome"], result["difference"]) == ("failed", "too many rows")
    result = first(checks.attempt("r = 3.5", "import pytest\nassert r == pytest.approx(3)"))
    assert result["outcome"] == "failed"
    assert (result["observed"]["repr"], result["expected"]["repr"][:3]) == ("3.5", "3 \xb1")
    assert "type" not in result.get("difference", "")
    passes = "import pytest\nassert r == pytest.approx(3)"
    assert outcomes(checks.attempt("r = 3.0000001", passes)) == ["passed"]
