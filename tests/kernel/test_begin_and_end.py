"""How an attempt begins and ends, part by part: bounds, fork, folder, and what must not be left behind."""

from __future__ import annotations

import json
import os
import signal
import tempfile
import time
import warnings
import weakref
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from parts import a_child, anything, descriptors, in_child, only_linux, refuse, wait_until

from jupyterlab_refine.kernel import (
    attempts,
    ending,
    fork,
    isolation,
    limits,
    overlay,
    temporary,
)

# Bounds


def test_bounds_that_hold_when_none_are_asked_for() -> None:
    """An attempt alone shall not fill an ordinary machine: its memory, disk, table of processes."""
    assert limits.read({"seconds": 10}) == (10.0, 2 << 30, 256 << 10, 256 << 20, None)
    assert (limits.PROCESSES, limits.FILE_BYTES, overlay.LAYER_BYTES) == (256, 1 << 30, 2 << 30)


def test_a_system_that_tells_nothing_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "open", refuse, raising=False)
    assert (limits.memory_left(), limits.private_dirty(os.getpid())) == (None, None)
    assert not limits.machine_is_full()
    monkeypatch.setattr(limits.processes, "status_bytes", anything)
    set_limits: list[Any] = []
    monkeypatch.setattr(limits.resource, "setrlimit", lambda *given: set_limits.append(given))
    limits.bound_memory(1 << 20)
    assert set_limits == [(limits.resource.RLIMIT_CORE, (0, 0))]


CGROUPS = {
    "no limit": ("max", "5", 10 << 30),
    "no limit, as older ones tell": (str((1 << 63) - 4096), "5", 10 << 30),
    "a limit": (str(3 << 30), str(1 << 30), 2 << 30),
    "more used than allowed": (str(1 << 30), str(2 << 30), -1 << 30),
}


@pytest.mark.parametrize("name", CGROUPS)
def test_memory_that_a_container_has_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    limit, used, left = CGROUPS[name]
    (tmp_path / "meminfo").write_text(f"MemTotal: 1 kB\nMemAvailable: {10 << 20} kB\n")
    (tmp_path / "limit").write_text(f"{limit}\n")
    (tmp_path / "used").write_text(f"{used}\n")
    places = {"/proc/meminfo": tmp_path / "meminfo"}
    monkeypatch.setattr(limits, "open", lambda path: open(places.get(path, path)), raising=False)
    monkeypatch.setattr(limits, "_CGROUPS", ((str(tmp_path), "limit", "used"), ("/nowhere", "a", "b")))
    assert limits.memory_left() == left
    assert limits.machine_is_full() == (left < 256 << 20)


# Temporary folders


