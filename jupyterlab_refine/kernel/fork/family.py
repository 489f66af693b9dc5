"""Measure, kill and reap the processes of an attempt, with everything that they have started."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

from ..attempt import forms
from ..attempt.pipes import drain, wait
from ..isolation import overlay, processes, resources
from .written import Written

#: On which a process dumps its Python stack, even with the GIL held.
DUMP_SIGNAL = signal.SIGRTMIN + 7
_DUMP_SECONDS = 0.3


class Family:
    """The processes of one attempt, ended in two steps: its result does not wait until memory is freed.

    :param judge: the process that has forked the others.
    """

    #: A fork needs no time to start.
    start_seconds = 0.0
    #: Each is forked from the judge, which reports the end of the attempt's process.
    are_started = False
    adopting = staticmethod(processes.adopting)
    started_by = staticmethod(processes.descendants)
    cpu_seconds = staticmethod(processes.cpu_seconds)
    is_running = staticmethod(processes.is_running)
    machine_is_full = staticmethod(resources.machine_is_full)

    def __init__(self, judge: int) -> None:
        self.judge = judge
        self._descendants: list[int] = []

    def written(self, pid: int, ready: dict[str, Any]) -> Written:
        """The files that the attempt writes. :param ready: the event of its process."""
        return Written(pid, overlay.Layers(*(tuple(part) for part in ready["layers"])))

    def candidate_starts(self, pid: int) -> None:
        """The process was forked for it: it has used nothing before."""

    def memory_beyond(self, limit: int, pids: list[int]) -> int | None:
        """Bytes that these processes use together, if they are more than ``limit``."""
        return resources.memory_beyond(limit, pids, self.judge)

    def end_attempt(self, pid: int, spared: int | None) -> None:
        """Kill the attempt's process with what it has started. :param spared: of these one that goes on."""
        for one in processes.stop(pid, spared):
            processes.kill(one)

    def kill(self, *running: int | None) -> None:
        """Kill what runs code of the candidate's; the judge itself is killed by :meth:`reap`.

        :param running: processes that must not fork during the inspection.
        """
        for pid in running:
            if pid is not None:
                processes.send_signal(pid, signal.SIGSTOP)
        self._descendants = processes.descendants(self.judge)
        for pid in self._descendants:
            processes.kill(pid)

    def explain_crash(self, status: int | None) -> str:
        """How the attempt's process ended, as a sentence.

        :param status: as ``os.waitpid`` gives it; None where the judge itself has ended.
        """
        if status is None:
            return "crashed: its parent process was killed"
        return f"crashed: {forms.exit_words(os.waitstatus_to_exitcode(status))}"

    def reap(self) -> None:
        """Kill what is left, and reap all."""
        left = {*self._descendants, *processes.end_family(self.judge)}
        for pid in processes.orphans(self.judge):
            processes.kill(pid)
            left.add(pid)
        processes.reap(list(left))


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
        processes.send_signal(pid, DUMP_SIGNAL)
        end = time.monotonic() + _DUMP_SECONDS
        while time.monotonic() < end:
            if wait(0.05 if self._data else 0.1, self._end):
                if not drain(self._end, self.add):
                    return
            elif self._data:
                return

    def close(self) -> None:
        os.close(self._end)
