"""Limits and measurements of the system: core files, size of a file, memory of processes."""

from __future__ import annotations

import os
import resource

from ..attempt.limits import FILE_BYTES


def no_core_files() -> None:
    """Switch core files off."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def bound_files() -> None:
    """Let writes beyond the limit of one file fail."""
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    soft = FILE_BYTES if hard == resource.RLIM_INFINITY else min(FILE_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def memory_beyond(limit: int, pids: list[int], sibling: int) -> int | None:
    """Bytes that these processes use together, if they are more than ``limit``.

    What they share with the kernel since the fork is not counted; what they share
    with each other is counted once.

    :param sibling: a process that shares with them only what the kernel has.
    """
    if sum(map(resident, pids)) <= limit:
        return None
    _, of_kernel = _memory(sibling)
    used = sum(own + max(0, shared - of_kernel) for own, shared in map(_memory, pids))
    return used if used > limit else None


def resident(pid: int) -> int:
    """All that a process has in memory: quick to measure, and an upper bound."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _memory(pid: int) -> tuple[int, int]:
    """Bytes of its own, which copy-on-write copied or are new, and its part of what it shares with others."""
    found = {"Private_Dirty": 0, "Pss_Anon": 0}
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            for line in file:
                name, _, rest = line.partition(":")
                if name in found:
                    found[name] = int(rest.split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        # It has ended.
        return 0, 0
    own = found["Private_Dirty"]
    return own, max(0, found["Pss_Anon"] - own)
