"""Shared writable memory maps (``np.memmap('r+')``, SharedMemory): replaced by private ones in the child."""

from __future__ import annotations

import ctypes
import os
import re

from ..isolation import linux

_LINE = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw.s ([0-9a-f]+) \S+ (\d+) *(.*)")
_PROT_READ, _PROT_WRITE = 1, 2
_MAP_PRIVATE, _MAP_FIXED, _MAP_ANONYMOUS = 2, 0x10, 0x20
#: A larger map whose file cannot be found becomes read-only instead of being copied.
_COPY_LIMIT = 256 << 20


def make_private() -> None:
    """Make shared maps private, so that the child's writes are its own; devices stay as they are."""
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
    if size > _COPY_LIMIT:
        libc.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(size), _PROT_READ)
        return
    content = ctypes.string_at(start, size)
    flags = _MAP_PRIVATE | _MAP_FIXED | _MAP_ANONYMOUS
    if libc.mmap(start, size, _PROT_READ | _PROT_WRITE, flags, -1, 0) == start:
        ctypes.memmove(start, content, size)
