"""Values of the notebook for a second kernel: pickled in the user's kernel, and loaded there.

Functions that were defined in the notebook are copied as code, bound to the
variables of the second kernel; classes through cloudpickle where it is
installed, else by their source.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import inspect
import linecache
import marshal
import mmap
import os
import pickle
import random
import sys
import types
from collections.abc import Callable
from typing import Any

from .. import texts
from ..source import names

#: Where a cloudpickle may be; the second is joblib's own copy.
CLOUDPICKLES = ("cloudpickle", "joblib.externals.cloudpickle")
#: Attributes of a function, besides those that create it.
_STATE = (
    *("__defaults__", "__kwdefaults__", "__module__", "__qualname__", "__doc__", "__annotations__"),
    "__dict__",
)
_CACHED = type(functools.lru_cache(lambda: None))


class CannotShare(Exception):
    """A value that cannot be copied; the message is for the user, without the variable's name."""


def find_cloudpickle() -> Any:
    """The cloudpickle that can be imported here."""
    for name in CLOUDPICKLES:
        with contextlib.suppress(Exception):
            return importlib.import_module(name)
    return None


class Found:
    """What else the written values need."""

    def __init__(self) -> None:
        #: Variables that functions and classes of the notebook read.
        self.names: dict[str, None] = {}
        self.attributes: set[str] = set()
        #: Classes of the notebook by name, bases first: sources to execute.
        self.classes: dict[str, str] = {}
        #: Texts of the cells that functions came from, for tracebacks.
        self.files: dict[str, str] = {}

    def read(self, needs: names.Needs) -> None:
        self.names.update(needs.free)
        self.attributes |= needs.attributes


def pickler(file: Any, found: Found, shell: Any, keep: Callable[[pickle.PickleBuffer], bool]) -> Any:
    """A pickler for several values that may share parts. :param keep: as ``buffer_callback`` of pickle."""
    cloudpickle = find_cloudpickle()
    base: Any = pickle.Pickler if cloudpickle is None else cloudpickle.Pickler

    class Pickler(base):
        def reducer_override(self, value: Any) -> Any:
            kind = type(value)
            if kind is types.FunctionType:
                return NotImplemented if _importable(value) else _of_function(value, found, shell)
            if kind is types.CellType:
                return _of_cell(value)
            if kind is types.ModuleType:
                return importlib.import_module, (value.__name__,)
            if kind is _CACHED and not _importable(value):
                return functools.lru_cache(**value.cache_parameters()), (value.__wrapped__,)
            if cloudpickle is not None:
                return super().reducer_override(value)
            if isinstance(value, type) and value.__module__ == "__main__":
                _add_class(value, found, shell)
            return NotImplemented

    return Pickler(file, protocol=5, buffer_callback=keep)


def _importable(value: Any) -> bool:
    name: Any = getattr(value, "__module__", None)
    module = sys.modules.get(name)
    if module is None or module.__name__ == "__main__":
        return False
    found: Any = module
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is value


def _of_function(function: Any, found: Found, shell: Any) -> Any:
    home = "__main__"
    if function.__globals__ is not shell.user_ns:
        home = function.__globals__.get("__name__", "")
        if home == "__main__" or getattr(sys.modules.get(home), "__dict__", None) is not function.__globals__:
            raise CannotShare("a function that was made by exec cannot be copied")
    else:
        found.read(names.of_code(function.__code__))
        file = function.__code__.co_filename
        if lines := linecache.getlines(file):
            found.files[file] = "".join(lines)
    state = {name: getattr(function, name) for name in _STATE}
    code = marshal.dumps(function.__code__)
    arguments = (code, home, function.__name__, function.__closure__)
    return make_function, arguments, state, None, None, fill


def make_function(code: bytes, home: str, name: str, closure: Any) -> Any:
    """In the second kernel: a function without what it may itself be part of."""
    module = importlib.import_module(home)
    return types.FunctionType(marshal.loads(code), vars(module), name, None, closure)


def make_cell() -> Any:
    """In the second kernel: a variable of an outer function, still unbound."""
    return types.CellType()


