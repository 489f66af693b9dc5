"""What checks and a scorer are found to say, without a kernel: set-up, classes, bounds, odd numbers."""

from __future__ import annotations

import asyncio
import fractions
import functools
import math
import sys
import unittest
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from jupyterlab_refine.kernel import (
    child,
    evaluating,
    judges,
    operands,
    running,
    scorer,
    scoring,
    tampering,
    tracebacks,
)


def shell_with(names: dict[str, Any]) -> Any:
    space = {"__name__": "__main__", **names}
    return SimpleNamespace(
        user_ns=space, user_global_ns=space, compile=SimpleNamespace(flags=0), ast_transformers=[]
    )


def checked(source: str, **names: Any) -> list[dict[str, Any]]:
    """What a check cell is told to have found."""
    told: list[dict[str, Any]] = []
    events: Any = SimpleNamespace(own_process=lambda: True, send=lambda _, result: told.append(result))
    shell = shell_with(names)
    displays: Any = None
    runner, teller = running.Runner(shell, displays), tracebacks.Teller(shell, "none")
    evaluator = evaluating.Evaluator(shell, runner, teller, events, "_looker_of_a_test")
    cell = {"cellId": "c", "role": "assertion", "source": source}
    asyncio.run(evaluator.cell(cell, lambda _: None))
    return told


def outcome(source: str, **names: Any) -> str:
    """Of a cell with one check."""
    (told,) = checked(source, **names)
    return told["outcome"]


def test_a_set_up_is_blamed_for_its_first_error() -> None:
    """What fails after it mostly fails because of it."""
    (told,) = checked("rows = {}['a']\nlast = rows[-1]\nassert last == 3")
    assert told["outcome"] == "error"
    assert told["difference"] == "not evaluated: the set-up above it raised KeyError"
    assert told["error"]["message"] == "'a'"


def test_a_check_that_says_nothing_is_told_no_difference() -> None:
    (told,) = checked("assert rows", rows=[])
    assert told["outcome"] == "failed" and "difference" not in told
    (told,) = checked("assert rows, ' '", rows=[])
    assert "difference" not in told


def test_a_long_message_of_a_check_is_cut() -> None:
    (told,) = checked("assert rows, 'too few rows' + 10000 * '!'", rows=[])
    assert told["difference"].startswith("too few rows!!!") and len(told["difference"]) == 2000


CLASS = """
class TestRows:
    tests = 3
    test_data = [1, 2]
    def assert_sorted(self, rows):
        assert rows == sorted(rows)
    def setup_method(self):
        opened.append(self)
    def teardown_method(self):
        opened.remove(self)
    def test_first(self):
        assert len(opened) == 1
        self.assert_sorted(rows)
    def test_second(self):
        assert len(opened) == 1
"""


@pytest.mark.parametrize(("rows", "told"), [([1, 2], "passed"), ([2, 1], "failed")])
def test_only_the_tests_of_a_class_are_run_each_with_its_own_set_up(rows: list[int], told: str) -> None:
    opened: list[Any] = []
    assert outcome(CLASS, rows=rows, opened=opened) == told
    # What fails is put in order again as well.
    assert opened == []


