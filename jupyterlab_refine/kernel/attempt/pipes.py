"""The kernel's ends of an attempt's pipes, which never wait for the child."""

from __future__ import annotations

import json
import os
import select
from collections.abc import Callable
from typing import Any

_READ = 1 << 16
#: Of all events that an attempt's process sends: an honest one stays far below.
EVENTS_BYTES = 128 << 20


class Feed:
    """Messages to the child, one line of JSON each; what the pipe does not take yet is queued."""

    def __init__(self, descriptor: int, poller: Any) -> None:
        self._descriptor = descriptor
        self._poller = poller
        self._waiting = b""
        self._registered = False

    def send(self, message: dict[str, Any]) -> None:
        self._waiting += json.dumps(message).encode() + b"\n"

    def write(self) -> None:
        """Write what the pipe takes now; the poller wakes for the rest."""
        try:
            while self._waiting:
                written = os.write(self._descriptor, self._waiting[: select.PIPE_BUF])
                self._waiting = self._waiting[written:]
        except BlockingIOError:
            self._poller.register(self._descriptor, select.POLLOUT)
            self._registered = True
            return
        except OSError:
            # The child has ended, which is handled elsewhere.
            self._waiting = b""
        if self._registered:
            self._poller.unregister(self._descriptor)
            self._registered = False


class Wake:
    """A pipe to end the wait of another thread."""

    def __init__(self) -> None:
        #: Readable once :meth:`up` was called.
        self.descriptor, self._other = os.pipe()
        os.set_blocking(self._other, False)

    def up(self) -> None:
        """From any thread, any number of times."""
        try:
            os.write(self._other, b"x")
        except OSError:
            return

    def close(self) -> None:
        for descriptor in (self.descriptor, self._other):
            os.close(descriptor)


class Lines:
    """Whole lines of what a pipe gives.

    :param limit: of all bytes together; None for none.
    """

    def __init__(self, limit: int | None) -> None:
        self._left = limit
        self._rest = bytearray()

    def add(self, data: bytes) -> list[bytearray] | None:
        """The lines that are complete now; None beyond the limit."""
        if self._left is not None:
            self._left -= len(data)
            if self._left < 0:
                return None
        self._rest += data
        if b"\n" not in data:
            return []
        *lines, self._rest = self._rest.split(b"\n")
        return lines


def drain(descriptor: int, use: Callable[[bytes], object], event: int = select.POLLIN) -> bool:
    """Read the available data; False at the end of the pipe."""
    for _ in range(16):
        try:
            data = os.read(descriptor, _READ)
        except BlockingIOError:
            return True
        except OSError:
            return False
        if not data:
            return False
        use(data)
        if len(data) < _READ and not event & select.POLLHUP:
            return True
    return True
