"""The kernel's ends of an attempt's pipes: written and read without ever waiting for the child."""

from __future__ import annotations

import fcntl
import json
import os
import select
import threading
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


_F_SETPIPE_SIZE = 1031


def put(descriptor: int, data: bytes) -> None:
    """Leave data in a pipe that nobody reads yet; a thread waits where the system has not so much room."""
    try:
        fcntl.fcntl(descriptor, _F_SETPIPE_SIZE, max(len(data), select.PIPE_BUF))
    except OSError:
        # As large as it is.
        pass
    left = memoryview(data)
    try:
        left = left[os.write(descriptor, left) :]
    except BlockingIOError:
        pass
    except BrokenPipeError:
        # The judge is gone; who waits for it will hear why.
        return
    if left:
        copy = os.dup(descriptor)
        os.set_blocking(copy, True)
        threading.Thread(target=_put_rest, args=(copy, left), name="refine-attempt", daemon=True).start()


def _put_rest(descriptor: int, left: memoryview) -> None:
    try:
        while left:
            left = left[os.write(descriptor, left) :]
    except OSError:
        # The judge is gone.
        pass
    finally:
        os.close(descriptor)


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
