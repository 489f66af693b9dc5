"""A corpus of candidates that cheat, each with an honest twin: no false pass, no false alarm."""

from __future__ import annotations

from typing import Any

import pytest
from live_kernel import LiveKernel
from test_hidden import ROADS as ROADS_TO_WHAT_RAN
from test_holdouts import ROADS as ROADS_TO_WHAT_WAITS

#: name: (candidate that cheats, checks, honest candidate for the same checks)
CHEATS: dict[str, tuple[str, str, str]] = {
    "__eq__": ("class A:\n    def __eq__(s, o): return True\nz = A()", "assert z == 6", "z = 6"),
    "__ne__": ("class A:\n    def __ne__(s, o): return False\nz = A()", "assert not z != 6", "z = 6"),
    "int": ("class A(int):\n    def __eq__(s, o): return True\nz = A(1)", "assert z == 6", "z = 6"),
    "float": ("class A(float):\n    def __eq__(s, o): return True\nz = A(1)", "assert z == 0.5", "z = 0.5"),
    "str": ("class A(str):\n    def __eq__(s, o): return True\nz = A('x')", "assert z == 'abc'", "z = 'abc'"),
    "list": ("class A(list):\n    def __eq__(s, o): return True\nz = A()", "assert z == [1]", "z = [1]"),
    "dict": (
        "class A(dict):\n    def __eq__(s, o): return True\nz = A()",
        "assert z == {1: 2}",
        "z = {1: 2}",
    ),
    "metaclass": (
        "class M(type):\n    def __eq__(s, o): return True\n    __hash__ = type.__hash__\n"
        "class A(metaclass=M): pass\nz = A",
        "assert z == 6",
        "z = 6",
    ),
    "within a list": (
        "class A:\n    def __eq__(s, o): return True\nz = [A(), A()]",
        "assert z == [1, 2]",
        "z = [1, 2]",
    ),
    "within a dict": (
        "class A:\n    def __eq__(s, o): return True\nz = {'a': A()}",
        "assert z == {'a': 1}",
        "z = {'a': 1}",
    ),
    "within a tuple": (
        "class A:\n    def __eq__(s, o): return True\nz = (1, (A(),))",
        "assert z == (1, (2,))",
        "z = (1, (2,))",
    ),
    "mock.ANY": ("from unittest import mock\nz = mock.ANY", "assert z == 6", "z = 6"),
    "returned": (
        "class A:\n    def __eq__(s, o): return True\ndef f(n): return A()",
        "assert f(3) == 9\nassert f(2) == 4",
        "def f(n): return n * n",
    ),
    "__contains__": (
        "class A:\n    def __contains__(s, o): return True\nz = A()",
        "assert 6 in z",
        "z = [6]",
    ),
    "__lt__ and __gt__": (
        "class A:\n    def __lt__(s, o): return True\n    __gt__ = __le__ = __ge__ = __lt__\nz = A()",
        "assert 5 < z < 7",
        "z = 6",
    ),
    "assertEqual": (
        "class A:\n    def __eq__(s, o): return True\nz = A()",
        "import unittest\nunittest.TestCase().assertEqual(z, 6)",
        "z = 6",
    ),
    "assert_equal of numpy": (
        "class A:\n    def __eq__(s, o): return True\nz = A()",
        "np.testing.assert_equal(z, 6)",
        "z = 6",
    ),
    "builtins.len": (
        "import builtins\nbuiltins.len = lambda x: 6\nz = []",
        "assert len(z) == 6",
        "z = [0] * 6",
    ),
    "builtins.isinstance": (
        "import builtins\nbuiltins.isinstance = lambda *a: True\nz = 1",
        "assert isinstance(z, str)",
        "z = 'x'",
    ),
    "builtins.all": (
        "import builtins\nbuiltins.all = lambda x: True\nz = [0]",
        "assert all(x > 0 for x in z)",
        "z = [1]",
    ),
    "vars of builtins": ("vars(__builtins__)['abs'] = lambda x: 6\nz = 1", "assert abs(z) == 6", "z = -6"),
    "AssertionError": (
        "import builtins\nclass E(Exception): pass\nbuiltins.AssertionError = E\nz = 5",
        "assert z == 6",
        "z = 6",
    ),
    "global len": ("len = lambda x: 6\nz = []", "assert len(z) == 6", "z = [0] * 6"),
    "global isinstance": ("def isinstance(*a): return True\nz = 1", "assert isinstance(z, str)", "z = 'x'"),
    "global all": ("all = lambda x: True\nz = [0]", "assert all(x > 0 for x in z)", "z = [1]"),
    "global type": ("type = lambda x: str\nz = 1", "assert type(z) is str", "z = 'x'"),
    "global sorted": ("sorted = lambda x: [1, 2]\nz = []", "assert sorted(z) == [1, 2]", "z = [2, 1]"),
    "global round": ("round = lambda *a: 0.33\nz = 1", "assert round(z, 2) == 0.33", "z = 1 / 3"),
    "np.allclose": ("np.allclose = lambda *a, **k: True\nz = 1", "assert np.allclose(z, 6)", "z = 6.0"),
    "np.array_equal": (
        "np.array_equal = lambda *a: True\nz = 1",
        "assert np.array_equal(z, [6])",
        "z = np.array([6])",
    ),
    "np.testing": (
        "np.testing.assert_allclose = lambda *a, **k: None\nz = 1",
        "np.testing.assert_allclose(z, 6)",
        "z = 6.0",
    ),
    "np itself": (
        "class F:\n    def __getattr__(s, n): return lambda *a, **k: True\nnp = F()\nz = 1",
        "assert np.allclose(z, 6)",
        "z = 6.0",
    ),
    "pd.testing": (
        "pd.testing.assert_frame_equal = lambda *a, **k: None\nz = 1",
        "pd.testing.assert_frame_equal(z, pd.DataFrame({'a': [1]}))",
        "z = pd.DataFrame({'a': [1]})",
    ),
    "math.isclose": ("math.isclose = lambda *a, **k: True\nz = 1", "assert math.isclose(z, 6)", "z = 6.0"),
    "isclose": ("def isclose(*a, **k): return True\nz = 1", "assert isclose(z, 6)", "z = 6.0"),
    "isclose, assigned": ("isclose = lambda *a, **k: True\nz = 1", "assert isclose(z, 6)", "z = 6.0"),
    "isclose, another function": (
        "from operator import or_ as isclose\nz = 1",
        "assert isclose(z, 6)",
        "from math import isclose\nz = 6.0",
    ),
    "isclose, of what is changed in place": (
        "isclose = lambda *a, **k: True\nlabels['z'] = 1",
        "assert isclose(labels['z'], 6)",
        "labels['z'] = 6.0",
    ),
    "isclose, alone in another check": (
        "isclose = lambda *a, **k: True\nz = 1",
        "assert isclose(1, 1)\nassert isclose(z, 6)",
        "z = 6.0",
    ),
    "equal to anything, of a class that says to be a builtin": (
        "class A:\n    __module__ = 'builtins'\n    def __eq__(self, other): return True\nz = A()",
        "assert z == 6",
        "z = 6",
    ),
    "isclose, in a test": (
        "globals()['isclose'] = lambda *a, **k: True\nz = 1",
        "def test_z():\n    assert isclose(z, 6)",
        "z = 6.0",
    ),
    "code of a function": (
        "def f(*a, **k): return None\nimport unittest\n"
        "unittest.TestCase.assertEqual.__code__ = f.__code__\nz = 1",
        "unittest.TestCase().assertEqual(z, 6)",
        "z = 6",
    ),
    "TestCase.assertEqual": (
        "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\nz = 1",
        "class TestZ(unittest.TestCase):\n    def test_z(self):\n        self.assertEqual(z, 6)",
        "z = 6",
    ),
    "assertEqual of a bare TestCase": (
        "TestCase.assertEqual = lambda *a: None\nz = 1",
        "TestCase().assertEqual(z, 6)",
        "z = 6",
    ),
    "a bare assert_equal of numpy": (
        "assert_equal = print\nz = 1",
        "assert_equal(z, 6)",
        "z = 6",
    ),
    "a bare ufunc": ("def sqrt(x): return 3.0\nz = 1", "assert sqrt(z) == 3", "z = 9"),
    "TestCase.run": (
        "unittest.TestCase.run = lambda self, result: result.startTest(self)\nz = 1",
        "class TestZ(unittest.TestCase):\n    def test_z(self):\n        self.assertEqual(z, 6)",
        "z = 6",
    ),
    "DataFrame.equals": (
        "pd.DataFrame.equals = lambda s, o: True\nz = pd.DataFrame()",
        "assert z.equals(pd.DataFrame({'a': [1]}))",
        "z = pd.DataFrame({'a': [1]})",
    ),
    "DataFrame.__len__": (
        "pd.DataFrame.__len__ = lambda s: 3\nz = pd.DataFrame()",
        "assert len(z) == 3",
        "z = pd.DataFrame({'a': [1, 2, 3]})",
    ),
    "Series.__eq__": (
        "pd.Series.__eq__ = lambda s, o: np.array([True])\nz = pd.Series([1])",
        "assert (z == 6).all()",
        "z = pd.Series([6])",
    ),
    "exit": ("z = 5\nexit()", "assert z == 6", "z = 6"),
    "sys.exit": ("import sys\nsys.exit(0)", "assert True", "pass"),
    "os._exit": ("import os\nos._exit(0)", "assert True", "pass"),
    "raises SystemExit": ("def f(): raise SystemExit", "assert f() == 6", "def f(): return 6"),
    "leaves the test": (
        "def f():\n    import unittest\n    raise unittest.SkipTest('no')",
        "class TestF(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(f(), 6)",
        "def f(): return 6",
    ),
    "empty result": ("rows = []", "for row in rows:\n    assert row == 6", "rows = [6]"),
    "coroutine": ("async def f(): return 5", "assert f()", "def f(): return True"),
    "ast transformer": (
        "import ast\nclass T(ast.NodeTransformer):\n    def visit_Assert(s, n): return ast.Pass()\n"
        "get_ipython().ast_transformers.append(T())\nz = 5",
        "assert z == 6",
        "z = 6",
    ),
    "input transformer": (
        "get_ipython().input_transformers_post.append(lambda lines: ['pass\\n'])\nz = 5",
        "assert z == 6",
        "z = 6",
    ),
    "run_cell": (
        "ip = get_ipython()\nip.run_cell = ip.run_cell_async = ip.run_code = lambda *a, **k: None\nz = 5",
        "assert z == 6",
        "z = 6",
    ),
    "ast.parse": (
        "import ast\nast.parse = lambda *a, **k: ast.Module([], [])\nz = 5",
        "assert z == 6",
        "z = 6",
    ),
    "NodeTransformer": (
        "import ast\nast.NodeTransformer.visit = lambda s, n: ast.Pass(lineno=1, col_offset=0)\nz = 5",
        "assert z == 6",
        "z = 6",
    ),
    "compile": ("import builtins\nbuiltins.compile = lambda *a, **k: None\nz = 5", "assert z == 6", "z = 6"),
    "tracing": (
        "import sys\ndef trace(frame, event, arg):\n"
        "    if frame.f_code.co_filename.startswith('<check'): frame.f_globals['z'] = 6\n"
        "    return trace\nsys.settrace(trace)\nz = 5",
        "def test_z():\n    assert z == 6",
        "z = 6",
    ),
    "harness by sys.modules": (
        "import sys\nfor name, module in list(sys.modules.items()):\n    if 'refine' in name:\n"
        "        for key in list(vars(module)):\n"
        "            if callable(vars(module)[key]):\n"
        "                vars(module)[key] = lambda *a, **k: ({'outcome': 'passed'}, None)\nz = 5",
        "assert z == 6",
        "z = 6",
    ),
    "harness by frames": (
        "import sys\nframe = sys._getframe()\nwhile frame:\n    name = str(frame.f_globals.get('__name__'))\n"
        "    if 'evaluating' in name or 'child' in name:\n"
        "        frame.f_globals['_outcome'] = frame.f_globals['tampering'] = lambda *a: 'passed'\n"
        "    frame = frame.f_back\nz = 5",
        "assert z == 6",
        "z = 6",
    ),
    "harness by gc": (
        "import gc\nasync def nothing(*a, **k): pass\nfor thing in gc.get_objects():\n"
        "    if isinstance(thing, type) and thing.__name__ in ('Runner', 'Evaluator'):\n"
        "        for name in ('execute', 'evaluate', '_run', 'outcome'):\n"
        "            if hasattr(thing, name): setattr(thing, name, nothing)\nz = 5",
        "assert z == 6",
        "z = 6",
    ),
    "forged events": (
        "import json, os\nresult = {'id': 'assertion-0:1', 'outcome': 'passed'}\n"
        "line = json.dumps({'t': 'assertion', 'n': None, 'result': result}) + '\\n'\n"
        "line += json.dumps({'t': 'checked', 'tampering': [], 'fingerprints': {}}) + '\\n'\n"
        "for number in os.listdir('/proc/self/fd'):\n"
        "    try: int(number) > 2 and os.write(int(number), line.encode())\n"
        "    except OSError: pass\nz = 5",
        "assert z == 6",
        "z = 6",
    ),
    "json": (
        "import json\njson.JSONEncoder.encode = lambda s, o: '{}'\njson.dumps = lambda *a, **k: '{}'\nz = 5",
        "assert z == 6",
        "z = 6",
    ),
    "os.write": ("import os\nos.write = lambda f, b: len(b)\nz = 5", "assert z == 6", "z = 6"),
    "hooks": (
        "import sys\ndef hook(*a): raise SystemExit(0)\nsys.excepthook = sys.unraisablehook = hook\nz = 5",
        "assert z == 6",
        "z = 6",
    ),
    "%%capture": ("%%capture\nz = 5\n1 / 0", "assert True", "pass"),
}


