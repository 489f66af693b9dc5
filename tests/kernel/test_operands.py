"""Operators of a candidate's own, which would decide the score: however they came into its classes."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from live_kernel import LiveKernel
from test_scorer import HIDDEN, RMSE, data, score

from jupyterlab_refine.kernel import impostors, operands
from jupyterlab_refine.kernel.tracebacks import CANDIDATE

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True

__all__ = ["data"]

#: Off by 1 everywhere, with an operator that hides it.
ARRAYS: dict[str, str] = {
    "of a module of the interpreter": """
class A(np.ndarray):
    __module__ = 'builtins'
    def __sub__(s, o): return np.zeros(10)""",
    "in exec": """
exec('class A(np.ndarray):\\n    def __sub__(s, o): return np.zeros(10)')""",
    "in exec, of a file": """
__file__ = '<string>'
exec('class A(np.ndarray):\\n    def __sub__(s, o): return np.zeros(10)')""",
    "in a module of its own": """
import json
exec('import numpy as np\\nclass A(np.ndarray):\\n    def __sub__(s, o): return np.zeros(10)', vars(json))
A = json.A""",
    "callable": """
class Zero:
    def __call__(s, o): return np.zeros(10)
class A(np.ndarray): __sub__ = Zero()""",
    "of functools": """
import functools
class A(np.ndarray): __sub__ = functools.partialmethod(lambda s, o: np.zeros(10))""",
    "of numpy": """
class A(np.ndarray): __sub__ = staticmethod(np.zeros_like)""",
    "static": """
class A(np.ndarray):
    @staticmethod
    def __sub__(o): return np.zeros(10)""",
    "another slot": """
class A(np.ndarray): __sub__ = np.ndarray.__mod__""",
    "behind a metaclass": """
class M(type):
    __mro__ = property(lambda s: (object,))
    __dict__ = property(lambda s: {})
class A(np.ndarray, metaclass=M):
    def __sub__(s, o): return np.zeros(10)""",
    "of a class that is equal to others": """
class M(type):
    def __hash__(s): return hash(int)
    def __eq__(s, o): return True
class A(np.ndarray, metaclass=M):
    def __sub__(s, o): return np.zeros(10)""",
}
ITEMS: dict[str, tuple[str, str]] = {
    "late": ("[*range(300), F(1)]", "sum(ns['values'])"),
    "nested": ("[[1], [2, (F(1),)]]", "float(np.sum(ns['values'][1][1]))"),
    "of a dictionary": ("{'a': F(1)}", "sum(ns['values'].values())"),
    "of an iterator": ("[F(1)]", "sum(map(abs, ns['values']))"),
    "of a generator": ("[F(1)]", "sum(v for v in ns['values'])"),
    "starred": ("[F(1)]", "max(*ns['values'], 0) - 0"),
    "of a frame": (
        "pd.DataFrame({'a': ['x'], 'b': pd.Series([F(1)], dtype=object)})",
        "np.sum(ns['values'])['b']",
    ),
    "of a series": ("pd.Series([F(1)], dtype=object)", "ns['values'].sum()"),
    "of an array": ("np.array([F(1)], dtype=object)", "np.sum(ns['values'])"),
}
NUMBER = """
class F(float):
    def __add__(s, o): return 0.0
    __abs__ = lambda s: s
    __radd__ = __rsub__ = __sub__ = __add__
