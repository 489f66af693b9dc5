"""Copies of the user's variables for a second kernel, where the kernel itself cannot be forked.

The user's kernel packs what an attempt names into a private file, the second one
loads it (:mod:`share_load`); the client carries tokens between them.
"""

from __future__ import annotations

import _thread
import base64
import os
import pickle
import random
import re
import signal
import sys
import tempfile
import threading
import types
import uuid
from collections.abc import Iterable
from typing import Any, NamedTuple

from .. import texts
from ..secrecy import redact
from ..source.names import of_source
from ..values import describe
from . import share_load, share_values

#: Seconds after which a file that was not fetched is removed.
_KEPT_SECONDS = 120.0
_CANNOT_PICKLE = re.compile(r"cannot pickle '?([\w.]+)'? object")

_files: dict[str, str] = {}
_guard: _Guard | None = None
#: Ids of transfers that were cancelled before they started.
_cancelled: dict[str, None] = {}


class _Cut(BaseException):
    """Ends the copying; not an ``Exception``, so that no code of a value catches it."""


class _Failed(Exception):
    """One variable cannot be copied."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(reason)
        self.name = name
        self.reason = reason


class _Guard:
    """Ends the copying at its limit, when it is cancelled, and on the kernel's interrupt."""

    def __init__(self, copying: str, seconds: float) -> None:
        self.copying = copying
        #: ``late``, ``cancelled`` or ``interrupted``
        self.cut: str | None = None
        self._done = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds, self.fire, ("late",))
        self._timer.name, self._timer.daemon = "refine-attempt-share", True

    def __enter__(self) -> _Guard:
        # In the main thread, since no other may set signal handlers.
        self._handler = signal.signal(signal.SIGINT, self._on_signal)
        self._thread = threading.get_ident()
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._done = True
        self._timer.cancel()
        # Pending signals still run under this handler, which ignores them now.
        signal.signal(signal.SIGINT, signal.default_int_handler if self._handler is None else self._handler)

    def fire(self, why: str) -> None:
        """From another thread: a value's own code may sleep, which only a signal ends."""
        with self._lock:
            if self._done:
                return
            self.cut = self.cut or why
            if hasattr(signal, "pthread_kill"):
                signal.pthread_kill(self._thread, signal.SIGINT)
            else:
                _thread.interrupt_main()

    def check(self) -> None:
        if self.cut is not None:
            raise _Cut

    def _on_signal(self, *_: object) -> None:
        if not self._done:
            self.cut = self.cut or "interrupted"
            raise _Cut


class _Sink:
    """A file whose size is limited."""

    def __init__(self, file: Any, limit: int, guard: _Guard) -> None:
        self._file = file
        self._left = limit
        self._guard = guard

    def write(self, data: Any) -> int:
        self._guard.check()
        size = memoryview(data).nbytes
        self._left -= size
        if self._left < 0:
            raise share_values.CannotShare("too large")
        self._file.write(data)
        return size


def answer(request: dict[str, Any], shell: Any) -> dict[str, Any]:
    """One step of a transfer."""
    step = request["step"]
    if step == "hello":
        return {"state": "ready", "cloudpickle": share_values.find_cloudpickle()}
    if step == "pack":
        return pack(request, shell)
    if step == "read":
        return read(request["token"], request["offset"], request["size"])
    if step == "drop":
        return drop(request["token"])
    if step == "part":
        return share_load.part(request["nonce"], request["data"])
    if step == "forget":
        return share_load.forget(request["nonce"])
    if step == "load":
        return share_load.load(request["path"], request["nonce"], shell)
    return {"state": "error", "code": "unknown-step", "message": f"unknown step {step!r}"}


class Wanted(NamedTuple):
    """The variables of the kernel that one attempt uses."""

    #: Variables that it needs to run as it would here.
    required: list[str]
    #: Names that it may read: in its texts, or in checks of what the candidate binds itself.
    optional: list[str]
    attributes: set[str]


