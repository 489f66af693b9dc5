"""Files that the kernel has open: read and written as they are, and never the kernel's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from live_kernel import LiveKernel, on

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


@on("landlock")
def test_a_check_that_meets_a_read_only_database_is_explained(
    kernel: LiveKernel, means: str, database: Any
) -> None:
    database(1000)
    execution = kernel.attempt("z = 6", f"assert db.execute('delete from t').rowcount == 80 and {COUNT}")
    assert execution["denied"] == [ISOLATED_NOTE.format(READ_ONLY)], execution


@on("overlay", "seccomp for signals")
def test_what_is_written_to_an_open_file_is_found_by_its_name(kernel: LiveKernel, means: str) -> None:
    kernel.run("log = open('log.txt', 'a+'); _ = log.write('kept'); log.flush()")
    execution = kernel.attempt(
        "_ = log.seek(0)\n_ = log.write(' added'); log.flush()\ntext = open('log.txt').read()",
        "assert text == 'kept added'",
    )
    assert outcome(execution) == "passed", execution
    assert execution["filesWritten"] == [str(kernel.folder / "log.txt")]
    assert (kernel.folder / "log.txt").read_text() == "kept"
    kernel.run("log.close(); import os; os.unlink('log.txt')")


@on("overlay", "seccomp for signals", "none")
def test_the_judge_sees_an_open_file_as_the_kernel_does(
    kernel: LiveKernel, means: str, database: Any
) -> None:
    """A candidate that changes the data of a check through a connection is not confirmed by it."""
    database(1000)
    delete = "_ = db.execute('delete from t'); db.commit()"
    execution = kernel.attempt(f"{delete}\nn = {COUNT}", f"assert n == {COUNT}")
    result = execution["assertions"][-1]
    assert (result["outcome"], result["confirmed"]) == ("passed", False), execution


def test_a_file_that_is_too_large_for_a_copy_can_be_read(kernel: LiveKernel) -> None:
    kernel.run("import os; large = open('large.bin', 'w+b', 0); _ = large.truncate(101 << 20)")
    candidate = "n = len(large.read(9))\ntry: large.write(b'x'); wrote = True\nexcept OSError: wrote = False"
    execution = kernel.attempt(candidate, "assert (n, wrote) == (9, False)")
    kernel.run("large.close(); os.unlink('large.bin')")
    assert outcome(execution) == "passed", execution


def test_a_file_without_a_name_is_not_the_kernels(kernel: LiveKernel, means: str) -> None:
    kernel.run("import os; nameless = os.memfd_create('x'); _ = os.write(nameless, b'kept')")
    kernel.attempt("try: open(f'/proc/self/fd/{nameless}', 'r+b').write(b'lost')\nexcept OSError: pass")
    assert kernel.run("print(os.pread(nameless, 4, 0)); os.close(nameless)")["text"] == "b'kept'\n"


THROUGH = """
import os
def through(name, flags=os.O_WRONLY):
    for number in os.listdir('/proc/self/fd'):
        link = f'/proc/self/fd/{number}'
        try:
            if os.readlink(link).endswith(name):
                os.fchmod(int(number), 0o600)
                os.pwrite(os.open(link, flags), b'lost', 0)
        except OSError:
            pass
"""


@pytest.mark.parametrize("mode", ["'r'", "'a+'", "'r+b', 0"])
@pytest.mark.parametrize("size", [4, 101 << 20], ids=["small", "large"])
def test_no_descriptor_is_a_way_to_a_file_outside(
    kernel: LiveKernel, means: str, mode: str, size: int
) -> None:
    """Opened anew through `/proc/self/fd`, a file stays on the mount that it was opened on."""
    if means == "none":
        return
    path = kernel.folder / "way.txt"
    path.write_bytes(b"kept")
    os.truncate(path, size)
    path.chmod(0o644)
    kernel.run(f"way = open('way.txt', {mode})")
    kernel.attempt(f"{THROUGH}through('way.txt')", "assert True")
    with path.open("rb") as file:
        left = file.read(4)
    kernel.run("way.close()")
    assert (left, path.stat().st_mode & 0o777) == (b"kept", 0o644)
    path.unlink()
