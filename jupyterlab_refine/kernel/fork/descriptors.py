"""Inherited file descriptors: replaced, so that the child cannot seek, write or send through the kernel's."""

from __future__ import annotations

import _socket
import fcntl
import os
import resource
import stat
from collections.abc import Collection
from typing import NamedTuple

from .. import texts
from ..isolation import linux, resources

#: Above this size, files open for reading and writing are read-only in the judge.
_COPY_LIMIT = 64 << 20
#: Where the candidate runs, files up to this size are copied if eight times as much memory is free.
_MEMORY_LIMIT = 256 << 20
#: For all files together that are opened for writing in the overlay, which copies them.
_LAYER_LIMIT = 512 << 20
#: Bits of an inode's number that count: stacked file systems may use those above.
_INODE = 0xFFFFFFFF
_PIECE = 1 << 20
#: Major numbers of their devices: both ends of a pseudo-terminal, and the one of the session.
_TERMINALS = (5, *range(136, 144))
#: Devices that only give or take bytes: null, zero, full, random and urandom.
_WITHOUT_STATE = {(1, minor) for minor in (3, 5, 7, 8, 9)}
# Pythons that are made for old systems do not know these.
_F_ADD_SEALS, _F_GET_SEALS, _SEAL_SIZE, _SEAL_WRITE = 1033, 1034, 0b110, 0b1000
_CLOSE_ON_EXEC, _CAN_BE_SEALED = 1, 2


class Files(NamedTuple):
    """How the files that the kernel has open for writing were replaced."""

    #: Files opened in the overlay, each with the time of its last change there.
    unchanged: tuple[tuple[str, int], ...] = ()
    #: Files that can only be read, each with its size.
    read_only: tuple[str, ...] = ()


class Inherited(NamedTuple):
    """What is known of the kernel's descriptors before the processes of an attempt are forked."""

    #: Device and inode of files that must not be read; dead ends as well.
    hidden: Collection[tuple[int, int]] = ()
    #: Folders of the overlay.
    folders: Collection[str] = ()
    #: Inodes of files that are used through memory maps.
    mapped: Collection[int] = ()


def detach(keep: Collection[int], inherited: Inherited, runs_candidate: bool) -> Files:
    """Replace every inherited descriptor but 0, 1, 2 and those to ``keep``; each process does it once.

    Readers are opened anew, since an offset is shared across a fork. A writer gets a file of its own with the
    same content and position: where the candidate runs that of the overlay, if there is one. What is too
    large for a copy can be read. All else, such as sockets and terminals, becomes a dead end under the same
    number: a closed one could be reused, and a connection used from two processes breaks both.

    :raises RuntimeError: for a file that can neither be copied nor opened again.
    """
    work = _Detaching(_dead_end(), inherited, runs_candidate)
    try:
        for name in os.listdir("/proc/self/fd"):
            number = int(name)
            if number > 2 and number not in keep:
                work.replace(number)
    finally:
        os.close(work.dead)
    _renew_standard()
    return Files(tuple(work.unchanged.items()), tuple(work.read_only))


def _dead_end() -> int:
    """A socket that leads nowhere, for this process alone: a shared one could carry data between two."""
    left, right = _socket.socketpair()
    right.close()
    return left.detach()


def _is_device(status: os.stat_result) -> bool:
    return stat.S_ISCHR(status.st_mode) and os.major(status.st_rdev) not in _TERMINALS


def _renew_device(number: int, status: os.stat_result, dead: int) -> None:
    """Open it again: all processes that share an open file see the flags that one sets (``O_APPEND``).

    Devices of hardware stay as they are.
    """
    if (os.major(status.st_rdev), os.minor(status.st_rdev)) not in _WITHOUT_STATE:
        return
    flags = fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE
    try:
        opened = os.open(f"/proc/self/fd/{number}", flags)
    except OSError:
        opened = os.dup(dead)
    os.dup2(opened, number, os.get_inheritable(number))
    os.close(opened)


def _renew_standard() -> None:
    """Open standard streams again that are the null device."""
    for number in range(3):
        status = os.fstat(number)
        if _is_device(status):
            _renew_device(number, status, number)


def silence() -> None:
    """Give this process standard streams that lead nowhere."""
    null = os.open(os.devnull, os.O_RDWR)
    for target in (0, 1, 2):
        os.dup2(null, target)
    if null > 2:
        os.close(null)


