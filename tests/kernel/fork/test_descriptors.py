"""Files that the kernel has open: read and written as they are, and never the kernel's own."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from live_kernel import LiveKernel, job, kernel_module
from processes import only_linux, start_child

from jupyterlab_refine.kernel.fork import descriptors

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True

OPENED = """
import os, sqlite3
db = sqlite3.connect("open.db")
_ = db.execute("create table t(a)")
_ = db.executemany("insert into t values (?)", [(b"x" * {bytes},) for _ in range(80)])
db.commit()
"""
COUNT = "db.execute('select count(*) from t').fetchone()[0]"
INSERT = "_ = db.execute('insert into t values (1)'); db.commit()"
ISOLATED_NOTE = (
    "tried to change a file that attempts can only read: `{}` "
    "comes from the isolation of attempts and is not an error in the code"
)
READ_ONLY = "attempt to write a readonly database"


@pytest.fixture
def constant(kernel: LiveKernel) -> Iterator[Any]:
    """Set a name of the kernel part, for one test."""
    before = []

    def set_constant(module: str, name: str, value: str) -> None:
        kept = f"_kept{len(before)}"
        kernel.evaluate(f"setattr(__import__('builtins'), {kept!r}, {kernel_module(module)}.{name})")
        before.append((module, name, kept))
        kernel.evaluate(f"setattr({kernel_module(module)}, {name!r}, {value})")

    yield set_constant
    for module, name, kept in before:
        kernel.evaluate(f"setattr({kernel_module(module)}, {name!r}, __import__('builtins').{kept})")


@pytest.fixture
def database(kernel: LiveKernel) -> Iterator[Callable[[int], None]]:
    """Opens a database with 80 rows of that size."""
    yield lambda size: kernel.run(OPENED.format(bytes=size)) and None
    kernel.run("db.close(); os.unlink('open.db')")


def outcome(execution: dict[str, Any]) -> str:
    return execution["assertions"][-1]["outcome"]


@pytest.mark.parametrize("size", [1_000, 1_000_000], ids=["small", "80 MB"])
def test_an_open_database_is_read_and_written(
    kernel: LiveKernel, means: str, database: Any, size: int
) -> None:
    database(size)
    execution = kernel.attempt(f"n = {COUNT}", "assert n == 80", f"assert {COUNT} == 80")
    assert outcome(execution) == "passed", execution
    assert (execution["filesWritten"], execution["warnings"]) == ([], [])
    written = kernel.attempt(f"{INSERT}\nn = {COUNT}", "assert n == 81")
    if means == "landlock":
        assert written["error"]["message"] == READ_ONLY
        assert written["denied"] == [ISOLATED_NOTE.format(READ_ONLY)]
    else:
        assert outcome(written) == "passed", written
        in_overlay = written["isolation"]["files"] == "overlay"
        assert written["filesWritten"] == ([str(kernel.folder / "open.db")] if in_overlay else [])
    assert kernel.run(f"print({COUNT})")["text"] == "80\n"


def test_a_check_that_meets_a_read_only_database_is_explained(
    kernel: LiveKernel, means: str, database: Any
) -> None:
    database(1000)
    if means != "landlock":
        return
    execution = kernel.attempt("z = 6", f"assert db.execute('delete from t').rowcount == 80 and {COUNT}")
    assert execution["denied"] == [ISOLATED_NOTE.format(READ_ONLY)], execution


def test_what_is_written_to_an_open_file_is_found_by_its_name(kernel: LiveKernel, means: str) -> None:
    if means in ("landlock", "none"):
        return
    kernel.run("log = open('log.txt', 'a+'); _ = log.write('kept'); log.flush()")
    execution = kernel.attempt(
        "_ = log.seek(0)\n_ = log.write(' added'); log.flush()\ntext = open('log.txt').read()",
        "assert text == 'kept added'",
    )
    assert outcome(execution) == "passed", execution
    assert execution["filesWritten"] == [str(kernel.folder / "log.txt")]
    assert (kernel.folder / "log.txt").read_text() == "kept"
    kernel.run("log.close(); import os; os.unlink('log.txt')")


def test_the_judge_sees_an_open_file_as_the_kernel_does(
    kernel: LiveKernel, means: str, database: Any
) -> None:
    """A candidate that changes the data of a check through a connection is not confirmed by it."""
    database(1000)
    if means == "landlock":
        return
    delete = "_ = db.execute('delete from t'); db.commit()"
    execution = kernel.attempt(f"{delete}\nn = {COUNT}", f"assert n == {COUNT}")
    result = execution["assertions"][-1]
    assert (result["outcome"], result["confirmed"]) == ("passed", False), execution


def test_what_is_too_large_for_a_copy_can_be_read(
    kernel: LiveKernel, means: str, database: Any, constant: Any
) -> None:
    for name in ("_COPY_LIMIT", "_LAYER_LIMIT", "_MEMORY_LIMIT"):
        constant("fork.descriptors", name, "50_000")
    database(1000)
    execution = kernel.attempt(f"n = {COUNT}", "assert n == 80", f"assert {COUNT} == 80")
    assert outcome(execution) == "passed", execution
    (warning,) = execution["warnings"]
    assert warning.startswith(f"{kernel.folder / 'open.db'} (0 MB) is open for writing in the kernel")
    written = kernel.attempt(INSERT)
    assert written["error"]["message"] in (READ_ONLY, "disk I/O error"), written
    assert written["denied"] == [ISOLATED_NOTE.format(written["error"]["message"])]
    assert kernel.run(f"print({COUNT})")["text"] == "80\n"


def test_a_file_without_a_name_is_not_the_kernels(kernel: LiveKernel, means: str) -> None:
    kernel.run("""
