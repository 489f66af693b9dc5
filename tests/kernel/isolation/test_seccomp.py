"""System calls that Landlock does not deny: signals to the kernel, and sockets."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import socket
import sys
from collections.abc import Callable
from typing import Any

import pytest
from processes import in_child

from jupyterlab_refine.kernel.isolation import seccomp

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or not seccomp.available(), reason="no table of system calls"
)


#: By its process id; none of them changes anything.
SIGNALS: dict[str, Callable[[int], Any]] = {
    "signal": lambda p: os.kill(p, 0),
    "signal to its group": lambda p: os.killpg(os.getpgid(p), 0),
    "signal to everyone": lambda p: os.kill(-1, 0),
    "signal to a thread of it": lambda p: tgkill(p),
}


def tgkill(process: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    number = seccomp._TABLES[platform.machine()][1]["tgkill"]
    if libc.syscall(ctypes.c_long(number), process, process, 0) == -1:
        raise OSError(ctypes.get_errno(), "tgkill")


def tried(*arguments: int) -> dict[str, str]:
    reported = {}
    for name, road in SIGNALS.items():
        try:
            road(*arguments)
            reported[name] = "done"
        except OSError as error:
            reported[name] = type(error).__name__
    return reported


def test_the_kernel_gets_no_signal() -> None:
    kernel = os.getpid()

    def work() -> list[dict[str, str]]:
        seccomp.restrict(None, True, kernel)
        os.kill(os.getpid(), 0)
        return [tried(kernel)]

    assert in_child(work) == [dict.fromkeys(SIGNALS, "PermissionError")]


def test_only_sockets_of_the_given_families_can_be_made() -> None:
    families = [socket.AF_UNIX, socket.AF_NETLINK, socket.AF_INET, socket.AF_INET6, socket.AF_PACKET, 40]

    def work() -> list[int]:
        seccomp.restrict(seccomp.LOCAL_SOCKETS, True, None)
        denied = []
        for family in families:
            try:
                socket.socket(family, socket.SOCK_DGRAM).close()
            except OSError as error:
                denied += [int(family)] if error.errno == errno.EACCES else []
        return denied

    assert in_child(work) == [int(family) for family in families[2:]]
