"""Where the code of an attempt was when it was ended: the Python stack that faulthandler writes to a file."""

from __future__ import annotations

import contextlib
import os
import re
import time
from typing import BinaryIO

from .. import texts

_SECONDS = 0.5
_STEP_SECONDS = 0.01
#: Bytes that are read, from the end.
_MOST = 1 << 20


class StackDump:
    """The stack of one process: on a signal, or without one when its time is over.

    :param number: of the signal, which faulthandler handles even with the GIL held.
    """

    def __init__(self, file: BinaryIO, path: str, number: int | None = None) -> None:
        self.file, self._path, self._number = file, path, number

    def request(self, pid: int) -> str:
        """Wait for the stack of the process; empty where it writes none."""
        if self._number is not None:
            with contextlib.suppress(OSError):
                os.kill(pid, self._number)
        size, end = 0, time.monotonic() + _SECONDS
        while time.monotonic() < end and not 0 < size == os.path.getsize(self._path):
            size = os.path.getsize(self._path)
            time.sleep(_STEP_SECONDS)
        with open(self._path, "rb") as file:
            # A candidate can write there as well.
            file.seek(max(0, size - _MOST))
            text = file.read(_MOST).decode("utf-8", "replace")
        # The main thread is the last; as it calls itself where it writes its own stack.
        stack = text.strip().rpartition("\n\n")[2].rpartition("!\n")[2]
        return stack.replace("Thread", "Current thread", 1)


def place(stack: str) -> str:
    """`` in line 3``, from a dump of faulthandler; empty when it is neither in candidate nor check."""
    line = re.search(r'File "<candidate>", line (\d+)', stack)
    check = re.search(r'File "<check \d+>", line (\d+)', stack)
    return f" in line {line[1]}" if line else f" in line {check[1]} of a check" if check else ""


def plain(dump: str) -> str:
    """A dump of faulthandler without the frames of the harness and of IPython below the candidate."""
    lines = []
    for line in dump.splitlines():
        if '"<jupyterlab-refine/' in line:
            break
        lines.append(line)
    return texts.cut_middle(texts.plain("\n".join(lines)).strip(), 4000)
