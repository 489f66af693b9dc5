"""Checks on a real kernel: each statement by itself, expected against observed, what cannot pass."""

from __future__ import annotations

import pytest
from live_kernel import LiveKernel, first, outcomes, reasons, verdict


def test_set_up_runs_and_a_failing_check_stops_nothing(checks: LiveKernel) -> None:
    source = "a = 1\nassert a == 2\nb = a + 1\nassert b == 2\nassert c == 1\nassert a"
    execution = checks.attempt("pass", source)
    assert outcomes(execution) == ["failed", "passed", "error", "passed"]
    assert [result["id"] for result in execution["assertions"]] == [f"assertion-0:{n}" for n in (2, 4, 5, 6)]
    assert execution["assertions"][2]["error"]["name"] == "NameError"


def test_a_failing_set_up_makes_later_checks_of_its_cell_errors(checks: LiveKernel) -> None:
    execution = checks.attempt("y = 1", "assert y == 1\nz = y.missing\nassert y == 1", "assert y == 1")
    assert outcomes(execution) == ["passed", "error", "passed"]
    assert execution["assertions"][1]["error"]["name"] == "AttributeError"


def test_a_candidate_that_raises_leaves_every_check_not_run(checks: LiveKernel) -> None:
    execution = checks.attempt(
        "def f():\n    raise KeyError('k')\n\nf()", "assert 1\nassert 2", holdouts=("assert 3",)
    )
    assert (execution["status"], outcomes(execution)) == ("error", ["not-run"] * 3)
    error = execution["error"]
    assert (error["name"], error["candidateLine"]) == ("KeyError", 2)
    assert error["traceback"].startswith('Traceback (most recent call last):\n  File "<candidate>", line 4')
    assert "jupyterlab-refine" not in error["traceback"]


def test_a_cell_that_cannot_be_parsed(checks: LiveKernel) -> None:
    execution = checks.attempt("pass", "assert (1", "assert 1")
    assert outcomes(execution) == ["error", "passed"]
    assert first(execution)["error"]["name"] == "SyntaxError"
    # It would read as an error of the candidate.
    assert "the check is not valid Python: '(' was" in first(execution)["error"]["message"]


#: Candidate, check, and what is reported of it: operator, observed, expected, and words of the difference.
COMPARISONS = {
    "numbers": ("r = 5", "assert r == 6", "==", "5", "6", "1 too low"),
    "literal display first": ("r = 5", "assert 6 == r", "==", "5", "6", "1 too low"),
    "rounding": ("r = 0.1 + 0.2", "assert r == 0.3", "==", "0.30000000000000004", "0.3", "rounding"),
    "texts": ("r = 'abcd'", "assert r == 'abxd'", "==", "'abcd'", "'abxd'", "first differs at character 3"),
    "long texts": (
        "r = 'a\\nb\\nc'",
        "assert r == 'a\\nx\\nc'",
        "==",
        "'a\\nb\\nc'",
        "'a\\nx\\nc'",
        "-x\n+b",
    ),
    "lists": (
        "r = [1, 2, 3]",
        "assert r == [1, 5, 3]",
        "==",
        "[1, 2, 3]",
        "[1, 5, 3]",
        "index 1: 2, expected 5",
    ),
    "length": ("r = [1]", "assert r == [1, 2]", "==", "[1]", "[1, 2]", "1 item, expected 2; missing: 2"),
    "dicts": (
        "r = {'a': 1}",
        "assert r == {'a': 2, 'b': 3}",
        "==",
        "{'a': 1}",
        "{'a': 2, 'b': 3}",
        "no key 'b'",
    ),
    "sets": ("r = {1, 2}", "assert r == {2, 3}", "==", "{1, 2}", "{2, 3}", "missing: 3; too much: 1"),
    "types": ("r = '6'", "assert r == 6", "==", "'6'", "6", "type str, expected int"),
    "in": ("r = {'a': 1}", "assert 'b' in r", "in", "{'a': 1}", "'b'", None),
    "in a text": ("r = 'sea'", "assert 'b' in r", "in", "'sea'", "'b'", None),
    "one of": ("r = 3", "assert r in (1, 2)", "in", "3", "(1, 2)", None),
    "not in": ("r = [1]", "assert 1 not in r", "not in", "[1]", "1", None),
    "literal first": (
        "def f(): return 3",
        "assert {'a': [1, -2]} == {'a': f()}",
        "==",
        "{'a': 3}",
        "{'a': [1, -2]}",
        "at 'a'",
    ),
    "chain": ("r = 12", "assert 0 < r < 10", "<", "12", "10", None),
    "not": ("r = [1]", "assert not r", "not", "[1]", None, None),
    "and": ("r = 3", "assert r > 1 and r < 2", "<", "3", "2", None),
    "isinstance": (
        "r = 'x'",
        "assert isinstance(r, int)",
        "isinstance",
        "'x'",
        None,
        "type str, expected int",
    ),
    "call": ("r = np.ones(3)", "assert np.allclose(r, [1, 2, 1])", "allclose", None, "[1, 2, 1]", None),
    "numpy.testing": ("r = 5", "np.testing.assert_allclose(r, 7)", "assert_allclose", "5", "7", "2 too low"),
    "unittest": ("r = 5", "unittest.TestCase().assertEqual(r, 7)", "assertEqual", "5", "7", "2 too low"),
}


