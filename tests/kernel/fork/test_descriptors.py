"""Files that the kernel has open: read and written as they are, and never the kernel's own."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from live_kernel import LiveKernel
from processes import only_linux

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


def test_a_file_that_is_too_large_for_a_copy_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.touch()
    number = os.open(path, os.O_RDWR)
    os.truncate(path, descriptors._COPY_LIMIT + 1)

    def work(detach: Any) -> list[int]:
        detach()
        try:
            os.write(number, b"x")
        except OSError as error:
            return [len(os.read(number, 9)), error.errno or 0]
        return []

    assert detached(work) == [9, errno.EBADF]
    os.close(number)


# Without a kernel


def detached(work: Callable[[Callable[[], Any]], object]) -> Any:
    """What a forked process answers; ``work`` is given what detaches all but the way of the answer."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:

            def detach(runs_candidate: bool = True, **known: Any) -> Any:
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
def test_a_python_for_old_systems_will_do(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((os, "memfd_create"), (os, "MFD_ALLOW_SEALING")):
        monkeypatch.delattr(module, name)
    number = opened(os.O_RDWR)

    def work(detach: Any) -> str:
        detach()
        return os.read(number, 9).decode()

    assert detached(work) == "345"
