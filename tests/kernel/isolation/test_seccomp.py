"""System calls that would change the kernel's process: denied, and the same for the own process are not."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import resource
import signal
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from processes import in_child

from jupyterlab_refine.kernel.isolation import seccomp

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or not seccomp.available(), reason="no table of system calls"
)
_CORE = resource.RLIMIT_CORE


def call(name: str, *arguments: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    number = seccomp._TABLES[platform.machine()][1][name]
    if libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)) == -1:
        raise OSError(ctypes.get_errno(), name)


#: Of a signal that is queued.
INFO = ctypes.create_string_buffer(struct.pack("iii", 0, 0, -1) + bytes(116))


def info() -> int:
    return ctypes.addressof(INFO)


def pipe() -> int:
    return os.pipe()[0]


#: By what is given: its process id, and the id of another of its threads. None of them changes anything.
SETTINGS: dict[str, Callable[[int, int], Any]] = {
    "limits": lambda p, t: resource.prlimit(p, _CORE, resource.getrlimit(_CORE)),
    "limits, by a thread": lambda p, t: resource.prlimit(t, _CORE, resource.getrlimit(_CORE)),
    "priority": lambda p, t: os.setpriority(os.PRIO_PROCESS, p, os.getpriority(os.PRIO_PROCESS, p)),
    "priority of a thread": lambda p, t: os.setpriority(os.PRIO_PROCESS, t, os.getpriority(0, t)),
    "priority of a user": lambda p, t: os.setpriority(os.PRIO_USER, 65533, 0),
    "priority of a group": lambda p, t: os.setpriority(os.PRIO_PGRP, 1 << 21, 0),
    "priority of reads": lambda p, t: call("ioprio_set", 1, p, 0),
    "priority of reads of a thread": lambda p, t: call("ioprio_set", 1, t, 0),
    "priority of reads of a user": lambda p, t: call("ioprio_set", 3, 65533, 0),
    "processors": lambda p, t: os.sched_setaffinity(p, os.sched_getaffinity(p)),
    "processors of a thread": lambda p, t: os.sched_setaffinity(t, os.sched_getaffinity(t)),
    "scheduler": lambda p, t: os.sched_setscheduler(t, os.SCHED_OTHER, os.sched_param(0)),
    "its parameters": lambda p, t: os.sched_setparam(t, os.sched_param(0)),
    "its attributes": lambda p, t: call("sched_setattr", t, 0, 0),
}
SIGNALS: dict[str, Callable[[int, int], Any]] = {
    "signal": lambda p, t: os.kill(p, 0),
    "signal to a thread as a process": lambda p, t: os.kill(t, 0),
    "signal to its group": lambda p, t: os.killpg(os.getpgid(p), 0),
    "signal to everyone": lambda p, t: os.kill(-1, 0),
    "signal to a thread": lambda p, t: call("tkill", t, 0),
    "signal to a thread of it": lambda p, t: call("tgkill", p, t, 0),
    "queued": lambda p, t: call("rt_sigqueueinfo", p, 0, info()),
    "queued for a thread": lambda p, t: call("rt_tgsigqueueinfo", p, t, 0, info()),
    "by a descriptor": lambda p, t: signal.pidfd_send_signal(os.pidfd_open(p), 0),
    "of a pipe": lambda p, t: fcntl.fcntl(pipe(), 8, p),
    "of a pipe, to a thread": lambda p, t: fcntl.fcntl(pipe(), 15, struct.pack("ii", 0, t)),
    "of a socket": lambda p, t: fcntl.ioctl(socket.socket(), 0x8901, struct.pack("i", p)),
    "of a socket, again": lambda p, t: fcntl.ioctl(socket.socket(), 0x8902, struct.pack("i", p)),
}
#: With the own process id.
OWN: dict[str, Callable[[int], Any]] = {
    "limits": lambda own: resource.setrlimit(_CORE, resource.getrlimit(_CORE)),
    "priority": lambda own: os.nice(0),
    "processors": lambda own: os.sched_setaffinity(own, os.sched_getaffinity(0)),
    "scheduler": lambda own: os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0)),
    "signal": lambda own: os.kill(own, 0),
    "flags of a pipe": lambda own: fcntl.fcntl(pipe(), fcntl.F_SETFL, os.O_NONBLOCK),
    "state of a socket": lambda own: fcntl.ioctl(socket.socket(), 0x541B, bytes(4)),
}


@pytest.fixture
def thread() -> Iterator[int]:
    """The id of a thread of this process that waits."""
    done = threading.Event()
    waiting = threading.Thread(target=done.wait)
    waiting.start()
    yield waiting.native_id or 0
    done.set()
    waiting.join()


def tried(roads: dict[str, Callable[..., Any]], *arguments: int) -> dict[str, str]:
    reported = {}
    for name, road in roads.items():
        try:
            road(*arguments)
            reported[name] = "done"
        except OSError as error:
            reported[name] = type(error).__name__
    return reported


@pytest.mark.parametrize("signals", [False, True], ids=["all", "signals are kept away by something else"])
def test_nothing_of_the_kernel_can_be_changed(thread: int, signals: bool) -> None:
    kernel = os.getpid()

    def work() -> list[dict[str, str]]:
        seccomp.restrict(None, True, (kernel,), signals)
        return [tried(SETTINGS, kernel, thread), tried(SIGNALS, kernel, thread), tried(OWN, os.getpid())]

    settings, sent, own = in_child(work)
    assert settings == dict.fromkeys(SETTINGS, "PermissionError")
    assert own == dict.fromkeys(OWN, "done")
    if signals:
        assert sent["signal"] == "done"
    else:
        assert sent == dict.fromkeys(SIGNALS, "PermissionError")


def test_the_rules_fit_a_kernel_of_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seccomp.os, "listdir", lambda _: map(str, range(2, 5000)))
    assert in_child(lambda: [seccomp.restrict(None, True, (os.getppid(),), False), tried(OWN, os.getpid())])


#: That make something that outlives its process, with arguments that fail where the call is known.
LASTING = {
    "shmget": (0, 0, 0),
    "shmat": (-1, 0, 0),
    "shmctl": (-1, 0, 0),
    "semget": (0, -1, 0),
    "semop": (-1, 0, 0),
    "semtimedop": (-1, 0, 0, 0),
    "semctl": (-1, 0, 0),
    "msgget": (-1, 0),
    "msgsnd": (-1, 0, 0, 0),
    "msgrcv": (-1, 0, 0, 0, 0),
    "msgctl": (-1, 0, 0),
    "mq_open": (0, 0, 0, 0),
    "mq_unlink": (0,),
    "mq_timedsend": (-1, 0, 0, 0, 0),
    "mq_timedreceive": (-1, 0, 0, 0, 0),
    "mq_notify": (-1, 0),
    "mq_getsetattr": (-1, 0, 0),
    "add_key": (0, 0, 0, 0, 0),
    "request_key": (0, 0, 0, 0),
    "keyctl": (-1, 0),
    "io_uring_setup": (0, 0),
}


def refused_calls() -> dict[str, str]:
    reported = {}
    for name, arguments in LASTING.items():
        try:
            call(name, *arguments)
            reported[name] = "done"
        except OSError as error:
            reported[name] = errno.errorcode[error.errno or 0]
    return reported


def test_calls_that_leave_something_behind_do_not_exist() -> None:
    def work() -> dict[str, str]:
        seccomp.restrict(None, True, (os.getppid(),), True)
        return refused_calls()

    reported = in_child(work)
    missing = {name for name, error in reported.items() if error == "ENOSYS"}
    assert missing == {*LASTING}


def test_only_sockets_of_the_given_families_can_be_made() -> None:
    families = [socket.AF_UNIX, socket.AF_NETLINK, socket.AF_INET, socket.AF_INET6, socket.AF_PACKET, 40]

    def work() -> list[int]:
        seccomp.restrict(seccomp.LOCAL_SOCKETS, True, (os.getppid(),), True)
        denied = []
        for family in families:
            try:
                socket.socket(family, socket.SOCK_DGRAM).close()
            except OSError as error:
                denied += [int(family)] if error.errno == errno.EACCES else []
        return denied

    assert in_child(work) == [int(family) for family in families[2:]]
