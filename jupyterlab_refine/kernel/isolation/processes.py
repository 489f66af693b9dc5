"""Find, measure, limit, stop and kill processes through ``/proc`` of Linux."""

from __future__ import annotations

import contextlib
import os
import posix
import resource
import signal
import threading
import time
import warnings
from collections.abc import Iterator

from ..attempt.limits import FILE_BYTES
from . import linux

_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15
_PR_SET_CHILD_SUBREAPER = 36

_lock = threading.Lock()
_adopting = 0


def fork() -> int:
    """Fork this process, as ``os.fork``.

    `posix.fork`: with a debugger attached pydevd has replaced `os.fork`. Python 3.12 warns about threads,
    which must not appear in the user's cell.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return posix.fork()


def lead(parent: int) -> None:
    """In a fork: lead a session, adopt the orphans in it, and end with the parent."""
    os.setsid()
    linux.libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)
    adopt_orphans(True)


def adopt_orphans(on: bool) -> None:
    """Whether orphaned descendants of this process become its children instead of init's."""
    linux.libc().prctl(_PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0)


def name_family(judge: int) -> None:
    """Name this process, and all that it forks, after its judge."""
    linux.libc().prctl(_PR_SET_NAME, _name(judge), 0, 0, 0)


def orphans(judge: int) -> list[int]:
    """What a judge had forked and this process has adopted, since the judge was killed."""
    return [
        pid for pid in children(os.getpid()) if pid != judge and _read(f"/proc/{pid}/comm") == _name(judge)
    ]


def _name(judge: int) -> bytes:
    return b"refine-%d" % judge


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
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            found += map(int, _read(f"/proc/{pid}/task/{task}/children").split())
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
    with contextlib.suppress(OSError):
        os.kill(pid, number)


def kill(pid: int) -> None:
    """Kill a process that may have ended already."""
    send_signal(pid, signal.SIGKILL)


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
    # Perhaps not our child after all.
    with contextlib.suppress(OSError):
        os.waitpid(pid, 0)


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


def _read(path: str) -> bytes:
    with contextlib.suppress(OSError), open(path, "rb") as file:
        return file.read().rstrip(b"\n")
    return b""


# -- limits and memory


def bound(files: bool) -> None:
    """Switch core files off. :param files: whether writes beyond the limit of one file fail."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if files:
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        soft = FILE_BYTES if hard == resource.RLIM_INFINITY else min(FILE_BYTES, hard)
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def memory_beyond(limit: int, pids: list[int], sibling: int) -> int:
    """Bytes that these processes use together, if they are more than ``limit``; else 0.

    What they share with the kernel since the fork is not counted; what they share
    with each other is counted once.

    :param sibling: a process that shares with them only what the kernel has.
    """
    if sum(map(resident, pids)) <= limit:
        return 0
    _, of_kernel = _memory(sibling)
    used = sum(own + max(0, shared - of_kernel) for own, shared in map(_memory, pids))
    return used if used > limit else 0


def resident(pid: int) -> int:
    """All that a process has in memory: quick to measure, and an upper bound."""
    found = _read(f"/proc/{pid}/statm").split()
    return int(found[1]) * os.sysconf("SC_PAGE_SIZE") if found else 0


def _memory(pid: int) -> tuple[int, int]:
    """Bytes of its own, which copy-on-write copied or are new, and its part of what it shares with others."""
    # Nothing of one that has ended.
    lines = (line.split() for line in _read(f"/proc/{pid}/smaps_rollup").splitlines())
    found = {line[0]: int(line[1]) * 1024 for line in lines if line[0] in (b"Private_Dirty:", b"Pss_Anon:")}
    own = found.get(b"Private_Dirty:", 0)
    return own, max(0, found.get(b"Pss_Anon:", 0) - own)