PARAMETERS: dict[str, tuple[Any, list[dict[str, Any]]]] = {
    "no mark": ([], [{}]),
    "names as a text": ([("n, m", [(1, 2), (3, 4)])], [{"n": 1, "m": 2}, {"n": 3, "m": 4}]),
    "names as a list": ([(["n", "m"], [(1, 2)])], [{"n": 1, "m": 2}]),
    "one name": ([("n", [(1, 2), "ab"])], [{"n": (1, 2)}, {"n": "ab"}]),
    "rows with a name": (
        [("n, m", [pytest.param(1, 2, id="first"), (3, 4)])],
        [{"n": 1, "m": 2}, {"n": 3, "m": 4}],
    ),
    "one value with a name": ([("n", [pytest.param([1], id="first")])], [{"n": [1]}]),
    "crossed": ([("n", [1, 2]), ("m", [3])], [{"n": 1, "m": 3}, {"n": 2, "m": 3}]),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_each_row_of_parameters_is_a_call(name: str) -> None:
    marks, calls = PARAMETERS[name]
    got: list[dict[str, Any]] = []

    def test(**given: Any) -> None:
        got.append(given)

    for names, rows in marks:
        test = pytest.mark.parametrize(names, rows)(test)
    asyncio.run(evaluating.run_test(test))
    assert got == calls


def test_parameters_that_are_given_by_keyword() -> None:
    got: list[int] = []

    @pytest.mark.parametrize(argvalues=[1, 2], argnames="n")
    def test(n: int) -> None:
        got.append(n)

    asyncio.run(evaluating.run_test(test))
    assert got == [1, 2]


@pytest.mark.parametrize("arguments", [(), ("n", [1, 2])])
def test_other_marks_bring_no_parameters(arguments: tuple[Any, ...]) -> None:
    got: list[int] = []

    def test(**given: Any) -> None:
        got.append(len(given))

    test.pytestmark = [SimpleNamespace(name="slow", args=arguments, kwargs={})]  # type: ignore[attr-defined]
    asyncio.run(evaluating.run_test(test))
    assert got == [0]


def test_a_failure_that_a_test_reports_without_an_error_is_none_the_less_one() -> None:
    class TestOdd(unittest.TestCase):
        def run(self, result: Any = None) -> Any:
            result.startTest(self)
            result.addFailure(self, (None, None, None))
            return result

        def test_it(self) -> None: ...

    assert outcome("class TestIt(Odd):\n    def test_it(self): assert 1", Odd=TestOdd) == "error"


async def broken_run() -> None:
    raise OSError("the harness")


@pytest.mark.timeout(10)
def test_a_broken_harness_says_so_and_waits_for_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """It must neither return nor compute: what is left of it belongs to the candidate."""

    class Paused(Exception):
        pass

    def pause() -> None:
        raise Paused

    told: list[str] = []
    attempt: Any = child._Attempt.__new__(child._Attempt)
    attempt._run = broken_run
    attempt._events = SimpleNamespace(send=lambda event, message: told.append(f"{event}: {message}"))
    monkeypatch.setattr(child.signal, "pause", pause)
    with pytest.raises(Paused):
        asyncio.run(attempt.run())
    assert len(told) == 1 and told[0].startswith("broken: ") and "OSError: the harness" in told[0]


# What checks judge with


def judged(source: str, **names: Any) -> list[str]:
    """Functions of libraries whose meaning must not change before this check."""
    return [*judges.Judges([{"source": source}], [], names).next(1)]


def own(*_: Any) -> bool:
    return True


own.__module__ = "__main__"

JUDGES: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "the result of a function of the user's": (
        "assert isclose(f(3), 9)",
        {"isclose": math.isclose, "f": own},
        ["isclose"],
    ),
    "a value that is not there yet": ("assert isclose(z, 9)", {"isclose": math.isclose}, ["isclose"]),
    "builtins are nobody's result": ("assert gcd(12, 8) == abs(-4)", {"gcd": math.gcd}, []),
    "nor are modules": ("assert gcd(12, 8) == math.gcd(12, 8)", {"gcd": math.gcd, "math": math}, []),
    "a function of the user's with a builtin's name": (
        "assert isclose(max(1, 2), 2)",
        {"isclose": math.isclose, "max": own},
        ["isclose"],
    ),
    "what is given to a judge is the result": (
        "assert isclose(median, 3)",
        {"isclose": math.isclose, "median": np.median},
        ["isclose"],
    ),
    "a class that is given to one judges too": (
        "assert check(z, Fraction)",
        {"check": np.testing.assert_equal, "Fraction": fractions.Fraction, "z": 1},
        ["check", "Fraction"],
    ),
    "imported by the check under another name": (
        "from math import isclose as near\nassert near(z, 6)",
        {"near": math.isclose, "isclose": math.isclose, "z": 1},
        [],
    ),
}


