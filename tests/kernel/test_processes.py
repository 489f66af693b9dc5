"""Processes of an attempt are found and killed, and no others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from test_parts import in_child, wait_until

from jupyterlab_refine.kernel import processes

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux tells of processes")

TOKEN = "token-of-a-test"


def begun(work: Callable[[], object]) -> int:
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


def is_gone(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


def end(*pids: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            continue


@pytest.mark.parametrize("work", [nothing, os.setsid], ids=["not yet in a session", "in its session"])
def test_a_child_is_killed_whether_it_has_a_session_or_not(work: Callable[[], object]) -> None:
    pid = begun(work)
    processes.kill_group(pid)
    assert wait_until(lambda: is_gone(pid))
    # And once more, when there is nothing left.
    processes.kill_group(pid)


def test_a_group_is_killed_with_its_leader(tmp_path: Path) -> None:
    told = tmp_path / "pid"

    def lead() -> None:
        os.setsid()
        told.write_text(str(begun(nothing)))

    def work() -> list[bool]:
        processes.adopt_orphans(True)
        leader = begun(lead)
        follower = int(told.read_text())
        processes.kill_group(leader)
        found = [wait_until(lambda: is_gone(leader)), wait_until(lambda: is_gone(follower))]
        end(follower)
        return found

    assert in_child(work) == [True, True]


def test_programs_that_an_attempt_starts_are_marked(tmp_path: Path) -> None:
    told = tmp_path / "pid"

    def start() -> None:
        processes.mark(TOKEN)
        told.write_text(str(subprocess.Popen(["sleep", "60"]).pid))

    def work() -> list[bool]:
        processes.adopt_orphans(True)
        end(begun(start))
        program = int(told.read_text())
        found = [processes._is_alive(program)]
        processes.kill_marked(TOKEN)
        return [*found, is_gone(program)]

    assert in_child(work) == [True, True]


def test_what_an_attempt_has_left_is_known_by_its_mark() -> None:
    """A fork by its name, a program by its environment; what the user has started stays."""

    def work() -> list[bool]:
        forked = begun(lambda: processes.mark(TOKEN))
        other_fork = begun(lambda: processes.mark("another"))
        unmarked = begun(nothing)
        marked_environment = {**os.environ, processes._MARKER: TOKEN}
        programs = [
            subprocess.Popen(["sleep", "60"], env=environment)
            for environment in (marked_environment, {**os.environ, processes._MARKER: f"{TOKEN}-2"}, None)
        ]
        alive = [forked, other_fork, unmarked, *(program.pid for program in programs)]
        processes.kill_marked(TOKEN)
        found = [is_gone(pid) for pid in alive]
        end(*alive)
        return found

    assert in_child(work) == [True, False, False, True, False, False]
