"""Processes of an attempt are found and killed, and no others."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from processes import in_child, state, wait_until

from jupyterlab_refine.kernel.isolation import processes

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux lists processes")


def waiting_child(work: Callable[[], object]) -> int:
    """A child that has done this, and waits."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os.write(writer, b"x")
            time.sleep(60)
        finally:
            os._exit(0)
    os.close(writer)
    os.read(reader, 1)
    os.close(reader)
    return pid


def nothing() -> None:
    pass


def end(*pids: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            continue


def test_what_is_killed_is_reaped_where_the_system_reaps_nothing(tmp_path: Path) -> None:
    """As in a container whose first process is no init; two threads adopt at a time."""
    written = tmp_path / "pid"

    def start() -> None:
        processes.adopt_orphans(True)
        written.write_text(str(waiting_child(nothing)))

    def kernel() -> None:
        with processes.adopting():
            with processes.adopting():
                pass
            processes.reap(processes.end_family(waiting_child(start)))

    def first_process() -> list[object]:
        processes.adopt_orphans(True)
        pid = waiting_child(kernel)
        left = [one for one in processes.children(os.getpid()) if one != pid]
        end(pid)
        return [left, os.path.exists(f"/proc/{written.read_text()}")]

    assert in_child(first_process) == [[], False]


def test_a_process_that_forks_all_the_time_is_ended() -> None:
    def fork_on() -> None:
        processes.adopt_orphans(True)
        while True:
            if os.fork() == 0:
                os.setsid()
                signal.pause()

    def work() -> list[object]:
        processes.adopt_orphans(True)
        left = []
        for _ in range(10):
            pid = os.fork()
            if pid == 0:
                fork_on()
            time.sleep(0.002)
            processes.reap(processes.end_family(pid), 5.0)
            left += processes.children(os.getpid())
        return [left]

    assert in_child(work) == [[]]


def test_a_process_and_its_children_stop_and_resume(tmp_path: Path) -> None:
    written = tmp_path / "pids"

    def start() -> None:
        written.write_text(f"{waiting_child(os.setsid)} {waiting_child(nothing)}")

    def work() -> list[object]:
        pid = waiting_child(start)
        family = [pid, *map(int, written.read_text().split())]
        stopped = processes.stop(pid, spared=family[2])
        found = [sorted(stopped) == sorted(family[:2])]
        found += [wait_until(lambda: [*map(state, family)] == ["T", "T", "S"])]
        processes.resume(stopped)
        found += [wait_until(lambda: [*map(state, family)] == ["S", "S", "S"])]
        for one in reversed(family):
            os.kill(one, signal.SIGKILL)
        os.waitpid(pid, 0)
        return found

    assert in_child(work) == [True] * 3