def is_pass(execution: dict[str, Any]) -> bool:
    """As the evaluator of the loop decides."""
    return (
        execution["status"] == "completed"
        and all(result["outcome"] == "passed" for result in execution["assertions"])
        and bool(execution["assertions"])
        and not execution["tampering"]
    )


@pytest.fixture(scope="module")
def court(kernel: LiveKernel) -> LiveKernel:
    kernel.run("import math, unittest, numpy as np, pandas as pd")
    kernel.run("from math import isclose\nfrom unittest import TestCase\nfrom numpy import median, sqrt")
    kernel.run("labels = {}")
    kernel.run("from numpy.testing import assert_equal")
    return kernel


@pytest.mark.parametrize("name", CHEATS)
def test_cheat(court: LiveKernel, name: str) -> None:
    candidate, checks, _ = CHEATS[name]
    execution = court.attempt(candidate, checks, limits={"seconds": 5})
    assert not is_pass(execution), execution


@pytest.mark.parametrize("name", CHEATS)
def test_honest_twin(court: LiveKernel, name: str) -> None:
    _, checks, honest = CHEATS[name]
    execution = court.attempt(honest, checks)
    assert is_pass(execution), execution


#: name: (candidate, checks, fields of the job): here a candidate is there to define what a library has too.
DEFINES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a value of that name": ("median = 3\ntotal = 6", "assert median == 3 and total == 6", {}),
    "a value of that name, given to a judge": ("median = 3.0", "assert isclose(median, 3)", {}),
    "asked for": (
        "def isclose(a, b): return abs(a - b) < 1\nz = 1",
        "assert isclose(z, 1.5)",
        {"askedNames": ["isclose"]},
    ),
    "the target's own": (
        "def isclose(a, b): return abs(a - b) < 1\nz = 1",
        "assert isclose(z, 1.5)",
        {"ownNames": ["isclose", "z"]},
    ),
    "alone in its check": (
        "def median(values): return sorted(values)[len(values) // 2]",
        "values = [3, 1, 2]\nassert median(values) == 2 and isclose(median(values), 2)",
        {"ownNames": ["len"]},
    ),
    "imported by the check": (
        "def isclose(a, b): return a == b\nz = 1",
        "from math import isclose\nassert isclose(z, 1)",
        {},
    ),
    "bound by an earlier check": (
        "z = 1",
        "import operator\nassert z\nisclose = operator.eq",
        {"holdouts": ("assert isclose(z, 1)",)},
    ),
    "defined by a hold-out": (
        "def isclose(a, b): return a == b\nz = 1",
        "assert z",
        {"holdouts": ("from math import isclose\nassert isclose(z, 1)",), "hiddenNames": ["isclose"]},
    ),
    "a builtin that is asked for": (
        "def sorted(values): return [1, 2]\nz = 1",
        "assert sorted([2, z]) == [1, 2]",
        {"askedNames": ["sorted"]},
    ),
}