@pytest.fixture
def left_by(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[int], Path]:
    """A folder that a kernel with this process id has left."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def make(pid: int) -> Path:
        folder = tmp_path / f"refine-attempt-{temporary._machine()}-{pid}-x"
        (folder / "inner").mkdir(parents=True)
        return folder

    return make


def ended() -> int:
    pid = a_child(anything)
    os.waitpid(pid, 0)
    return pid


LeftBy = Callable[[int], Path]


def test_only_what_kernels_have_left_that_are_gone_is_removed(left_by: LeftBy) -> None:
    mine, gone, impossible = left_by(os.getpid()), left_by(ended()), left_by(1 << 70)
    temporary.remove_stale()
    assert (mine.exists(), gone.exists(), impossible.exists()) == (True, False, False)


def test_a_link_under_such_a_name_leads_nowhere(left_by: LeftBy, tmp_path: Path) -> None:
    gone = left_by(ended())
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "file").touch()
    gone.rename(tmp_path / "moved")
    gone.symlink_to(tmp_path / "others")
    temporary.remove_stale()
    assert (tmp_path / "others" / "file").exists()


def test_folders_of_other_users_stay(monkeypatch: pytest.MonkeyPatch, left_by: LeftBy) -> None:
    folder, own = left_by(ended()), os.getuid()
    monkeypatch.setattr(temporary.os, "getuid", lambda: own + 1)
    temporary.remove_stale()
    assert folder.exists()


def test_folders_of_a_process_of_another_user_stay(monkeypatch: pytest.MonkeyPatch, left_by: LeftBy) -> None:
    folder = left_by(ended())

    def forbidden(pid: int, number: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(temporary.os, "kill", forbidden)
    temporary.remove_stale()
    assert folder.exists()


def test_folders_that_somebody_else_removes_first(monkeypatch: pytest.MonkeyPatch, left_by: LeftBy) -> None:
    seen, later = left_by(ended()), left_by(ended())
    names = [seen.name, later.name]
    os.rename(seen, seen.with_name("gone"))
    monkeypatch.setattr(temporary.os, "listdir", lambda _: names)
    monkeypatch.setattr(temporary.shutil, "rmtree", lambda path, ignore_errors: os.rename(path, path + "-"))
    temporary.remove_stale()
    assert not later.exists()


def test_a_temporary_folder_that_is_gone_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    temporary.remove_stale()


def test_on_a_system_that_does_not_tell_processes_apart_nothing_is_removed(
    monkeypatch: pytest.MonkeyPatch, left_by: LeftBy
) -> None:
    monkeypatch.setattr(temporary, "open", refuse, raising=False)
    folder = left_by(ended())
    temporary.remove_stale()
    assert folder.exists()


def test_an_attempt_without_a_folder_of_its_own_removes_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(temporary.shutil, "rmtree", refuse)
    temporary.remove(None)


# The end of a child


def end_of(pid: int, token: str = "none") -> ending.Ending:
    return ending.Ending(fork.Child(pid, token, *[-1] * 5))


@only_linux
def test_a_child_that_nobody_can_wait_for_any_more_is_told_as_that() -> None:
    """The user ignores SIGCHLD: its status is lost, and none is made up."""
    end = end_of(ended())
    assert "how is not known" in end.explain_crash()
    end.reap()
    end_of(ended()).reap()


@only_linux
def test_a_child_that_closed_its_pipe_and_lives_is_killed_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ending, "_EXIT_SECONDS", ending._EXIT_SECONDS / 2)
    pid = a_child(lambda: (os.setsid(), time.sleep(30)))
    end = end_of(pid)
    start, computed = time.monotonic(), time.process_time()
    assert end.explain_crash() == "crashed: it closed the pipe to the kernel"
    # And the kernel's processor is not kept busy meanwhile.
    assert time.process_time() - computed < 0.08
    end.reap()
    assert time.monotonic() - start < 10
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, 0)


@only_linux
def test_a_child_that_is_reaped_is_not_waited_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its number may be that of another child of the kernel's by now."""
    end = end_of(a_child(lambda: os._exit(3)))
    assert end.explain_crash() == "crashed: it ended the process itself, with exit status 3"
    monkeypatch.setattr(ending.os, "waitpid", refuse)
    end.reap()


@only_linux
def test_a_child_stands_still_while_it_is_looked_for_what_it_has_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pid = a_child(lambda: (os.setsid(), [time.sleep(0.001) for _ in range(30000)]))
    states: list[str] = []

    def look(process: int) -> list[int]:
        def stopped() -> bool:
            return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "T"

        states.append("stopped" if wait_until(stopped) else "runs")
        return []

    monkeypatch.setattr(ending.processes, "kill_descendants", look)
    end = end_of(pid)
    end.kill()
    end.reap()
    assert states == ["stopped"]
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, 0)


#: Crashed, had started something: whether daemons are looked for, which takes a look at all processes.
DAEMONS = [(False, False, False), (True, False, True), (False, True, True)]


@pytest.mark.parametrize(("crashed", "started", "looked"), DAEMONS)
def test_when_daemons_are_looked_for(
    monkeypatch: pytest.MonkeyPatch, crashed: bool, started: bool, looked: bool
) -> None:
    marked: list[str] = []
    reaped: list[int] = []
    monkeypatch.setattr(ending.processes, "kill_marked", marked.append)
    monkeypatch.setattr(ending.processes, "kill_descendants", lambda _: [5] if started else [])
    monkeypatch.setattr(ending.processes, "reap", reaped.extend)
    end = end_of(a_child(lambda: None if crashed else time.sleep(30)), "token")
    if crashed:
        end.explain_crash()
    else:
        end.kill()
    end.reap()
    assert marked == (["token"] if looked else [])
    assert reaped == ([5] if started else [])


@pytest.mark.parametrize("pidfd", ["old Python", "old Linux"])
def test_the_end_of_a_child_where_no_descriptor_tells_it(monkeypatch: pytest.MonkeyPatch, pidfd: str) -> None:
    if pidfd == "old Python":
        monkeypatch.delattr(ending.os, "pidfd_open", raising=False)
    else:
        monkeypatch.setattr(ending.os, "pidfd_open", refuse, raising=False)
    assert ending.exit_descriptor(os.getpid()) == ()


