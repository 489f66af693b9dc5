"""What a fork shares with the kernel is replaced: file descriptors, and writable memory maps.

So it cannot seek, write or send through the kernel's.
"""

from __future__ import annotations

import _socket
import contextlib
import ctypes
import fcntl
import os
import re
import stat
from collections.abc import Collection

from ..isolation import linux

#: A larger file that the kernel has open for writing can only be read in an attempt.
_COPY_LIMIT = 100 << 20
#: Bits of an inode's number that count: stacked file systems may use those above.
_INODE = 0xFFFFFFFF
_PIECE = 1 << 20
#: Major numbers of their devices: both ends of a pseudo-terminal, and the one of the session.
_TERMINALS = (5, *range(136, 144))
_CLOSE_ON_EXEC = 1

_LINE = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw.s ([0-9a-f]+) \S+ (\d+) *(.*)")
_PROT_READ, _PROT_WRITE = 1, 2
_MAP_PRIVATE, _MAP_FIXED, _MAP_ANONYMOUS = 2, 0x10, 0x20
#: A larger map whose file cannot be found becomes read-only instead of being copied.
_MAP_LIMIT = 256 << 20


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
                replacement = _file(number, status, folders, unchanged)
            os.dup2(dead.fileno() if replacement is None else replacement, number, os.get_inheritable(number))
            if replacement is not None:
                os.close(replacement)
    dead.close()
    return tuple(unchanged.items())


def _file(
    number: int, status: os.stat_result, folders: tuple[str, ...], unchanged: dict[str, int]
) -> int | None:
    """The same file, or a copy, at the same position; None where neither is to be had."""
    flags = fcntl.fcntl(number, fcntl.F_GETFL) & ~(os.O_CREAT | os.O_EXCL | os.O_TRUNC)
    access, name, is_small = flags & os.O_ACCMODE, _name(number, status), status.st_size <= _COPY_LIMIT
    opened = None
    with contextlib.suppress(OSError):
        if name is not None and access == os.O_RDONLY:
            opened = os.open(name, flags)
        elif name is not None and is_small and name.startswith(folders):
            opened = os.open(name, flags)
            unchanged[name] = os.fstat(opened).st_ctime_ns
    if opened is None and access == os.O_WRONLY:
        return os.open(os.devnull, flags)
    if opened is None and is_small:
        opened = _copy(number, flags)
    if opened is None and name is not None:
        opened = os.open(name, os.O_RDONLY)
    if opened is not None:
        os.lseek(opened, os.lseek(number, 0, os.SEEK_CUR), os.SEEK_SET)
    return opened


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


# -- memory maps


def make_maps_private() -> None:
    """Make shared writable maps (``np.memmap('r+')``, SharedMemory) private; devices stay as they are."""
    try:
        with open("/proc/self/maps", "rb", buffering=1 << 16) as file:
            lines = [os.fsdecode(line) for line in file if b" rw-s " in line or b" rwxs " in line]
    except OSError:
        return
    libc = linux.libc()
    for match in filter(None, map(_LINE.match, lines)):
        start, end, offset = (int(match[i], 16) for i in (1, 2, 3))
        inode, path = int(match[4]), match[5]
        if not path.startswith("/dev/") or path.startswith(("/dev/shm/", "/dev/zero")):
            libc.mmap.restype = ctypes.c_void_p
            libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
            if not _map_file(libc, start, end - start, offset, path, inode):
                _map_copy(libc, start, end - start)


def _map_file(libc: ctypes.CDLL, start: int, size: int, offset: int, path: str, inode: int) -> bool:
    """Map the same file copy-on-write; False when it no longer exists."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        if os.fstat(descriptor).st_ino != inode:
            return False
        flags = _MAP_PRIVATE | _MAP_FIXED
        result = libc.mmap(start, size, _PROT_READ | _PROT_WRITE, flags, descriptor, offset)
        return result == start
    finally:
        os.close(descriptor)


def _map_copy(libc: ctypes.CDLL, start: int, size: int) -> None:
    if size > _MAP_LIMIT:
        libc.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(size), _PROT_READ)
        return
    content = ctypes.string_at(start, size)
    flags = _MAP_PRIVATE | _MAP_FIXED | _MAP_ANONYMOUS
    if libc.mmap(start, size, _PROT_READ | _PROT_WRITE, flags, -1, 0) == start:
        ctypes.memmove(start, content, size)
