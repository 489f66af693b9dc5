"""Kill and reap the processes of an attempt, with everything that they have started."""

from __future__ import annotations

import os
import signal

from ..isolation import processes
from .fork import Child


class NotStarted(Exception):
    """The child ended before the candidate started, so the candidate cannot be the cause."""

    def __init__(self, message: str, trace: str) -> None:
        super().__init__(f"The forked kernel could not start: {message}")
        #: The child's traceback, if it could report one.
        self.traceback = trace


class Ending:
    """Ends one attempt in two steps: its result does not wait until its memory is freed."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._descendants: list[int] = []
        self._expected: set[int] = set()
        self._crashed = False

    def kill(self, *running: int | None) -> None:
        """Kill what runs code of the candidate's; the judge itself is killed by :meth:`reap`.

        :param running: processes that must not fork during the inspection.
        """
        for pid in running:
            if pid is not None:
                processes.send_signal(pid, signal.SIGSTOP)
        self._expected = {pid for pid in running if pid is not None}
        self._descendants = processes.descendants(self._child.pid)
        for pid in self._descendants:
            processes.kill(pid)

    def explain_crash(self, status: int | None) -> str:
        """How the attempt's process ended, as a sentence.

        :param status: as ``os.waitpid`` gives it; None where the judge itself has ended.
        """
        self._crashed = True
        return (
            f"crashed: {exit_words(status)}"
            if status is not None
            else "crashed: its parent process was killed"
        )

    def reap(self) -> None:
        """Reap the killed processes, and kill daemons that were re-parented to the kernel."""
        started = {*self._descendants, *processes.end_family(self._child.pid)}
        processes.reap(list(started))
        if self._crashed or started - self._expected:
            processes.kill_marked(self._child.token)


def exit_words(status: int) -> str:
    """How a process ended: ``killed by SIGSEGV``, ``it ended the process itself, with exit status 3``."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        names = {known.value: known.name for known in signal.Signals}
        return f"killed by {names.get(number, f'signal {number}')}"
    return f"it ended the process itself, with exit status {os.WEXITSTATUS(status)}"
