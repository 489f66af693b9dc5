"""seccomp: denies the system calls that Landlock does not cover (x86-64 and 64-bit ARM)."""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import platform
import socket
import struct
from typing import NamedTuple

from . import linux

_PR_SET_SECCOMP, _FILTER = 22, 2
_LOAD, _JUMP, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x05, 0x15, 0x35, 0x06
_ALLOW = 0x7FFF0000
_DENY = 0x00050000
_NUMBER_AT, _ARCH_AT, _FIRST_ARGUMENT_AT = 0, 4, 16
_X32 = 0x40000000

#: Audit architecture, then numbers of the system calls by name.
_TABLES: dict[str, tuple[int, dict[str, int]]] = {
    "x86_64": (
        0xC000003E,
        {
            "ioctl": 16,
            "shmget": 29,
            "shmat": 30,
            "shmctl": 31,
            "socket": 41,
            "kill": 62,
            "semget": 64,
            "semop": 65,
            "semctl": 66,
            "msgget": 68,
            "msgsnd": 69,
            "msgrcv": 70,
            "msgctl": 71,
            "fcntl": 72,
            "chmod": 90,
            "fchmod": 91,
            "chown": 92,
            "fchown": 93,
            "lchown": 94,
            "ptrace": 101,
            "rt_sigqueueinfo": 129,
            "utime": 132,
            "setpriority": 141,
            "sched_setparam": 142,
            "sched_setscheduler": 144,
            "setxattr": 188,
            "lsetxattr": 189,
            "fsetxattr": 190,
            "removexattr": 197,
            "lremovexattr": 198,
            "fremovexattr": 199,
            "tkill": 200,
            "sched_setaffinity": 203,
            "semtimedop": 220,
            "tgkill": 234,
            "utimes": 235,
            "mq_open": 240,
            "mq_unlink": 241,
            "mq_timedsend": 242,
            "mq_timedreceive": 243,
            "mq_notify": 244,
            "mq_getsetattr": 245,
            "add_key": 248,
            "request_key": 249,
            "keyctl": 250,
            "ioprio_set": 251,
            "fchownat": 260,
            "futimesat": 261,
            "fchmodat": 268,
            "utimensat": 280,
            "rt_tgsigqueueinfo": 297,
            "prlimit64": 302,
            "process_vm_writev": 311,
            "sched_setattr": 314,
            "pidfd_send_signal": 424,
            "io_uring_setup": 425,
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
            "fcntl": 25,
            "ioctl": 29,
            "ioprio_set": 30,
            "fchmod": 52,
            "fchmodat": 53,
            "fchownat": 54,
            "fchown": 55,
            "utimensat": 88,
            "ptrace": 117,
            "sched_setparam": 118,
            "sched_setscheduler": 119,
            "sched_setaffinity": 122,
            "kill": 129,
            "tkill": 130,
            "tgkill": 131,
            "rt_sigqueueinfo": 138,
            "setpriority": 140,
            "mq_open": 180,
            "mq_unlink": 181,
            "mq_timedsend": 182,
            "mq_timedreceive": 183,
            "mq_notify": 184,
            "mq_getsetattr": 185,
            "msgget": 186,
            "msgctl": 187,
            "msgrcv": 188,
            "msgsnd": 189,
            "semget": 190,
            "semctl": 191,
            "semtimedop": 192,
            "semop": 193,
            "shmget": 194,
            "shmctl": 195,
            "shmat": 196,
            "socket": 198,
            "add_key": 217,
            "request_key": 218,
            "keyctl": 219,
            "rt_tgsigqueueinfo": 240,
            "prlimit64": 261,
            "process_vm_writev": 271,
            "sched_setattr": 274,
            "pidfd_send_signal": 424,
            "io_uring_setup": 425,
            "fchmodat2": 452,
        },
    ),
}
_ATTRIBUTES = ("chmod", "chown", "xattr", "utime")
#: On another process: signals by other names than `kill`, and reading or writing its memory.
_SIGNALS = (
    "tkill",
    "rt_sigqueueinfo",
    "rt_tgsigqueueinfo",
    "pidfd_send_signal",
    "ptrace",
    "process_vm_writev",
)
#: Of a descriptor: who gets its signals.
_F_SETOWN, _F_SETOWN_EX, _FIOSETOWN, _SIOCSPGRP = 8, 15, 0x8901, 0x8902
_MOST_THREADS = 200
#: Sockets that reach no other machine, nor a host of virtual machines (AF_VSOCK); the last is for ciphers.
LOCAL_SOCKETS = (int(socket.AF_UNIX), getattr(socket, "AF_NETLINK", 16), getattr(socket, "AF_ALG", 38))
INTERNET_SOCKETS = (int(socket.AF_INET), int(socket.AF_INET6))
#: Objects that outlive a process: keys, message queues, all of System V.
#: And io_uring, which calls the system unseen.
_LASTING = ("add_key", "request_key", "keyctl", "mq_", "shm", "sem", "msg", "io_uring_setup")

#: Placeholder for the process's own id in a program that is made before a fork; no process has this id.
_OWN = 0x7EAD0E5E

#: Code, two jumps and a value.
_INSTRUCTION = struct.Struct("=HBBI")
_Instruction = tuple[int, int, int, int]


def available() -> bool:
    return platform.machine() in _TABLES


class _Rule(NamedTuple):
    """Denies a system call with ``error``: always, or by one of its arguments."""

    number: int
    error: int
    #: None: whatever they are.
    values: tuple[int, ...] | None = None
    argument: int = 0
    #: Deny all other values instead.
    others: bool = False


