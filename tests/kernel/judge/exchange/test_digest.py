"""Digests: another one after any change."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from jupyterlab_refine.kernel.judge.exchange import digest


def names_after(source: str) -> dict[str, Any]:
    """Names that cells of the user's have made."""
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(source, space)
    return space


def changed_array(value: Any) -> None:
    value[0] = 9


CHANGES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "an item": ("[1, [2]]", lambda v: v[1].append(3)),
    "a key": ("{'a': 1}", lambda v: v.update(b=1)),
    "an attribute": ("config()", lambda v: setattr(v, "tol", 1e9)),
    "an attribute of a part": ("[config()]", lambda v: setattr(v[0], "tol", 1e9)),
    "a part of an attribute": ("config()", lambda v: v.parts[1].update(a=3)),
    "a method of the class": ("type(config())", lambda v: setattr(v, "check", lambda *a: True)),
    "an attribute of the class": ("type(config())", lambda v: setattr(v, "limit", 6)),
    "code": ("make()", lambda v: setattr(v, "__code__", (lambda x, y=1: 0.0).__code__)),
    "a constant in code": ("make()", lambda v: setattr(v, "__code__", (lambda x, y=1: x + 2).__code__)),
    "a default": ("make()", lambda v: setattr(v, "__defaults__", (2,))),
    "a default by name": ("make()", lambda v: setattr(v, "__kwdefaults__", {"z": 5})),
    "a namespace": ("types.SimpleNamespace(a=1)", lambda v: setattr(v, "a", 2)),
    "an element": ("np.arange(5.0)", changed_array),
    "an element of a large array": ("np.arange(500_000.0)", changed_array),
    "a shape": ("np.arange(6.0)", lambda v: v.shape == setattr(v, "shape", (2, 3))),
    "a column": ("pd.DataFrame({'a': [1, 2]})", lambda v: v.insert(0, "b", 1)),
    "an attribute of the module's function": ("[make()]", lambda v: setattr(v[0], "__defaults__", (7,))),
}
MAKERS = {
    **{"np": np, "pd": pd, "types": types},
    "config": lambda: names_after(
        "class Config:\n    limit = 5\n    def __init__(self): self.tol, self.parts = 1, [1, {'a': 2}]\n"
        "    def check(self, x): return x < self.tol\nc = Config()"
    )["c"],
    "make": lambda: names_after("def f(x, y=1): return x + 1")["f"],
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_gives_another_digest(name: str) -> None:
    source, change = CHANGES[name]
    value = eval(source, dict(MAKERS))
    before = digest.of(value)
    assert before is not None and digest.of(value) == before
    change(value)
    assert digest.of(value) != before


def test_a_digest_calls_nothing_of_the_users() -> None:
    space = names_after(
        "calls = []\nclass Counts:\n    def __init__(self): self.n = 0\n"
        "    def __eq__(self, o): calls.append(1)\n"
        "    def __hash__(self): return calls.append(2) or 1\n"
        "    def __repr__(self): return calls.append(3) or ''\n"
        "    def __iter__(self): calls.append(4); yield 1\n"
        "    def __len__(self): return calls.append(5) or 0\n"
        "    def __getattr__(self, name): calls.append(name); raise AttributeError\none = Counts()"
    )
    assert digest.of([space["one"], space["Counts"]]) is not None
    assert space["calls"] == []
