"""What a check changes around the candidate, which its functions must see in their own process.

Patches and assignments to attributes of modules and classes, and the random states where a check sets a
seed. The judge sends them with its next question.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import io
import random
import sys
import types
import unittest.mock
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..checks.check_calls import dotted
from .exchange import stubs

#: Functions that report the figures of the candidate's process.
_FIGURES = "gcf gca get_fignums get_figlabels fignum_exists close figure sca axes".split()
_PYPLOT = "matplotlib.pyplot"
#: Attributes of `sys` that stay here; printed text travels anyway.
_NOT_SENT = ("stdout", "stderr", "path", "modules", "meta_path", "excepthook", "displayhook", "settrace")


def random_states() -> list[Any]:
    """Of ``random`` and ``numpy.random``."""
    numpy = sys.modules.get("numpy")
    return [random.getstate(), numpy and numpy.random.get_state(legacy=False)]


def set_random_states(states: Any) -> None:
    own, of_numpy = states
    random.setstate(own)
    if of_numpy:
        importlib.import_module("numpy").random.set_state(of_numpy)


def assigned(trees: Iterable[ast.AST], namespace: dict[str, Any]) -> Iterator[tuple[types.ModuleType, str]]:
    """Attributes of modules to which checks assign: ``sys.stdin = ...``, ``time.time = lambda: 0``."""
    found = {
        (dotted(node.value), node.attr)
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr not in _NOT_SENT
    }
    for name, attribute in sorted(found):
        module = namespace.get(name) or sys.modules.get(name)
        if isinstance(module, types.ModuleType) and module.__name__ != "__main__":
            yield module, attribute


class Installed:
    """Stand-ins for functions of libraries with which checks patch and inspect.

    :param figures: whether the candidate has made figures of matplotlib.
    """

    def __init__(self, judge: Any, figures: bool) -> None:
        self._judge, self._figures = judge, figures

    @contextlib.contextmanager
    def installed(self, text: str) -> Iterator[None]:
        """:param text: of the checks."""
        with contextlib.ExitStack() as stack:
            self._around(stack, unittest.mock._patch, "__enter__", self._patched)
            self._around(stack, inspect, "getsource", self._getsource)
            for name in _FIGURES:
                if self._figures and name in text:
                    self._around(stack, importlib.import_module(_PYPLOT), name, self._of_figures(name))
            for stream in ("stdout", "stderr"):
                stack.callback(setattr, sys, stream, getattr(sys, stream))
                setattr(sys, stream, io.StringIO())
            yield

    @staticmethod
    def _around(stack: contextlib.ExitStack, owner: Any, name: str, stand_in: Any) -> None:
        own = getattr(owner, name)
        stack.callback(setattr, owner, name, own)
        setattr(owner, name, lambda *arguments, **named: stand_in(own, *arguments, **named))

    def _of_figures(self, name: str) -> Callable[..., Any]:
        return lambda own, *arguments, **named: self._judge.ask("module", _PYPLOT, name, arguments, named)

    def _patched(self, own: Any, patch: Any) -> Any:
        self._judge.follow(patch.getter(), patch.attribute)
        return own(patch)

    def _getsource(self, own: Any, value: Any) -> Any:
        if stubs.handle_of(value, self._judge) is None:
            return own(value)
        self._judge.note("the source of a function comes from the candidate's process")
        return self._judge.ask("source", value)