@pytest.mark.parametrize("name", COMPARISONS)
def test_expected_against_observed(checks: LiveKernel, name: str) -> None:
    candidate, check, operator, observed, expected, difference = COMPARISONS[name]
    result = first(checks.attempt(candidate, check))
    assert (result["outcome"], result["operator"]) == ("failed", operator), result
    for side, wanted in (("observed", observed), ("expected", expected)):
        assert wanted is None or result[side]["repr"] == wanted
    assert difference is None or difference in result["difference"]


def test_arrays_and_frames(checks: LiveKernel) -> None:
    result = first(
        checks.attempt("r = np.arange(6.0).reshape(2, 3)", "e = r.copy(); e[1, 1] = 9\nassert (r == e).all()")
    )
    assert "r == e" in [operand["expression"] for operand in result["operands"]]
    candidate = "r = pd.DataFrame({'m': ['2024-01', '2024-03'], 's': [1, 2]}).set_index('m')"
    check = (
        "e = pd.DataFrame({'m': ['2024-01', '2024-02', '2024-03'], 's': [1, 0, 2.5]}).set_index('m')\n"
        "pd.testing.assert_frame_equal(r, e)"
    )
    result = first(checks.attempt(candidate, check))
    assert result["observed"]["shape"] == "(2, 1)"
    assert "[observed]: (2, 1)\n[expected]: (3, 1)" in result["difference"]
    result = first(
        checks.attempt("r = np.array([1, 2, 3])", "np.testing.assert_array_equal(r, np.array([1, 5, 3]))")
    )
    assert result["difference"] == "1 of 3 elements differ, first at index 1: 2, expected 5"


def test_quantifiers_report_the_element(checks: LiveKernel) -> None:
    result = first(checks.attempt("r = [1, -2, 3]", "assert all(x > 0 for x in r)"))
    assert result["difference"] == "false for x = -2"
    result = first(checks.attempt("r = {'a': 1, 'b': -1}", "assert all(v > 0 for k, v in r.items())"))
    assert result["difference"] == "false for (k, v) = ('b', -1)"


def test_a_check_that_is_too_deep_to_be_explained(checks: LiveKernel) -> None:
    result = first(checks.attempt("r = 1", f"assert {'r + ' * 600}r == 6", "assert r == 1"))
    assert (result["outcome"], result["error"]["name"]) == ("failed", "AssertionError")


def test_message_of_an_assert(checks: LiveKernel) -> None:
    result = first(checks.attempt("r = object", "assert not r, 'r must be empty'"))
    assert result["difference"] == "r must be empty"


def test_an_assert_in_a_function_of_another_cell_is_named(kernel: LiveKernel) -> None:
    kernel.run("def check_clean():\n    got = clean(1)\n    assert got == 2")
    result = first(kernel.attempt("def clean(x): return x", "check_clean()"))
    assert (result["outcome"], result["difference"]) == ("failed", "assert got == 2")


