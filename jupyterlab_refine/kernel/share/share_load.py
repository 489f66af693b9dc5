"""In a process that has copies: load the variables that :mod:`share` wrote in the user's kernel."""

from __future__ import annotations

import contextlib
import importlib
import linecache
import mmap
import os
import pickle
import random
import sys
from typing import Any

from .. import texts

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
