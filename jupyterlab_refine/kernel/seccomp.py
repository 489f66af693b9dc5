"""seccomp: denies the system calls that Landlock does not cover (x86-64 and 64-bit ARM)."""

from __future__ import annotations

import ctypes
import errno
import platform
import socket

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
            "ptrace": 101,
            "utime": 132,
            "setxattr": 188,
            "lsetxattr": 189,
            "fsetxattr": 190,
            "removexattr": 197,
            "lremovexattr": 198,
            "fremovexattr": 199,
            "tkill": 200,
            "tgkill": 234,
            "utimes": 235,
            "fchownat": 260,
            "futimesat": 261,
            "fchmodat": 268,
            "utimensat": 280,
            "process_vm_writev": 311,
            "pidfd_send_signal": 424,
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
            "ptrace": 117,
            "kill": 129,
            "tkill": 130,
            "tgkill": 131,
            "socket": 198,
            "process_vm_writev": 271,
            "pidfd_send_signal": 424,
            "fchmodat2": 452,
        },
    ),
}
_ATTRIBUTES = ("chmod", "chown", "xattr", "utime", "futimes")
_FAMILIES = (socket.AF_INET, socket.AF_INET6, getattr(socket, "AF_PACKET", 17))


class _Instruction(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_ushort),
        ("jt", ctypes.c_ubyte),
        ("jf", ctypes.c_ubyte),
        ("k", ctypes.c_uint32),
    ]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.POINTER(_Instruction))]


def available() -> bool:
    return platform.machine() in _TABLES


def restrict(network: bool, attributes: bool, protected: tuple[int, ...]) -> None:
    """Bind this process and all it starts, for good.

    :param network: whether internet sockets stay possible.
    :param attributes: whether mode, owner, times and extended attributes of files may change.
    :param protected: process and (negative) group ids that must not be signalled.
    """
    architecture, numbers = _TABLES[platform.machine()]
    rules: list[tuple[int, tuple[int, ...] | None, int]] = []
    if not network:
        rules.append((numbers["socket"], tuple(int(f) for f in _FAMILIES), errno.EACCES))
    if not attributes:
        chosen = [n for name, n in numbers.items() if any(word in name for word in _ATTRIBUTES)]
        rules += [(number, None, errno.EPERM) for number in chosen]
    if protected:
        rules += [(numbers[name], protected, errno.EPERM) for name in ("kill", "tgkill")]
        names = ("tkill", "pidfd_send_signal", "ptrace", "process_vm_writev")
        rules += [(numbers[name], None, errno.EPERM) for name in names]
    program = _assemble(architecture, rules)
    array = (_Instruction * len(program))(*program)
    linux.no_new_privileges()
    linux.check(
        linux.libc().prctl(_PR_SET_SECCOMP, _FILTER, ctypes.byref(_Program(len(program), array)), 0, 0),
        "seccomp",
    )


def _assemble(architecture: int, rules: list[tuple[int, tuple[int, ...] | None, int]]) -> list[_Instruction]:
    program = [
        _Instruction(_LOAD, 0, 0, _ARCH_AT),
        _Instruction(_EQUAL, 1, 0, architecture),
        _Instruction(_RETURN, 0, 0, _DENY | errno.EPERM),
        _Instruction(_LOAD, 0, 0, _NUMBER_AT),
        _Instruction(_AT_LEAST, 0, 1, _X32),
        _Instruction(_RETURN, 0, 0, _DENY | errno.EPERM),
    ]
    for number, values, error in rules:
        deny = _Instruction(_RETURN, 0, 0, _DENY | error)
        if values is None:
            program += [_Instruction(_EQUAL, 0, 1, number), deny]
            continue
        count = len(values)
        # Not this call: skip to after the reload. Else compare its first argument.
        program += [_Instruction(_EQUAL, 0, count + 4, number), _Instruction(_LOAD, 0, 0, _FIRST_ARGUMENT_AT)]
        for index, value in enumerate(values):
            program.append(_Instruction(_EQUAL, count - index + 1, 0, value & 0xFFFFFFFF))
        program += [
            _Instruction(_LOAD, 0, 0, _NUMBER_AT),
            _Instruction(_EQUAL, 1, 0, number),
            deny,
        ]
    program.append(_Instruction(_RETURN, 0, 0, _ALLOW))
    return program
