"""What a check changes around the candidate, which its functions must see in their own process.

Patches and assignments to attributes of modules and classes, the random states where a check sets a seed,
working folder and environment variables. The judge sends them with its next question.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.util
import inspect
import io
import os
import random
import sys
import types
import unittest.mock
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..checks import statements
from ..checks.check_calls import dotted
from ..source import names
from .exchange import stubs

#: Functions that report the figures of the candidate's process.
_FIGURES = "gcf gca get_fignums get_figlabels fignum_exists close figure sca axes".split()
_PYPLOT = "matplotlib.pyplot"
#: Attributes of `sys` that stay here; printed text travels anyway.
_NOT_SENT = ("stdout", "stderr", "path", "modules", "meta_path", "excepthook", "displayhook", "settrace")
#: Kept here, since a check may patch it.
_getcwd = os.getcwd


def place() -> tuple[str, dict[bytes, bytes]]:
    """Working folder and environment variables; decoding all of them for each question takes too long."""
    return _getcwd(), dict(os.environ._data)  # type: ignore[attr-defined]


def changes_of_place(old: tuple[str, Any], new: tuple[str, Any]) -> tuple[str | None, dict[str, str | None]]:
    """The folder, and the variables with their values, if they are others."""
    changed = {name for name in old[1].keys() | new[1].keys() if old[1].get(name) != new[1].get(name)}
    variables = {name: os.environ.get(name) for name in map(os.fsdecode, changed)}
    return (new[0] if new[0] != old[0] else None), variables


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

    :param source: of the candidate.
    :param figures: whether it has made figures of matplotlib.
    """

    def __init__(self, judge: Any, source: str, figures: bool) -> None:
        self._judge, self._source, self._figures = judge, source, figures

    @contextlib.contextmanager
    def installed(self, text: str) -> Iterator[None]:
        """:param text: of the checks."""
        with contextlib.ExitStack() as stack:
            self._around(stack, unittest.mock._patch, "__enter__", self._patched)
            self._around(stack, inspect, "getsource", self._getsource)
            if "monkeypatch" in text.lower() and importlib.util.find_spec("pytest"):
                kind = importlib.import_module("pytest").MonkeyPatch
                self._around(stack, kind, "setattr", self._set)
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

    def _set(self, own: Any, patch: Any, target: Any, name: Any = None, *arguments: Any, **named: Any) -> Any:
        if isinstance(target, str):
            # `setattr("os.getcwd", f)`: the second argument is the value.
            module, _, attribute = target.rpartition(".")
            self._judge.follow(importlib.import_module(module), attribute)
        else:
            self._judge.follow(target, name)
        return own(patch, target, *([] if name is None else [name]), *arguments, **named)

    def _getsource(self, own: Any, value: Any) -> Any:
        """Of a stub: the definition in the candidate's source, which is data here."""
        if stubs.handle_of(value, self._judge) is None:
            return own(value)
        known = [name for name, other in self._judge.namespace.items() if other is value]
        found = [_definition(self._source, name) for name in known]
        if any(found):
            return next(filter(None, found))
        self._judge.note("the source of a function comes from the candidate's process")
        return self._judge.ask("source", value)


def _definition(source: str, name: str) -> str:
    """The statement of a cell that defines the name; empty where it is bound more than once, or otherwise."""
    text = names.python_source(source)
    for tree in names.trees([text]):
        bound = [node for node in ast.walk(tree) if name in names.bound_here(node)]
        if len(bound) == 1 and bound[0] in tree.body:
            return statements.text(text.splitlines(), bound[0]) + "\n"
    return ""