import os, tempfile
own = os.memfd_create("own"); _ = os.write(own, b"kept")
first = os.open(f"/proc/self/fd/{own}", os.O_RDONLY)
gone = open("gone.txt", "w+"); _ = gone.write("kept"); gone.flush()
second = os.open("gone.txt", os.O_RDONLY); os.unlink("gone.txt")
""")
    candidate = """
texts, written = [], []
for number in (first, second, own, gone.fileno()):
    texts.append(os.pread(number, 9, 0))
    try:
        again = os.open(f"/proc/self/fd/{number}", os.O_RDWR)
        os.pwrite(again, b"lost", 0)
    except OSError:
        continue
"""
    execution = kernel.attempt(candidate, "assert texts == [b'kept'] * 4, texts")
    assert outcome(execution) == "passed", execution
    kept = kernel.run("print(*(os.pread(n, 9, 0) for n in (first, second, own, gone.fileno())))")["text"]
    assert kept == "b'kept' b'kept' b'kept' b'kept'\n"
    kernel.run("os.close(own); os.close(first); os.close(second); gone.close()")


def test_a_file_that_cannot_be_given_is_named(kernel: LiveKernel, constant: Any) -> None:
    constant("fork.descriptors", "_COPY_LIMIT", "100")
    constant("isolation.resources", "memory_left", "lambda: 1000")
    kernel.run("import os\nlarge = open('large.bin', 'w+b'); _ = large.write(bytes(2000)); large.flush()")
    kernel.run("os.unlink('large.bin')")
    answer = kernel.start(job("z = 6"), 20000)
    kernel.run("large.close()")
    assert answer["state"] == "refused", answer
    assert f"{kernel.folder / 'large.bin'} (deleted) (0 MB) is open in the kernel" in answer["message"]
    assert "close it before an attempt" in answer["message"]


def test_a_large_memory_map_is_not_copied(kernel: LiveKernel, means: str, constant: Any) -> None:
    for name in ("_COPY_LIMIT", "_LAYER_LIMIT", "_MEMORY_LIMIT"):
        constant("fork.descriptors", name, "1000")
    constant("fork.mappings", "_COPY_LIMIT", "1000")
    kernel.run("""
import mmap, os, numpy as np
from multiprocessing import shared_memory
named = np.memmap("map.bin", dtype="u1", mode="w+", shape=(8192,)); named[:] = 7
shared = shared_memory.SharedMemory(create=True, size=8192); shared.buf[0] = 7
file = open("unnamed.bin", "w+b"); file.truncate(8192); os.unlink("unnamed.bin")
unnamed = mmap.mmap(file.fileno(), 8192); unnamed[0] = 7
""")
    try:
        candidate = "read = named[0], shared.buf[0], unnamed[0]\nnamed[0] = shared.buf[0] = unnamed[0] = 9"
        execution = kernel.attempt(
            candidate,
            "assert read == (7, 7, 7)",
            "assert (named[0], shared.buf[0], unnamed[0]) == (9, 9, 9)",
            "assert (named._mmap.size(), unnamed.size()) == (8192, 8192)",
        )
        reported = [result["outcome"] for result in execution["assertions"]]
        assert (reported, execution["warnings"]) == (["passed"] * 3, []), execution
        read = "print(named[0], shared.buf[0], unnamed[0], open('map.bin', 'rb').read(1))"
        assert kernel.run(read)["text"] == "7 7 7 b'\\x07'\n"
    finally:
        kernel.run("del named; shared.close(); shared.unlink(); unnamed.close(); file.close()")


# Without a kernel


def detached(work: Callable[[Callable[[], descriptors.Files]], object]) -> Any:
    """What a forked process answers; ``work`` is given what detaches all but the way of the answer."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            writer = descriptors.move_up(writer)

            def detach(runs_candidate: bool = True, **known: Any) -> descriptors.Files:
                return descriptors.detach((writer,), descriptors.Inherited(**known), runs_candidate)

            reported = work(detach)
            os.write(writer, json.dumps(reported).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader) as answer:
        text = answer.read()
    os.waitpid(pid, 0)
    return json.loads(text)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[int], int]]:
    """Opens a file that holds ``12345``, at its third byte."""
    (tmp_path / "file").write_text("12345")
    numbers = []

    def open_file(flags: int) -> int:
        numbers.append(os.open(tmp_path / "file", flags))
        os.lseek(numbers[0], 2, os.SEEK_SET)
        return numbers[0]

    yield open_file
    for number in numbers:
        os.close(number)


