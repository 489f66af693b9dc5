"""The output of an attempt's processes: events for the kernel, and standard streams."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
from typing import Any

from .. import ends


class Events:
    """Sends events, one JSON object per line. Only the process that made it writes: its forks are ignored."""

    def __init__(self, end: ends.End) -> None:
        self._pid = os.getpid()
        self._lock = threading.RLock()
        # References of our own, so that a candidate that patches the modules does not silence the harness.
        self._write, self._getpid = ends.writer(end), os.getpid
        self._encode = json.JSONEncoder(default=str).encode

    def own_process(self) -> bool:
        return self._getpid() == self._pid

    def send(self, kind: str, **fields: Any) -> None:
        if not self.own_process():
            return
        fields["t"] = kind
        data = memoryview((self._encode(fields) + "\n").encode("ascii", "backslashreplace"))
        with self._lock:
            while data:
                data = data[self._write(data) :]


class Silent(Events):
    """Sends nothing."""

    def __init__(self) -> None:
        return

    def own_process(self) -> bool:
        return True

    def send(self, kind: str, **fields: Any) -> None:
        return


def replace_output(out: io.TextIOBase, err: io.TextIOBase) -> None:
    """Set the process's streams, also those that libraries use to restore them."""
    system: Any = sys
    system.stdout = system.__stdout__ = out
    system.stderr = system.__stderr__ = err


def unbuffered(raw: Any) -> io.TextIOBase:
    """A stream that keeps nothing back: the next statement may never return, or fork.

    ipykernel's OutStream must not be used in a fork: its lock may be held, and its text would land in the
    user's cell.
    """
    return io.TextIOWrapper(raw, "utf-8", "backslashreplace", "\n", write_through=True)