def fill(value: Any, state: dict[str, Any]) -> None:
    """In the second kernel: the rest of a function or a cell."""
    for name, part in state.items():
        setattr(value, name, part)


def _of_cell(cell: Any) -> Any:
    try:
        return make_cell, (), {"cell_contents": cell.cell_contents}, None, None, fill
    except ValueError:
        return make_cell, ()


def _add_class(kind: type, found: Found, shell: Any) -> None:
    """Keep the source of a class of the notebook, after those of its bases."""
    name = kind.__qualname__.split(".")[0]
    if name in found.classes:
        return
    if shell.user_ns.get(name) is not kind and "." not in kind.__qualname__:
        raise CannotShare(f"its class {kind.__qualname__} was defined again since")
    if "<locals>" in kind.__qualname__ or (source := _class_source(kind, name, shell)) is None:
        raise CannotShare(f"its class {kind.__qualname__} has no source to copy; cloudpickle could copy it")
    for base in (*reversed(kind.__mro__[1:]), type(kind)):
        if base.__module__ == "__main__":
            _add_class(base, found, shell)
    found.classes[name] = source
    found.read(names.of_source(source))


def _class_source(kind: type, name: str, shell: Any) -> str | None:
    """The last definition that was run, as far as the kernel still has it."""
    history = getattr(getattr(shell, "history_manager", None), "input_hist_parsed", [])
    files = {value.__code__.co_filename for value in vars(kind).values() if inspect.isfunction(value)}
    cells = ["".join(linecache.getlines(file)) for file in files] + list(history)
    for cell in reversed(cells):
        try:
            nodes = ast.parse(cell).body if name in cell else []
        except names.UNREADABLE:
            continue
        for node in reversed(nodes):
            if isinstance(node, ast.ClassDef) and node.name == name:
                first = min([node.lineno] + [decorator.lineno for decorator in node.decorator_list])
                return "\n".join(cell.splitlines()[first - 1 : node.end_lineno])
    return None


# -- in the second kernel

_loaded: set[str] = set()


class Failed(Exception):
    """One variable could not be made; ``failed`` is its name and the reason."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.failed = [name, reason]


def load(folder: str, shell: Any) -> None:
    """Replace what was loaded before. Large arrays are mapped, and copied page by page when they are changed.

    :raises Failed: for a variable that cannot be made here.
    """
    for name in _loaded:
        shell.user_ns.pop(name, None)
    _loaded.clear()
    with open(os.path.join(folder, "trailer"), "rb") as file:
        trailer = pickle.load(file)
    for name, text in trailer["files"].items():
        # Without a time, so that nothing searches for a file of that name.
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = shell.user_ns
    doing = ""
    try:
        for doing, module in trailer["modules"].items():
            namespace[doing] = importlib.import_module(module)
            _loaded.add(doing)
        import_all(trailer["submodules"])
        for doing, source in trailer["classes"].items():
            exec(compile(source, "<notebook>", "exec", dont_inherit=True), namespace)
            _loaded.add(doing)
        with open(os.path.join(folder, "values"), "rb") as file:
            unpickler = pickle.Unpickler(file, buffers=_buffers(folder, trailer["places"]))
            for doing in trailer["names"]:
                name, namespace[doing] = unpickler.load()
                _loaded.add(name)
    except Exception as error:
        raise Failed(doing, _reason(error)) from error
    random.setstate(trailer["random"])
    if trailer["numpy"] is not None:
        importlib.import_module("numpy.random").set_state(trailer["numpy"])
    pandas: Any = sys.modules.get("pandas")
    for option, value in trailer["pandas"].items() if pandas is not None else ():
        pandas.set_option(option, value)


def _buffers(folder: str, places: list[tuple[int, int]]) -> list[memoryview]:
    if not places:
        return []
    with open(os.path.join(folder, "buffers"), "rb") as file:
        whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    return [whole[start : start + size] for start, size in places]


def _reason(error: Exception) -> str:
    message = texts.plain(f"{type(error).__name__}: {error}").strip().splitlines()[0]
    return texts.cut_end(f"it could not be created in the second kernel: {message}", 300)


def import_all(names: list[str]) -> None:
    """What cannot be imported is reported by the code that needs it."""
    for name in names:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
