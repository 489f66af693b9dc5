"""Inherited file descriptors: the child must not move, write or talk through the kernel's."""

from __future__ import annotations

import fcntl
import os
import resource
import socket
import stat
from collections.abc import Collection

#: Larger files that are open for reading and writing are not copied.
_COPY_LIMIT = 64 << 20


def detach(keep: Collection[int], hidden: Collection[tuple[int, int]] = ()) -> None:
    """Replace every inherited descriptor but 0, 1, 2 and those to ``keep``.

    Readers are opened anew, since an offset is shared across a fork. Writers get
    a throw-away file with the same content and position. Sockets, pipes and the
    rest become dead ends under the same number: a closed one could be reused, and
    a connection used from two processes breaks both.

    :param hidden: device and inode of files that must not be read; dead ends as well.
    """
    left, right = socket.socketpair()
    right.close()
    dead = left.detach()
    try:
        for name in os.listdir("/proc/self/fd"):
            number = int(name)
            if number > 2 and number not in keep:
                _replace(number, dead, hidden)
    finally:
        os.close(dead)


def move_up(descriptor: int) -> int:
    """The same file under a high number, out of the way of ``os.closerange(3, 500)``."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, min(soft, 4096) - 64)
    os.close(descriptor)
    return moved


def _replace(number: int, dead: int, hidden: Collection[tuple[int, int]]) -> None:
    try:
        status = os.fstat(number)
    except OSError:
        return
    inheritable = os.get_inheritable(number)
    try:
        if stat.S_ISCHR(status.st_mode):
            return
        if stat.S_ISREG(status.st_mode) and (status.st_dev, status.st_ino) not in hidden:
            replacement = _private_copy(number, status)
        else:
            replacement = os.dup(dead)
    except OSError:
        replacement = os.dup(dead)
    os.dup2(replacement, number, inheritable)
    os.close(replacement)


def _private_copy(number: int, status: os.stat_result) -> int:
    flags = fcntl.fcntl(number, fcntl.F_GETFL)
    position = os.lseek(number, 0, os.SEEK_CUR)
    path = f"/proc/self/fd/{number}"
    access = flags & os.O_ACCMODE
    if access == os.O_RDONLY:
        copy = _open_again(path, flags & ~(os.O_CREAT | os.O_TRUNC | os.O_EXCL))
    else:
        copy = os.memfd_create("refine")
        if access == os.O_RDWR and 0 < status.st_size <= _COPY_LIMIT:
            with open(path, "rb") as source, open(copy, "wb", closefd=False) as target:
                target.write(source.read())
        os.ftruncate(copy, max(position, os.fstat(copy).st_size))
    os.lseek(copy, position, os.SEEK_SET)
    return copy


def _open_again(path: str, flags: int) -> int:
    """By name where it still has one: what the name leads to here is read-only or an overlay."""
    name = os.readlink(path)
    try:
        return os.open(name, flags)
    except OSError:
        return os.open(path, flags)
