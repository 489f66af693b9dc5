"""Measure, kill and reap the processes of an attempt, with everything that they have started."""

from __future__ import annotations

import os
import signal
from typing import Any

from ..attempt import forms
from ..isolation import overlay, processes, resources
from .written import Written


class Family:
    """The processes of one attempt, ended in two steps: its result does not wait until memory is freed.

    :param judge: the process that has forked the others.
    :param token: in the environment of all that it starts, so that daemons are found.
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

    def __init__(self, judge: int, token: str) -> None:
        self.judge, self._token = judge, token
        self._descendants: list[int] = []
        self._expected: set[int] = set()
        self._crashed = False

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
        self._expected = {pid for pid in running if pid is not None}
        self._descendants = processes.descendants(self.judge)
        for pid in self._descendants:
            processes.kill(pid)

    def explain_crash(self, status: int | None) -> str:
        """How the attempt's process ended, as a sentence.

        :param status: as ``os.waitpid`` gives it; None where the judge itself has ended.
        """
        self._crashed = True
        if status is None:
            return "crashed: its parent process was killed"
        return f"crashed: {forms.exit_words(os.waitstatus_to_exitcode(status))}"

    def reap(self) -> None:
        """Reap the killed processes, and kill daemons that were re-parented to the kernel."""
        started = {*self._descendants, *processes.end_family(self.judge)}
        processes.reap(list(started))
        if self._crashed or started - self._expected:
            processes.kill_marked(self._token)
