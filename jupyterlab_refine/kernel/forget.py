"""Makes a child forget the request that it was forked for: that text holds the checks and the hold-outs.

Until they are sent over the pipe, after the candidate has ended, no frame, no
message and no constant of the child's may still name them.
"""

from __future__ import annotations

import ast
import contextvars
import ctypes
import gc
import inspect
import sys
import threading
from collections.abc import Callable
from typing import Any

_DEPTH = 8
#: In every request of ours.
_OURS = "modules['_jupyterlab_refine'].call("
_MIN_LENGTH = 8

#: Held while anything but :data:`holders` refers to checks, or to what they told: no fork happens then.
lock = threading.RLock()

#: What other attempts hold in the kernel when a child is forked: each gives containers of texts.
holders: dict[str, Callable[[], list[Any]]] = {}


def forget_attempts() -> None:
    """Overwrite the checks and results of the attempts that run, or wait to be collected."""
    for held in list(holders.values()):
        for value in held():
            _wipe(value)


def _wipe(value: Any) -> None:
    if isinstance(value, str):
        # Shorter ones, and names, may be shared with the rest of the process.
        if len(value) >= _MIN_LENGTH and not value.isidentifier():
            overwrite_text(value)
    elif type(value) is bytes and len(value) >= _MIN_LENGTH:
        _overwrite_bytes(value)
    elif isinstance(value, BaseException):
        _wipe(value.args)
        _wipe(getattr(value, "text", None))
    elif isinstance(value, ast.AST):
        for node in ast.walk(value):
            for inner in vars(node).values():
                if isinstance(inner, str | bytes):
                    _wipe(inner)
            vars(node).clear()
    elif isinstance(value, dict | list | tuple | set):
        for item in list(value.values() if isinstance(value, dict) else value):
            _wipe(item)
        if not isinstance(value, tuple):
            value.clear()


def forget_requests(marker: str | None, shell: Any) -> None:
    """Overwrite our requests, and every text that holds ``marker`` (the id of the attempt).

    Looks at what the current frames reach, and at what ipykernel keeps of this
    request and the last ones. Only for a process that never returns to those frames.
    """
    # A copy: the text given is itself one of those that are overwritten.
    search = _Search([_OURS] if marker is None else [_OURS, (marker + " ")[:-1]])
    # Millions of values of the user's, and frames that refer to them all.
    search.leave_out(shell.user_ns, shell.user_global_ns, sys.modules)
    kernel = shell.kernel
    frame = sys._getframe(1)
    while frame is not None:
        # Not the namespaces of modules and of the user: only what functions hold.
        if frame.f_code.co_flags & inspect.CO_NEWLOCALS:
            for value in list(frame.f_locals.values()):
                search.look(value, 0)
        search.look(frame.f_code.co_consts, 0)
        frame = frame.f_back  # type: ignore[assignment]
    if hasattr(kernel, "get_parent"):
        search.look(kernel.get_parent(), 0)
    # ipykernel 7 keeps the last request of the shell there, beside this one.
    for context in (getattr(kernel, "_shell_context", None), contextvars.copy_context()):
        search.look(list(context.values()) if context is not None else [], 0)
    if marker is not None:
        search.look_at_parser()
    # Only now: the same text may be held in several places.
    for container in search.containers:
        container.clear()
    for text in search.found:
        if isinstance(text, str):
            overwrite_text(text)
        elif isinstance(text, bytes):
            _overwrite_bytes(text)
        else:
            # It keeps its bytes twice: as they came, and as Python has asked for them.
            _overwrite_buffer(ctypes.py_object(text.buffer), len(text.bytes))
            _overwrite_bytes(text.bytes)