def restrict(
    families: tuple[int, ...] | None,
    attributes: bool,
    protected: tuple[int, ...],
    signals: bool,
) -> None:
    """Bind this process and all it starts, for good.

    :param families: of sockets, those that stay possible; None for all.
    :param attributes: whether mode, owner, times and extended attributes of files may change.
    :param protected: processes whose limits and priorities must stay; the kernel first.
    :param signals: whether something else keeps signals from them.
    """
    others: _Protected | tuple[()] = ()
    if not signals:
        threads = tuple(thread for process in protected for thread in _threads(process))
        others = protected, threads, tuple(os.getpgid(process) for process in protected)
    program = _program(families, attributes, others)
    own = os.getpid()
    for place in program.own:
        struct.pack_into("=I", program.instructions, place, own)
    linux.no_new_privileges()
    linux.check(
        linux.libc().prctl(_PR_SET_SECCOMP, _FILTER, ctypes.byref(program.head), 0, 0),
        "seccomp",
    )


def prepare(families: tuple[int, ...] | None, attributes: bool) -> None:
    """Before a fork: build the program that :func:`restrict` uses in each child if ``signals`` is set."""
    _program(families, attributes, ())


class _Program(NamedTuple):
    instructions: ctypes.Array[ctypes.c_char]
    #: ``struct sock_fprog``, with the address of the instructions.
    head: ctypes.Array[ctypes.c_char]
    #: Offsets of the placeholders for the own process id.
    own: tuple[int, ...]


#: Processes whose limits and priorities must stay, their threads, and their groups.
_Protected = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


@functools.lru_cache(16)
def _program(
    families: tuple[int, ...] | None, attributes: bool, protected: _Protected | tuple[()]
) -> _Program:
    architecture, numbers = _TABLES[platform.machine()]
    rules: list[_Rule] = []
    if families is not None:
        rules.append(_Rule(numbers["socket"], errno.EACCES, families, others=True))
    if not attributes:
        chosen = [n for name, n in numbers.items() if any(word in name for word in _ATTRIBUTES)]
        rules += [_Rule(number, errno.EPERM) for number in chosen]
    rules += [_Rule(number, errno.ENOSYS) for name, number in numbers.items() if name.startswith(_LASTING)]
    rules += _of_processes(protected, numbers)
    assembled = _assemble(architecture, rules)
    instructions = ctypes.create_string_buffer(b"".join(_INSTRUCTION.pack(*one) for one in assembled))
    head = ctypes.create_string_buffer(struct.pack("@HP", len(assembled), ctypes.addressof(instructions)))
    size, last = _INSTRUCTION.size, _INSTRUCTION.size - 4
    own = tuple(index * size + last for index, (*_, value) in enumerate(assembled) if value == _OWN)
    return _Program(instructions, head, own)


def _of_processes(protected: _Protected | tuple[()], numbers: dict[str, int]) -> list[_Rule]:
    """Threads are addressed like processes, by most of these calls."""
    # Of this process, of one process (not of a group or a user).
    rules = [
        _Rule(numbers["prlimit64"], errno.EPERM, (0,), others=True),
        _Rule(numbers["setpriority"], errno.EPERM, (0,), others=True),
        _Rule(numbers["ioprio_set"], errno.EPERM, (1,), others=True),
    ]
    # What is set on another process is a message to it.
    own = (0, _OWN)
    rules += [
        _Rule(numbers[name], errno.EPERM, own, 1, others=True) for name in ("setpriority", "ioprio_set")
    ]
    rules += [
        _Rule(number, errno.EPERM, own, others=True) for name, number in numbers.items() if "sched_" in name
    ]
    if protected:
        processes, threads, groups = protected
        rules.append(_Rule(numbers["kill"], errno.EPERM, (*threads, -1, *(-group for group in groups))))
        rules.append(_Rule(numbers["tgkill"], errno.EPERM, processes))
        rules += [_Rule(numbers[name], errno.EPERM) for name in _SIGNALS]
        rules.append(_Rule(numbers["fcntl"], errno.EPERM, (_F_SETOWN, _F_SETOWN_EX), 1))
        rules.append(_Rule(numbers["ioctl"], errno.EPERM, (_FIOSETOWN, _SIOCSPGRP), 1))
    return rules


def _threads(process: int) -> tuple[int, ...]:
    try:
        found = [int(name) for name in os.listdir(f"/proc/{process}/task")]
    except OSError:
        found = []
    return tuple(dict.fromkeys([process, *found]))[:_MOST_THREADS]


def _assemble(architecture: int, rules: list[_Rule]) -> list[_Instruction]:
    program: list[_Instruction] = [
        (_LOAD, 0, 0, _ARCH_AT),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _DENY | errno.EPERM),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _DENY | errno.EPERM),
    ]
    for rule in rules:
        deny = (_RETURN, 0, 0, _DENY | rule.error)
        if rule.values is None:
            program += [(_EQUAL, 0, 1, rule.number), deny]
            continue
        count = len(rule.values)
        # Of another call: on to the reload. Else compare an argument; where it matches, jump `count - index`.
        program += [
            (_EQUAL, 0, count + (2 if rule.others else 3), rule.number),
            (_LOAD, 0, 0, _FIRST_ARGUMENT_AT + 8 * rule.argument),
        ]
        for index, value in enumerate(rule.values):
            program.append((_EQUAL, count - index, 0, value & 0xFFFFFFFF))
        if not rule.others:
            program.append((_JUMP, 0, 0, 1))
        program += [deny, (_LOAD, 0, 0, _NUMBER_AT)]
    program.append((_RETURN, 0, 0, _ALLOW))
    return program