values = """


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_with_operators_of_its_own(data: LiveKernel, name: str) -> None:
    candidate = f"{ARRAYS[name]}\ndef predict(X): return (3 * X[:, 0] + 1).view(A)"
    execution = score(data, candidate, RMSE, hidden=HIDDEN)
    assert execution["scored"]["value"] is None, execution


@pytest.mark.parametrize("name", ITEMS)
def test_numbers_with_operators_of_their_own_within_others(data: LiveKernel, name: str) -> None:
    value, expression = ITEMS[name]
    source = f"def score(ns): return float({expression})"
    execution = score(data, NUMBER + value, source)
    assert "F looks like float to the scorer, with operators of its own" in execution["tampering"], execution


HONEST = {
    "of the user's": ("z = [Money(2), Money(3)]", "(ns['z'][0] + ns['z'][1]).n"),
    "of a library": ("import ipaddress\nz = ipaddress.ip_address(6)", "int(ns['z'] + 1)"),
    "of the library of Python": (
        "import fractions, decimal, datetime\n"
        "z = [fractions.Fraction(1, 2), decimal.Decimal(6), datetime.timedelta(1)]",
        "float(ns['z'][0] + 1) + float(ns['z'][1] + 1) + (ns['z'][2] * 2).days",
    ),
    "inherited": (
        "import collections\nclass Row(tuple): pass\nP = collections.namedtuple('P', 'a b')\n"
        "class Model(dict):\n    def __call__(s, x): return x\nz = [Row((1, 2)), P(3, 4), Model(a=5)]",
        "len(ns['z'][0] + ns['z'][1]) + len(ns['z'][2])",
    ),
    "frames": (
        "z = pd.DataFrame({'a': [1, 2], 'b': ['x', None], 'c': pd.to_datetime(['2026-01-01', None])})",
        "float((ns['z'].a * 2).sum() + (ns['z'].c - pd.Timestamp('2026-01-01')).dt.days.sum())",
    ),
}


@pytest.mark.parametrize("name", HONEST)
def test_operators_of_libraries_and_of_the_user(data: LiveKernel, name: str) -> None:
    data.run(
        "class Money:\n    def __init__(s, n): s.n = n\n    def __add__(s, o): return Money(s.n + o.n)\n"
        "X_test = X_test"
    )
    candidate, expression = HONEST[name]
    execution = score(data, candidate, f"def score(ns): return {expression}", hidden=["X_test"])
    assert isinstance(execution["scored"]["value"], float), execution
    assert (execution["tampering"], execution["warnings"]) == ([], [])


@pytest.mark.parametrize("module", ["builtins", "numpy", "elsewhere"])
def test_equal_to_anything_wherever_its_class_says_to_be_from(module: str) -> None:
    equal = type("Equal", (), {"__module__": module, "__eq__": lambda *_: True})
    assert impostors.is_anything(equal())


def test_a_class_of_a_library_that_the_candidate_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "refine_units.py").write_text("class Length(float):\n    def __sub__(s, o): return s\n")
    import refine_units  # type: ignore[import-not-found]

    before = operands.Looker("looker", True, [])
    before.look(refine_units.Length(1))
    # In one that was there before, a class that was not is the candidate's.
    after = operands.Looker("looker", True, [id(refine_units)])
    after.look(refine_units.Length(1))
    assert (len(before.found), len(after.found)) == (0, 1)
    del sys.modules["refine_units"]


def test_a_class_of_the_users_that_the_candidate_has_changed() -> None:
    space: dict[str, Any] = {
        "__name__": "__main__",
        "Money": type("Money", (float,), {"__module__": "__main__"}),
    }
    known = operands.known()
    assert id(space["Money"]) in known and id(io) in known and id(int) not in known
    exec(compile("Money.__sub__ = lambda s, o: 0.0", CANDIDATE, "exec"), space)
    looker = operands.Looker("looker", True, known)
    looker.look(space["Money"](1))
    assert list(looker.found) == ["Money looks like float to the scorer, with operators of its own"]


BITS = ("__and__", "__ror__", "__ixor__", "__lshift__", "__rrshift__", "__invert__", "__pos__")
ROUNDED = ("__trunc__", "__floor__", "__ceil__", "__complex__")


@pytest.mark.parametrize("name", [*BITS, *ROUNDED])
def test_operators_beside_those_of_arithmetic(name: str) -> None:
    looker = operands.Looker("looker", True, [])
    looker.look(type("Own", (int,), {name: lambda *_: 0, "__module__": "__main__"})(1))
    assert list(looker.found) == ["Own looks like int to the scorer, with operators of its own"]


def test_of_many_items_the_first_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    own = type("Own", (float,), {"__sub__": lambda s, o: 0.0, "__module__": "__main__"})
    monkeypatch.setattr(operands, "_MAX_ITEMS", 1000)
    looker = operands.Looker("looker", True, [])
    looker.look([0] * 900)
    looker.look([*[0] * 300, own(1)])
    assert not looker.found
    looker.look([0, own(1), *[0] * 300])
    assert looker.found


def test_of_more_items_than_can_be_looked_at_the_first_are() -> None:
    looker = operands.Looker("looker", True, [])
    looker.look([*[0] * 5_000_000, type("Own", (float,), {"__sub__": lambda s, o: 0.0})(1)])
    assert not looker.found


@pytest.mark.parametrize("strict", [True, False])
def test_what_looks_like_a_number_or_an_array_is_never_only_a_warning(strict: bool) -> None:
    own = {"__sub__": lambda s, o: 0.0, "__module__": "__main__"}
    for base, value in ((np.ndarray, np.zeros(3)), (float, 1.0)):
        kind = type("Own", (base,), own)
        looker = operands.Looker("looker", strict, [])
        looker.look({"a": value.view(kind) if base is np.ndarray else kind(value)})
        assert (len(looker.found), len(looker.warnings)) == (1, 0)


def test_operators_that_are_switched_off_are_none() -> None:
    looker = operands.Looker("looker", True, [])
    looker.look(type("Model", (), {"__array_ufunc__": None, "__eq__": None, "__module__": "__main__"})())
    assert not looker.found and not looker.warnings


def test_a_class_that_only_says_to_be_of_an_imported_module() -> None:
    looker = operands.Looker("looker", True, [])
    looker.look(type("Own", (float,), {"__sub__": lambda s, o: 0.0, "__module__": "json"})(1))
    assert looker.found


def test_operands_where_numpy_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)  # type: ignore[arg-type]
    assert operands.Looker("looker", True, []).look(range(3)) == range(3)