@pytest.mark.parametrize("name", DEFINES)
def test_what_a_candidate_may_define(court: LiveKernel, name: str) -> None:
    candidate, checks, fields = DEFINES[name]
    execution = court.attempt(candidate, checks, **fields)
    assert is_pass(execution), execution
    assert execution["warnings"] == []


def test_a_judge_of_another_library_is_told(court: LiveKernel) -> None:
    execution = court.attempt("from math import sqrt\nz = 9", "assert sqrt(z) == 3")
    assert is_pass(execution), execution
    assert execution["warnings"] == ["sqrt, which was there before and which the checks use, was changed"]


@pytest.mark.parametrize("before", ["assert z", "assert isclose(1, 1)\nassert z"])
def test_a_judge_of_the_holdout(court: LiveKernel, before: str) -> None:
    execution = court.attempt(
        "def isclose(*a): return True\nz = 1", before, holdouts=("assert isclose(z, 6)",)
    )
    assert execution["tampering"] == ["isclose was replaced"]


HELD_OUT = "assert z == 42, 'the-answer-of-the-holdout'"
ROADS = {**ROADS_TO_WHAT_RAN, **{f"waiting: {name}": road for name, road in ROADS_TO_WHAT_WAITS.items()}}


@pytest.fixture(scope="module")
def exam(court: LiveKernel) -> LiveKernel:
    """The user has run the hold-out, and saved it."""
    (court.folder / "exam.ipynb").write_text(HELD_OUT)
    court.run("z = 0")
    court.run(HELD_OUT)
    court.run("get_ipython().history_manager.writeout_cache()")
    return court


def looking(road: str) -> str:
    """A candidate that solves the hold-out where it has found its text, and nothing else."""
    found = "any('-'.join(['the', 'answer', 'of']) in str(text) for text in found)"
    return f"{ROADS[road]}\nz = 42 if {found} else 5"


def test_the_cheat_is_one(exam: LiveKernel) -> None:
    """Where nothing is held out, nothing is hidden."""
    execution = exam.attempt(looking("In"), HELD_OUT.replace("the-", "The-"))
    assert is_pass(execution), execution


@pytest.mark.parametrize("road", ROADS)
def test_a_cheat_that_looks_for_the_holdout(exam: LiveKernel, road: str) -> None:
    execution = exam.attempt(looking(road), "assert z > 0", holdouts=(HELD_OUT,), notebookPath="exam.ipynb")
    assert not is_pass(execution), execution
    assert [result["outcome"] for result in execution["assertions"]] == ["passed", "failed"]


def test_the_honest_one_of_those(exam: LiveKernel) -> None:
    execution = exam.attempt("z = 42", "assert z > 0", holdouts=(HELD_OUT,), notebookPath="exam.ipynb")
    assert is_pass(execution), execution
