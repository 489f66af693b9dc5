"""The Python stack of a process that does not answer, as faulthandler writes it."""

from __future__ import annotations

import select
import time

from ..child import child
from ..isolation import processes
from .pipes import drain

_SECONDS = 0.3


class StackDump:
    """What one process has written to its pipe for stacks.

    :param descriptor: the end of the pipe that is read here.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._data = bytearray()

    @property
    def text(self) -> str:
        return self._data.decode("utf-8", "replace")

    def add(self, data: bytes) -> None:
        self._data.extend(data)

    def request(self, pid: int) -> None:
        """Let the process write its stack, and read it: faulthandler answers even with the GIL held."""
        processes.send_signal(pid, child.DUMP_SIGNAL)
        poller, end = select.poll(), time.monotonic() + _SECONDS
        poller.register(self._descriptor, select.POLLIN)
        while time.monotonic() < end:
            if poller.poll(50 if self._data else 100):
                if not drain(self._descriptor, self.add, select.POLLIN):
                    return
            elif self._data:
                return