def test_a_signal_to_a_child_that_is_gone() -> None:
    ending.signal_child(ended(), signal.SIGSTOP)


NAMED = {number: f"killed by {signal.Signals(number).name}" for number in map(int, signal.Signals)}


def test_every_signal_that_ends_a_child_has_words() -> None:
    told = {number: ending.exit_words(number) for number in range(1, 65)}
    assert told == {number: NAMED.get(number, f"killed by signal {number}") for number in range(1, 65)}


# The fork


PLAN = isolation.Plan("none", 0, True, True, os.getpid(), os.getcwd(), (), ())


def test_why_a_kernel_cannot_be_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the name of the error, by which one finds help; and nothing is begun."""
    opened = iter([os.open(os.devnull, os.O_RDONLY) for _ in range(3)])
    before = descriptors()
    monkeypatch.setattr(fork.os, "open", lambda *_: next(opened, None) or refuse())
    monkeypatch.setattr(attempts.hidden_files, "paths", lambda *_: ())
    monkeypatch.setattr(attempts, "Interrupts", refuse)
    message = "The kernel could not be forked: Too many open files (EMFILE)."
    assert attempts.start(job(), 0, SHELL) == {"state": "refused", "code": "fork-failed", "message": message}
    assert len(descriptors()) == len(before) - 3


@pytest.fixture
def startable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> SimpleNamespace:
    """What is needed to start an attempt, without a kernel; what it does is noted."""
    seen = SimpleNamespace(folder=tmp_path / "scratch", ended=[], closed=[])
    child: Any = SimpleNamespace()

    def make(_: Any) -> str:
        seen.folder.mkdir()
        return str(seen.folder)

    monkeypatch.setattr(attempts.hidden_files, "paths", lambda *_: ())
    monkeypatch.setattr(attempts.isolation, "plan", lambda *_: PLAN)
    monkeypatch.setattr(attempts.isolation, "scratch_for", make)
    monkeypatch.setattr(attempts.spare, "take", anything)
    monkeypatch.setattr(attempts.fork, "spawn", lambda *_: child)
    monkeypatch.setattr(attempts.fork, "end", seen.ended.append)
    kept = SimpleNamespace(close=lambda: seen.closed.append(True))
    monkeypatch.setattr(attempts.scoring, "keep", lambda *_: kept)
    supervised = SimpleNamespace(held=list, cancel=anything)
    monkeypatch.setattr(attempts, "Supervisor", lambda *_: supervised)
    seen.child = child
    return seen


SHELL: Any = SimpleNamespace(kernel=None, user_ns={})


def job(attempt_id: str = "one") -> dict[str, Any]:
    return {"id": attempt_id, "allowNetwork": False, "allowWrites": False, "limits": {"seconds": 5}}


def no_thread(*_: Any, **__: Any) -> Any:
    return SimpleNamespace(start=refuse)


#: What fails between the fork and the supervision, and whether hidden data was kept for the scorer by then.
FAILING: dict[str, tuple[str, bool]] = {
    "scoring.keep": ("keeping hidden data", False),
    "Previews": ("previews", True),
    "threading.Thread": ("no more threads", True),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_child_that_nobody_will_supervise_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, startable: SimpleNamespace, name: str
) -> None:
    *owner, last = name.split(".")
    place = getattr(attempts, owner[0]) if owner else attempts
    monkeypatch.setattr(place, last, no_thread if last == "Thread" else refuse)
    before, handler = descriptors(), signal.getsignal(signal.SIGINT)
    with pytest.raises(OSError, match="Too many open files"):
        attempts.start(job(), 0, SHELL)
    assert startable.ended == [startable.child]
    assert startable.closed == [True] * FAILING[name][1]
    assert not startable.folder.exists()
    assert (descriptors(), signal.getsignal(signal.SIGINT)) == (before, handler)
    assert attempts.collect("one") == {"state": "unknown"}
    assert "one" not in attempts.forget.holders


def test_a_fork_that_is_refused_leaves_no_folder(
    monkeypatch: pytest.MonkeyPatch, startable: SimpleNamespace
) -> None:
    def refused(*_: Any) -> Any:
        raise fork.ForkRefused("fork-unsafe", "a thread")

    monkeypatch.setattr(attempts.fork, "spawn", refused)
    before, handler = descriptors(), signal.getsignal(signal.SIGINT)
    assert attempts.start(job(), 0, SHELL)["code"] == "fork-unsafe"
    assert not startable.folder.exists()
    assert (descriptors(), signal.getsignal(signal.SIGINT)) == (before, handler)


def test_a_request_that_comes_again_begins_nothing_new(
    monkeypatch: pytest.MonkeyPatch, startable: SimpleNamespace
) -> None:
    """Its reply was lost, say."""
    monkeypatch.setattr(attempts.fork, "spawn", refuse)
    monkeypatch.setitem(attempts._running, "running", None)
    monkeypatch.setitem(attempts._results, "done", {"state": "done"})
    assert attempts.start(job("running"), 0, SHELL) == {"state": "running"}
    assert attempts.start(job("done"), 0, SHELL) == {"state": "done"}
    assert attempts.collect("done") == {"state": "unknown"}


def test_cancels_and_results_that_nobody_asks_for_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "_cancelled", {})
    for number in range(100):
        attempts.cancel(f"never {number}")
    assert list(attempts._cancelled) == [f"never {number}" for number in range(68, 100)]


@pytest.mark.parametrize("interrupted", [False, True], ids=["done", "interrupted"])
def test_more_interrupts_are_waited_for_after_one(monkeypatch: pytest.MonkeyPatch, interrupted: bool) -> None:
    slept: list[float] = []
    monkeypatch.setattr(attempts.time, "sleep", slept.append)
    (done_r, done_w), (seen_r, seen_w) = os.pipe(), os.pipe()
    os.write(seen_w if interrupted else done_w, b"x")
    start = time.monotonic()
    attempts._wait(done_r, seen_r, 30000)
    assert time.monotonic() - start < 10
    assert slept == ([0.1] if interrupted else [])
    for descriptor in (done_r, done_w, seen_r, seen_w):
        os.close(descriptor)


class Told:
    """What an attempt has told."""


@pytest.mark.parametrize("another", [False, True], ids=["alone", "while another runs"])
def test_the_end_of_the_supervision(monkeypatch: pytest.MonkeyPatch, another: bool) -> None:
    """The result can be collected before the child is reaped, and is held by nobody else then."""
    steps: list[Any] = []
    held: list[Any] = []
    reader, writer = os.pipe()

    def run() -> dict[str, Any]:
        told = Told()
        held.append(weakref.ref(told))
        return {"told": told}

    def close() -> None:
        steps.append(("waited for", os.read(reader, 1)))
        assert type(attempts.collect("one")["execution"]["told"]) is Told
        steps.append(("held", held[0]() is not None))

    supervisor: Any = SimpleNamespace(run=run, release=lambda: steps.append("released"), close=close)
    previews: Any = SimpleNamespace(finish=lambda: steps.append("previews end"))
    monkeypatch.setattr(attempts.processes, "adopt_orphans", lambda on: steps.append(("adopts", on)))
    monkeypatch.setattr(attempts, "_running", {"one": supervisor, **({"two": supervisor} if another else {})})
    monkeypatch.setattr(attempts, "_results", {f"old {number}": {} for number in range(32)})
    monkeypatch.setitem(attempts.forget.holders, "one", list)
    attempts._supervise(supervisor, "one", previews, writer)
    assert steps == [
        ("adopts", True),
        "released",
        ("waited for", b""),
        ("held", False),
        *([] if another else [("adopts", False)]),
        "previews end",
    ]
    # The oldest one made room.
    assert list(attempts._results) == [f"old {number}" for number in range(1, 32)]
    assert "one" not in attempts.forget.holders
    os.close(reader)


@pytest.fixture
def forkable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork.pools, "threads", dict)
    monkeypatch.setattr(fork.pools, "hostile", lambda *_: [])
    monkeypatch.setattr(fork.pools, "pause_openmp", anything)


def test_a_fork_that_the_system_refuses_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, forkable: None
) -> None:
    def no_more() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(fork, "_fork", no_more)
    before, mask = descriptors(), signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with pytest.raises(fork.ForkRefused, match=r"Resource temporarily unavailable \(EAGAIN\)"):
        fork.spawn("token", None, PLAN, None, None)
    assert (descriptors(), signal.pthread_sigmask(signal.SIG_BLOCK, ())) == (before, mask)


def test_what_makes_a_fork_unsafe_is_told(monkeypatch: pytest.MonkeyPatch, forkable: None) -> None:
    monkeypatch.setattr(fork.pools, "hostile", lambda *_: ["a thread of polars", "a thread of torch"])
    monkeypatch.setattr(fork, "_fork", refuse)
    with pytest.raises(fork.ForkRefused, match="a thread of polars; a thread of torch") as raised:
        fork.spawn("token", None, PLAN, None, None)
    assert raised.value.code == "fork-unsafe"


def test_the_kernels_side_of_a_fork(monkeypatch: pytest.MonkeyPatch, forkable: None) -> None:
    """One end of each pipe, of which none makes it wait; and it can be interrupted again."""
    held: list[Any] = []
    monkeypatch.setattr(fork, "_fork", lambda: held.append(signal.pthread_sigmask(signal.SIG_BLOCK, ())) or 5)
    paused: list[Any] = []
    monkeypatch.setattr(fork.pools, "pause_openmp", paused.append)
    before, mask = descriptors(), signal.pthread_sigmask(signal.SIG_BLOCK, ())
    child = fork.spawn("token", None, PLAN, None, None)
    assert (child.pid, child.token, paused) == (5, "token", [{}])
    assert held == [mask | {signal.SIGINT, signal.SIGTERM}]
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == mask
    assert len(descriptors()) == len(before) + 5
    assert [os.get_blocking(end) for end in child[2:]] == [False] * 5
    # The other ends are closed.
    assert [os.read(end, 1) for end in (child.events, child.stdout, child.stderr, child.dump)] == [b""] * 4
    killed: list[int] = []
    monkeypatch.setattr(fork.processes, "kill_group", killed.append)
    monkeypatch.setattr(fork.processes, "reap", killed.extend)
    fork.end(child)
    assert (descriptors(), killed) == (before, [5, 5])


def test_the_childs_side_of_a_fork(monkeypatch: pytest.MonkeyPatch, forkable: None) -> None:
    """It holds none of the kernel's ends: a pipe whose kernel is gone shall be at its end."""
    before = len(descriptors())

    def be_child(setup: Any, ends: tuple[int, ...], shell: Any) -> None:
        try:
            told = [len(descriptors()) - before, setup.ahead, os.getppid() == setup.parent_pid]
            os.write(ends[0], json.dumps(told).encode())
        finally:
            os._exit(0)

    monkeypatch.setattr(fork, "_be_child", be_child)
    child = fork.spawn("token", None, PLAN, None, None)
    os.waitpid(child.pid, 0)
    assert json.loads(os.read(child.events, 100)) == [5, True, True]
    child.close()


