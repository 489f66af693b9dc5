"""A second, short-lived fork of the kernel: it keeps the hidden data as it was, until the scorer may see it.

It runs nothing but pickle, over values of the user's. The child of the attempt
has none of its pipes: what it tells goes through the kernel.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import posix
import resource
import select
import signal
import warnings
from typing import Any

from . import processes, texts

#: All copies of an attempt together, pickled.
LIMIT = 512 << 20
_CHUNK = 1 << 16
#: Before each chunk for the child; a length of 0 ends the data.
_LENGTH_BYTES = 4


class Vault:
    """The kernel's side of it."""

    def __init__(self, pid: int, asks: int, data: int) -> None:
        self._pid = pid
        self._asks = asks
        self._data = data
        self._asked = False
        self._ended = False

    def ask(self) -> None:
        """Let it begin to tell."""
        self._asked = True
        try:
            os.write(self._asks, b"x")
        except OSError:
            # It is gone; its end of the pipe tells.
            return

    def register(self, poller: Any, wanted: bool) -> None:
        """Have the poller wake for what it tells, or not."""
        try:
            poller.unregister(self._data)
        except KeyError:
            pass
        if wanted and self._asked and not self._ended:
            poller.register(self._data, select.POLLIN)

    def chunk(self) -> bytes:
        """What it has told, as the child reads it; empty when there is nothing now."""
        if not self._asked or self._ended:
            return b""
        try:
            data = os.read(self._data, _CHUNK)
        except BlockingIOError:
            return b""
        self._ended = not data
        return len(data).to_bytes(_LENGTH_BYTES, "big") + data

    def close(self) -> None:
        """Kill and reap it."""
        processes.kill(self._pid)
        processes.reap([self._pid])
        for descriptor in (self._asks, self._data):
            os.close(descriptor)


def make(names: list[str], namespace: dict[str, Any]) -> Vault | None:
    """Fork in this (main) thread, right beside an attempt; None where the system refuses."""
    try:
        asks_r, asks_w = os.pipe()
    except OSError:
        return None
    try:
        data_r, data_w = os.pipe()
    except OSError:
        os.close(asks_r)
        os.close(asks_w)
        return None
    parent = os.getpid()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pid = posix.fork()
        if pid == 0:
            try:
                _serve(names, namespace, asks_r, data_w, parent)
            finally:
                os._exit(0)
    except OSError:
        for descriptor in (asks_w, data_r):
            os.close(descriptor)
        return None
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(asks_r)
        os.close(data_w)
    for descriptor in (asks_w, data_r):
        os.set_blocking(descriptor, False)
    return Vault(pid, asks_w, data_r)


def _serve(names: list[str], namespace: dict[str, Any], asks: int, data: int, parent: int) -> None:
    os.setsid()
    processes.die_with_parent()
    if os.getppid() != parent:
        return
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _close_others(asks, data)
    gc.disable()
    if os.read(asks, 1) != b"x":
        return
    left = LIMIT
    for name in names:
        told: dict[str, Any] = {"name": name}
        parts: list[bytes] = []
        try:
            parts = _pickled(namespace[name], left)
            told["size"] = sum(map(len, parts))
            left -= told["size"]
        except KeyError:
            told["reason"] = "the kernel has no such name"
        except _TooLarge:
            size = texts.megabytes(LIMIT)
            told["reason"] = f"it is too large: all hidden data together may have {size} when copied"
        except BaseException as error:
            told["reason"] = texts.cut_end(texts.plain(f"{type(error).__name__}: {error}"), 300)
        _write(data, json.dumps(told).encode() + b"\n")
        for part in parts:
            _write(data, part)


def _close_others(asks: int, data: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    low, high = sorted((asks, data))
    for start, end in ((3, low), (low + 1, high), (high + 1, soft)):
        os.closerange(start, end)


class _TooLarge(Exception):
    pass


class _Parts:
    def __init__(self, limit: int) -> None:
        self.parts: list[bytes] = []
        self._left = limit

    def write(self, data: Any) -> int:
        size = memoryview(data).nbytes
        self._left -= size
        if self._left < 0:
            raise _TooLarge
        self.parts.append(data if type(data) is bytes else bytes(data))
        return size


def _pickled(value: Any, limit: int) -> list[bytes]:
    file = _Parts(limit)
    pickle.Pickler(file, protocol=5).dump(value)
    return file.parts


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
