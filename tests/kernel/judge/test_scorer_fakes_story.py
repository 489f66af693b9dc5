"""Candidates that fake a score, and honest ones that look alike."""

from __future__ import annotations

import json

import pytest
from live_kernel import LiveKernel
from scorer_notebook import HIDDEN, NEARLY, RMSE, SCORED, score

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True


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
