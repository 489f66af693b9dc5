"""Checks on a real kernel that are tests: functions, classes, doctests, hypothesis and pytest."""

from __future__ import annotations

import sys

import pytest
from check_results import first, outcomes
from live_kernel import LiveKernel

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True


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
    main = "unittest.main(argv=['x'], exit=False)"
    tests = "class TestS(unittest.TestCase):\n    def test_s(self):\n        self.assertEqual(s, {})\n"
    assert outcomes(checks.attempt("s = 1", tests.format(1) + main)) == ["passed"]
    assert outcomes(checks.attempt("s = 1", tests.format(2) + main)) == ["failed"]


def test_plain_test_classes(checks: LiveKernel) -> None:
    source = """
class TestP:
    def setup_method(self):
        self.x = r
    def test_a(self):
        assert self.x == 1
"""
    assert outcomes(checks.attempt("r = 1", source)) == ["passed"]
    assert outcomes(checks.attempt("r = 2", source)) == ["failed"]


def test_doctests(checks: LiveKernel) -> None:
    candidate = 'def double(n):\n    """\n    >>> double(2)\n    {}\n    """\n    return 2 * n'
    check = "import doctest\ndoctest.testmod()"
    assert outcomes(checks.attempt(candidate.format(4), check)) == ["passed"]
    assert outcomes(checks.attempt(candidate.format(5), check)) == ["failed"]
    assert first(checks.attempt("pass", check))["difference"] == "no examples were found"


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


PYTEST = {
    "nothing raised": ("def f(): return 1", "failed", "DID NOT RAISE", "ValueError"),
    "something else raised": ("def f(): raise KeyError('k')", "error", "", "KeyError"),
    "another message": ("def f(): raise ValueError('odd')", "failed", "Actual message: 'odd'", ""),
    "as expected": ("def f(): raise ValueError('even')", "passed", "", ""),
}


@pytest.mark.parametrize("name", PYTEST)
def test_pytest_raises(checks: LiveKernel, name: str) -> None:
    candidate, outcome, difference, error = PYTEST[name]
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
    assert outcomes(checks.attempt("r = 3.0000001", "assert r == pytest.approx(3)")) == ["error"]
    passes = "import pytest\nassert r == pytest.approx(3)"
    assert outcomes(checks.attempt("r = 3.0000001", passes)) == ["passed"]


def test_a_branch_that_only_fails_is_rightly_not_reached(checks: LiveKernel) -> None:
    sources = (
        "if f(1):\n    assert False, 'odd'",
        "for n in (1, 3):\n    if f(n):\n        assert 0\n    elif n > 5:\n        assert False",
        "try:\n    f(2)\nexcept ValueError:\n    assert False",
    )
    right = checks.attempt("def f(n): return n % 2 == 0", *sources)
    assert outcomes(right) == ["passed"] * 3
    assert all(one["confirmed"] is True for one in right["assertions"])
    wrong = checks.attempt("def f(n):\n    if n == 2: raise ValueError\n    return True", *sources)
    assert outcomes(wrong) == ["failed"] * 3


def test_a_loop_over_nothing_does_not_fail(checks: LiveKernel) -> None:
    loops = ("for row in rows:\n    assert row", "for row in rows:\n    assert False, row")
    assert outcomes(checks.attempt("rows = []", *loops)) == ["passed", "passed"]
    assert outcomes(checks.attempt("rows = [1]", *loops)) == ["passed", "failed"]