def test_a_coroutine_without_await_does_not_pass(checks: LiveKernel) -> None:
    candidate = "async def answer(): return 5"
    execution = checks.attempt(candidate, "assert answer()", "assert await answer() == 5")
    assert outcomes(execution) == ["error", "passed"]
    assert "nobody awaits" in first(execution)["error"]["message"]


@pytest.mark.parametrize("end", ["raise SystemExit(0)", "exit()", "import sys; sys.exit(1)"])
def test_a_check_that_ends_the_program_does_not_pass(checks: LiveKernel, end: str) -> None:
    execution = checks.attempt(f"def f():\n    {end}", "assert f() is None", "f()")
    assert outcomes(execution) == ["error", "error"]


def test_locals_obey_context_values(checks: LiveKernel) -> None:
    candidate = (
        "def f(n):\n    password = 'hunter2-hunter2'\n    half = n / 2\n    raise ValueError(half)\nf(3)"
    )
    samples = checks.attempt(candidate, contextValues="samples")["error"]["locals"]
    assert {v["name"]: v["repr"] for v in samples} == {"n": "3", "password": "***", "half": "1.5"}
    types = checks.attempt(candidate, contextValues="types")["error"]["locals"]
    assert types[0] == {"name": "n", "type": "int"}
    assert "locals" not in checks.attempt(candidate, contextValues="none")["error"]


def test_each_user_frame_has_its_locals(checks: LiveKernel) -> None:
    candidate = "def half(n):\n    m = n // 2\n    if m == 0:\n        raise ValueError(n)\n    half(m)\n"
    execution = checks.attempt(candidate, "deep = 1 << 30\nhalf(deep)\nassert True", contextValues="samples")
    error = execution["assertions"][0]["error"]
    frames = error["frames"]
    assert len(frames) == 10
    assert (frames[0]["where"], frames[0]["function"], frames[0]["line"]) == ("check", "<module>", 2)
    assert {v["name"]: v["repr"] for v in frames[-2]["locals"]} == {"n": "2", "m": "1"}
    assert frames[-1]["where"] == "candidate" and frames[-1]["line"] == 4
    assert frames[-1]["locals"] == error["locals"]
    alone = checks.attempt("raise ValueError(1)", contextValues="samples")
    assert "frames" not in alone["error"]


def test_magics_in_checks(checks: LiveKernel) -> None:
    execution = checks.attempt("pass", "out = !echo 5\nassert out == ['5']\n%time x = 1\nassert x == 1")
    assert outcomes(execution) == ["passed", "passed"]
    assert [result["line"] for result in execution["assertions"]] == [2, 4]
    execution = checks.attempt("x = 1", "%%time\nassert x == 1\nassert x == 2", "!exit 3", "%run missing.py")
    assert outcomes(execution) == ["passed", "failed", "failed", "error"]
    assert execution["assertions"][2]["difference"] == "the command ended with exit status 3"
    unknown = "%%check_it\nassert x == 1"
    (result,) = checks.attempt("x = 1", unknown)["assertions"]
    assert (result["source"], result["outcome"]) == (unknown, "error")


def test_optimised_python_still_checks(checks: LiveKernel) -> None:
    assert checks.evaluate("compile('assert 0', 'x', 'exec', optimize=1).co_code != b''")
    execution = checks.attempt(
        "import sys", "assert 1 == 2", "assert not compile('assert 0', 'x', 'exec') is None"
    )
    assert outcomes(execution) == ["failed", "passed"]


@pytest.mark.parametrize(
    "candidate, checks",
    [
        (
            "import csv\nr = csv.reader(['a,b', 'c,d'])",
            "assert next(r) == ['a', 'b']\nassert next(r) == ['c', 'd']",
        ),
        (
            "class C:\n    def __iter__(self):\n        while True: yield 0\nc = C()",
            "assert next(iter(c)) == 0 and c is not None",
        ),
    ],
    ids=["an iterator", "an endless iterable"],
)
def test_reports_consume_no_iterators(kernel: LiveKernel, candidate: str, checks: str) -> None:
    execution = kernel.attempt(candidate, checks)
    assert len(execution["assertions"]) == len(checks.splitlines())
    assert verdict(execution) == "confirmed", reasons(execution)