@only_linux
@pytest.mark.parametrize("in_overlay", [False, True])
def test_a_file_keeps_its_position_and_where_it_is_written(
    tmp_path: Path, opened: Any, in_overlay: bool
) -> None:
    number = opened(os.O_RDWR | os.O_APPEND)

    def work(detach: Any) -> list[str]:
        detach(folders=(str(tmp_path),) if in_overlay else ())
        texts = [os.read(number, 9).decode()]
        os.lseek(number, 0, os.SEEK_SET)
        os.write(number, b"6")
        return [*texts, os.pread(number, 9, 0).decode(), (tmp_path / "file").read_text()]

    # Here nothing is mounted: what is opened in the overlay is the file itself.
    assert detached(work) == ["345", "123456", "123456" if in_overlay else "12345"]


@only_linux
def test_a_file_for_writing_alone_has_its_size_and_no_content(opened: Any) -> None:
    number = opened(os.O_WRONLY)

    def work(detach: Any) -> list[int]:
        detach()
        os.write(number, b"x")
        try:
            os.pread(number, 1, 0)
        except OSError as error:
            return [os.fstat(number).st_size, os.lseek(number, 0, os.SEEK_CUR), error.errno or 0]
        return []

    assert detached(work) == [5, 3, errno.EBADF]


@only_linux
def test_a_closed_number_carries_no_pipe_of_the_judge() -> None:
    def work(detach: Any) -> list[bool]:
        os.closerange(3, 3900)
        (_, pipe), device = os.pipe(), os.open(os.devnull, os.O_RDWR)
        later = socket.socketpair()[0].detach()
        for number in (pipe, device):
            os.dup2(later, number)
        inode = os.fstat(later).st_ino
        detach()
        return [is_file(number, inode) for number in (pipe, device, later)]

    assert detached(work) == [False] * 3


@only_linux
def test_processes_exchange_nothing_by_shared_descriptors() -> None:
    def work(detach: Any) -> list[int]:
        os.closerange(3, 3900)
        device, (_, pipe) = os.open(os.devnull, os.O_RDWR), os.pipe()
        os.dup2(device, 0)

        def leave() -> None:
            detach()
            with socket.socket(fileno=pipe) as end:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, 6)
            for number in (0, device):
                fcntl.fcntl(number, fcntl.F_SETFL, os.O_APPEND)

        os.waitpid(start_child(leave), 0)
        detach()
        with socket.socket(fileno=pipe) as end:
            found = end.getsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY)
        return [found, *(fcntl.fcntl(number, fcntl.F_GETFL) & os.O_APPEND for number in (0, device))]

    assert detached(work) == [0, 0, 0]


def is_file(number: int, inode: int) -> bool:
    try:
        return os.fstat(number).st_ino == inode
    except OSError:
        return False


@only_linux
def test_a_python_for_old_systems_will_do(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((os, "memfd_create"), (os, "MFD_ALLOW_SEALING"), (fcntl, "F_ADD_SEALS")):
        monkeypatch.delattr(module, name)
    number = opened(os.O_RDWR)

    def work(detach: Any) -> str:
        detach()
        return os.read(number, 9).decode()

    assert detached(work) == "345"


@only_linux
def test_standard_streams_that_were_closed_are_open_again() -> None:
    def work(detach: Any) -> list[bool]:
        os.close(0)
        descriptors.silence()
        detach()
        return [stat.S_ISCHR(os.fstat(number).st_mode) for number in range(3)]

    assert detached(work) == [True] * 3
