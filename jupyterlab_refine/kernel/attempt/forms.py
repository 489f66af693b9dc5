"""Which form of isolation attempts have here, decided at this one place, and what all forms have in common.

A form is a module: :mod:`..fork.fork` makes copies of the kernel's process, which only Linux can do safely;
:mod:`..spawn.spawn` starts processes that get copies of the variables. Each has ``plan``, ``spawn``, and
``COPIES``: whether variables must be copied.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from typing import Any, BinaryIO, NamedTuple

from .. import ends, texts

#: From here on the exit status says how Windows has ended a process that failed.
_FIRST_FAULT = 0xC0000000
_FOREIGN = "Attempts can be isolated in ipykernel only; this is another Python kernel."

#: Until a process has written its stack.
_STACK_SECONDS = 0.5
_STEP_SECONDS = 0.01
#: Bytes that are read, from the end.
_MOST = 1 << 20


class Refused(Exception):
    """No process could be made now; ``code`` is stable, the message is for the user."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

    def reply(self) -> dict[str, str]:
        """The answer to the request for an attempt or a spare."""
        return {"state": "refused", "code": self.code, "message": str(self)}


class Plan(NamedTuple):
    """What isolates the processes of an attempt."""

    #: ``fork`` or ``sidecar``
    mode: str
    #: ``overlay``, ``landlock``, ``sandbox`` or ``none``
    means: str
    #: Version of Landlock.
    abi: int
    allow_network: bool
    allow_writes: bool
    kernel_pid: int
    working_folder: str
    #: Overlaid or writable folders.
    folders: tuple[str, ...]
    #: Why a means is missing.
    reasons: tuple[str, ...]
    #: Files that contain the checks.
    hidden: tuple[str, ...] = ()

    def to_reply(self) -> dict[str, Any]:
        """The ``Isolation`` that it gives."""
        confines = self.means != "none"
        closed = "overlay" if self.means == "overlay" else "denied"
        return {
            "mode": self.mode,
            "memory": True,
            "files": closed if confines and not self.allow_writes else "open",
            "network": confines and not self.allow_network,
            "reasons": list(self.reasons),
        }


class StackDump:
    """The stack of one process: on a signal, or without one when its time is over.

    :param number: of the signal, which faulthandler handles even with the GIL held.
    """

    def __init__(self, file: BinaryIO, number: int | None = None) -> None:
        self.file, self._number = file, number

    def request(self, pid: int) -> str:
        """Wait for the stack of the process; empty where it writes none."""
        if self._number is not None:
            with contextlib.suppress(OSError):
                os.kill(pid, self._number)
        # Not by a path: a candidate may remove what is in its folder for temporary files.
        size, end = 0, time.monotonic() + _STACK_SECONDS
        while time.monotonic() < end and not 0 < size == os.fstat(self.file.fileno()).st_size:
            size = os.fstat(self.file.fileno()).st_size
            time.sleep(_STEP_SECONDS)
        # A candidate can write there as well.
        self.file.seek(max(0, size - _MOST))
        text = self.file.read(_MOST).decode("utf-8", "replace")
        # The main thread is the last; as it calls itself where it writes its own stack.
        stack = text.strip().rpartition("\n\n")[2].rpartition("!\n")[2]
        return stack.replace("Thread", "Current thread", 1)


class Child(NamedTuple):
    """The processes of one attempt, as the kernel sees them."""

    events: ends.End
    commands: ends.End
    stdout: ends.End
    stderr: ends.End
    judge_events: ends.End
    judge_commands: ends.End
    dump: StackDump
    #: Measures and ends the processes; see :class:`..fork.family.Family`.
    family: Any
    plan: Plan
    #: Their folder for temporary files.
    scratch: str | None

    def close(self) -> None:
        """Close the kernel's ends, once the processes have ended."""
        for end in self[:6]:
            ends.close(end)
        self.dump.file.close()
        remove_folder(self.scratch)

    def end(self) -> None:
        """Kill processes that have no job or no supervisor."""
        with self.family.adopting():
            self.family.reap()
        self.close()


def place_in(stack: str) -> str:
    """`` in line 3``, from a dump of faulthandler; empty when it is neither in candidate nor check."""
    line = re.search(r'File "<candidate>", line (\d+)', stack)
    check = re.search(r'File "<check \d+>", line (\d+)', stack)
    return f" in line {line[1]}" if line else f" in line {check[1]} of a check" if check else ""


def plain_stack(dump: str) -> str:
    """A dump of faulthandler without the frames of the harness and of IPython below the candidate."""
    lines = itertools.takewhile(lambda line: '"<jupyterlab-refine/' not in line, dump.splitlines())
    return texts.cut_middle(texts.plain("\n".join(lines)).strip(), 4000)


def exit_words(code: int) -> str:
    """How a process ended: ``killed by SIGSEGV``, ``it ended the process itself, with exit status 3``.

    :param code: the exit status, or less than 0 the number of the signal.
    """
    if code >= _FIRST_FAULT:
        return f"killed by error 0x{code:X}"
    if code >= 0:
        return f"it ended the process itself, with exit status {code}"
    if code == -9:
        return "killed by SIGKILL, as by a system whose memory runs out"
    names = {known.value: known.name for known in signal.Signals}
    return f"killed by {names.get(-code, f'signal {-code}')}"


def is_linux() -> bool:
    return sys.platform.startswith("linux")


def of(request: dict[str, Any]) -> Any:
    """The form for a request: its field ``sidecar`` asks for processes of their own."""
    if request.get("sidecar") or not is_linux():
        from ..spawn import spawn

        return spawn
    from ..fork import fork

    return fork


def probe(is_ipykernel: bool) -> dict[str, Any]:
    """The ``Isolation`` of attempts in this kernel."""
    if not is_ipykernel:
        return {"mode": "live", "memory": False, "files": "open", "network": False, "reasons": [_FOREIGN]}
    own, form = probe_sidecar(), of({})
    if form.COPIES:
        return own
    if reasons := form.hostile():
        # It cannot be forked now, not even to try what isolates.
        return {**own, "reasons": [*reasons, *own["reasons"]]}
    found: dict[str, Any] = form.plan(False, False).to_reply()
    return found


def probe_sidecar() -> dict[str, Any]:
    """The ``Isolation`` of attempts in processes of their own."""
    reply: dict[str, Any] = of({"sidecar": True}).plan(False, False).to_reply()
    return reply


def make_folder() -> str:
    """A new folder for temporary files; the caller removes it."""
    return tempfile.mkdtemp(prefix="refine-attempt-")


#: Folders with a file that a process had open: Windows removes none of those.
_left: set[str] = set()


def remove_folder(path: str | None) -> None:
    """Remove it, and those that could not be removed before."""
    for folder in [*_left, *([path] if path is not None else [])]:
        shutil.rmtree(folder, ignore_errors=True)
        if os.path.exists(folder):
            _left.add(folder)
        else:
            _left.discard(folder)


def empty_folder(path: str | None) -> None:
    """Remove what is in the folder. To be called when no process of the attempt writes there any more."""
    for entry in os.scandir(path) if path is not None else ():
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            # On Windows the file for the stack stays: the kernel has it open.
            with contextlib.suppress(OSError):
                os.unlink(entry.path)
