"""Landlock: what a process may write, connect to and signal; needs no privilege (Linux 5.13)."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Iterable

from . import linux

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_VERSION = 1
#: More entries in one folder are not listed one by one.
_ENTRIES = 3000
_PATH_BENEATH = 1

_WRITE_FILE = 1 << 1
_READ_FILE = 1 << 2
#: Removing and making files of all kinds.
_CHANGE_FOLDER = sum(1 << bit for bit in range(4, 13))
#: Bits that came with later versions of the interface.
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_TCP = 0b11
_SCOPE_SOCKETS = 0b01
_SCOPE_SIGNAL = 0b10

#: Versions of the interface: renaming across folders, truncation, TCP, signals.
_HAS_REFER, _HAS_TRUNCATE, HAS_NETWORK, HAS_SIGNALS = 2, 3, 4, 6


class _Ruleset(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("fs", "net", "scoped")]


class _Path(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("descriptor", ctypes.c_int32)]


@functools.cache
def version() -> int:
    """Version of the interface; 0 where there is none."""
    try:
        return linux.syscall(_CREATE, "landlock", None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))
    except (OSError, AttributeError):
        return 0


def restrict(
    abi: int,
    writable: list[str] | None,
    network: bool,
    readable: list[str] | None = None,
    signals: bool = False,
) -> None:
    """Bind this process and all it starts, for good.

    :param abi: the result of :func:`version`.
    :param writable: folders and files that stay writable; None leaves files alone.
    :param network: whether TCP stays open.
    :param readable: folders and files that can be read, with all below them; None for everything.
    :param signals: whether it may signal whatever it could signal before.
    """
    writes = _WRITE_FILE | _CHANGE_FOLDER
    writes |= _REFER if abi >= _HAS_REFER else 0
    writes |= _TRUNCATE if abi >= _HAS_TRUNCATE else 0
    ruleset = _Ruleset(
        fs=(0 if writable is None else writes) | (0 if readable is None else _READ_FILE),
        net=0 if network or abi < HAS_NETWORK else _TCP,
        scoped=0
        if abi < HAS_SIGNALS
        else (0 if signals else _SCOPE_SIGNAL) | (0 if network else _SCOPE_SOCKETS),
    )
    size = 24 if abi >= HAS_SIGNALS else 16 if abi >= HAS_NETWORK else 8
    if not (ruleset.fs or ruleset.net or ruleset.scoped):
        return
    descriptor = linux.syscall(
        _CREATE, "landlock", ctypes.byref(ruleset), ctypes.c_size_t(size), ctypes.c_uint32(0)
    )
    try:
        for path in writable or []:
            _allow(descriptor, path, writes if os.path.isdir(path) else writes & (_WRITE_FILE | _TRUNCATE))
        for path in readable or []:
            _allow(descriptor, path, _READ_FILE)
        linux.no_new_privileges()
        linux.syscall(_RESTRICT, "landlock_restrict_self", ctypes.c_int(descriptor), ctypes.c_uint32(0))
    finally:
        os.close(descriptor)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        # It no longer exists, or is out of reach anyway.
        return
    try:
        rule = _Path(rights, descriptor)
        linux.syscall(
            _ADD_RULE,
            "landlock_add_rule",
            ctypes.c_int(ruleset),
            ctypes.c_int(_PATH_BENEATH),
            ctypes.byref(rule),
            ctypes.c_uint32(0),
        )
    finally:
        os.close(descriptor)


def readable_beside(hidden: Iterable[str]) -> list[str]:
    """What Landlock must allow, to deny those files alone: every neighbour, on each level from the root.

    :raises OSError: when that would take too long.
    """
    denied = set(hidden)
    above = set()
    for path in denied:
        while path != "/":
            path = os.path.dirname(path)
            above.add(path)
    allowed: list[str] = []
    for folder in above:
        with os.scandir(folder) as entries:
            for count, entry in enumerate(entries):
                if count >= _ENTRIES:
                    raise OSError(0, f"{folder} has more than {_ENTRIES} entries")
                # What a link leads to is allowed or denied by its own place.
                if entry.path not in denied and entry.path not in above and not entry.is_symlink():
                    allowed.append(entry.path)
    return allowed
