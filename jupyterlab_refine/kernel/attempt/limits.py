"""Limits of an attempt: memory, files, processes and output."""

from __future__ import annotations

import errno
import os
from typing import Any, NamedTuple

_MEMORY = 2 << 30
_OUTPUT = 256 << 10
_HARD_OUTPUT = 32 << 20
#: Of one file, where what is written is thrown away.
FILE_BYTES = 1 << 30
#: Of all files together that an attempt writes in the overlay; they are in memory.
LAYER_BYTES = 2 << 30
#: Of the files and folders that it makes or changes there; each is inspected after the attempt.
LAYER_FILES = 30_000
#: At the same time, all that an attempt has started.
PROCESSES = 256


class Limits(NamedTuple):
    """``ExecutionLimits`` of the TypeScript side with their defaults filled in."""

    #: Wall time of candidate and checks together.
    seconds: float
    memory_bytes: int
    #: Text reported per stream.
    output_bytes: int
    #: Text after which the attempt is ended.
    hard_output_bytes: int


def read(limits: dict[str, Any]) -> Limits:
    output = int(limits.get("outputBytes") or _OUTPUT)
    return Limits(
        seconds=float(limits["seconds"]),
        memory_bytes=int(limits.get("memoryBytes") or _MEMORY),
        output_bytes=output,
        hard_output_bytes=max(_HARD_OUTPUT, 64 * output),
    )


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
