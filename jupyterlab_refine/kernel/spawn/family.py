"""Measure and end processes that the kernel has started for an attempt, with psutil, as ipykernel has it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from typing import Any


class Family:
    """The processes of one attempt; as :class:`..fork.family.Family`."""

    #: For three interpreters, their modules and the copies.
    start_seconds = 50.0
    lost = "its connection ended"
    #: Each was started; the end of the attempt's process shows by its connection.
    are_started = True
    adopting = staticmethod(contextlib.nullcontext)

    def __init__(self, attempt: Any, worker: Any, judge: Any) -> None:
        self._attempt, self._worker, self._judge = attempt, worker, judge
        self.judge = judge.pid

    def is_ready(self, _: Any) -> None:
        """What it writes is not listed here."""

    files_written = staticmethod(list[str])
    is_repeatable = staticmethod(lambda *_: True)

    def after_checks(self, _: Any) -> tuple[list[str], list[str], list[str]]:
        return [], [], []

    def status_of_attempt(self) -> int | None:
        try:
            return int(self._attempt.wait(2))
        except subprocess.TimeoutExpired:
            return None

    def started_by(self, pid: int) -> list[int]:
        return [one.pid for one in self._processes(pid)[1:]]

    def memory_beyond(self, limit: int, pids: list[int]) -> int:
        """Bytes that these processes use beside what the judge has, which has the same copies."""
        used = sum(map(self._resident, pids)) - self._resident(self.judge)
        return used if used > limit else 0

    def end_attempt(self) -> None:
        self._kill(self._attempt)

    def stop(self, _: Any = None) -> None:
        """Kill what runs code of the candidate's; the judge itself is killed by :meth:`reap`."""
        self._kill(self._attempt)
        self._kill(self._worker)

    def reap(self) -> None:
        self.stop()
        self._kill(self._judge)
        for process in (self._attempt, self._worker, self._judge):
            process.wait()
            process.stdin.close()

    def _kill(self, process: Any) -> None:
        if process.poll() is None:
            for one in reversed(self._processes(process.pid)[1:]):
                with contextlib.suppress(Exception):
                    one.kill()
        if hasattr(os, "killpg"):
            # It leads a session: what it started may have outlived it.
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()

    def _resident(self, pid: int) -> int:
        return sum(int(one.memory_info().rss) for one in self._processes(pid)[:1])

    def _processes(self, pid: int) -> list[Any]:
        """The process and all that it has started; none where it has ended."""
        # Not where another Python's kernel only asks what there is.
        import psutil

        try:
            first = psutil.Process(pid)
            return [first, *first.children(recursive=True)]
        except psutil.Error:
            return []
