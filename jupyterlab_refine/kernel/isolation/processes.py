"""Find, stop and kill processes through ``/proc`` of Linux; elsewhere the lists are empty."""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator

from . import linux

LINUX = sys.platform.startswith("linux")

_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15
_PR_SET_CHILD_SUBREAPER = 36
#: In the environment of all that an attempt starts, so that daemons are found.
_MARKER = "_JUPYTERLAB_REFINE_ATTEMPT"

_lock = threading.Lock()
_adopting = 0


def die_with_parent() -> None:
    """Let the system kill this process when the kernel ends, for whatever reason."""
    if LINUX:
        linux.libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def adopt_orphans(on: bool) -> None:
    """Whether orphaned descendants of this process become its children instead of init's."""
    if LINUX:
        linux.libc().prctl(_PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0)


@contextlib.contextmanager
def adopting() -> Iterator[None]:
    """Adopt orphans for as long as any thread is in such a block, and so reap what it kills.

    Others wait for the system's first process, which may never reap: in many containers it is no init.
    """
    global _adopting
    with _lock:
        _adopting += 1
        adopt_orphans(True)
    try:
        yield
    finally:
        with _lock:
            _adopting -= 1
            if not _adopting:
                adopt_orphans(False)


def children(pid: int) -> list[int]:
    """Direct children, of all threads of the process."""
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                found += [int(word) for word in file.read().split()]
    except (OSError, ValueError):
        return found
    return found


def descendants(pid: int) -> list[int]:
    """All living descendants, those in sessions of their own included."""
    found, todo = [], [pid]
    while todo:
        for child in children(todo.pop()):
            found.append(child)
            todo.append(child)
    return found


def send_signal(pid: int, number: int) -> None:
    """Send a signal to a process that may have ended already; its exit is handled elsewhere."""
    try:
        os.kill(pid, number)
    except OSError:
        return


def kill(pid: int) -> None:
    """Kill a process that may have ended already."""
    send_signal(pid, signal.SIGKILL)


def end_family(pid: int) -> list[int]:
    """Kill a child of this process and all that it has started; returns the latter, to be reaped.

    The child is stopped first: otherwise it could fork processes that are not found.
    """
    try:
        os.kill(pid, signal.SIGSTOP)
        _, status = os.waitpid(pid, os.WUNTRACED)
    except OSError:
        # Reaped already.
        return []
    started = kill_descendants(pid)
    if os.WIFSTOPPED(status):
        kill_group(pid)
        reap([pid])
    return started


def kill_group(pid: int) -> None:
    """Kill the process group of a child that has a session of its own, and the child itself."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        # It has no session of its own yet.
        pass
    kill(pid)


def reap(pids: list[int], seconds: float = 2.0) -> None:
    """Wait for adopted descendants that were killed, so that no zombie stays; a thread waits for the slow."""
    left, end = list(pids), time.monotonic() + seconds
    while left and time.monotonic() < end:
        for pid in list(left):
            try:
                if os.waitpid(pid, os.WNOHANG)[0]:
                    left.remove(pid)
            except OSError:
                # Not our child, or not yet: its own parent may still be dying.
                if not os.path.exists(f"/proc/{pid}"):
                    left.remove(pid)
        if left:
            time.sleep(0.001)
    for pid in left:
        # A busy machine: what gives much memory back, dies slowly.
        threading.Thread(target=_await_end, args=(pid,), name="refine-attempt", daemon=True).start()


def _await_end(pid: int) -> None:
    try:
        os.waitpid(pid, 0)
    except OSError:
        # Not our child after all.
        return


def mark(token: str) -> None:
    """Mark this process and what it forks by name, what it executes by its environment."""
    os.environ[_MARKER] = token
    if LINUX:
        linux.libc().prctl(_PR_SET_NAME, _name(token).encode(), 0, 0, 0)


def stop(pid: int, spared: int | None = None, seconds: float = 2.0) -> list[int]:
    """Stop a process and all that it has started; returns them, to be continued by :func:`resume`.

    :param spared: of these one that goes on.
    """
    stopped: dict[int, None] = {}
    found, end = [pid], time.monotonic() + seconds
    while found and time.monotonic() < end:
        for one in found:
            stopped[one] = None
            send_signal(one, signal.SIGSTOP)
        # A stopped process forks no more: what is new now was forked before.
        found = [one for one in descendants(pid) if one not in stopped and one != spared]
    return list(stopped)


def resume(pids: list[int]) -> None:
    for pid in pids:
        send_signal(pid, signal.SIGCONT)


def kill_marked(token: str) -> None:
    """Kill daemons of an attempt that were re-parented to this process."""
    entry, name = f"{_MARKER}={token}".encode(), _name(token)
    found = []
    for pid in descendants(os.getpid()):
        try:
            with open(f"/proc/{pid}/comm") as file:
                marked = file.read().rstrip("\n") == name
            if not marked:
                with open(f"/proc/{pid}/environ", "rb") as environment:
                    marked = entry in environment.read().split(b"\0")
        except OSError:
            continue
        if marked:
            found.append(pid)
    for pid in found:
        kill(pid)
    reap(found)


def kill_descendants(pid: int, seconds: float = 2.0) -> list[int]:
    """Kill all that a living (stopped or waiting) process has started; returns them, to be reaped.

    It adopts its orphans, so that one that is forked during a pass is found by the next.
    """
    killed: dict[int, None] = {}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        seen = descendants(pid)
        # The killed ones wait for a parent: this process reaps them.
        killed.update(dict.fromkeys(seen))
        alive = [found for found in seen if is_alive(found)]
        if not alive:
            break
        for found in alive:
            kill(found)
    return list(killed)


def is_running(pid: int) -> bool:
    """Whether it computes, or waits for a processor only."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "R"
    except (OSError, IndexError):
        return False


def is_alive(pid: int) -> bool:
    """False for one that has ended and waits to be reaped."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (OSError, IndexError):
        return False


def _name(token: str) -> str:
    """At most 15 characters, as the system keeps."""
    return "refine-" + hashlib.sha256(token.encode()).hexdigest()[:8]


def cpu_seconds(pid: int) -> float | None:
    """CPU time used by a process and its waited-for children."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return sum(int(fields[i]) for i in (11, 12, 13, 14)) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None
