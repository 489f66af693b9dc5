"""What checks and a scorer are found to say, without a kernel: set-up, classes, bounds, odd numbers."""

from __future__ import annotations

import asyncio
import fractions
import functools
import io
import json
import linecache
import math
import sys
import unittest
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from test_scorer import WRONG

from jupyterlab_refine.kernel import (
    child,
    evaluating,
    judges,
    operands,
    reliance,
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


@pytest.fixture(autouse=True)
def no_lines_of_earlier_tests() -> None:
    linecache.clearcache()


def checked(
    source: str, passed: list[str] | None = None, is_own: bool = True, **names: Any
) -> list[dict[str, Any]]:
    """What a check cell is told to have found.

    :param passed: gets the sources of checks that held.
    """
    told: list[dict[str, Any]] = []
    events: Any = SimpleNamespace(own_process=lambda: is_own, send=lambda _, result: told.append(result))
    shell = shell_with(names)
    displays: Any = None
    runner, teller = running.Runner(shell, displays), tracebacks.Teller(shell, "none")
    noted = passed if passed is not None else []
    evaluator = evaluating.Evaluator(shell, runner, teller, events, "_looker_of_a_test")
    cell = {"cellId": "c", "role": "assertion", "source": source}
    asyncio.run(evaluator.cell(cell, lambda statement: noted.append(statement.source)))
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


def test_only_checks_that_hold_are_looked_at_for_impostors() -> None:
    passed: list[str] = []
    told = checked("assert z\nassert not z\nassert z + 'x'", passed, z=1)
    assert [one["outcome"] for one in told] == ["passed", "failed", "error"]
    assert passed == ["assert z"]


def test_an_error_shows_the_line_of_the_check_and_explains_no_operands() -> None:
    (told,) = checked("assert rows == [1] and rows[3] == 5", rows=[1])
    assert (told["outcome"], told["error"]["name"]) == ("error", "IndexError")
    assert "assert rows == [1] and rows[3] == 5" in told["error"]["traceback"]
    assert not {"operator", "observed", "expected", "operands", "difference"} & {*told}


def test_what_differs_is_told_before_what_the_check_says() -> None:
    (told,) = checked("assert total == 6, 'the total is wrong'", total=5)
    assert told["difference"] == "1 too low"


def test_asserts_of_an_earlier_check_count_for_no_later_one() -> None:
    told = checked("assert z == 1\nfor row in []:\n    assert row", z=1)
    assert [one["outcome"] for one in told] == ["passed", "not-run"]
    told = checked("assert z == 2\ntest_it()", z=1, test_it=lambda: unittest.TestCase().fail("no"))
    assert told[1]["difference"] == "no" and "observed" not in told[1]


def test_a_call_of_a_test_tells_no_arguments_as_if_it_compared_them() -> None:
    (told,) = checked("test_it(z)", z=5, test_it=lambda z: unittest.TestCase().fail("no"))
    assert told["outcome"] == "failed" and "operands" not in told and "observed" not in told


@pytest.mark.parametrize(
    "source", ["assert not done.append(1)", "done.append(1)"], ids=["a check", "a set-up"]
)
def test_a_fork_that_a_check_leaves_tells_nothing_and_goes_on_with_nothing(source: str) -> None:
    done: list[int] = []
    assert checked(f"{source}\ndone.append(2)\nassert done", is_own=False, done=done) == []
    assert done == [1]


ERRORS: dict[str, tuple[BaseException, bool, str]] = {
    "an assert": (AssertionError("no"), False, "failed"),
    "a set-up": (AssertionError("no"), True, "error"),
    "anything else": (KeyError("k"), False, "error"),
    "an end": (SystemExit(), False, "not-run"),
    "an end without failures": (SystemExit(0), False, "not-run"),
    "an end with failures": (SystemExit(3), False, "error"),
    "pytest.fail": (pytest.fail.Exception("no"), False, "failed"),
    "pytest.skip": (pytest.skip.Exception("no"), False, "error"),
    "a class of that name": (type("Failed", (Exception,), {})("no"), False, "error"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_what_becomes_of_a_check_that_raises(name: str) -> None:
    error, broken, told = ERRORS[name]
    assert evaluating._outcome(error, broken) == told


class Results(NamedTuple):
    failed: int = 3
    attempted: int = 3


@pytest.mark.parametrize("name", ["TestResults", "Others"])
@pytest.mark.parametrize("module", ["doctest", "mine"])
def test_only_results_of_doctest_are_read(name: str, module: str) -> None:
    value = type(name, (Results,), {"__module__": module})()
    told = outcome("test_it()", test_it=lambda: value)
    assert told == ("failed" if (name, module) == ("TestResults", "doctest") else "passed")


LOOPS = """
class TestAsync(unittest.IsolatedAsyncioTestCase):
    async def test_it(self):
        assert z
class TestSync(unittest.TestCase):
    def test_it(self):
        assert asyncio.get_event_loop() is loop
def test_here():
    assert asyncio.get_running_loop() is loop
"""


def test_tests_with_a_loop_of_their_own_leave_that_of_the_cells() -> None:
    told = checked("loop = asyncio.get_running_loop()" + LOOPS, z=1, asyncio=asyncio, unittest=unittest)
    assert [one["outcome"] for one in told] == ["passed"] * 3


def test_one_failure_of_a_class_is_told_as_what_it_is() -> None:
    tests = "    def test_it(self): assert rows[3]\n    def test_that(self): pass"
    source = f"class TestIt(unittest.TestCase):\n{tests}"
    (told,) = checked(source, rows=[], unittest=unittest)
    assert (told["outcome"], told["error"]["name"]) == ("error", "IndexError")


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


def test_each_check_has_the_judges_that_it_calls() -> None:
    cells = [{"source": source} for source in ("assert isclose(z, 1)", "assert z", "assert sqrt(z) == 1")]
    found = judges.Judges(cells, [], {"isclose": math.isclose, "sqrt": math.sqrt})
    assert [[*found.next(count)] for count in (1, 2, 1)] == [["isclose"], ["sqrt"], []]


def test_checks_without_a_function_of_a_library_are_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most have none."""
    monkeypatch.setattr(judges.statements, "trees", lambda _: pytest.fail("parsed"))
    assert judged("assert z == 1", z=1) == []


# What a scorer gives


def measured(source: str, missing: dict[str, str] | None = None, **names: Any) -> dict[str, Any]:
    cell = scoring._compiled(source, "_looker_of_a_test", 0)
    looker = operands.Looker("_looker_of_a_test", strict=False)
    return asyncio.run(scorer.measure(cell, {}, missing or {}, shell_with(names), looker))


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_scorer_is_told(name: str) -> None:
    source, message = WRONG[name]
    told = measured(source, x=1, np=np)
    assert told["value"] is None and message in told["error"]["message"]


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


def test_names_of_the_candidates_do_not_name_the_score() -> None:
    names = {"goal": "min", "name": "mine", "unit": "EUR", "score": own}
    assert measured("def score(ns): return 1", **names) == {"value": 1.0, "goal": "max", "name": "score"}
    assert "defines no function" in measured("x = 1", **names)["broken"]


def test_names_and_units_are_bounded_and_may_be_blank() -> None:
    told = measured(f"name = {'n' * 5000!r}\nunit = ' '\ndef score(ns): return 1")
    assert told["name"] == "n" * 57 + "..." and "unit" not in told


def test_a_scorer_sees_what_the_candidate_names_and_not_what_the_shell_keeps() -> None:
    told = measured("def score(ns): return ns['x'] + ('_5' in ns) + ('_' in ns)", x=3, _5=1, _=1)
    assert told["value"] == 3.0


def test_hidden_data_that_a_score_did_without_is_no_error() -> None:
    missing = {"y_test": "it is too large"}
    assert "error" not in measured("def score(ns): return 1", missing)
    error = measured("def score(ns): return ns['z']", missing)["error"]
    assert error["message"].endswith("(y_test is not there: it is too large)")
    assert not measured("def score(ns): return ns['z']")["error"]["message"].endswith(")")


def test_the_line_of_the_scorer_that_failed_is_shown() -> None:
    assert "return 1 / zero" in measured("def score(ns):\n    return 1 / zero", zero=0)["error"]["traceback"]


@pytest.mark.parametrize("value", [np.float32(0.5), np.array(0.5), 0.5])
def test_numbers_of_numpy_are_numbers_each_time(value: Any) -> None:
    assert [scorer.exact(value) for _ in range(2)] == [0.5, 0.5]


@pytest.mark.parametrize(
    "value", [np.zeros(1), np.array([[2.0]]), np.float64, np.array("1"), np.complex128(1)]
)
def test_no_other_value_of_numpy_is_a_number(value: Any) -> None:
    with pytest.raises(scorer._Wrong):
        scorer.exact(value)


def test_a_kernel_without_numpy_tells_what_is_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "numpy")
    with pytest.raises(scorer._Wrong, match="the text '1'"):
        scorer.exact("1")


def test_nothing_is_read_beyond_the_hidden_data() -> None:
    """What follows in the pipe is for others."""
    value = json.dumps({"name": "a", "size": 100}).encode() + b"\n" + bytes(50)
    stream = io.BytesIO(len(value).to_bytes(4, "big") + value + bytes(4) + b"the next command")
    values, missing = scorer.receive(stream.read, ["a"])
    assert (values, [*missing]) == ({}, ["a"])
    assert stream.read() == b"the next command"


# What the kernel knows of a scorer


SCORER = """
import math
goal = "min"
def helper(n): return n
class Table: pass
async def later(): pass
def score(ns): return isclose(ns["rows"][0][which], own(limit), frame)
"""


def scored(**fields: Any) -> scoring.Scoring:
    names = {"isclose": math.isclose, "own": own, "limit": 3, "frame": fractions.Fraction(1)}
    return scoring.Scoring({"scorer": {"source": SCORER}, **fields}, None, names, 0)


def test_what_a_scorer_defines_and_reads() -> None:
    assert scored().defined() == ["helper", "Table", "later", "score"]
    assert {"rows", "limit", "own", "which"} <= scored().values()
    assert 0 not in scored().values()


def test_functions_of_libraries_that_a_scorer_calls_must_stay_unless_they_are_asked_for() -> None:
    now = {"libraries": {}, "canary": {}}
    assert scored().tampering(now) == ["isclose was replaced"]
    assert scored(askedNames=["isclose"]).tampering(now) == []
    assert scored().command()["score"]["packages"] == ["fractions", "math"]


def test_data_is_kept_aside_only_for_a_scorer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which takes a fork of the kernel."""
    made: list[list[str]] = []
    monkeypatch.setattr(scoring.vault, "make", lambda names, _: made.append(names))
    shell = shell_with({"x": 1})
    for job in ({}, {"hiddenData": ["x"]}, {"scorer": {"source": ""}}, {"scorer": None, "hiddenData": ["x"]}):
        scoring.keep(job, shell)
    assert made == []
    assert scoring.keep({"scorer": {"source": ""}, "hiddenData": ["x"]}, shell).hidden() == ["x"]
    assert made == [["x"]]


# Values that checks rely on


def contents(value: Any) -> str | None:
    return reliance.contents(["value"], {"value": value})["value"]


def test_names_that_checks_read_are_those_they_do_not_bind() -> None:
    sources = ["x = 1\ndef f(a, *, b=1): return a + b + x + y", "for row in rows: assert row"]
    assert reliance.names(sources) == ["y", "rows"]


def test_what_is_another_value_or_gone_is_told() -> None:
    before = {"same": "1", "other": "1", "gone": "1", "unknown": None}
    after = {"same": "1", "other": "2", "unknown": "3"}
    assert reliance.warnings(before, after) == [reliance.changed("other"), reliance.changed("gone")]


@pytest.mark.parametrize("text", ["10 ** 20", "0.1 + 0.2", "1j + 0.5", "'ab' * 50", "{'a': [10 ** 20]}"])
def test_an_equal_value_that_was_made_again_has_not_changed(text: str) -> None:
    first, second = eval(text), eval(text + " ")
    assert contents(first) == contents(second)


def test_large_values_are_looked_at_up_to_a_size() -> None:
    items = list(range(5000))
    assert contents([*items, 1]) == contents([*items, 2])
    assert contents([*items, 1]) != contents([*items])
    text = "x" * (1 << 21)
    assert contents(text + "1") == contents(text + "2") != contents(text)
    # At a depth the identity counts.
    deep: list[Any] = [1]
    kept = [[[[deep]]]]
    before = contents(kept)
    deep.append(2)
    assert contents(kept) == before
    around: list[Any] = [1]
    around.append(around)
    before = contents(around)
    around[0] = 2
    assert None is not before != contents(around)


def test_arrays_of_objects_and_columns() -> None:
    array = np.array([[1], "a"], dtype=object)
    assert contents(array) == contents(array) != contents(array.copy())
    column = pd.Series([1.5, 2.5])
    before = contents(column)
    assert contents(column.copy()) == before
    column[1] = 3.5
    assert contents(column) != before


def test_functions_are_told_elsewhere() -> None:
    space: dict[str, Any] = {}
    exec(compile("def f(): pass", tracebacks.CANDIDATE, "exec"), space)

    class Wrapped:
        __code__ = space["f"].__code__

    for value in (np.add, np.mean, math.gcd, len, own, space["f"], Wrapped(), math, int):
        assert contents(value) is None


class EqualToAnything(str):
    def __eq__(self, _: object) -> bool:
        return True

    __hash__ = str.__hash__


def test_a_goal_is_a_text_and_nothing_that_is_equal_to_one() -> None:
    told = measured("goal = best\ndef score(ns): return 1", best=EqualToAnything("most"))
    assert told["broken"].startswith('goal must be "min" or "max"') and told["goal"] == "max"