def move_up(descriptor: int) -> int:
    """The same file under a high number, out of the way of ``os.closerange(3, 500)``."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, min(soft, 4096) - 64)
    os.close(descriptor)
    return moved


class _Detaching:
    def __init__(self, dead: int, inherited: Inherited, runs_candidate: bool) -> None:
        self.dead = dead
        self.unchanged: dict[str, int] = {}
        self.read_only: dict[str, None] = {}
        self._hidden, self._mapped = inherited.hidden, inherited.mapped
        self._runs_candidate = runs_candidate
        self._folders = tuple(folder + "/" for folder in inherited.folders) if runs_candidate else ()
        self._in_overlay = 0

    def replace(self, number: int) -> None:
        try:
            status = os.fstat(number)
        except OSError:
            return
        if _is_device(status):
            _renew_device(number, status, self.dead)
            return
        is_file = stat.S_ISREG(status.st_mode) and (status.st_dev, status.st_ino) not in self._hidden
        try:
            replacement = self._file(number, status) if is_file else os.dup(self.dead)
        except OSError:
            replacement = os.dup(self.dead)
        os.dup2(replacement, number, os.get_inheritable(number))
        os.close(replacement)

    def _file(self, number: int, status: os.stat_result) -> int:
        flags = fcntl.fcntl(number, fcntl.F_GETFL)
        position = os.lseek(number, 0, os.SEEK_CUR)
        copy = self._replacement(number, status, flags)
        os.lseek(copy, position, os.SEEK_SET)
        return copy

    def _replacement(self, number: int, status: os.stat_result, flags: int) -> int:
        access, name, size = flags & os.O_ACCMODE, _name(number, status), status.st_size
        if access == os.O_RDONLY:
            return _reader(number, status, flags, name)
        if name is not None and name.startswith(self._folders) and self._in_overlay + size <= _LAYER_LIMIT:
            try:
                copy = os.open(name, flags & ~(os.O_CREAT | os.O_EXCL | os.O_TRUNC))
            except OSError:
                # A mount within that folder takes no writes.
                pass
            else:
                self._in_overlay += size
                self.unchanged[name] = os.fstat(copy).st_ctime_ns
                return copy
        if access == os.O_WRONLY:
            return _writer(size, flags)
        if size > _COPY_LIMIT and status.st_ino in self._mapped:
            # Its content is in the map; the descriptor only serves for its size.
            return _writer(size, 0) if name is None else os.open(name, os.O_RDONLY)
        may_copy = self._runs_candidate and size <= _MEMORY_LIMIT and _fits(8 * size)
        if name is None or size <= _COPY_LIMIT or may_copy:
            return _copy(number, status, flags)
        self.read_only[f"{name} ({texts.megabytes(size)})"] = None
        return os.open(name, os.O_RDONLY)


def _name(number: int, status: os.stat_result) -> str | None:
    """A path of the file, which is read-only or in an overlay; None if the file was removed."""
    name = os.readlink(f"/proc/self/fd/{number}")
    try:
        found = os.stat(name)
    except OSError:
        return None
    same_inode = (found.st_ino & _INODE) == (status.st_ino & _INODE)
    same_content = (found.st_size, found.st_mtime_ns) == (status.st_size, status.st_mtime_ns)
    return name if name.startswith("/") and (same_inode or same_content) else None


def _reader(number: int, status: os.stat_result, flags: int, name: str | None) -> int:
    flags &= ~(os.O_CREAT | os.O_TRUNC | os.O_EXCL)
    if name is not None:
        try:
            return os.open(name, flags)
        except OSError:
            # No longer permitted.
            pass
    # The kernel's own could be opened for writing through `/proc/self/fd`; a sealed one takes no writes.
    if _is_sealed(number):
        return os.open(f"/proc/self/fd/{number}", os.O_RDONLY)
    copy = _copy(number, status, 0)
    try:
        fcntl.fcntl(copy, _F_ADD_SEALS, _SEAL_SIZE | _SEAL_WRITE)
        return os.open(f"/proc/self/fd/{copy}", os.O_RDONLY)
    finally:
        os.close(copy)


def _fits(size: int) -> bool:
    left = resources.memory_left()
    return left is None or size <= left


def _is_sealed(number: int) -> bool:
    try:
        return bool(fcntl.fcntl(number, _F_GET_SEALS) & _SEAL_WRITE)
    except OSError:
        return False


def _memory_file() -> int:
    return linux.check(linux.libc().memfd_create(b"refine", _CLOSE_ON_EXEC | _CAN_BE_SEALED), "memfd_create")


def _writer(size: int, flags: int) -> int:
    """A file of that size that takes what is written, and cannot be read."""
    whole = _memory_file()
    try:
        os.ftruncate(whole, size)
        return os.open(f"/proc/self/fd/{whole}", os.O_WRONLY | (flags & os.O_APPEND))
    finally:
        os.close(whole)


def _copy(number: int, status: os.stat_result, flags: int) -> int:
    """The content in a file of its own, for reading and writing."""
    if status.st_size > _COPY_LIMIT and not _fits(4 * status.st_size):
        name = os.readlink(f"/proc/self/fd/{number}")
        raise RuntimeError(
            f"{name} ({texts.megabytes(status.st_size)}) is open in the kernel, has no name any more, and is "
            "too large for a copy: close it before an attempt"
        )
    copy = _memory_file()
    try:
        done = 0
        while data := os.pread(number, _PIECE, done):
            done += os.write(copy, data)
        if flags & os.O_APPEND:
            fcntl.fcntl(copy, fcntl.F_SETFL, os.O_APPEND)
    except BaseException:
        os.close(copy)
        raise
    return copy
