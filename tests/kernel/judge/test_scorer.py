"""A scorer on a real kernel: an exact number after all checks, data that only the judge sees."""

from __future__ import annotations

import json
from typing import Any

import pytest
from live_kernel import LiveKernel, collect, job, no_child_stays, verdict

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True

RMSE = """
goal = "min"
name = "rmse"
unit = "EUR"

def score(ns):
    difference = ns["predict"](ns["X_test"]) - ns["y_test"]
    return float(np.sqrt(np.mean(difference ** 2)))
"""
HIDDEN = ["X_test", "y_test"]
SCORED = {"goal": "min", "name": "rmse", "unit": "EUR"}
#: True is y = 3 x; this is off by 1 everywhere.
NEARLY = "def predict(X): return 3 * X[:, 0] + 1"


@pytest.fixture(scope="module")
def data(kernel: LiveKernel) -> LiveKernel:
    kernel.run("import math, unittest, statistics, numpy as np, pandas as pd\nfrom math import sqrt, fsum")
    kernel.run(
        "X_train = np.arange(20.0).reshape(10, 2)\ny_train = 3 * X_train[:, 0]\n"
        "X_test = 100 + np.arange(20.0).reshape(10, 2)\ny_test = 3 * X_test[:, 0]\n"
        "def predict(X): return 0 * X[:, 0]\nscores = [1.5, 2.5]"
    )
    return kernel


