"""What the attempt's process can leave for the worker, which runs the same candidate."""

from __future__ import annotations

import pytest
from live_kernel import LiveKernel

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True

LEAVE = """
import os, sys, tempfile, time

def even(number):
    name = os.path.join(tempfile.gettempdir(), f"answer{number}")
    names = sys._getframe(1).f_globals
    if "expected" in names:
        open(name, "w").write(str(names["expected"]))
        return names["expected"]
    return open(name).read() == "True"
"""
#: By flags of files that both processes have open, and by an option of a socket.
SHARED = """
import fcntl, os, socket, stat, sys, time

flags = [os.O_APPEND, os.O_NONBLOCK]
asked = []

def sockets():
    for number in map(int, os.listdir("/proc/self/fd")):
        # Of the others some lead to the kernel and to the judge.
        if number < 40 and stat.S_ISSOCK(os.fstat(number).st_mode):
            yield socket.socket(fileno=os.dup(number))

def leave(bit):
    for number in (0, 1, 2):
        fcntl.fcntl(number, fcntl.F_SETFL, fcntl.fcntl(number, fcntl.F_GETFL) | bit)
    for end in sockets():
        end.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, 6)

def found(bit):
    if any(fcntl.fcntl(number, fcntl.F_GETFL) & bit for number in (0, 1, 2)):
        return True
    return any(end.getsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY) == 6 for end in sockets())

def even(number):
    bit = flags[len(asked)]
    asked.append(number)
    names = sys._getframe(1).f_globals
    if "expected" in names:
        if names["expected"]:
            leave(bit)
        return names["expected"]
    return bit == os.O_APPEND and found(bit)
"""
#: In a file, after the kernel was given empty folders in which it will look for files.
HIDDEN = """
import os, sys, tempfile

def hide():
    for number in map(int, os.listdir("/proc/self/fd")):
        path = f"/proc/self/fd/{number}"
        if os.path.islink(path) and os.readlink(path).startswith("/u"):
            empty = f"/dev/shm/empty{number}"
            os.mkdir(empty)
            os.chmod(empty, os.fstat(number).st_mode & 0o7777)
            os.dup2(os.open(empty, os.O_PATH), number)

def even(number):
    name = os.path.join(tempfile.gettempdir(), f"answer{number}")
    names = sys._getframe(1).f_globals
    if "expected" in names:
        if number == 2:
            hide()
        open(name, "w").write(str(names["expected"]))
        return names["expected"]
    return open(name).read() == "True"
"""
CHECK = "for number, expected in [(2, True), (5, False)]:\n    assert even(number) == expected"
MEMORY = """
import os

def parent(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except OSError:
        return 0

def opened():
    others = [pid for pid in filter(str.isdigit, os.listdir("/proc")) if parent(pid) == os.getppid()]
    found = []
    for pid in others:
        if int(pid) != os.getpid():
            try:
                os.close(os.open(f"/proc/{pid}/mem", os.O_RDONLY))
                found.append(pid)
            except PermissionError:
                pass
    return found
"""


@pytest.mark.parametrize("pause", ["", "time.sleep(0.4)"])
def test_answers_in_temporary_files_are_not_found(kernel: LiveKernel, means: str, pause: str) -> None:
    if means == "none":
        return
    execution = kernel.attempt(LEAVE + pause, CHECK)
    assert [found["outcome"] for found in execution["assertions"]] == ["passed"]
    assert execution["assertions"][0]["confirmed"] is False, execution


def test_answers_in_hidden_files_are_not_found(kernel: LiveKernel, means: str) -> None:
    if means not in ("overlay", "seccomp for signals"):
        return
    execution = kernel.attempt(HIDDEN, CHECK)
    assert [found["outcome"] for found in execution["assertions"]] == ["passed"]
    assert execution["assertions"][0]["confirmed"] is False, execution


@pytest.mark.parametrize("pause", ["", "time.sleep(0.4)"])
def test_answers_in_the_state_of_open_files_are_not_found(kernel: LiveKernel, means: str, pause: str) -> None:
    execution = kernel.attempt(SHARED + pause, CHECK)
    assert [found["outcome"] for found in execution["assertions"]] == ["passed"]
    assert execution["assertions"][0]["confirmed"] is False, execution


def test_the_memory_of_the_worker_cannot_be_opened(kernel: LiveKernel, means: str) -> None:
    if means == "none":
        return
    execution = kernel.attempt(MEMORY, "import time\ntime.sleep(0.1)\nassert opened() == []")
    assert execution["assertions"][0]["outcome"] == "passed", execution


def test_a_process_pool_that_is_denied_is_explained(kernel: LiveKernel, means: str) -> None:
    if means != "landlock":
        return
    candidate = "import multiprocessing\npool = multiprocessing.Pool(1)"
    execution = kernel.attempt(candidate, "assert pool")
    assert execution["error"]["name"] == "PermissionError", execution
    assert "process pool" in execution["denied"][0] and "not an error in the code" in execution["denied"][0]
