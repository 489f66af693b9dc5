"""The child's output: events for the kernel, and the text that it prints."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
import time
from _thread import start_new_thread
from typing import Any

from .. import ends, texts

_FLUSH_SIZE = 16384
_FLUSH_SECONDS = 0.05
#: So many texts are sent at once per span of time; the others are sent at its end.
_AT_ONCE = 20


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


class TextStream(io.TextIOBase):
    """``sys.stdout`` and ``sys.stderr`` of the child.

    ipykernel's OutStream must not be used there: its lock may be held at the
    fork, and its text would land in the user's cell.
    """

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, name: str, descriptor: int, events: Events) -> None:
        self.name = name
        self._descriptor = descriptor
        self._events = events
        #: False until the candidate starts: text that is printed before is dropped.
        self.is_open = False
        self._parts: list[str] = []
        self._size = 0
        self._span_end = 0.0
        self._sent = 0
        self._waits = False
        self._lock = threading.RLock()

    def send_to(self, events: Events) -> None:
        self._events = events
        # A thread that is not in this process may have held it at the fork.
        self._lock = threading.RLock()

    def fileno(self) -> int:
        return self._descriptor

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if not self._events.own_process():
            os.write(self._descriptor, text.encode("utf-8", "backslashreplace"))
            return len(text)
        with self._lock:
            if self.is_open:
                self._parts.append(text)
                self._size += len(text)
                if self._size > _FLUSH_SIZE or self._may_send():
                    self.flush()
                elif not self._waits:
                    self._waits = True
                    # Not a `threading.Thread`: the candidate may count those.
                    start_new_thread(self._flush_later, ())
        return len(text)

    def _may_send(self) -> bool:
        """Send the first texts at once, since the next statement may never return; batch the others."""
        now = time.monotonic()
        if now >= self._span_end:
            self._span_end, self._sent = now + _FLUSH_SECONDS, 0
        return self._sent < _AT_ONCE

    def _flush_later(self) -> None:
        time.sleep(_FLUSH_SECONDS)
        with self._lock:
            self._waits = False
            self.flush()

    def flush(self) -> None:
        if not self._events.own_process():
            return
        with self._lock:
            if self._parts:
                text, self._parts, self._size = "".join(self._parts), [], 0
                self._sent += 1
                self._events.send("stream", stream=self.name, text=texts.plain(text))
