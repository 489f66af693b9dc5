"""In the user's kernel: writes the variables that an attempt names into a private file for another kernel."""

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
from typing import Any

from . import describe, redact, share_names, share_values, texts

#: A file that nobody fetched is removed after that many seconds.
_KEPT_SECONDS = 120.0
_CANNOT_PICKLE = re.compile(r"cannot pickle '?([\w.]+)'? object")

_files: dict[str, str] = {}
_guard: _Guard | None = None
#: Ids of the copying that runs, and of some that was cancelled before it began.
_running = ""
_cancelled: dict[str, None] = {}


class _Cut(BaseException):
    """Ends the copying; not an Exception, so that no code of a value swallows it."""


class _Failed(Exception):
    """One variable cannot go over."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(reason)
        self.name = name
        self.reason = reason


class _Guard:
    """Ends the copying at its limit, when it is cancelled, and on the kernel's interrupt."""

    def __init__(self, seconds: float) -> None:
        #: ``late``, ``cancelled`` or ``interrupted``
        self.cut: str | None = None
        self._done = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds, self.fire, ("late",))
        self._timer.name, self._timer.daemon = "refine-attempt-share", True

    def __enter__(self) -> _Guard:
        # The main thread, since no other may do this.
        self._handler = signal.signal(signal.SIGINT, self._on_signal)
        self._thread = threading.get_ident()
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._done = True
        self._timer.cancel()
        # Runs what is pending under the old handler, which lets it pass now.
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
    """A file that is written up to a limit."""

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


def pack(request: dict[str, Any], shell: Any) -> dict[str, Any]:
    """Write what the attempt wants into a file that only this user can read; runs nothing of the candidate.

    :param request: ``id``, ``candidate``, ``others``, ``hidden``; ``known`` names that are there and
        unchanged; ``without`` names that could not be made there, with reasons; ``cloudpickle``;
        ``limitBytes`` and ``seconds``.
    """
    global _guard, _running
    if _cancelled.pop(request["id"], request["id"]) is None:
        return {"state": "cut", "why": "cancelled", "name": ""}
    want = share_names.wanted(request["candidate"], request["others"], request["hidden"], shell)
    known = request["known"]
    left = dict(request["without"])
    names = [*want.required, *want.optional]
    if not set(names) - set(known) - set(left):
        return {"state": "same", "left": _told(left, set(want.required))}
    names += [name for name in known if name in shell.user_ns]
    descriptor, path = tempfile.mkstemp(prefix="refine-share-")
    kept = False
    try:
        with open(descriptor, "w+b") as file, _Guard(request["seconds"]) as guard:
            _guard, _running = guard, request["id"]
            nonce = uuid.uuid4().hex
            packing = _Packing(request, want, left, shell)
            while True:
                try:
                    packing.write(file, names, nonce, guard)
                    break
                except _Failed as failed:
                    left[failed.name] = failed.reason
        token = _keep(path)
        kept = True
    except _Cut:
        return {"state": "cut", "why": guard.cut, "name": packing.name}
    finally:
        _guard = None
        if not kept:
            os.unlink(path)
    told = _told(left, packing.required)
    size = os.stat(path).st_size
    packed = {"token": token, "path": path, "nonce": nonce, "bytes": size, "names": packing.names}
    return {"state": "packed", **packed, "left": told}


def cancel(copying: str) -> None:
    """From the control channel: end the copying with this id, also one that has not begun."""
    guard = _guard
    if guard is not None and _running == copying:
        guard.fire("cancelled")
    else:
        _cancelled[copying] = None
        while len(_cancelled) > 32:
            del _cancelled[next(iter(_cancelled))]


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


def _told(left: dict[str, str], required: set[str]) -> list[dict[str, str]]:
    return [{"name": name, "reason": reason} for name, reason in left.items() if name in required]


class _Packing:
    def __init__(
        self, request: dict[str, Any], want: share_names.Wanted, left: dict[str, str], shell: Any
    ) -> None:
        self._request = request
        self._want = want
        self._left = left
        self._shell = shell
        self.name = ""
        #: Those in the file, and those without which the attempt misses something.
        self.names: list[str] = []
        self.required = set(want.required)

    def write(self, file: Any, names: Iterable[str], nonce: str, guard: _Guard) -> None:
        """All anew: what a failed value has half written cannot be taken back.

        :raises _Failed: for the first that cannot go over.
        """
        file.seek(0)
        file.truncate()
        file.write(nonce.encode("ascii") + bytes(8))
        found = share_values.Found()
        found.attributes |= self._want.attributes
        sink = _Sink(file, self._request["limitBytes"], guard)
        pickler = share_values.pickler(sink, found, self._request["cloudpickle"], self._shell)
        queue = dict.fromkeys(names)
        modules: dict[str, str] = {}
        self.names = []
        written = []
        while queue:
            name = self.name = next(iter(queue))
            del queue[name]
            if name in self._left:
                continue
            value = self._shell.user_ns[name]
            if isinstance(value, types.ModuleType):
                modules[name] = self._module(name, value)
            else:
                found.names.clear()
                self._dump(pickler, name, value, guard)
                written.append(name)
                for other in found.names:
                    self._add(queue, other, name in self.required)
            self.names.append(name)
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

    def _add(self, queue: dict[str, None], name: str, required: bool) -> None:
        own = getattr(self._shell, "user_ns_hidden", {})
        hidden = self._request["hidden"]
        if name not in self._shell.user_ns or name in own or name in hidden or name.startswith("__"):
            return
        if required:
            self.required.add(name)
        if name not in self.names and name != self.name:
            queue[name] = None

    def _dump(self, pickler: Any, name: str, value: Any, guard: _Guard) -> None:
        try:
            pickler.dump((name, value))
        except share_values.CannotShare as error:
            size = texts.megabytes(self._request["limitBytes"])
            large = f"all copies together may have {size}, and with this {_a(value)} they have more"
            raise _Failed(name, large if str(error) == "too large" else str(error)) from error
        except Exception as error:
            guard.check()
            raise _Failed(name, _reason(value, error)) from error

    @staticmethod
    def _module(name: str, module: types.ModuleType) -> str:
        if getattr(module, "__spec__", None) is None:
            raise _Failed(name, f"the module {module.__name__} was not imported from a file")
        return module.__name__


def _a(value: Any) -> str:
    return f"{describe.type_name(value)}"


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
    packages = set(names)
    found = []
    for module in list(sys.modules):
        parts = module.split(".")
        roots = [n for n in range(1, len(parts)) if ".".join(parts[:n]) in packages]
        if roots and attributes.issuperset(parts[roots[0] :]):
            found.append(module)
    return found


def _surroundings() -> dict[str, Any]:
    """What code sees beside variables."""
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
