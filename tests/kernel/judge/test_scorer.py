"""A scorer on a real kernel: an exact number after all checks, which no candidate can fake."""

from __future__ import annotations

import json

import pytest
from live_kernel import LiveKernel, no_child_stays, verdict
from scorer_notebook import HIDDEN, NEARLY, RMSE, SCORED, score


def test_the_metric_with_its_goal_name_and_unit(data: LiveKernel) -> None:
    execution = score(data, NEARLY, RMSE, "assert callable(predict)", hidden=HIDDEN)
    assert execution["scored"] == {**SCORED, "value": 1.0, "confirmed": True}
    assert (verdict(execution), execution["warnings"]) == ("confirmed", [])


def test_without_any_check(data: LiveKernel) -> None:
    execution = score(data, "x = 4", "def score(ns): return ns['x'] * 2, 'twice x'")
    assert execution["scored"] == {"value": 8.0, "goal": "max", "name": "score", "comment": "twice x"} | {
        "confirmed": True
    }
    assert (execution["status"], execution["assertions"]) == ("completed", [])


VALUES = {
    "int": ("3", 3.0),
    "float": ("2.5", 2.5),
    "bool": ("True", 1.0),
    "numpy float": ("np.float32(0.5)", 0.5),
    "0-d array": ("np.array(7)", 7.0),
    "decimal": ("__import__('decimal').Decimal('0.1')", 0.1),
    "mean of a column": ("pd.Series([1, 2]).mean()", 1.5),
    "with a comment": ("(1, None)", 1.0),
}


@pytest.mark.parametrize("name", VALUES)
def test_value(data: LiveKernel, name: str) -> None:
    expression, value = VALUES[name]
    assert score(data, "pass", f"def score(ns): return {expression}")["scored"]["value"] == value


