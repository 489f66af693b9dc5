"""What test frameworks report counts, whatever the check does with it; each test that ran is a row."""

from __future__ import annotations

import pytest
from check_results import first, outcomes
from live_kernel import LiveKernel, reasons, verdict

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True

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
    "a main in a variable": (
        CLASS + "r = unittest.main(argv=[''], verbosity=2, exit=False)",
        "TestAdd.test_add",
    ),
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
    "a test by hand": (CLASS + "TestAdd('test_add').run()", "TestAdd.test_add"),
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


def test_doctests_of_the_candidate_are_not_confirmed(checks: LiveKernel) -> None:
    source = "def add(a, b):\n    '''\n    >>> add(1, 2)\n    3\n    '''\n    return a {} b"
    check = "import doctest\ndoctest.testmod()"
    right, wrong = (checks.attempt(source.format(sign), check) for sign in "+-")
    assert verdict(right) == "unconfirmed" and "no examples were found" in reasons(right)[0]
    assert verdict(wrong) == "failed"
    assert first(wrong)["source"] == "add: example 1 (>>> add(1, 2))"


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
    "no test, in a variable": (
        "r = unittest.TextTestRunner().run(unittest.TestSuite())",
        "no tests were collected",
    ),
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
    "methods called by hand": (
        "import unittest\nclass TestAdd(unittest.TestCase):\n    def test_add(self, f):\n"
        "        self.assertEqual(f(1, 2), 3)\n\nTestAdd().test_add(add)"
    ),
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
