"""The kernel's ends of an attempt's pipes: written and read without ever waiting for the child."""

from __future__ import annotations

import json
import os
import select
from collections.abc import Callable
from typing import Any

_READ = 1 << 16


class Feed:
    """What goes to the child, a line of JSON a message; the rest waits until the pipe takes it."""

    def __init__(self, descriptor: int, poller: Any) -> None:
        self._descriptor = descriptor
        self._poller = poller
        self._waiting = b""
        self._registered = False

    def send(self, message: dict[str, Any]) -> None:
        self._waiting += json.dumps(message).encode() + b"\n"

    def send_bytes(self, data: bytes) -> None:
        self._waiting += data

    @property
    def is_idle(self) -> bool:
        """Whether the pipe has taken everything."""
        return not self._waiting

    def held(self) -> list[Any]:
        """What a process forked meanwhile must forget."""
        return [self._waiting]

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
            # The child is gone; that is seen elsewhere.
            self._waiting = b""
        if self._registered:
            self._poller.unregister(self._descriptor)
            self._registered = False


def drain(descriptor: int, use: Callable[[bytes], object], event: int = select.POLLIN) -> bool:
    """Read what is there; False at the end of the pipe."""
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
