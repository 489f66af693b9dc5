"""Limits and measurements of the system: core files, size of a file, memory of processes."""

from __future__ import annotations

import os
import resource

from ..attempt.limits import FILE_BYTES

#: Memory that must stay free for the machine, or the container.
_FLOOR = 256 << 20
_CGROUPS = (
    ("/sys/fs/cgroup", "memory.max", "memory.current"),
    ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
)


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


def memory_left() -> int | None:
    """Bytes until the machine, or the container, is out of memory."""
    left = []
    try:
        with open("/proc/meminfo") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    left.append(int(line.split()[1]) * 1024)
    except (OSError, ValueError):
        return None
    for folder, limit_name, used_name in _CGROUPS:
        try:
            with open(os.path.join(folder, limit_name)) as file:
                limit = int(file.read())
            with open(os.path.join(folder, used_name)) as file:
                used = int(file.read())
        except (OSError, ValueError):
            # No such hierarchy, or `max`: no limit.
            continue
        left.append(limit - used)
    return min(left) if left else None


def machine_is_full() -> bool:
    left = memory_left()
    return left is not None and left < _FLOOR
