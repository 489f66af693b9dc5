"""Limits of an attempt: memory, CPU time, files, processes and output."""

from __future__ import annotations

import errno
import os
import sys
from typing import Any, NamedTuple

if sys.platform == "win32":
    resource: Any = None
else:
    import resource

_MEMORY = 2 << 30
_OUTPUT = 256 << 10
#: Memory that must stay free for the machine, or the container.
_FLOOR = 256 << 20
_HARD_OUTPUT = 256 << 20
#: Of one file, where what is written is thrown away.
FILE_BYTES = 1 << 30
#: At the same time, all that an attempt has started.
PROCESSES = 256
_CGROUPS = (
    ("/sys/fs/cgroup", "memory.max", "memory.current"),
    ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
)


class Limits(NamedTuple):
    """``ExecutionLimits`` of the TypeScript side with their defaults filled in."""

    #: Wall time of candidate and checks together.
    seconds: float
    memory_bytes: int
    #: Text reported per stream.
    output_bytes: int
    #: Text after which the attempt is ended.
    hard_output_bytes: int
    #: CPU time of all its processes together; None: as much as the wall time gives.
    cpu_seconds: float | None


def read(limits: dict[str, Any]) -> Limits:
    output = int(limits.get("outputBytes") or _OUTPUT)
    return Limits(
        seconds=float(limits["seconds"]),
        memory_bytes=int(limits.get("memoryBytes") or _MEMORY),
        output_bytes=output,
        hard_output_bytes=max(_HARD_OUTPUT, 64 * output),
        cpu_seconds=limits.get("cpuSeconds"),
    )


def no_core_files() -> None:
    """Switch core files off."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def bound_files() -> None:
    """Let writes beyond the limit of one file fail."""
    if resource is not None:
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        soft = FILE_BYTES if hard == resource.RLIM_INFINITY else min(FILE_BYTES, hard)
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def exceeded(error: BaseException, files: str) -> str | None:
    """The limit that made an attempt raise this: ``memory``, ``file`` (one), ``files`` (all), ``count``.

    :param files: the field ``files`` of its ``Isolation``.
    """
    if isinstance(error, MemoryError):
        return "memory"
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.EFBIG and files != "open":
        return "file"
    if number == errno.ENOSPC and files == "overlay":
        return "count" if any(map(_is_last, (getattr(error, "filename", None), "here"))) else "files"
    return None


def _is_last(path: Any) -> bool:
    """Whether the file system of this path holds as many files as it can."""
    try:
        return os.statvfs(os.path.dirname(os.path.abspath(path))).f_ffree == 0
    except (OSError, TypeError, ValueError):
        return False


class _Memory(NamedTuple):
    """Memory of one process, in bytes."""

    #: Memory of its own: what copy-on-write copied, and new memory.
    own: int
    #: Its part of what it shares with others.
    shared: int


def memory_beyond(limit: int, pids: list[int], sibling: int) -> int | None:
    """Bytes that these processes use together, if they are more than ``limit``.

    What they share with the kernel since the fork is not counted; what they share
    with each other is counted once.

    :param sibling: a process that shares with them only what the kernel has.
    """
    if sum(map(_resident, pids)) <= limit:
        return None
    of_kernel = _memory(sibling).shared
    used = sum(found.own + max(0, found.shared - of_kernel) for found in map(_memory, pids))
    return used if used > limit else None


def _resident(pid: int) -> int:
    """All that a process has in memory: quick to measure, and an upper bound."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _memory(pid: int) -> _Memory:
    found = {"Private_Dirty": 0, "Pss_Anon": 0}
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            for line in file:
                name, _, rest = line.partition(":")
                if name in found:
                    found[name] = int(rest.split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        # It has ended.
        return _Memory(0, 0)
    own = found["Private_Dirty"]
    return _Memory(own, max(0, found["Pss_Anon"] - own))


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
