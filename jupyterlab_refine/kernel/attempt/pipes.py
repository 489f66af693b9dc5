"""The kernel's ends of an attempt's pipes, which never wait for the child."""

from __future__ import annotations

import _signal
import contextlib
import json
import queue
import selectors
import signal
from collections.abc import Callable, Iterator
from typing import Any

from .. import ends
from ..ends import End

_READ = 1 << 16
#: What a pipe takes whole or not at all.
_PIECE = 4096


class Feed:
    """Messages to the child, one line of JSON each; what the pipe does not take yet is queued."""

    def __init__(self, end: End, selector: selectors.BaseSelector) -> None:
        self._end, self._write = end, ends.writer(end)
        self._selector = selector
        self._waiting = b""

    def send(self, message: dict[str, Any]) -> None:
        self._waiting += json.dumps(message).encode() + b"\n"
        self.write()

    def write(self) -> None:
        """Write what the pipe takes now; the selector wakes for the rest."""
        try:
            while self._waiting:
                self._waiting = self._waiting[self._write(self._waiting[:_PIECE]) :]
        except BlockingIOError:
            if self._end not in self._selector.get_map():
                self._selector.register(self._end, selectors.EVENT_WRITE)
            return
        except OSError:
            # The child has ended, which is handled elsewhere.
            self._waiting = b""
        if self._end in self._selector.get_map():
            self._selector.unregister(self._end)


@contextlib.contextmanager
def interrupts() -> Iterator[queue.SimpleQueue[str]]:
    """Receive the kernel's interrupts while a child is forked or waited for: each puts ``interrupt`` there.

    With ``except KeyboardInterrupt`` a few quick ones escape from the ``except``
    block and leak a running child. This handler raises nothing.
    Enter it before anything that must be released.
    """
    arrived: queue.SimpleQueue[str] = queue.SimpleQueue()
    # Not of `signal`, which makes names of the numbers: every page used after a fork is copied.
    handler = _signal.signal(signal.SIGINT, lambda *_: arrived.put("interrupt"))
    try:
        yield arrived
    finally:
        _signal.signal(signal.SIGINT, signal.default_int_handler if handler is None else handler)


class Lines:
    """Whole lines of what a pipe gives."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def add(self, data: bytes) -> list[bytearray]:
        """The lines that are complete now."""
        self._rest += data
        if b"\n" not in data:
            return []
        *lines, self._rest = self._rest.split(b"\n")
        return lines


def drain(end: End, use: Callable[[bytes], object], to_the_end: bool = False) -> bool:
    """Read the available data; False at the end of the pipe.

    :param to_the_end: the other side has ended, and wrote all it will.
    """
    read = ends.reader(end)
    for _ in range(16):
        try:
            data = read(_READ)
        except BlockingIOError:
            return True
        except OSError:
            return False
        if not data:
            return False
        use(data)
        if len(data) < _READ and not to_the_end:
            return True
    return True
