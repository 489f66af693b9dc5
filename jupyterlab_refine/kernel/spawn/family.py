"""Measure and end processes that the kernel has started for an attempt, with psutil, as ipykernel has it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from types import SimpleNamespace
from typing import Any

_FLOOR = 256 << 20
#: Until one that gets little of a busy machine has computed something.
_COMPUTES_SECONDS = 0.5
#: Until the stack of a process that is late is written.
_DUMP_SECONDS = 0.5


class FileDump:
    """The stack that faulthandler writes to a file when the time of the candidate is over."""

    end = None

    def __init__(self, path: str) -> None:
        self.path = path

    @property
    def text(self) -> str:
        with open(self.path, encoding="utf-8", errors="replace") as file:
            # The main thread is the last; as it calls itself where it writes its own stack.
            stack = file.read().strip().rpartition("\n\n")[2].rpartition("!\n")[2]
        return stack.replace("Thread", "Current thread", 1)

    def request(self, _: int) -> None:
        end = time.monotonic() + _DUMP_SECONDS
        while time.monotonic() < end and not self.text:
            time.sleep(0.02)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.unlink(self.path)


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
        #: CPU time that modules and copies have taken before the candidate.
        self._before = 0.0

    def is_ready(self, _: Any) -> None:
        """What it writes is not listed here."""

    before_checks = staticmethod(lambda: None)
    files_written = staticmethod(list[str])
    is_repeatable = staticmethod(lambda *_: True)
    after_checks = staticmethod(lambda _: SimpleNamespace(files=[], made=[], changed=[]))

    def candidate_starts(self, pid: int) -> None:
        """Note what the process has used so far: it is no part of what the candidate may use."""
        self._before = self.cpu_seconds(pid) or 0.0

    def status_of_attempt(self) -> int | None:
        try:
            return int(self._attempt.wait(2))
        except subprocess.TimeoutExpired:
            return None

    def started_by(self, pid: int) -> list[int]:
        return [one.pid for one in self._processes(pid)[1:]]

    def cpu_seconds(self, pid: int) -> float | None:
        found = self._processes(pid)
        if not found:
            return None
        return sum(found[0].cpu_times()[:2]) - (self._before if pid == self._attempt.pid else 0.0)

    def is_running(self, pid: int) -> bool:
        # Windows has no such state, and macOS says it of all: what computes shows by its time.
        before, end = self.cpu_seconds(pid), time.monotonic() + _COMPUTES_SECONDS
        while self.cpu_seconds(pid) == before:
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def memory_beyond(self, limit: int, pids: list[int]) -> int | None:
        """Bytes that these processes use beside what the judge has, which has the same copies."""
        used = sum(map(self._resident, pids)) - self._resident(self.judge)
        return used if used > limit else None

    def machine_is_full(self) -> bool:
        import psutil

        return bool(psutil.virtual_memory().available < _FLOOR)

    def end_attempt(self, *_: Any) -> None:
        self._kill(self._attempt)

    def kill(self, *_: Any) -> None:
        """Kill what runs code of the candidate's; the judge itself is killed by :meth:`reap`."""
        self._kill(self._attempt)
        self._kill(self._worker)

    def reap(self) -> None:
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