def wanted(candidate: str, others: Iterable[str], known: set[str]) -> Wanted:
    """The variables that candidate, checks and scorer use.

    :param known: names that can be shared.
    """
    first = of_source(candidate)
    required = dict(first.free)
    optional = dict(first.mentioned)
    attributes = set(first.attributes)
    for needs in map(of_source, others):
        required.update((name, None) for name in needs.free if name not in first.bound)
        optional.update({**needs.free, **needs.mentioned})
        attributes |= needs.attributes
    return Wanted(
        [name for name in required if name in known],
        [name for name in optional if name in known and name not in required],
        attributes,
    )


def _shareable(shell: Any, hidden: Iterable[str]) -> set[str]:
    """The user's variables: without the shell's own, and those that are hidden from attempts."""
    names = {name for name in shell.user_ns if isinstance(name, str) and not name.startswith("__")}
    return names.difference(shell.user_ns_hidden, hidden)


def pack(request: dict[str, Any], shell: Any) -> dict[str, Any]:
    """Write the variables of an attempt to a file that only this user can read; the candidate does not run.

    :param request: ``id``, ``candidate``, ``others``, ``hidden``; ``known`` names that exist there and
        unchanged; ``without`` names that could not be made there, with reasons; ``cloudpickle``;
        ``limitBytes`` and ``seconds``.
    """
    global _guard
    if _cancelled.pop(request["id"], request["id"]) is None:
        return {"state": "cut", "why": "cancelled", "name": ""}
    packing = _Packing(request, shell)
    if not packing.is_needed():
        return {"state": "same", "left": packing.left_out()}
    descriptor, path = tempfile.mkstemp(prefix="refine-share-")
    kept = False
    try:
        with open(descriptor, "w+b") as file, _Guard(request["id"], request["seconds"]) as guard:
            _guard = guard
            nonce = uuid.uuid4().hex
            packing.write(file, nonce, guard)
        token = _keep(path)
        kept = True
    except _Cut:
        return {"state": "cut", "why": guard.cut, "name": packing.name}
    finally:
        _guard = None
        if not kept:
            os.unlink(path)
    size = os.stat(path).st_size
    packed = {"token": token, "path": path, "nonce": nonce, "bytes": size, "names": packing.names}
    return {"state": "packed", **packed, "left": packing.left_out()}


def cancel(copying: str) -> dict[str, Any]:
    """From the control channel: end the packing with this id, also one that has not started."""
    guard = _guard
    if guard is not None and guard.copying == copying:
        guard.fire("cancelled")
    else:
        _cancelled[copying] = None
        while len(_cancelled) > 32:
            del _cancelled[next(iter(_cancelled))]
    return {"ok": True}


def read(token: str, offset: int, size: int) -> dict[str, Any]:
    """A piece of the file, for a kernel that does not see it."""
    with open(_files[token], "rb") as file:
        file.seek(offset)
        return {"state": "part", "data": base64.b64encode(file.read(size)).decode("ascii")}


def drop(token: str) -> dict[str, Any]:
    """Remove the file, if it is still there."""
    path = _files.pop(token, None)
    if path is not None and os.path.exists(path):
        os.unlink(path)
    return {"state": "dropped"}


def _keep(path: str) -> str:
    token = uuid.uuid4().hex
    _files[token] = path
    timer = threading.Timer(_KEPT_SECONDS, drop, (token,))
    timer.name, timer.daemon = "refine-attempt-share", True
    timer.start()
    return token


