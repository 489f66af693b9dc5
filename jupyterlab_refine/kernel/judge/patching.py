"""Forward what checks do to libraries: their patches reach the worker, and stubs have a source.

In the judge, while checks run. ``mock.patch`` and ``pytest.MonkeyPatch`` patch the worker's module or class
as well; ``inspect.getsource`` of a stub gives the definition in the candidate's source, which is data here.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.util
import inspect
import io
import sys
import types
import unittest.mock
from collections.abc import Iterator
from typing import Any

from ..checks import statements
from ..checks.check_calls import dotted
from ..source import names
from . import states
from .exchange import stub_types, stubs

#: Functions of pandas that give a class an attribute.
_REGISTERS = {f"register_{kind.lower()}_accessor": kind for kind in ("DataFrame", "Series", "Index")}


#: Functions of libraries that report a state of the candidate's process.
_STATE = {
    "matplotlib.pyplot": (
        "gcf",
        "gca",
        "get_fignums",
        "get_figlabels",
        "fignum_exists",
        "close",
        "figure",
        "sca",
        "axes",
    ),
    "pandas": ("get_option",),
    "numpy": ("get_printoptions", "geterr"),
    "locale": ("getlocale",),
}


class _Added:
    """An attribute that the candidate has given a class of the notebook or of a library."""

    def __init__(self, judge: Any, name: str) -> None:
        self._judge = judge
        self._name = name

    def __get__(self, value: Any, owner: Any = None) -> Any:
        if value is None:
            raise AttributeError(self._name)
        return self._judge.ask("get", value, self._name)


def add(judge: Any, source: str, words: set[str]) -> None:
    """Give classes here the new attributes that the candidate's source gives them: they are asked for there.

    :param words: of the checks. Existing attributes stay as they are.
    """
    for tree in names.trees([source]):
        for owner, name in _additions(tree):
            kind = _found(owner, judge.namespace)
            if (
                name in words
                and not name.startswith("_")
                and isinstance(kind, type)
                and not hasattr(kind, name)
            ):
                if not isinstance(kind, stub_types.StubType):
                    setattr(kind, name, _Added(judge, name))


def _additions(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            yield from (
                (dotted(target.value), target.attr)
                for target in node.targets
                if isinstance(target, ast.Attribute)
            )
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            path, _, function = dotted(node.func).rpartition(".")
            if function in _REGISTERS:
                yield f"{path.split('.')[0]}.{_REGISTERS[function]}", str(node.args[0].value)


def _found(path: str, namespace: dict[str, Any]) -> Any:
    """The class of a dotted name: of the namespace, or of pandas, which most import by another name."""
    first, *rest = path.split(".")
    found = namespace.get(first, sys.modules.get("pandas") if first in ("pd", "pandas") else None)
    for part in rest:
        found = vars(found).get(part) if isinstance(found, (types.ModuleType, type)) else None
    return found


class Mirrored:
    """Stand-ins for functions of the libraries with which checks patch and inspect.

    :param source: of the candidate.
    :param figures: whether it has made figures of matplotlib.
    """

    def __init__(self, judge: Any, source: str, figures: bool) -> None:
        self._judge = judge
        self._source = source
        self._figures = figures

    @contextlib.contextmanager
    def installed(self, text: str) -> Iterator[None]:
        """:param text: of the checks."""
        with contextlib.ExitStack() as stack:
            mock: Any = unittest.mock._patch
            self._around(stack, mock, "__enter__", self._patched)
            self._around(stack, mock, "__exit__", self._unpatched)
            self._around(stack, inspect, "getsource", self._getsource)
            if "monkeypatch" in text.lower() and importlib.util.find_spec("pytest"):
                kind = importlib.import_module("pytest").MonkeyPatch
                self._around(stack, kind, "setattr", self._set)
                self._around(stack, kind, "delattr", self._set)
                self._around(stack, kind, "undo", self._undo)
            for module, functions in _STATE.items():
                self._forward(stack, module, [name for name in functions if name in text])
            for module, functions in states.SEEDING.items():
                for name in functions:
                    if module in sys.modules and name in text:
                        self._around(stack, sys.modules[module], name, self._seeding(module))
            for stream in ("stdout", "stderr"):
                stack.callback(setattr, sys, stream, getattr(sys, stream))
                setattr(sys, stream, io.StringIO())
            yield

    def _seeding(self, module: str) -> Any:
        def seed(own: Any, *arguments: Any, **named: Any) -> Any:
            self._judge.seeded.add(module)
            return own(*arguments, **named)

        return seed

    def _forward(self, stack: contextlib.ExitStack, module: str, functions: list[str]) -> None:
        if not self._figures and (module == "matplotlib.pyplot" or module not in sys.modules):
            return
        found = importlib.import_module(module)
        for name in functions:
            stack.callback(setattr, found, name, getattr(found, name))
            setattr(found, name, self._forwarded(module, name))

    def _forwarded(self, module: str, name: str) -> Any:
        own = getattr(sys.modules[module], name)

        def forwarded(*arguments: Any, **named: Any) -> Any:
            found = self._judge.ask("module", module, name, arguments, named)
            if module != "matplotlib.pyplot" and found != own(*arguments, **named):
                self._judge.note(f"`{module}.{name}` reads a setting that the candidate changed")
            return found

        return forwarded

    @staticmethod
    def _around(stack: contextlib.ExitStack, owner: Any, name: str, stand_in: Any) -> None:
        own = getattr(owner, name)
        stack.callback(setattr, owner, name, own)
        setattr(owner, name, lambda *arguments, **named: stand_in(own, *arguments, **named))

    def _mirror(self, target: Any, attribute: str) -> bool:
        """Whether the worker has been patched likewise."""
        if stubs.handle_of(target, self._judge) is not None or not isinstance(
            target, (types.ModuleType, type)
        ):
            return False
        is_class = isinstance(target, type)
        path = [target.__module__, target.__qualname__] if is_class else [target.__name__, ""]
        self._judge.ask("patch", *path, attribute, getattr(target, attribute, None))
        return True

    def _patched(self, own: Any, patch: Any) -> Any:
        result = own(patch)
        if self._mirror(patch.target, patch.attribute):
            patch.refine_mirrored = True
        return result

    def _unpatched(self, own: Any, patch: Any, *error: Any) -> Any:
        if vars(patch).pop("refine_mirrored", False):
            self._judge.ask("unpatch")
        return own(patch, *error)

    def _set(self, own: Any, patch: Any, target: Any, name: Any = None, *arguments: Any, **named: Any) -> Any:
        result = own(patch, target, *([] if name is None else [name]), *arguments, **named)
        if isinstance(target, str):
            # `setattr("os.getcwd", f)`: the second argument is the value.
            module, _, attribute = target.rpartition(".")
            target, name = importlib.import_module(module), attribute
        if self._mirror(target, name):
            patch.refine_mirrored = getattr(patch, "refine_mirrored", 0) + 1
        return result

    def _undo(self, own: Any, patch: Any) -> Any:
        for _ in range(vars(patch).pop("refine_mirrored", 0)):
            self._judge.ask("unpatch")
        return own(patch)

    def _getsource(self, own: Any, value: Any) -> Any:
        if stubs.handle_of(value, self._judge) is None:
            return own(value)
        found = [
            segment
            for name, other in self._judge.namespace.items()
            if other is value
            for segment in [_definition(self._source, name)]
            if segment is not None
        ]
        if found:
            return found[0]
        self._judge.note("the source of a function comes from the candidate's process")
        return self._judge.ask("source", value)


def _definition(source: str, name: str) -> str | None:
    """The statement of a cell that defines the name; None where it is bound more than once, or otherwise."""
    text = names.python_source(source)
    for tree in names.trees([text]):
        bound = [
            node
            for node in ast.walk(tree)
            if getattr(node, "name", None) == name or isinstance(node, ast.Name) and node.id == name
            if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
        ]
        if len(bound) == 1 and bound[0] in tree.body:
            return statements.text(text.splitlines(), bound[0]) + "\n"
    return None