FORKS: dict[str, Callable[[], Any]] = {
    "of an attempt": lambda: fork._fork(),
    "of a trial": lambda: isolation._try("none"),
}


@pytest.mark.parametrize("name", FORKS)
def test_warnings_of_a_fork_are_no_business_of_a_cell(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Python 3.12 and later warn where there are threads."""

    def warns() -> int:
        warnings.warn("use of fork() may lead to deadlocks in the child", DeprecationWarning, stacklevel=2)
        raise ChildProcessError

    monkeypatch.setattr(fork.posix, "fork", warns)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ChildProcessError):
            FORKS[name]()


def child_side(work: Callable[[], object]) -> tuple[int, bytes]:
    """What the child of a fork tells, and its exit status."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        fork.child.main = lambda *_: work()  # type: ignore[assignment]
        spare_ends = [os.open(os.devnull, os.O_RDWR) for _ in range(4)]
        fork._be_child(None, (writer, *spare_ends), None)  # type: ignore[arg-type]
        os._exit(1)
    os.close(writer)
    with open(reader, "rb") as told:
        text = told.read()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), text


def test_a_child_that_fails_tells_why_and_never_goes_on_as_the_kernel() -> None:
    assert child_side(anything) == (70, b"")
    status, told = child_side(lambda: 1 / 0)
    assert status == 70
    assert told.endswith(b"\n") and json.loads(told)["t"] == "failed"
    assert json.loads(told)["traceback"].endswith("ZeroDivisionError: division by zero\n")


@only_linux
def test_pipes_of_the_harness_are_out_of_the_way() -> None:
    """Of code that closes all low numbers, and no higher: the system keeps a table up to there."""

    def work() -> list[int]:
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        pipe = os.open(os.devnull, os.O_RDONLY)
        moved = fork._move_up(pipe)
        return [pipe, moved, min(4096, hard), os.path.exists(f"/proc/self/fd/{pipe}")]

    pipe, moved, highest, stays = in_child(work)
    assert max(500, pipe) < moved < highest
    assert not stays