def score(
    kernel: LiveKernel,
    candidate: str,
    source: str,
    *checks: str,
    hidden: list[str] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    scorer = {"cellId": "scorer-0", "source": source}
    fields = {"ownNames": ["predict"], **fields}
    return kernel.attempt(candidate, *checks, scorer=scorer, hiddenData=hidden or [], **fields)


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


def test_names_without_ns(data: LiveKernel) -> None:
    source = (
        "import statistics as s\ndef helper(n): return s.fmean(n)\ndef score(ns): return helper(scores) + x"
    )
    assert score(data, "x = 4", source)["scored"]["value"] == 6.0


VALUES = {
    "int": ("3", 3.0),
    "float": ("2.5", 2.5),
    "bool": ("True", 1.0),
    "numpy float": ("np.float32(0.5)", 0.5),
    "numpy int": ("np.int8(-3)", -3.0),
    "numpy bool": ("np.bool_(True)", 1.0),
    "0-d array": ("np.array(7)", 7.0),
    "fraction": ("__import__('fractions').Fraction(1, 4)", 0.25),
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
    "inf": ("def score(ns): return -np.inf", "score() returned -inf"),
    "nan of numpy": ("def score(ns): return np.array(np.nan)", "score() returned nan"),
    "signalling nan": ("from decimal import Decimal\ndef score(ns): return Decimal('sNaN')", "returned nan"),
    "too large": ("def score(ns): return 10 ** 400", "a number too large for a float"),
    "None": ("def score(ns): ns['x']", "score() returned None, not a number: is there a return?"),
    "text": ("def score(ns): return '0.5'", "score() returned the text '0.5', not a number"),
    "array": ("def score(ns): return np.ones(3)", "score() returned an array of shape (3,), not a number"),
    "list": ("def score(ns): return [1]", "score() returned a value of type list, not a plain number"),
    "complex": ("def score(ns): return 1j", "score() returned a value of type complex, not a plain number"),
    "three values": ("def score(ns): return 1, 2, 3", "a value of type tuple, not a plain number"),
    "no function": ("goal = 'min'", "the scorer cell defines no function score(ns)"),
    "no callable": ("score = 5", "score must be a function, not a value of type int: def score(ns)"),
    "no argument": ("def score(): return 1", "score() must take one argument"),
    "two arguments": ("def score(a, b): return 1", "score() must take one argument"),
    "goal": ("goal = 'lower'\ndef score(ns): return 1", 'goal must be "min" or "max", not \'lower\''),
    "unit": ("unit = 5\ndef score(ns): return 1", "unit of the scorer must be a text, not 5"),
    "raises": ("def score(ns): return 1 / 0", "division by zero"),
    "raises outside": ("1 / 0\ndef score(ns): return 1", "division by zero"),
    "a name that is not there": (
        "def score(ns): return ns['modle']",
        "modle: not defined after the candidate ran",
    ),
    "syntax": ("def score(ns) return 1", "expected ':'"),
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
    "no callable": ("score = 5", "score must be a function, not a value of type int: def score(ns)"),
    "no argument": ("def score(): return 1", "score() must take one argument, the names of the notebook"),
    "goal": ("goal = 'lower'\ndef score(ns): return 1", 'goal must be "min" or "max", not \'lower\''),
    "unit": ("unit = 5\ndef score(ns): return 1", "unit of the scorer must be a text, not 5"),
    "syntax": ("def score(ns) return 1", "SyntaxError: the scorer cell cannot be compiled: expected ':'"),
    "hidden": ("def score(ns): return ns['nowhere']", "nowhere is not there: the kernel has no such name"),
    "hidden name": ("def score(ns): return nowhere", "nowhere is not there: the kernel has no such name"),
    "hidden after": (
        "def score(ns): return ns['predict'](ns['nowhere'])",
        "nowhere is not there: the kernel has no such name",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_scorer_that_no_candidate_can_please_is_broken(data: LiveKernel, name: str) -> None:
    source, why = BROKEN[name]
    scored = score(data, "", source, hidden=["nowhere"])["scored"]
    assert scored["broken"].startswith(why)
    assert scored["error"]


WHOLE = {
    "name of the candidate's": ("def score(ns): return ns['predicted']", {}),
    "name at the top level": ("best = predicted\ndef score(ns): return best", {}),
    "nan": ("def score(ns): return float('nan')", {}),
    "its own error": ("def score(ns): return 1 / 0", {}),
    "hidden and not needed": ("def score(ns): return ns['predicted']", {"hidden": ["nowhere"]}),
    "hidden and not missed": ("def score(ns): return ns['nowhere'] if 0 else 1", {"hidden": ["nowhere"]}),
    "a module that a candidate may write": ("import no_such_module", {}),
    "a text of the candidate's": ("def score(ns): return eval(ns.get('text', ''))", {}),
    "the candidate's module": ("def score(ns): return ns['f']()", {}),
    "the candidate's source": ("def score(ns): return ns['g']()", {}),
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


# -- hidden data ----------------------------------------------------------------

#: Each leaves values in `found`; none may be one of the hidden data.
ROADS = {
    "names": "found = list(globals().values())",
    "outputs": "found = [*Out.values(), *_oh.values(), _, __, ___, get_ipython().displayhook._]",
    "shown before": "found = [v for k, v in globals().items() if k[:1] == '_' and k[1:].isdigit()]",
    "history": (
        "m = get_ipython().history_manager\n"
        "found = [*m.output_hist.values(), *m.output_hist_reprs.values(), repr(getattr(m, 'outputs', ''))]"
    ),
    "names of the shell": "found = list(get_ipython().user_ns_hidden.values())",
    "garbage collector": (
        "import gc\ngc.unfreeze()\nfound = []\nfor thing in gc.get_objects():\n"
        "    found += [i for i in gc.get_referents(thing) if type(i) in (np.ndarray, pd.Series, list)]"
    ),
    "frames": (
        "import sys\nframe, found = sys._getframe(), []\nwhile frame:\n"
        "    found += list(frame.f_locals.values())\n    frame = frame.f_back"
    ),
    "last error": (
        "import sys\ntrace, found = getattr(sys, 'last_traceback', None), []\nwhile trace:\n"
        "    found += list(trace.tb_frame.f_locals.values())\n    trace = trace.tb_next"
    ),
    "functions": "found = [cell.cell_contents for cell in (maker().__closure__ or ())]",
}


@pytest.fixture(scope="module")
def seen(data: LiveKernel) -> LiveKernel:
    """The user has looked at the data, failed with it, and has it under a second name."""
    data.run("secret_list = [41, 389 / 4]\nsecret = np.array([57, 76]) / 8")
    for code in (
        "secret_list",
        "secret",
        "secret[:1]",
        "[secret]",
        "0, {'a': secret[:1], 'b': [secret_list]}",
        "print(secret, secret_list)",
        "pd.DataFrame({'a': secret}).head()",
        "same = secret",
        "def maker(): return lambda: secret",
    ):
        data.run(code)
    data.run("def fail(s): 1 / 0\nfail(secret)")
    data.run("1 + 1")
    return data


def test_a_second_name_is_reported(seen: LiveKernel) -> None:
    execution = seen.attempt("assert 'same' not in globals()", hiddenData=["secret"])
    assert execution["warnings"] == ["same is the same object as secret, so it is hidden as well"]
    assert execution["status"] == "completed"


@pytest.mark.parametrize("road", ROADS)
def test_hidden_data_is_not_to_be_found(seen: LiveKernel, road: str) -> None:
    candidate = (
        ROADS[road] + "\nhits = []\nfor v in found:\n"
        "    t = repr(v)[:10000] if type(v) in (str, list, dict, tuple, pd.DataFrame) else ''\n"
        "    if '97' + '.25' in t or '7.1' + '25' in t: hits.append(t[:200])\n"
        "    if type(v) is np.ndarray and v.size and v.dtype == float and v.flat[0] == 57 / 8: hits += [v]\n"
        "found = thing = frame = v = m = trace = None"
    )
    source = "def score(ns): return sum(ns['secret']) + ns['secret_list'][1]"
    execution = score(seen, candidate, source, "assert hits == []", hidden=["secret", "secret_list"])
    assert "error" not in execution, execution["error"]
    assert execution["assertions"][0]["outcome"] == "passed", str(execution)[:3000]
    assert execution["scored"]["value"] == 7.125 + 9.5 + 97.25, execution["scored"]


@pytest.mark.parametrize(
    "without", [["overlay"], ["overlay", "landlock", "seccomp"]], ids=["landlock", "memory"]
)
def test_on_other_means_of_isolation(seen: LiveKernel, without: list[str]) -> None:
    avoid = "__import__('sys').modules['_jupyterlab_refine.isolation.isolation'].avoid"
    seen.evaluate(f"{avoid}.update({without})")
    try:
        execution = score(seen, NEARLY, RMSE, hidden=HIDDEN)
    finally:
        seen.evaluate(f"{avoid}.clear()")
    assert execution["isolation"]["files"] != "overlay"
    assert execution["scored"].get("value") == 1.0, execution


def test_checks_do_not_see_it_either(data: LiveKernel) -> None:
    execution = score(data, NEARLY, RMSE, "assert len(y_test) == 10", hidden=HIDDEN)
    assert execution["assertions"][0]["error"]["name"] == "NameError"
    assert "scored" not in execution


def test_nothing_is_hidden_from_the_user(data: LiveKernel) -> None:
    score(data, NEARLY, RMSE, hidden=HIDDEN)
    assert data.run("print(len(X_test), y_test[0])")["text"] == "10 300.0\n"


def test_a_candidate_that_binds_the_names_changes_nothing(data: LiveKernel) -> None:
    candidate = NEARLY + "\nX_test = np.zeros((2, 2))\ny_test = predict(X_test)"
    scored = score(data, candidate, RMSE, hidden=HIDDEN)["scored"]
    assert scored["value"] == 1.0 or scored["confirmed"] is False


def test_the_data_is_that_of_the_start(data: LiveKernel) -> None:
    """The user goes on meanwhile: another cell changes what the scorer will see only next time."""
    data.run("late = [5]")
    fields = {
        "scorer": {"cellId": "s", "source": "def score(ns): return ns['late'][0]"},
        "hiddenData": ["late"],
    }
    started = job("import time\ntime.sleep(1.5)", **fields)
    assert data.start(started, 0)["state"] == "running"
    data.run("late[0] = 6")
    assert collect(data, started["id"])["execution"]["scored"]["value"] == 5.0
    assert score(data, "x = 1", fields["scorer"]["source"], hidden=["late"])["scored"]["value"] == 6.0


def test_large_data(data: LiveKernel) -> None:
    data.run("large = np.arange(8_000_000.0)")
    source = "def score(ns): return ns['large'].sum()"
    execution = score(data, "assert 'large' not in globals()", source, hidden=["large"])
    assert execution["scored"]["value"] == 8_000_000 * 7_999_999 / 2
    data.run("del large")


def test_hidden_data_need_not_be_copied(data: LiveKernel) -> None:
    data.run("door = open('/dev/null'); key = 3")
    source = "def score(ns): return ns['key'] if not ns['door'].closed else 0"
    execution = score(data, "x = 1", source, "assert x == 1", hidden=["door", "key"])
    assert (execution["scored"]["value"], verdict(execution)) == (3.0, "confirmed")


def test_frames_and_classes_of_the_user(data: LiveKernel) -> None:
    data.run(
        "class Point:\n    def __init__(self, x): self.x = x\npoints = [Point(1), Point(2)]\n"
        "frame = pd.DataFrame({'a': [1, 2], 'b': ['x', 'y']})"
    )
    source = (
        "def score(ns):\n    frame = ns['frame']\n"
        "    return sum(p.x for p in ns['points']) + frame.a.sum() + (frame.b == 'y').sum()"
    )
    execution = score(data, "assert 'frame' not in dir()", source, hidden=["points", "frame"])
    assert execution["scored"]["value"] == 7.0, execution


SHARED = {
    "slice": ("whole = np.arange(10.0)\npart = whole[7:]", "part shares its memory with whole"),
    "two slices": (
        "w = np.arange(9.0)\nfront = w[:5]\npart = w[7:]\ndel w",
        "part shares its memory with front",
    ),
    "rows of a frame": (
        "whole = pd.DataFrame({'a': np.arange(9.0)})\npart = whole.iloc[5:]",
        "part shares its memory with whole",
    ),
    "within a dictionary": ("part = [1, 2]\nbox = {'k': [part]}", "candidates can reach part through box"),
    "attribute": (
        "class Box: pass\nbox = Box()\npart = [1, 2]\nbox.part = part",
        "candidates can reach part through box",
    ),
    "closure": (
        "part = [1, 2]\ndef make(p):\n    def f(): return p\n    return f\nbox = make(part)",
        "candidates can reach part through box",
    ),
}


@pytest.mark.parametrize("name", SHARED)
def test_other_ways_to_the_data_are_reported_once(data: LiveKernel, name: str) -> None:
    code, reported = SHARED[name]
    data.run(code)
    execution = score(data, "x = 1", "def score(ns): return 1", "assert x == 1", hidden=["part"])
    data.run("for name in ('part', 'whole', 'front', 'box', 'make', 'Box'): globals().pop(name, None)")
    assert [text.startswith(reported) for text in execution["warnings"]] == [True], execution["warnings"]


def test_a_copy_is_no_other_way(data: LiveKernel) -> None:
    data.run("whole = np.arange(10.0)\npart = whole[7:].copy()\nframe = pd.DataFrame({'a': whole})")
    data.run("tail = frame.iloc[5:].copy()\nnumber = 5\nother = 5\ntext = 'abc'\nagain = text")
    execution = score(data, "x = 1", "def score(ns): return 1", hidden=["part", "tail", "number", "text"])
    assert execution["warnings"] == []


@pytest.mark.parametrize("source", [RMSE, RMSE.replace("_test", "_train")], ids=["hidden", "open"])
def test_nothing_of_the_scorers_stage_is_shown(data: LiveKernel, source: str) -> None:
    candidate = NEARLY.replace("return", "print('x', X[0, 0]); display(X); open('f', 'w').close(); return")
    execution = score(data, candidate, source, hidden=HIDDEN)
    assert (execution["scored"]["value"], execution["stdout"], execution["displays"]) == (1.0, "", [])
    assert (execution["filesWritten"], execution["denied"]) == ([], [])


def test_no_process_is_left(data: LiveKernel) -> None:
    for candidate in (NEARLY, "1 / 0", "import os; os._exit(0)"):
        score(data, candidate, RMSE, hidden=HIDDEN)
    assert no_child_stays(data)


# -- secrecy of the scorer itself -----------------------------------------------


def test_its_source_is_not_there_before_the_candidate_has_ended(data: LiveKernel) -> None:
    mark = "MARK" + "-of-the-scorer"
    source = f"def score(ns):\n    note = '{mark}'\n    return 1 if ns['hits'] == [] else 0"
    data.run(source)
    candidate = """
import gc, sys, linecache
gc.unfreeze()
found = [*In, repr(globals().get("score")), repr(getattr(globals().get("score"), "__code__", None) and
    score.__code__.co_consts)]
found += ["".join(entry[2]) for entry in linecache.cache.values() if len(entry) > 2]
for thing in gc.get_objects():
    found += [inner for inner in gc.get_referents(thing) if type(inner) is str and len(inner) > 10]
frame = sys._getframe()
while frame is not None:
    found += [repr(frame.f_code.co_consts)]
    found += [repr(v) for v in frame.f_locals.values() if type(v) in (dict, list) and v is not found]
    frame = frame.f_back
hits = [text[:200] for text in found if "-".join(["MARK", "of", "the"]) in text]
found = thing = frame = None
"""
    execution = score(data, candidate, source)
    data.run("del score")
    assert execution["scored"].get("value") == 1.0, str(execution)[:3000]


# -- faking ---------------------------------------------------------------------

#: Candidates that are off by 1 and would look better. The honest score is 1.0, and lower is better.
FAKES: dict[str, str] = {
    "own score": NEARLY
    + """
def score(ns): return 0.0
goal = 'max'
name = 'x'
unit = 'y'""",
    "float": """
class F(float):
    def __sub__(s, o): return 0.0
    __rsub__ = __sub__
def predict(X): return np.array([F(1)] * len(X), dtype=object)""",
    "array": """
class A(np.ndarray):
    def __sub__(s, o): return np.zeros(len(s))
def predict(X): return (3 * X[:, 0] + 1).view(A)""",
    "np.mean": NEARLY
    + """
np.mean = lambda *a, **k: 0.0""",
    "np": NEARLY
    + """
class N:
    def __getattr__(s, n): return lambda *a, **k: 0.0
np = N()""",
    "within numpy": NEARLY
    + """
import sys
sys.modules['numpy._core._methods']._mean = lambda *a, **k: 0.0
import numpy._core.fromnumeric as f
f._mean = f.mean = lambda *a, **k: 0.0""",
    "when called": """
def predict(X):
    np.mean = lambda *a, **k: 0.0
    return 3 * X[:, 0] + 1""",
    "builtins when called": """
def predict(X):
    import builtins
    builtins.float = lambda x: 0.0
    return 3 * X[:, 0] + 1""",
    "frames": """
import sys
def predict(X): return sys._getframe(1).f_locals['ns']['y_test']""",
    "garbage collector": """
import gc
def predict(X):
    return [d['y_test'] for d in gc.get_objects() if type(d) is dict and 'y_test' in d][0]""",
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
    "pickle": """
import pickle
kept = []
real = pickle.loads
pickle.loads = lambda d: kept.append(real(d)) or kept[-1]
def predict(X): return 3 * X[:, 0] + 1""",
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
    "ast transformer": NEARLY
    + """
import ast
class T(ast.NodeTransformer):
    def visit_Return(s, n): return ast.copy_location(ast.Return(ast.Constant(0.0)), n)
get_ipython().ast_transformers.append(T())""",
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


def test_library_functions_under_names_of_the_users(data: LiveKernel) -> None:
    source = "def score(ns): return sqrt(fsum([16.0]))"
    assert score(data, "x = 1", source)["scored"]["value"] == 4.0
    scored = score(data, "def sqrt(x): return 100.0", source)["scored"]
    assert scored["unconfirmed"] == "`sqrt`, which was defined before, was changed"


HONEST: dict[str, str] = {
    "nearly": "def predict(X): return 3 * X[:, 0] + 1",
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
    "frame in, frame out": """
def predict(X):
    f = pd.DataFrame(X, columns=['a', 'b'])
    return (f['a'] * 3 + 1).values""",
    "names of its own": NEARLY
    + """
score = [1, 2]
goal = 'win'
unit = 'me'""",
    "generators and threads": """
import concurrent.futures as c
def predict(X):
    with c.ThreadPoolExecutor(2) as p:
        return np.fromiter(p.map(lambda r: 3 * r[0] + 1, X), float)""",
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
