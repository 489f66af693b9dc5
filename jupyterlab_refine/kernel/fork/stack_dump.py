"""The Python stack of a process that does not answer, as faulthandler writes it."""

from __future__ import annotations

import os
import time

from ..attempt.pipes import drain, wait
from ..isolation import processes
from . import attempt

_SECONDS = 0.3


class StackDump:
    """What one process has written to its pipe for stacks.

    :param end: of the pipe, read here.
    """

    def __init__(self, end: int) -> None:
        self.end: int | None = end
        self._end = end
        self._data = bytearray()

    @property
    def text(self) -> str:
        return self._data.decode("utf-8", "replace")

    def add(self, data: bytes) -> None:
        self._data.extend(data)

    def request(self, pid: int) -> None:
        """Let the process write its stack, and read it: faulthandler answers even with the GIL held."""
        processes.send_signal(pid, attempt.DUMP_SIGNAL)
        end = time.monotonic() + _SECONDS
        while time.monotonic() < end:
            if wait(0.05 if self._data else 0.1, self._end):
                if not drain(self._end, self.add):
                    return
            elif self._data:
                return

    def close(self) -> None:
        os.close(self._end)