WRONG = {
    "nan": ("def score(ns): return float('nan')", "score() returned nan"),
    "too large": ("def score(ns): return 10 ** 400", "a number too large for a float"),
    "None": ("def score(ns): ns['x']", "score() returned None, not a plain number"),
    "text": ("def score(ns): return '0.5'", "score() returned a value of type str, not a plain number"),
    "array": (
        "def score(ns): return np.ones(3)",
        "score() returned a value of type numpy.ndarray, not a plain number",
    ),
    "raises": ("def score(ns): return 1 / 0", "division by zero"),
    "a name that is not there": (
        "def score(ns): return ns['modle']",
        "modle: not defined after the candidate ran",
    ),
    "exits": ("def score(ns): raise SystemExit(0)", "0"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_scorer_is_reported_and_fails_no_candidate(data: LiveKernel, name: str) -> None:
    source, message = WRONG[name]
    execution = score(data, "x = 1", source, "assert x == 1")
    assert execution["scored"]["value"] is None
    assert message in execution["scored"]["error"]["message"]
    assert (execution["status"], "error" in execution, execution["tampering"]) == ("completed", False, [])
    assert execution["assertions"][0]["outcome"] == "passed"


BROKEN = {
    "no function": ("goal = 'min'", "the scorer cell defines no function score(ns)"),
    "no callable": ("score = 5", "the scorer cell defines no function score(ns)"),
    "no argument": ("def score(): return 1", "score() must take one argument, the names of the notebook"),
    "goal": ("goal = 'lower'\ndef score(ns): return 1", 'goal must be "min" or "max", not \'lower\''),
    "syntax": ("def score(ns) return 1", "SyntaxError: the scorer cell cannot be compiled: expected ':'"),
    "hidden": ("def score(ns): return ns['nowhere']", "nowhere is not there: the kernel has no such name"),
    "hidden name": ("def score(ns): return nowhere", "nowhere is not there: the kernel has no such name"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_scorer_that_no_candidate_can_please_is_broken(data: LiveKernel, name: str) -> None:
    source, why = BROKEN[name]
    scored = score(data, "", source, hidden=["nowhere"])["scored"]
    assert scored["broken"].startswith(why)
    assert scored["error"]


WHOLE = {
    "name of the candidate's": ("def score(ns): return ns['predicted']", {}),
    "nan": ("def score(ns): return float('nan')", {}),
    "its own error": ("def score(ns): return 1 / 0", {}),
    "hidden and not needed": ("def score(ns): return ns['predicted']", {"hidden": ["nowhere"]}),
    "a module that a candidate may write": ("import no_such_module", {}),
    "a text of the candidate's": ("def score(ns): return eval(ns.get('text', ''))", {}),
    "the candidate's module": ("def score(ns): return ns['f']()", {}),
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_scorer_that_a_candidate_could_please_is_not(data: LiveKernel, name: str) -> None:
    source, parts = WHOLE[name]
    candidate = "def f(): import no_such_module\ndef g(): exec('1 +')"
    assert "broken" not in score(data, candidate, source, **parts)["scored"]


def test_the_line_of_a_failing_scorer(data: LiveKernel) -> None:
    error = score(data, "x = 1", "def score(ns):\n    a = 5\n    return a / 0")["scored"]["error"]
    assert error["name"] == "ZeroDivisionError"
    assert 'File "<scorer>", line 3, in score' in error["traceback"]
    assert "locals" not in error


def test_async(data: LiveKernel) -> None:
    source = "import asyncio\nasync def score(ns):\n    await asyncio.sleep(0)\n    return await ns['f']()"
    assert score(data, "async def f(): return 3", source)["scored"]["value"] == 3.0
    assert score(data, "x = 1", "import asyncio\nawait asyncio.sleep(0)\nscore = len")["scored"]["value"] > 0


@pytest.mark.parametrize("failing", ["assertion", "holdout", "candidate"])
def test_not_run_before_everything_held(data: LiveKernel, failing: str) -> None:
    checks = {"assertion": ("assert x == 1",), "holdout": ("assert x == 2",)}
    wrong = {"assertion": ("assert x == 3",), "holdout": ("assert x == 3",)}
    candidate = "x = 1 / 0" if failing == "candidate" else "x = 1" if failing == "holdout" else "x = 2"
    execution = score(
        data,
        candidate,
        "def score(ns): return 1",
        *(wrong if failing == "assertion" else checks)["assertion"],
        holdouts=wrong["holdout"],
    )
    assert "scored" not in execution


def test_a_scorer_that_hangs_is_ended(data: LiveKernel) -> None:
    source = "def score(ns):\n    while True: pass"
    execution = score(data, "x = 1", source, limits={"seconds": 1})
    assert "took longer than 1 s" in execution["scored"]["error"]["message"]
    assert 900 < execution["confirmMs"] < 8000
    assert no_child_stays(data)


def test_a_changed_value_that_the_scorer_reads_is_named(data: LiveKernel) -> None:
    source = "def score(ns): return sum(ns['scores'])"
    scored = score(data, "scores = [100]", source)["scored"]
    assert scored["unconfirmed"] == "`scores`, which was defined before, was changed"
    assert score(data, "x = 1", source)["scored"]["confirmed"] is True


# Candidates that fake a score, and honest ones that look alike

#: Candidates that are off by 1 and would look better. The honest score is 1.0, and lower is better.
FAKES: dict[str, str] = {
    "own score": NEARLY
    + """
def score(ns): return 0.0
goal = 'max'
name = 'x'
unit = 'y'""",
    "within numpy": NEARLY
    + """
import sys
sys.modules['numpy._core._methods']._mean = lambda *a, **k: 0.0
import numpy._core.fromnumeric as f
f._mean = f.mean = lambda *a, **k: 0.0""",
    "frames": """
import sys
def predict(X): return sys._getframe(1).f_locals['ns']['y_test']""",
    "thread": """
import sys, threading, time
found = []
def watch():
    while not found:
        for f in list(sys._current_frames().values()):
            while f:
                names = f.f_locals.get('ns', {})
                if 'y_test' in names: found.append(names['y_test'])
                f = f.f_back
threading.Thread(target=watch, daemon=True).start()
def predict(X):
    while not found: time.sleep(0.001)
    return found[0]""",
    "harness by sys.modules": NEARLY
    + """
import sys
for name, module in list(sys.modules.items()):
    if 'refine' in name:
        for key in ('exact', '_exact', 'measure'):
            if key in vars(module): vars(module)[key] = lambda *a: 0.0""",
    "forged event": NEARLY
    + """
import json, os
message = {'t': 'checked', 'n': None, 'tampering': [], 'fingerprints': {}, 'values': {}, 'made': []}
message |= {'libraries': {}, 'canary': {}, 'warnings': [], 'denied': []}
message |= {'scored': {'value': 0.0, 'goal': 'min', 'name': 'rmse'}}
line = json.dumps(message) + '\\n'
for number in os.listdir('/proc/self/fd'):
    try: int(number) > 2 and os.write(int(number), line.encode())
    except OSError: pass""",
    "exit": """
import os
def predict(X): os._exit(0)""",
}


@pytest.mark.parametrize("name", FAKES)
def test_a_candidate_cannot_fake_the_score(data: LiveKernel, name: str) -> None:
    execution = score(
        data, FAKES[name], RMSE, "assert callable(predict)", hidden=HIDDEN, limits={"seconds": 4}
    )
    scored = execution.get("scored")
    if scored is not None:
        assert scored["value"] in (None, 1.0) or scored["confirmed"] is False, scored
    if scored is not None and scored["value"] is not None:
        assert {key: scored[key] for key in SCORED} == SCORED


HONEST: dict[str, str] = {
    "with its own classes": """
class Model:
    def __init__(self, w): self.w = w
    def __eq__(self, o): return self.w == o.w
    def __call__(self, X): return self.w * X[:, 0] + 1
predict = Model(3)""",
    "with what asks for frames": """
import collections, dataclasses, enum, logging, typing, warnings
def predict(X):
    P = collections.namedtuple('P', 'a b')
    T = typing.NamedTuple('T', [('a', int)])
    @dataclasses.dataclass
    class D:
        a: int
    E = enum.Enum('E', 'x y')
    logging.getLogger('x').warning('careful')
    warnings.warn('old')
    try: raise ValueError(D(1))
    except ValueError: pass
    return pd.Series(3 * X[:, 0] + 1).to_numpy() * P(1, 2).a * T(1).a""",
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_candidates_get_their_score(data: LiveKernel, name: str) -> None:
    execution = score(data, HONEST[name], RMSE, hidden=HIDDEN)
    assert execution["scored"].get("value") == 1.0, json.dumps(execution)[:3000]
    assert (execution["tampering"], execution["warnings"]) == ([], [])
    assert execution["scored"].get("unconfirmed") is None


def test_operators_of_the_candidates_own_are_named(data: LiveKernel) -> None:
    candidate = "class Money:\n    def __init__(s, n): s.n = n\n    def __sub__(s, o): return s.n - o.n"
    scored = score(data, candidate, "def score(ns): return ns['Money'](5) - ns['Money'](3)")["scored"]
    assert scored["value"] == 2.0
    assert scored["unconfirmed"].startswith("`Money.__sub__` of the candidate's own class")


def test_what_measures_the_process_runs_in_the_candidates_own(data: LiveKernel) -> None:
    source = (
        "import time\ndef score(ns):\n    start = time.perf_counter()\n    ns['predict'](np.ones((9, 2)))\n"
    )
    scored = score(data, NEARLY, source + "    return time.perf_counter() - start")["scored"]
    assert 0 <= scored["value"] < 1
    assert scored["unconfirmed"].startswith("measured in the candidate's own process")
