"""seccomp: denies the system calls that Landlock does not cover (x86-64 and 64-bit ARM)."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import socket
import struct

from . import linux

_PR_SET_SECCOMP, _FILTER = 22, 2
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW = 0x7FFF0000
_DENY = 0x00050000
_NUMBER_AT, _ARCH_AT, _FIRST_ARGUMENT_AT = 0, 4, 16
_X32 = 0x40000000

#: Audit architecture, then numbers of the system calls by name.
_TABLES: dict[str, tuple[int, dict[str, int]]] = {
    "x86_64": (
        0xC000003E,
        {
            "socket": 41,
            "kill": 62,
            "chmod": 90,
            "fchmod": 91,
            "chown": 92,
            "fchown": 93,
            "lchown": 94,
            "utime": 132,
            "setxattr": 188,
            "lsetxattr": 189,
            "fsetxattr": 190,
            "removexattr": 197,
            "lremovexattr": 198,
            "fremovexattr": 199,
            "tgkill": 234,
            "utimes": 235,
            "fchownat": 260,
            "futimesat": 261,
            "fchmodat": 268,
            "utimensat": 280,
            "fchmodat2": 452,
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "setxattr": 5,
            "lsetxattr": 6,
            "fsetxattr": 7,
            "removexattr": 14,
            "lremovexattr": 15,
            "fremovexattr": 16,
            "fchmod": 52,
            "fchmodat": 53,
            "fchownat": 54,
            "fchown": 55,
            "utimensat": 88,
            "kill": 129,
            "tgkill": 131,
            "socket": 198,
            "fchmodat2": 452,
        },
    ),
}
_ATTRIBUTES = ("chmod", "chown", "xattr", "utime")
#: Sockets that reach no other machine, nor a host of virtual machines (AF_VSOCK); the last is for ciphers.
LOCAL_SOCKETS = (int(socket.AF_UNIX), getattr(socket, "AF_NETLINK", 16), getattr(socket, "AF_ALG", 38))
INTERNET_SOCKETS = (int(socket.AF_INET), int(socket.AF_INET6))

#: Code, two jumps and a value.
_INSTRUCTION = struct.Struct("=HBBI")
_Instruction = tuple[int, int, int, int]


def available() -> bool:
    return platform.machine() in _TABLES


def restrict(families: tuple[int, ...] | None, attributes: bool, protected: int | None) -> None:
    """Bind this process and all it starts, for good.

    :param families: of sockets, those that stay possible; None for all.
    :param attributes: whether mode, owner, times and extended attributes of files may change.
    :param protected: process that gets no signal from them; None where something else sees to that.
    """
    architecture, numbers = _TABLES[platform.machine()]
    program: list[_Instruction] = [
        (_LOAD, 0, 0, _ARCH_AT),
        (_EQUAL, 1, 0, architecture),
        _deny(errno.EPERM),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_AT_LEAST, 0, 1, _X32),
        _deny(errno.EPERM),
    ]
    if families is not None:
        left = range(len(families), 0, -1)
        allowed = [(_EQUAL, more, 0, family) for more, family in zip(left, families, strict=True)]
        program += _of_call(numbers["socket"], [*allowed, _deny(errno.EACCES)])
    for name, number in numbers.items() if not attributes else ():
        if any(word in name for word in _ATTRIBUTES):
            program += [(_EQUAL, 0, 1, number), _deny(errno.EPERM)]
    if protected is not None:
        # By its id, to everyone, to its group.
        for name, targets in (("kill", (protected, -1, -os.getpgid(protected))), ("tgkill", (protected,))):
            denied = [((_EQUAL, 0, 1, target & 0xFFFFFFFF), _deny(errno.EPERM)) for target in targets]
            program += _of_call(numbers[name], [one for pair in denied for one in pair])
    program.append((_RETURN, 0, 0, _ALLOW))
    body = ctypes.create_string_buffer(b"".join(_INSTRUCTION.pack(*one) for one in program))
    #: ``struct sock_fprog``
    head = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(body)))
    linux.no_new_privileges()
    linux.check(linux.libc().prctl(_PR_SET_SECCOMP, _FILTER, ctypes.byref(head), 0, 0), "seccomp")


def _deny(error: int) -> _Instruction:
    return _RETURN, 0, 0, _DENY | error


def _of_call(number: int, rules: list[_Instruction]) -> list[_Instruction]:
    """Rules on the first argument of a system call; others go on behind them."""
    skipped = (_EQUAL, 0, len(rules) + 2, number)
    return [skipped, (_LOAD, 0, 0, _FIRST_ARGUMENT_AT), *rules, (_LOAD, 0, 0, _NUMBER_AT)]
