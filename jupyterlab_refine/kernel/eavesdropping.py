"""Notices candidates that look into the scorer while it calls them, and libraries that they have changed."""

from __future__ import annotations

import _signal
import bdb
import inspect
import os
import sys
import traceback
import types
from collections.abc import Callable, Collection
from typing import Any

from .tracebacks import CANDIDATE

_LOOKS = {
    *("sys._getframe", "sys.settrace", "sys.setprofile"),
    *("gc.get_objects", "gc.get_referrers", "gc.get_referents"),
}
#: Nothing needs these to compute something; in a pool's thread no frame is the candidate's.
_NEVER = {"sys._current_frames", "sys._current_exceptions"}
_FRAMES = ("tb_frame", "gi_frame", "cr_frame", "ag_frame")
#: Through which code asks for frames.
_BETWEEN = (inspect.__file__, traceback.__file__, bdb.__file__)
#: Made by the interpreter or by us.
_OURS = "_jupyterlab_refine"
_KNOWN = ("<frozen ", "<scorer>", "<check ", "<jupyterlab-refine/", "<__array_function__")

# As they were before the candidate.
_getframe, _addaudithook, _modules = sys._getframe, sys.addaudithook, sys.modules
_getpid, _readlink, _listdir, _realpath = os.getpid, os.readlink, os.listdir, os.path.realpath
_handle, _handler = _signal.signal, _signal.getsignal


class Eavesdropping:
    """Collects, in words, what code of the candidate's asks for while it is on."""

    def __init__(self) -> None:
        self._on = False
        self._found: dict[str, None] = {}
        self._pid = _getpid()
        _addaudithook(self._on_event)

    def __enter__(self) -> Eavesdropping:
        if any(_is_memory(f"/proc/self/fd/{number}") for number in _listdir("/proc/self/fd")):
            self._tell("/proc/self/mem")
        _blind_handlers()
        self._on = True
        return self

    def __exit__(self, *_: object) -> None:
        self._on = False

    def found(self) -> list[str]:
        return list(self._found)

    def _tell(self, what: str) -> None:
        self._found[f"the candidate looked into the running scorer ({what})"] = None

    def _on_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self._on:
            return
        if event in _LOOKS or event in _NEVER:
            what = event
        elif event == "object.__getattr__" and arguments[1] in _FRAMES:
            what = arguments[1]
        elif event == "open":
            what = "/proc/self/mem"
        else:
            return
        self._on = False
        try:
            if event == "open":
                looks = _is_memory(arguments[0])
            else:
                looks = event in _NEVER or self._is_candidates()
        finally:
            self._on = True
        if looks:
            self._tell(what)
            if _getpid() != self._pid:
                # A fork of the scorer's process, whose notes nobody reads.
                raise PermissionError("nobody looks into the running scorer")

    def _is_candidates(self) -> bool:
        frame: types.FrameType | None = _getframe(2)
        while frame is not None and frame.f_code.co_filename in _BETWEEN:
            frame = frame.f_back
        if frame is None:
            return False
        name = frame.f_code.co_filename
        return not name.startswith(_KNOWN) and not _is_of_module(frame, name)


def _is_of_module(frame: types.FrameType, file: str) -> bool:
    """Whether it runs in a module from that file: what the candidate compiles can have any file name."""
    module = _modules.get(str(frame.f_globals.get("__name__")))
    return (
        type(module) is types.ModuleType
        and vars(module) is frame.f_globals
        and getattr(module, "__file__", None) == file
    )


def _is_memory(path: object) -> bool:
    """Whether it is the memory of a process, as a file."""
    if not isinstance(path, str | bytes):
        return False
    text = os.fsdecode(path)
    try:
        real = _readlink(text) if text.startswith("/proc/self/fd/") else _realpath(text)
    except OSError:
        real = text
    # The bare name may be relative to a directory that is open.
    return text == "mem" or (real.startswith("/proc/") and real.endswith("/mem"))


def _blind_handlers() -> None:
    """Handlers of signals are handed the frame that they interrupt: not that of a scorer, from now on."""

    def handle(number: int, handler: Any) -> Any:
        return _handle(number, _blind(handler) if callable(handler) else handler)

    for number in range(1, _signal.NSIG):
        handler = _handler(number)
        if callable(handler):
            handle(number, handler)
    # The function of the module `signal` calls it by this name.
    _signal.signal = handle  # type: ignore[assignment]


def _blind(handler: Callable[..., Any]) -> Callable[..., Any]:
    return lambda number, _: handler(number, None)


def changed_libraries(packages: Collection[str]) -> list[str]:
    """In words: functions of these packages, and of our own, that are the candidate's now."""
    found: dict[str, None] = {}
    for module_name, module in list(sys.modules.items()):
        if module_name.split(".")[0] not in {*packages, _OURS} or not isinstance(module, types.ModuleType):
            continue
        for name, value in list(vars(module).items()):
            if _is_candidates(value):
                found[f"{module_name}.{name} was replaced"] = None
            elif isinstance(value, type) and value.__module__.split(".")[0] in packages:
                for member, inner in list(vars(value).items()):
                    if _is_candidates(inner):
                        found[f"{value.__name__}.{member} was replaced"] = None
    return list(found)


def _is_candidates(value: Any) -> bool:
    if type(value) in (staticmethod, classmethod):
        value = value.__func__
    elif type(value).__name__ == "_ArrayFunctionDispatcher":
        # numpy's functions are written in Python behind it.
        value = value.__wrapped__
    return type(value) is types.FunctionType and value.__code__.co_filename == CANDIDATE
