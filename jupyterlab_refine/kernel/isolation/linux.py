"""System calls of Linux that Python does not wrap; each raises an OSError that names the call."""

from __future__ import annotations

import ctypes
import fcntl
import functools
import os
import socket
import struct

CLONE_NEWNS = 0x00020000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
MS_BIND = 0x1000
_MS_REC_PRIVATE = 0x4000 | 0x40000
_MNT_DETACH = 2
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_MOUNT_ATTR_RDONLY = 1
_SYS_MOUNT_SETATTR = 442
_PR_SET_NO_NEW_PRIVS = 38
_SIOCGIFFLAGS = 0x8913
_SIOCSIFFLAGS = 0x8914
_IFF_UP = 1
_CAPABILITY_VERSION_3 = 0x20080522
#: CHOWN, DAC_OVERRIDE, FOWNER, FSETID: what root may do with files.
_FILE_CAPABILITIES = 0b11011


class _MountAttributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("attr_set", "attr_clr", "propagation", "userns_fd")]


@functools.cache
def libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def check(result: int, what: str) -> int:
    """:raises OSError: for a negative result, with ``what`` in its message."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def syscall(number: int, what: str, *arguments: object) -> int:
    return check(libc().syscall(ctypes.c_long(number), *arguments), what)


def unshare(flags: int) -> None:
    """New namespaces, of mounts and of the given kinds; mounts there are not seen outside.

    In a user namespace of the own user alone where one is needed. Root may do without one, and should:
    there, files of other users could not be copied.
    """
    uid, gid = os.getuid(), os.getgid()
    flags |= CLONE_NEWNS
    if uid != 0 or libc().unshare(flags) != 0:
        check(libc().unshare(flags | CLONE_NEWUSER), "new namespaces")
        maps = {"setgroups": "deny", "uid_map": f"{uid} {uid} 1", "gid_map": f"{gid} {gid} 1"}
        for name, text in maps.items():
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    mount("none", "/", None, _MS_REC_PRIVATE)


def mount(source: str, target: str, kind: str | None, flags: int = 0, options: str = "") -> None:
    kind_bytes = kind.encode() if kind else None
    result = libc().mount(
        source.encode(), os.fsencode(target), kind_bytes, ctypes.c_ulong(flags), options.encode()
    )
    check(result, f"mount {kind or 'bind'}")


def make_mounts_read_only() -> None:
    """Make all mounts read-only in one call (Linux 5.12)."""
    attributes = _MountAttributes(attr_set=_MOUNT_ATTR_RDONLY)
    syscall(
        _SYS_MOUNT_SETATTR,
        "mount_setattr",
        ctypes.c_int(_AT_FDCWD),
        ctypes.c_char_p(b"/"),
        ctypes.c_uint(_AT_RECURSIVE),
        ctypes.byref(attributes),
        ctypes.c_size_t(ctypes.sizeof(attributes)),
    )


def unmount(target: str) -> None:
    check(libc().umount2(os.fsencode(target), _MNT_DETACH), "umount")


def raise_loopback() -> None:
    """Start the loopback interface of a new network namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16xh14x", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request))[0]
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))


def no_new_privileges() -> None:
    check(libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")


def drop_capabilities() -> None:
    """Drop all capabilities of root but those on files: others could unmount the overlay."""
    header = struct.pack("Ii", _CAPABILITY_VERSION_3, 0)
    held = ctypes.create_string_buffer(24)
    check(libc().capget(header, held), "capget")
    # Root of a container may have fewer, and no process can add one.
    permitted = struct.unpack("6I", held.raw)[1]
    kept = _FILE_CAPABILITIES & permitted if os.getuid() == 0 else 0
    data = struct.pack("6I", kept, kept, 0, 0, 0, 0)
    check(libc().capset(header, data), "capset")
    no_new_privileges()
