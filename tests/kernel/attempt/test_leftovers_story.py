"""What would outlive an attempt, or change a process that is not its own, on every means of isolation."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

import pytest
from live_kernel import LiveKernel

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True

SYSTEM_CALLS = """
import ctypes, errno, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    return libc.syscall(number, *arguments) != -1
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of the system calls of x86-64")
def test_nothing_that_outlives_a_process_is_left(kernel: LiveKernel, means: str) -> None:
    key = 0x5EF1 + os.getpid()
    name = f"refine-{os.getpid()}"
    candidate = f"""{SYSTEM_CALLS}
name, session = b"{name}", ctypes.c_int(-3)
made = [
    call(29, {key}, 4096, 0o1600), call(64, {key}, 1, 0o1600), call(68, {key}, 0o1600),
    call(240, name, 0o102, 0o600, None), call(248, b"user", name, b"x", 1, session),
    call(248, b"user", name, b"x", 1, ctypes.c_int(-4)),
]
"""
    execution = kernel.attempt(candidate, "assert made == [False] * 6, made")
    assert execution["assertions"][0]["outcome"] == "passed", execution
    for kind in ("shm", "sem", "msg"):
        rows = Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]
        assert key not in [int(row.split()[0]) for row in rows]
    keys = Path("/proc/keys")
    assert not keys.exists() or name not in keys.read_text()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of the system calls of x86-64")
def test_no_queue_of_the_kernel_can_be_emptied_or_removed(kernel: LiveKernel, means: str) -> None:
    name = f"/refine-{os.getpid()}"
    kernel.run(
        f"{SYSTEM_CALLS}\nqueue = libc.mq_open({name.encode()}, 0o102, 0o600, None)\n"
        "sent = libc.mq_send(queue, b'kept', 4, 0)"
    )
    candidate = f"""
import os
buffer = ctypes.create_string_buffer(1 << 16)
again = libc.mq_open({name.encode()}, 0)
done = [libc.mq_receive(n, buffer, 1 << 16, None) for n in (queue, again)]
done.append(libc.mq_unlink({name.encode()}))
done.append(libc.mq_send(queue, b"lost", 4, 0))
"""
    try:
        execution = kernel.attempt(candidate, "assert done == [-1] * 4, done")
        assert execution["assertions"][0]["outcome"] == "passed", execution
        kernel.run("buffer = ctypes.create_string_buffer(1 << 16)")
        received = "print(libc.mq_receive(queue, buffer, 1 << 16, None), buffer.value)"
        assert kernel.run(received)["text"] == "4 b'kept'\n"
    finally:
        kernel.run(f"libc.mq_unlink({name.encode()})\nlibc.close(queue)")


def test_no_socket_reaches_the_host_of_a_virtual_machine(kernel: LiveKernel, means: str) -> None:
    if means == "none":
        return
    candidate = (
        "import socket\ntry: socket.socket(40, socket.SOCK_STREAM)\nexcept OSError as error: n = error.errno"
    )
    execution = kernel.attempt(candidate, "assert n == 13")
    assert execution["assertions"][0]["outcome"] == "passed", execution


def test_other_processes_of_the_user_keep_their_settings(kernel: LiveKernel, means: str) -> None:
    candidate = """
import os, resource
changed = []
def attempt(name, work):
    try:
        work()
        changed.append(name)
    except OSError:
        pass
for process in (other, kernel_process):
    attempt("priority", lambda: os.setpriority(os.PRIO_PROCESS, process, 15))
    attempt("group", lambda: os.setpriority(os.PRIO_PGRP, os.getpgid(process), 15))
    attempt("user", lambda: os.setpriority(os.PRIO_USER, os.getuid(), 15))
    attempt("processors", lambda: os.sched_setaffinity(process, [0]))
    attempt("scheduler", lambda: os.sched_setscheduler(process, os.SCHED_BATCH, os.sched_param(0)))
    attempt("limits", lambda: resource.prlimit(process, resource.RLIMIT_NOFILE, (64, 64)))
    attempt("score", lambda: open(f"/proc/{process}/oom_score_adj", "w").write("900"))
os.nice(1)
os.sched_setaffinity(0, os.sched_getaffinity(0))
"""
    other = subprocess.Popen(["sleep", "60"])
    kernel.run(f"import os; other, kernel_process = {other.pid}, os.getpid()")
    # What files allow, files that are open do.
    allowed = ["score"] * 2 if means == "none" else []
    before = Path(f"/proc/{kernel.pid}/oom_score_adj").read_text()
    try:
        execution = kernel.attempt(candidate, f"assert changed == {allowed}, changed")
        assert execution["assertions"][0]["outcome"] == "passed", execution
        assert os.getpriority(os.PRIO_PROCESS, other.pid) == os.getpriority(os.PRIO_PROCESS, 0)
    finally:
        other.kill()
        other.wait()
        Path(f"/proc/{kernel.pid}/oom_score_adj").write_text(before)