class _Packing:
    """Writes one file."""

    def __init__(self, request: dict[str, Any], shell: Any) -> None:
        self._request = request
        self._namespace = shell.user_ns
        self._shell = shell
        self._shareable = _shareable(shell, request["hidden"])
        self._want = wanted(request["candidate"], request["others"], self._shareable)
        #: Variables that the attempt needs.
        self._required = set(self._want.required)
        #: By name, why a variable cannot be copied.
        self._left = dict(request["without"])
        #: The variable that is being copied.
        self.name = ""
        #: Variables in the file.
        self.names: list[str] = []

    def is_needed(self) -> bool:
        names = {*self._want.required, *self._want.optional}
        return bool(names.difference(self._request["known"], self._left))

    def left_out(self) -> list[dict[str, str]]:
        """What the attempt needs and cannot have."""
        return [
            {"name": name, "reason": reason} for name, reason in self._left.items() if name in self._required
        ]

    def write(self, file: Any, nonce: str, guard: _Guard) -> None:
        """Start again after each failure: what was partly written cannot be removed from the file."""
        while True:
            try:
                return self._write(file, nonce, guard)
            except _Failed as failed:
                self._left[failed.name] = failed.reason

    def _write(self, file: Any, nonce: str, guard: _Guard) -> None:
        file.seek(0)
        file.truncate()
        file.write(nonce.encode("ascii") + bytes(8))
        found = share_values.Found()
        found.attributes |= self._want.attributes
        sink = _Sink(file, self._request["limitBytes"], guard)
        pickler = share_values.pickler(sink, found, self._request["cloudpickle"], self._shell)
        known = [name for name in self._request["known"] if name in self._namespace]
        queue = dict.fromkeys([*self._want.required, *self._want.optional, *known])
        modules: dict[str, str] = {}
        self.names, written = [], []
        while queue:
            name = self.name = next(iter(queue))
            del queue[name]
            if name in self._left:
                continue
            self.names.append(name)
            value = self._namespace[name]
            if isinstance(value, types.ModuleType):
                modules[name] = _module(name, value)
                continue
            found.names.clear()
            self._dump(pickler, name, value, guard)
            written.append(name)
            others = self._shareable.intersection(found.names)
            self._required |= others if name in self._required else set()
            queue.update((other, None) for other in found.names if other in others - {*self.names})
        trailer = {
            "modules": modules,
            "submodules": _submodules(modules.values(), found.attributes),
            "names": written,
            "classes": found.classes,
            "files": found.files,
            **_surroundings(),
        }
        end = file.tell()
        file.write(pickle.dumps(trailer, protocol=5))
        file.seek(len(nonce))
        file.write(end.to_bytes(8, "big"))

    def _dump(self, pickler: Any, name: str, value: Any, guard: _Guard) -> None:
        try:
            pickler.dump((name, value))
        except share_values.CannotShare as error:
            size, kind = texts.megabytes(self._request["limitBytes"]), describe.type_name(value)
            large = f"all copies together may have {size}, and with this {kind} they have more"
            raise _Failed(name, large if str(error) == "too large" else str(error)) from error
        except Exception as error:
            guard.check()
            raise _Failed(name, _reason(value, error)) from error


def _module(name: str, module: types.ModuleType) -> str:
    if getattr(module, "__spec__", None) is None:
        raise _Failed(name, f"the module {module.__name__} was not imported from a file")
    return module.__name__


def _reason(value: Any, error: Exception) -> str:
    kind = describe.type_name(value)
    inner = _CANNOT_PICKLE.search(str(error))
    if inner is None:
        message = texts.plain(str(error)).strip().splitlines()
        return texts.cut_end(
            f"a {kind} cannot be copied: {message[0] if message else type(error).__name__}", 300
        )
    if inner[1].split(".")[-1] == kind.split(".")[-1]:
        return f"a {kind} cannot be copied"
    return f"a {kind} holds a {inner[1]}, which cannot be copied"


def _submodules(names: Iterable[str], attributes: set[str]) -> list[str]:
    """Modules below those that were loaded here and that the code seems to name."""
    return [
        module
        for package in set(names)
        for module in list(sys.modules)
        if module.startswith(package + ".") and attributes.issuperset(module[len(package) + 1 :].split("."))
    ]


def _surroundings() -> dict[str, Any]:
    """What code uses beside variables."""
    try:
        folder: str | None = os.getcwd()
    except OSError:
        folder = None
    numpy = sys.modules.get("numpy.random")
    return {
        "path": [entry for entry in sys.path if isinstance(entry, str)],
        "folder": folder,
        "environment": _changed_environment(),
        "random": random.getstate(),
        "numpy": numpy.get_state() if numpy is not None else None,
    }


def _changed_environment() -> dict[str, str]:
    """Variables that were set since the kernel started; never keys."""
    try:
        with open("/proc/self/environ", "rb") as file:
            first = dict(entry.partition(b"=")[::2] for entry in file.read().split(b"\0"))
    except OSError:
        return {}
    secret = redact.secret_environment()
    return {
        name: value
        for name, value in os.environ.items()
        if first.get(os.fsencode(name)) != os.fsencode(value) and name not in secret
    }
