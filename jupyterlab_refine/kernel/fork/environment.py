"""Remove variables with keys from the child's environment, and from what ``/proc`` shows of it."""

from __future__ import annotations

import ctypes
import functools
import os

from ..secrecy import redact

#: Places of ``env_start`` and ``env_end`` among the fields of ``/proc/self/stat`` after the name.
_START, _END = 47, 48


def remove_secrets() -> None:
    """Remove the variables whose names look secret; call it in the child only."""
    for name in redact.secret_environment():
        del os.environ[name]
    _wipe_block()


def prepare() -> None:
    """Before a fork: find the variables in the block, which does not change."""
    _variables()


def _wipe_block() -> None:
    """Overwrite their values in the block that ``/proc/self/environ`` shows."""
    for name, address, size in _variables():
        if redact.secret_environment({name: ""}):
            ctypes.memset(address, ord("x"), size)


@functools.cache
def _variables() -> list[tuple[str, int, int]]:
    """Each variable of the block: its name, and address and length of its value."""
    try:
        with open("/proc/self/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        start, end = int(fields[_START]), int(fields[_END])
    except (OSError, ValueError, IndexError):
        return []
    found, address = [], start
    for entry in ctypes.string_at(start, end - start).split(b"\0"):
        name, _, value = entry.partition(b"=")
        found.append((os.fsdecode(name), address + len(name) + 1, len(value)))
        address += len(entry) + 1
    return found
