"""Settings and random states that a check changes and the candidate's functions read.

For example ``np.errstate``, ``decimal.localcontext`` and ``random.seed``: the judge sends what a check
has changed with its next question, and the worker takes it. Nothing travels the other way.
"""

from __future__ import annotations

import ast
import decimal
import os
import random
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

from ..checks.check_calls import dotted

#: By the words of a check that speak of them.
_WORDS: dict[str, tuple[str, ...]] = {
    "numpy": ("errstate", "seterr"),
    "decimal": ("localcontext", "getcontext", "setcontext"),
    "random": ("seed", "setstate"),
    "numpy.random": ("seed", "set_state"),
}
#: Functions that set a random state; a check may set the same one again before each call.
SEEDING = {"random": ("seed", "setstate"), "numpy.random": ("seed", "set_state")}


def read(words: set[str]) -> dict[str, Any]:
    """What checks of these words may have changed."""
    return {name: _READ[name]() for name, own in _WORDS.items() if not words.isdisjoint(own)}


def write(found: dict[str, Any]) -> None:
    """Set what :func:`read` gave elsewhere."""
    for name, state in found.items():
        if state is not None:
            _WRITE[name](state)


def environment() -> dict[bytes, bytes]:
    """A copy of the environment variables; decoding all of them for each question takes too long."""
    return dict(os.environ._data)  # type: ignore[attr-defined]


def assigned(trees: Iterable[ast.AST], namespace: dict[str, Any]) -> Iterator[tuple[types.ModuleType, str]]:
    """Attributes of modules to which checks assign: ``sys.stdin = ...``, ``time.time = lambda: 0``."""
    modules: dict[str, Any] = {}
    found: set[tuple[str, str]] = set()
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                modules |= {(one.asname or one.name): sys.modules.get(one.name) for one in node.names}
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                name = dotted(node.value)
                if name and node.attr not in _NOT_SENT:
                    found.add((name, node.attr))
    for name, attribute in sorted(found):
        module = namespace.get(name) or modules.get(name) or sys.modules.get(name)
        if isinstance(module, types.ModuleType) and module.__name__ != "__main__":
            yield module, attribute


def _numpy() -> Any:
    return sys.modules.get("numpy")


def _read_decimal() -> list[Any]:
    context = decimal.getcontext()
    return [context.prec, context.rounding, context.Emin, context.Emax]


def _write_decimal(state: list[Any]) -> None:
    context = decimal.getcontext()
    context.prec, context.rounding, context.Emin, context.Emax = state


def _read_seed() -> Any:
    state = _numpy() and _numpy().random.get_state(legacy=False)
    return state and {**state, "state": {**state["state"], "key": state["state"]["key"].tolist()}}


#: Attributes of `sys` that are not sent; printed text travels anyway.
_NOT_SENT = ("stdout", "stderr", "path", "modules", "meta_path", "excepthook", "displayhook", "settrace")
_READ = {
    "numpy": lambda: _numpy() and _numpy().geterr(),
    "decimal": _read_decimal,
    "random": random.getstate,
    "numpy.random": _read_seed,
}
_WRITE: dict[str, Any] = {
    "numpy": lambda state: _numpy() and _numpy().seterr(**state),
    "decimal": _write_decimal,
    "random": random.setstate,
    "numpy.random": lambda state: _numpy() and _numpy().random.set_state(state),
}
