"""Shared writable memory maps (``np.memmap('r+')``, SharedMemory): replaced by private ones in the child."""

from __future__ import annotations

import ctypes
import os
import re

from ..isolation import linux

_LINE = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw.s ([0-9a-f]+) ([0-9a-f]+):([0-9a-f]+) (\d+) *(.*)")
#: How ``/proc/self/maps`` marks a shared writable map.
_SHARED = (b" rw-s ", b" rwxs ")
_PROT_READ, _PROT_WRITE = 1, 2
_MAP_PRIVATE, _MAP_FIXED, _MAP_ANONYMOUS = 2, 0x10, 0x20
#: A larger map whose file cannot be found becomes read-only instead of being copied.
_COPY_LIMIT = 256 << 20


def make_private() -> set[int]:
    """Make shared maps private, so that the child's writes are its own; devices stay as they are.

    :return: inodes of the files.
    """
    try:
        listed = _read("/proc/self/maps")
    except OSError:
        return set()
    if not any(kind in listed for kind in _SHARED):
        return set()
    lines = os.fsdecode(listed).splitlines()
    found = [match for line in lines if (match := _LINE.match(line))]
    libc = linux.libc()
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    inodes = set()
    for match in found:
        start, end, offset = (int(match[i], 16) for i in (1, 2, 3))
        path, inode = match[7], int(match[6])
        if path.startswith("/dev/") and not path.startswith(("/dev/shm/", "/dev/zero")):
            continue
        inodes.add(inode)
        # Where it has no name any more, the kernel may still have it open.
        names = [path, *(f"/proc/self/fd/{number}" for number in _open_as(path))]
        if not any(_map_file(libc, start, end - start, offset, name, inode) for name in names):
            _map_copy(libc, start, end - start)
    return inodes


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts = []
        while part := os.read(descriptor, 1 << 16):
            parts.append(part)
    finally:
        os.close(descriptor)
    return b"".join(parts)


def _open_as(path: str) -> list[str]:
    """Descriptors of a file without a name."""
    if not path.endswith(" (deleted)"):
        return []
    found = []
    for number in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{number}") == path:
                found.append(number)
        except OSError:
            continue
    return found


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