class _Search:
    """Looks for texts with one of the markers in nested containers."""

    def __init__(self, markers: list[str]) -> None:
        self._texts = tuple(markers)
        self._bytes = tuple(marker.encode() for marker in markers)
        #: By id, and kept: that of an object which is gone would soon be another's.
        self._seen: dict[int, Any] = {}
        self.found: list[Any] = []
        self.containers: list[Any] = []

    def leave_out(self, *values: Any) -> None:
        self._seen.update((id(value), value) for value in values)

    def look(self, value: Any, depth: int) -> bool:
        """Whether the value is itself a text with a marker."""
        if depth > _DEPTH:
            return False
        kind = type(value)
        if kind is str or kind is bytes:
            markers: tuple[Any, ...] = self._texts if kind is str else self._bytes
            holds = any(marker in value for marker in markers)
            if holds:
                self.found.append(value)
            return holds
        if id(value) in self._seen:
            return False
        self._seen[id(value)] = value
        if kind is dict or kind is list or kind is tuple:
            items = list(value.values() if kind is dict else value)
            if any([self.look(item, depth + 1) for item in items]) and kind is not tuple:
                self.containers.append(value)
        elif kind.__name__ == "Frame" and kind.__module__.split(".")[0] == "zmq":
            # A received message: somebody else's memory, read-only to Python.
            if any(marker in value.bytes for marker in self._bytes):
                self.found.append(value)
        return False

    def look_at_parser(self) -> None:
        """The expression that is being evaluated: its tokens stay in a list of the parser's until it ends."""
        for generation in range(3):
            # Made a moment ago: it is among the youngest, where there is little else.
            young = gc.get_objects(generation)
            texts = [item for one in young if type(one) is list for item in one if type(item) is bytes]
            if any([self.look(text, 0) for text in texts]):
                return


def _header(text: str, width: int) -> int:
    """Bytes before the characters; ``text`` must be ASCII, or new, so that no UTF-8 copy of it counts."""
    return sys.getsizeof(text) - (len(text) + 1) * width


_ASCII_HEADER = _header("a", 1)
_WIDE_HEADER = _header(chr(0x100), 2)


def overwrite_text(text: str) -> None:
    """In place, whatever refers to it. Such a text is unique: it holds a random id."""
    if not text.strip(" "):
        # It was held twice, and its characters do not tell any more how wide they are.
        return
    width = 1 if text.isascii() else 4 if max(text) > "\uffff" else 2 if max(text) > "\xff" else 1
    header = _ASCII_HEADER if text.isascii() else _WIDE_HEADER
    if sys.getsizeof(text) > header + (len(text) + 1) * width:
        # CPython keeps a UTF-8 copy: its length, then its address, follow the fields of an ASCII text.
        length = ctypes.c_ssize_t.from_address(id(text) + _ASCII_HEADER).value
        copy = ctypes.c_void_p.from_address(id(text) + _ASCII_HEADER + 8).value
        ctypes.memset(copy, ord(" "), length)
    # A space in each character's own width: anything else would be no valid text.
    spaces = b" ".ljust(width, b"\0") if sys.byteorder == "little" else b" ".rjust(width, b"\0")
    ctypes.memmove(id(text) + header, spaces * len(text), len(text) * width)


def _overwrite_bytes(text: bytes) -> None:
    ctypes.memset(id(text) + sys.getsizeof(text) - len(text) - 1, ord(" "), len(text))


class _Buffer(ctypes.Structure):
    """The first fields of CPython's ``Py_buffer``."""

    _fields_ = [
        ("address", ctypes.c_void_p),
        ("owner", ctypes.py_object),
        ("size", ctypes.c_ssize_t),
        ("rest", ctypes.c_byte * 128),
    ]


def _overwrite_buffer(pointer: ctypes.py_object, size: int) -> None:
    buffer = _Buffer()
    if ctypes.pythonapi.PyObject_GetBuffer(pointer, ctypes.byref(buffer), 0) == 0:
        ctypes.memset(buffer.address, ord(" "), size)
        ctypes.pythonapi.PyBuffer_Release(ctypes.byref(buffer))
