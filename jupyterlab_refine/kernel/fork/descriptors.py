"""Inherited file descriptors: replaced, so that the child cannot seek, write or send through the kernel's."""

from __future__ import annotations

import _socket
import contextlib
import fcntl
import os
import stat
from collections.abc import Collection

from ..isolation import linux

#: A larger file that the kernel has open for writing can only be read in an attempt.
_COPY_LIMIT = 100 << 20
_PIECE = 1 << 20
#: Major numbers of their devices: both ends of a pseudo-terminal, and the one of the session.
_TERMINALS = (5, *range(136, 144))
_CLOSE_ON_EXEC = 1


def detach(
    keep: Collection[int], hidden: Collection[tuple[int, int]], folders: Collection[str] = ()
) -> tuple[tuple[str, int], ...]:
    """Replace every inherited descriptor but 0, 1, 2 and those to ``keep``; each process does it once.

    Readers are opened anew, since an offset is shared across a fork. A writer gets a file of its own with the
    same content and position: where the candidate runs that of the overlay, if there is one. Devices stay.
    All else, such as sockets and terminals, becomes a dead end under the same number: a closed one could be
    reused, and a connection used from two processes breaks both.

    :param hidden: device and inode of files that must not be read; dead ends as well.
    :param folders: of the overlay, where the candidate runs.
    :returns: files opened in the overlay, each with the time of its last change there.
    """
    folders = tuple(folder + "/" for folder in folders)
    dead, closed = _socket.socketpair()
    closed.close()
    unchanged: dict[str, int] = {}
    for number in map(int, os.listdir("/proc/self/fd")):
        if number <= 2 or number in keep or number == dead.fileno():
            continue
        with contextlib.suppress(OSError):
            status = os.fstat(number)
            if stat.S_ISCHR(status.st_mode) and os.major(status.st_rdev) not in _TERMINALS:
                continue
            replacement = None
            if stat.S_ISREG(status.st_mode) and (status.st_dev, status.st_ino) not in hidden:
                with contextlib.suppress(OSError):
                    replacement = _file(number, status, folders, unchanged)
            os.dup2(dead.fileno() if replacement is None else replacement, number, os.get_inheritable(number))
            if replacement is not None:
                os.close(replacement)
    dead.close()
    return tuple(unchanged.items())


def _file(number: int, status: os.stat_result, folders: tuple[str, ...], unchanged: dict[str, int]) -> int:
    """The same file, or a copy, at the same position. :raises OSError: where neither is to be had."""
    flags = fcntl.fcntl(number, fcntl.F_GETFL) & ~(os.O_CREAT | os.O_EXCL | os.O_TRUNC)
    link, access, is_small = f"/proc/self/fd/{number}", flags & os.O_ACCMODE, status.st_size <= _COPY_LIMIT
    opened = None
    with contextlib.suppress(OSError):
        name = os.readlink(link)
        if access == os.O_RDONLY:
            opened = os.open(link, flags)
        elif is_small and name.startswith(folders) and _is_same(os.stat(name), status):
            opened = os.open(name, flags)
            unchanged[name] = os.fstat(opened).st_ctime_ns
    if opened is None and access == os.O_WRONLY:
        return os.open(os.devnull, flags)
    opened = opened or (_copy(number, flags) if is_small else os.open(link, os.O_RDONLY))
    os.lseek(opened, os.lseek(number, 0, os.SEEK_CUR), os.SEEK_SET)
    return opened


def _is_same(found: os.stat_result, status: os.stat_result) -> bool:
    """Whether the file in the overlay is that one; stacked file systems have inodes of their own."""
    return (found.st_size, found.st_mtime_ns) == (status.st_size, status.st_mtime_ns)


def _copy(number: int, flags: int) -> int:
    """The content in a file of its own, for reading and writing."""
    # Pythons that are made for old systems do not have `os.memfd_create`.
    copy = linux.check(linux.libc().memfd_create(b"refine", _CLOSE_ON_EXEC), "memfd_create")
    done = 0
    while data := os.pread(number, _PIECE, done):
        done += os.write(copy, data)
    if flags & os.O_APPEND:
        fcntl.fcntl(copy, fcntl.F_SETFL, os.O_APPEND)
    return copy