def test_output_before_the_candidate_is_dropped(kernel: LiveKernel) -> None:
    kernel.run("class Door:\n    def __del__(self): raise OSError('gone')\nsecret = Door()")
    execution = kernel.attempt("print('mine')", "assert True is not None", hiddenNames=["secret"])
    kernel.run("del secret")
    assert execution["status"] == "completed", execution
    assert execution["stdout"] == "mine\n" and execution["stderr"] == ""


GUARDS = {
    "a handler that is reached": ("raise KeyError", "f(); assert False", "except KeyError: pass", "passed"),
    "else in place of an assert": (
        "raise KeyError",
        "f()",
        "except KeyError: pass\nelse: assert 0",
        "passed",
    ),
    "no error": ("return 1", "f(); assert False, 'no error'", "except KeyError: pass", "failed"),
    "an assert of something": ("raise KeyError", "x = f(); assert x", "except KeyError: pass", "passed"),
}


@pytest.mark.parametrize("case", GUARDS)
def test_an_error_expected_by_a_guard(checks: LiveKernel, case: str) -> None:
    body, tried, rest, outcome = GUARDS[case]
    execution = checks.attempt(f"def f(): {body}", f"try: {tried}\n{rest}")
    assert outcomes(execution) == [outcome]
    assert first(execution).get("confirmed") is (True if outcome == "passed" else None)


def test_a_caught_assert_is_not_confirmed(checks: LiveKernel) -> None:
    execution = checks.attempt("def f(): return 1", "try: assert f() == 2\nexcept Exception: pass")
    assert reasons(execution) == ["an assert failed and its error was caught"]


REPORTS = """
class Script:
    def __repr__(self): return "<IPython.core.display.Javascript object>"
def test_f(f):
    bad = [x for x in (1, 2) if f(x) != 2 * x]
    if bad:
        print(f"Wrong output for {bad}")
        print("\\033[91m", len(bad), " Tests failed")
    else:
        print("0 tests failed\\nTests failed: 0\\nAll tests passed")
class Question:
    def check(self):
        display(Script())
        if f(1) is None:
            return display("Check: When you've updated the starter code, this says whether it is correct.")
        display("Correct" if f(1) == 2 else "Incorrect: f(1) should be 2")
q1 = Question()
def test_answer(): print("✅ right" if f(1) == 2 else "❌ not right")
def check(got, want): print(f"{'PASS' if got == want else 'FAIL'} f(2): {got}, want {want}")
def check_answer(f): return f(1) == 2
"""


def test_a_failure_that_a_test_only_prints_shows_or_returns(checks: LiveKernel) -> None:
    source = f"{REPORTS}\ntest_f(f)\nq1.check()\ntest_answer()\ncheck(f(2), 4)\ncheck_answer(f)"
    assert outcomes(checks.attempt("def f(x): return 2 * x", source)) == ["passed"] * 5
    execution = checks.attempt("def f(x): return x", source)
    assert outcomes(execution) == ["failed"] * 5
    told, *others = (one["difference"] for one in execution["assertions"])
    assert told.startswith("Wrong output for [1, 2]\n") and told.endswith("2  Tests failed")
    shown = ["'Incorrect: f(1) should be 2'", "❌ not right", "FAIL f(2): 2, want 4", "it returned False"]
    assert others == shown
    assert outcomes(checks.attempt("def f(x): pass", source))[1] == "failed"


#: What the candidate prints, shows or returns, and a test that says no more than that nothing failed.
HONEST = {
    "its own function": "check_sign(-1)",
    "its print in a test": "def test_sign(): check_sign(-1)\ntest_sign()",
    "its print through a library": "def test_table(): table()\ntest_table()",
    "a print beside a check": "print('Wrong answer would be 2')\nassert show() == 1",
    "a display in an assert": "assert show() == 1",
    "none failed": "def test_none(): print('Failed tests: 0\\nFAILED 0\\nFail to reject')\ntest_none()",
    "output that a check captures": "import io, sys\nout, sys.stdout = sys.stdout, io.StringIO()\ntable()\n"
    "text, sys.stdout = sys.stdout.getvalue(), out\nassert 'Failed' in text",
}