@pytest.mark.parametrize("name", JUDGES)
def test_what_a_check_judges_with(name: str) -> None:
    source, names, told = JUDGES[name]
    assert sorted(judged(source, **names)) == sorted(told)


def test_a_judge_of_another_library_has_the_same_bare_name(monkeypatch: pytest.MonkeyPatch) -> None:
    # An entry that is no module: some packages leave such.
    monkeypatch.setitem(sys.modules, "odd", None)  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "odder", SimpleNamespace(isclose=own))  # type: ignore[arg-type]
    meant = tampering.fingerprint("isclose", {"isclose": np.isclose})
    assert judges.same_elsewhere("isclose", meant)
    assert not judges.same_elsewhere("isclose", tampering.fingerprint("gcd", {"gcd": math.gcd}))
    assert not judges.same_elsewhere("isclose", None)
    # What a module was made to have is no import of another function: `np.isclose = mine`.
    assert not judges.same_elsewhere("np.isclose", tampering.fingerprint("np.isclose", {"np": np}))


# What a scorer gives


def measured(source: str, missing: dict[str, str] | None = None, **names: Any) -> dict[str, Any]:
    cell = scoring._compiled(source, "_looker_of_a_test", 0)
    looker = operands.Looker("_looker_of_a_test", strict=False)
    return asyncio.run(scorer.measure(cell, {}, missing or {}, shell_with(names), looker))


def test_a_long_comment_is_cut() -> None:
    told = measured("def score(ns): return 1, 'good' + 10000 * '!'")
    assert told["comment"].startswith("good!!!") and len(told["comment"]) == 2000


def test_an_error_of_the_scorer_points_to_no_line_of_the_candidate() -> None:
    space: dict[str, Any] = {}
    exec(compile("def f():\n    return 1 / 0", tracebacks.CANDIDATE, "exec"), space)
    error = measured("def score(ns): return ns['f']()", f=space["f"])["error"]
    assert error["name"] == "ZeroDivisionError" and "candidateLine" not in error


def test_only_a_scorer_that_cannot_be_compiled_is_broken_by_that() -> None:
    said = f"{scorer.NOT_COMPILED}: it says"
    told = measured("def score(ns): return ns['f']()", f=functools.partial(int, said))
    assert said in told["error"]["message"] and "broken" not in told
    assert measured("def score(ns) return 1")["broken"].startswith(f"SyntaxError: {scorer.NOT_COMPILED}")


def test_why_a_scorer_cannot_be_compiled_is_cut() -> None:
    broken = measured(f"def score(ns): return f({'x' * 5000}=1, {'x' * 5000}=2)")["broken"]
    assert broken.startswith("SyntaxError: ") and len(broken) == 300


@pytest.mark.parametrize("key", ["which", "0", "'y', 1", "-1", "f'{which}'"])
def test_a_scorer_may_have_any_keys(key: str) -> None:
    """Where hidden data is missing, its source is searched for it."""
    source = f"which = 'x'\ndef score(ns):\n    ns['rows'][{key}]\n    return ns['y_test']"
    told = measured(source, {"y_test": "it is too large"}, rows={})
    assert told["broken"] == "y_test is not there: it is too large"
    assert "broken" not in measured(source, {"y_train": "it is too large"}, rows={})


class Own(int):
    def __truediv__(self, _: Any) -> float:
        return 100.0

    __rtruediv__ = __truediv__


@pytest.mark.parametrize("parts", [(Own(1), 2), (1, Own(2)), (1, 0), (1.5, 2), (None, 2)])
def test_a_fraction_of_odd_parts_is_no_number(parts: tuple[Any, Any]) -> None:
    """Its parts are attributes that a candidate may set."""
    value: Any = fractions.Fraction(1, 2)
    value._numerator, value._denominator = parts
    with pytest.raises(scorer._Wrong, match="a value of type fractions.Fraction, not a plain number"):
        scorer.exact(value)
    assert scorer.exact(fractions.Fraction(1, 4)) == 0.25