@pytest.mark.parametrize("case", HONEST)
def test_what_the_candidate_prints_or_returns_is_no_verdict(checks: LiveKernel, case: str) -> None:
    candidate = (
        "import pprint\ndef check_sign(x):\n    print('Failed: wrong value')\n    return x >= 0\n"
        "def table(): pprint.pprint(['Failed: 1'], width=1)\n"
        "def show(): display('Failed: 1', 'incorrect'); return 1"
    )
    execution = checks.attempt(candidate, HONEST[case])
    assert set(outcomes(execution)) == {"passed"}, execution


def test_a_cell_in_which_nothing_counts_is_one_check(checks: LiveKernel) -> None:
    execution = checks.attempt("def f(): return {}", "print(f())\nx = f()['a']", "# %load solution.py\n")
    assert [one["id"] for one in execution["assertions"]] == ["assertion-0:1"]
    assert first(execution)["error"]["name"] == "KeyError"
    execution = checks.attempt(
        "def f(): return {'a': 1}", "print(f())\nx = f()['a']", "# %load solution.py\n"
    )
    assert outcomes(execution) == ["passed"]


def test_what_only_sets_a_seed_or_a_limit_is_no_check(checks: LiveKernel) -> None:
    source = "import random, sys\nrandom.seed(1)\nsys.setrecursionlimit(3000)\nassert f() == 1"
    execution = checks.attempt("def f(): return 1", source)
    assert [one["line"] for one in execution["assertions"]] == [4]


def test_a_set_up_that_fails_at_the_end_is_a_row(checks: LiveKernel) -> None:
    execution = checks.attempt("pass", "assert True\nx = 1 / 0")
    assert [(one["line"], one["outcome"]) for one in execution["assertions"]] == [(1, "passed"), (2, "error")]


ADD = "def add(a, b):\n    return a + b"


def test_what_holds_on_an_empty_cell_is_named(checks: LiveKernel) -> None:
    execution = checks.attempt(
        f"limit = 3\n{ADD}\nclass Pair:\n    size = 2\n    def sum(self): return 3",
        "import random\nrandom.seed(0)\nassert add(1, 2) == 3\nassert isinstance(add, object)",
        "assert limit == 3\nassert Pair.size == 2\nassert Pair().sum() == 3\nfor x in []:\n    assert x",
    )
    assert verdict(execution) == "confirmed"
    empty = [one["source"].splitlines()[0] for one in execution["assertions"] if one.get("holdsEmpty")]
    assert empty == ["assert isinstance(add, object)", "for x in []:"]


def test_checks_on_an_empty_cell_neither_fail_nor_delay(checks: LiveKernel) -> None:
    slow = "try:\n    assert add(1, 2) == 3\nexcept NotImplementedError:\n    time.sleep(60)\n"
    execution = checks.attempt(ADD, f"import time\n{slow * 2}")
    assert verdict(execution) == "confirmed"
    assert execution["confirmMs"] < 10000
    assert "holdsEmpty" not in first(execution)
    # Those of a cell that writes files are not run on it.
    written = checks.attempt("open('made.txt', 'w').close()", "import os\nassert os.path.exists('made.txt')")
    assert "holdsEmpty" not in first(written)


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


def test_a_syntax_error_has_its_line_and_no_frame_of_the_parser(checks: LiveKernel) -> None:
    error = checks.attempt("def f(n:\n    return n")["error"]
    assert (error["message"], error["candidateLine"]) == ("'(' was never closed", 1)
    assert "ast.py" not in error["traceback"]
    called = checks.attempt("import ast\ndef f():\n    return ast.literal_eval('[1')\nf()")["error"]
    assert 'File "<candidate>", line 3, in f' in called["traceback"]
