"""The child's side of an attempt, part by part: what it makes harmless, and what it does when a job comes."""

from __future__ import annotations

import asyncio
import builtins
import ctypes
import faulthandler
import gc
import os
import random
import select
import signal
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from parts import anything, descriptors, in_child, only_linux

from jupyterlab_refine.kernel import child, isolation, limits, overlay, running, tampering

PLAN = isolation.Plan("none", 0, True, True, os.getpid(), os.getcwd(), (), ())


# Commands of the kernel


def test_commands_over_a_pipe_that_a_candidate_has_changed() -> None:
    """As one that does not wait: the next command is waited for nevertheless."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    commands = child.Commands(reader)
    later = threading.Timer(0.05, os.write, (writer, b'{"a": 1}\n{"b": 2}\nrest'))
    later.start()
    assert [commands.next(), commands.next(), commands.bytes(4)] == [{"a": 1}, {"b": 2}, b"rest"]
    later.join()
    os.close(reader)
    os.close(writer)


def test_a_child_whose_kernel_is_gone_ends() -> None:
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(5)
        os.close(writer)
        try:
            child.Commands(reader).next()
        finally:
            os._exit(1)
    os.close(reader)
    os.close(writer)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


# What is harmless


def become_harmless(prepare: Any = anything, **changed: Any) -> tuple[child.Ends, dict[str, int]]:
    """In a child: do it; its ends of the pipes, and the other ends."""
    prepare()
    pipes = {name: os.pipe() for name in ("stdout", "stderr", "dump")}
    ends = child.Ends(-1, -1, *(writer for _, writer in pipes.values()))
    fields: dict[str, Any] = {"parent_pid": os.getppid(), "token": "a token", **changed}
    setup: Any = SimpleNamespace(**fields)
    child._become_harmless(setup, ends)
    return ends, {name: reader for name, (reader, _) in pipes.items()}


@only_linux
def test_a_child_dies_with_its_kernel_and_adopts_what_it_starts() -> None:
    def asked(option: int) -> int:
        flag = ctypes.c_int()
        ctypes.CDLL(None).prctl(option, ctypes.byref(flag), 0, 0, 0)
        return flag.value

    def work() -> list[object]:
        become_harmless()
        comm = Path("/proc/self/comm").read_text()
        oom = Path("/proc/self/oom_score_adj").read_text()
        marked = [name for name, value in os.environ.items() if value == "a token"]
        return [
            asked(2),
            asked(37),
            comm.startswith("refine-"),
            oom,
            len(marked),
            os.getsid(0) == os.getpid(),
        ]

    assert in_child(work) == [signal.SIGKILL, 1, True, "1000\n", 1, True]


def test_a_child_whose_kernel_was_gone_before_does_nothing() -> None:
    assert in_child(lambda: len(become_harmless())) == 2
    assert in_child(lambda: len(become_harmless(parent_pid=os.getpid()))) is None


def test_signals_go_their_usual_ways() -> None:
    """What the kernel does when one comes is not the attempt's to do."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD, signal.SIGPIPE)
    usual = (signal.default_int_handler, *(signal.SIG_DFL,) * 3, signal.SIG_IGN)

    def prepare() -> None:
        for number in numbers:
            signal.signal(number, anything)
        _, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer)

    def work() -> list[bool]:
        become_harmless(prepare)
        told = [signal.getsignal(number) == handler for number, handler in zip(numbers, usual, strict=True)]
        return [*told, signal.set_wakeup_fd(-1) == -1]

    assert in_child(work) == [True] * 6


@only_linux
def test_standard_streams_are_pipes_of_the_attempts_own() -> None:
    def empty() -> list[str]:
        links = {number: f"/proc/self/fd/{number}" for number in descriptors() if int(number) > 2}
        return [number for number, link in links.items() if Path(link).resolve() == Path(os.devnull)]

    def work() -> list[object]:
        before = empty()
        _, readers = become_harmless()
        os.write(1, b"printed")
        os.write(2, b"an error")
        told: list[object] = [os.read(0, 1).decode()]
        told += [os.read(readers[name], 100).decode() for name in ("stdout", "stderr")]
        # Where it has nothing to read from is open once.
        return [*told, empty() == before]

    assert in_child(work) == ["", "printed", "an error", True]


def test_where_it_hangs_or_crashes_is_told() -> None:
    def work() -> list[object]:
        _, readers = become_harmless(faulthandler.disable)
        told = [faulthandler.is_enabled()]
        signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
        signal.alarm(5)
        os.kill(os.getpid(), child.DUMP_SIGNAL)
        ready = select.select([readers["dump"]], [], [], 3)[0]
        return [*told, bool(ready) and b"test_child_parts" in os.read(readers["dump"], 1 << 16)]

    assert in_child(work) == [True, True]


def test_a_debugger_and_a_loop_stay_in_the_kernel() -> None:
    """A breakpoint would wait for ever; a loop that seems to run lets none begin."""
    events: list[Any] = []
    tools = {0: "a debugger", 3: "a profiler"}

    def prepare() -> None:
        for trace in (sys.settrace, sys.setprofile, threading.settrace, threading.setprofile):
            trace(anything)
        sys.monitoring = SimpleNamespace(  # type: ignore[attr-defined]
            get_tool=tools.get, set_events=lambda tool, wanted: events.append([tool, wanted])
        )
        asyncio._set_running_loop(asyncio.new_event_loop())

    def work() -> list[object]:
        become_harmless(prepare)
        traces = (sys.gettrace(), sys.getprofile(), threading.gettrace(), threading.getprofile())
        return [*traces, events, asyncio._get_running_loop()]

    assert in_child(work) == [None] * 4 + [[[0, 0], [3, 0]], None]


# What is watched


@pytest.mark.parametrize("files", ["open", "overlay", "read-only"])
def test_writes_are_watched_where_they_are_denied(tmp_path: Path, files: str) -> None:
    mine, scratch, other = (tmp_path / name for name in ("mine", "scratch", "other"))

    def work() -> list[object]:
        sys.dont_write_bytecode = False
        setup: Any = SimpleNamespace(scratch=str(scratch))
        layers = overlay.Layers((str(mine),), ())
        watch = child._watch(setup, isolation.Applied({"network": True, "files": files}, layers))
        for path in (mine, scratch, other):
            path.mkdir()
        return [watch.found(), sys.dont_write_bytecode]

    denied = [] if files == "open" else [f"tried to write {other}"]
    assert in_child(work) == [denied, files != "open"]


#: Static look, whether it finds an error: whether it tells, whether it waits to be ended.
LOOKS = [
    (None, True, False, False),
    ("report", True, True, False),
    ("gate", True, True, True),
    ("gate", False, True, False),
]


@pytest.mark.parametrize(("static", "wrong", "tells", "waits"), LOOKS)
def test_what_a_look_at_the_source_does(
    monkeypatch: pytest.MonkeyPatch, static: str | None, wrong: bool, tells: bool, waits: bool
) -> None:
    done: list[str] = []
    found = [{"severity": "error" if wrong else "warning"}]
    monkeypatch.setattr(child.static, "find", lambda *_: found)
    events: Any = SimpleNamespace(send=lambda kind, findings: done.append(kind))
    commands: Any = SimpleNamespace(next=lambda: done.append("waits"))
    child._look({"static": static, "candidate": "1 / 0"}, None, events, commands)
    assert done == ["findings"] * tells + ["waits"] * waits


def test_a_rehearsal_leaves_nothing() -> None:
    def work() -> list[object]:
        before = {*vars(builtins)}
        of = means()
        of.loop = asyncio.new_event_loop()
        child._rehearse(of)
        return sorted({*vars(builtins)} - before)

    assert in_child(work) == []


# From the fork to the job

#: What a candidate must not find, nor do to the kernel: all of it is done before there is one.
FIRST = (
    *("child._become_harmless", "environment.lose_secrets", "mappings.make_private"),
    *("descriptors.detach", "child.forget_attempts", "child.forget_requests"),
)


def told_from_the_fork_on(ahead: bool) -> list[object]:
    done: list[object] = []
    job = {"hidden": {}, "names": [], "hiddenData": ["y_test"]}
    of = means([job])
    of.events.send = lambda kind, **fields: done.append([kind, *fields.values()])
    of.loop = asyncio.new_event_loop()

    async def run() -> None:
        done.append("run")

    fakes: dict[str, Any] = {name: lambda *_, name=name: done.append(name) for name in FIRST}
    fakes |= {
        "hidden_files.identities": lambda _: {},
        "isolation.apply": lambda *_: isolation.Applied({"files": "open"}, overlay.Layers((), ())),
        "hiding.hide": lambda *_: not ahead,
        "hidden_data.hide": lambda names, _: [f"{name} is seen" for name in names],
        "child.Events": lambda _: of.events,
        "child.Commands": lambda _: of.commands,
        "child._watch": anything,
        "child._prepare": lambda *_: of,
        "child._rehearse": lambda _: done.append("rehearsed"),
        "child._look": lambda *_: done.append("looked at"),
        "child._Attempt": lambda *_: SimpleNamespace(run=run),
    }
    for path, fake in fakes.items():
        module, name = path.split(".")
        setattr(child if module == "child" else getattr(child, module), name, fake)
    state = random.getstate()
    wanted = random.random()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
    ends = child.Ends(*[-1] * 5)
    child.main(child.Setup("token", None, PLAN, None, state, os.getppid(), (), ahead), ends, of.shell)
    mask = [int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, ())]
    return [done, random.random() == wanted, mask, gc.get_freeze_count() > 0]


@pytest.mark.parametrize("ahead", [True, False], ids=["spare", "at once"])
def test_what_a_child_does_before_its_candidate(ahead: bool) -> None:
    """Nobody waits for a rehearsal, so that one which has its job has none."""
    done, same_numbers, mask, frozen = in_child(lambda: told_from_the_fork_on(ahead))
    first = len(FIRST)
    assert done[:first] == [*FIRST]
    rehearsed = ["rehearsed"] * ahead
    told = [["ready", {"files": "open"}, [[], []]], ["hidden", ["y_test is seen"]], "looked at"]
    warnings = [child._NOT_ALL_HIDDEN] * ahead
    assert done[first:] == [*rehearsed, *told, ["begin", warnings], "run"]
    # As the kernel had it at the fork; and its objects are not collected here.
    assert (same_numbers, mask, frozen) == (True, [], True)


def test_the_kernels_loop_is_not_the_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left to it would wait for ever."""
    monkeypatch.setattr(child.shell_cut, "cut", lambda *_: (None, []))

    def work() -> bool:
        asyncio.set_event_loop(asyncio.new_event_loop())
        nothing: Any = None
        made = child._prepare(nothing, nothing, nothing, nothing, "open")
        return asyncio.get_event_loop() is made.loop

    assert in_child(work) is True


# An attempt


class Ended(Exception):
    pass


def means(commands: Any = (), own: bool = True, files: str = "open", **names: Any) -> Any:
    """What is there before the job; events that were sent are in ``told``."""
    told: list[tuple[str, dict[str, Any]]] = []
    events = SimpleNamespace(
        told=told, own_process=lambda: own, send=lambda kind, **fields: told.append((kind, fields))
    )
    waiting = iter(commands)

    def following() -> Any:
        for command in waiting:
            return command
        raise Ended

    space = {"__name__": "__main__", **names}
    shell = SimpleNamespace(
        user_ns=space, user_global_ns=space, compile=SimpleNamespace(flags=0), ast_transformers=[]
    )
    shell.events = SimpleNamespace(trigger=anything)
    shell.ast_node_interactivity = "last_expr"
    shell.input_transformers_post, shell.input_transformer_manager = [], SimpleNamespace(line_transforms=[1])
    finished: list[bool] = []
    stream = SimpleNamespace(bound=anything, finish=lambda: finished.append(True), finished=finished)
    return SimpleNamespace(
        shell=shell,
        events=events,
        commands=SimpleNamespace(next=following, bytes=anything),
        watch=SimpleNamespace(found=list),
        files=files,
        displays=None,
        streams=[stream],
        builtins=tampering.Builtins(),
        loop=None,
    )


def attempt(candidate: str, of: Any) -> Any:
    job = {"candidate": candidate, "limits": {"seconds": 5}, "contextValues": "none"}
    return child._Attempt(job, of)


@pytest.fixture
def bounds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Those that were asked for: they would hold for the tests as well."""
    asked: list[str] = []
    monkeypatch.setattr(child, "_stop_tracing", anything)
    monkeypatch.setattr(running.linecache, "cache", {})
    for name in ("bound_memory", "bound_files", "unbound_memory"):
        monkeypatch.setattr(limits, name, lambda *_, name=name: asked.append(name))
    return asked


def run(candidate: str, of: Any) -> list[tuple[str, dict[str, Any]]]:
    with pytest.raises(Ended):
        asyncio.run(attempt(candidate, of)._run())
    return of.events.told


@pytest.mark.parametrize("files", ["open", "overlay", "read-only"])
def test_files_are_bounded_where_they_are_thrown_away(bounds: list[str], files: str) -> None:
    """Where writes are allowed, they are the user's files, of any size."""
    attempt("", means(files=files))
    assert bounds == ["bound_memory"] + ["bound_files"] * (files != "open")


FAILURES = {
    "z = 5": (None, None),
    "raise ValueError('no')": ("ValueError", None),
    "raise MemoryError": ("MemoryError", "memory"),
}


@pytest.mark.parametrize("candidate", FAILURES)
def test_how_a_candidate_ended(bounds: list[str], candidate: str) -> None:
    ((kind, told),) = run(candidate, means())
    name, exceeded = FAILURES[candidate]
    assert (kind, told["exceeded"]) == ("candidate", exceeded)
    assert told["error"] is None if name is None else told["error"]["name"] == name
    # Room to tell of it, and only then.
    assert ("unbound_memory" in bounds) == (exceeded == "memory")


def test_what_a_candidate_traces_ends_with_it(monkeypatch: pytest.MonkeyPatch, bounds: list[str]) -> None:
    """It could change what the checks see."""
    stopped: list[bool] = []
    monkeypatch.setattr(child, "_stop_tracing", lambda: stopped.append(True))
    run("z = 5", means())
    assert stopped == [True]
    measured(monkeypatch)
    assert stopped == [True] * 2


CELL = {"cellId": "c", "role": "assertion", "source": "assert z == 5"}


def command(**more: Any) -> dict[str, Any]:
    return {"nonce": "n", "chains": [], "values": [], "cells": [CELL], "relied": [], **more}


def checked(of: Any) -> list[tuple[str, dict[str, Any]]]:
    asyncio.run(attempt("", of)._checks(of.commands.next()))
    return of.events.told


def test_checks_are_told_and_their_output_with_them(bounds: list[str]) -> None:
    of = means([command()], z=5)
    told = checked(of)
    assert [kind for kind, _ in told] == ["assertion", "checked"]
    assert told[0][1]["result"]["outcome"] == "passed" and told[1][1]["tampering"] == []
    # What they printed, whole.
    assert of.streams[0].finished == [True]


def test_checks_that_cannot_fail_are_told(monkeypatch: pytest.MonkeyPatch, bounds: list[str]) -> None:
    class Evaluator(child.Evaluator):
        async def outcome(self, statement: Any, *rest: Any) -> Any:
            told, error = await super().outcome(statement, *rest)
            return told | {"outcome": "passed" if statement.line == 2 else told["outcome"]}, error

    monkeypatch.setattr(child, "Evaluator", Evaluator)
    (_, told) = checked(means([command(cells=[])]))[-1]
    (found,) = told["tampering"]
    assert found.startswith("a check that must fail did not: assert ") and " in [" in found


SCORER = {"text": "def score(): return 3", "code": None}


def scoring(**more: Any) -> dict[str, Any]:
    fields = {"looker": "looker", "hidden": [], "data": False, "cell": SCORER, "canary": SCORER}
    return {**fields, "packages": [], "libraries": [], **more}


class Nothing:
    """In place of the watch over frames: it would stay on for the tests that follow."""

    def __enter__(self) -> Nothing:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    found = staticmethod(list)


def measured(monkeypatch: pytest.MonkeyPatch, of: Any = None, **more: Any) -> tuple[Any, list[Any]]:
    """What is told of a score, and what the scorer was given."""
    given: list[Any] = []

    async def measure(cell: Any, hidden: Any, missing: Any, *_: Any) -> dict[str, Any]:
        given.append((hidden, missing))
        return {"value": 3.0}

    monkeypatch.setattr(child.scorer, "measure", measure)
    monkeypatch.setattr(child.eavesdropping, "Eavesdropping", Nothing)
    told = asyncio.run(attempt("", of or means())._score(scoring(**more)))
    return told, given


def test_a_scorer_has_room_and_is_told_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, bounds: list[str]
) -> None:
    told, given = measured(monkeypatch)
    assert told["warnings"] == [] and given[0] == ({}, {})
    # The candidate's bound is not the scorer's.
    assert "unbound_memory" in bounds
    told, given = measured(monkeypatch, hidden=["y_test"])
    reason = "the system refused the process that copies it"
    assert (given, told["warnings"]) == (
        [({}, {"y_test": reason}), ({}, {})],
        [f"the scorer does not see y_test: {reason}"],
    )


WORK: dict[str, Any] = {
    "a candidate": lambda of: asyncio.run(attempt("z = 5", of)._run()),
    "a check": lambda of: asyncio.run(attempt("", of)._checks(command())),
    "a score": lambda of: measured(pytest.MonkeyPatch(), of),
}


@pytest.mark.parametrize("own", [True, False], ids=["itself", "its fork"])
@pytest.mark.parametrize("name", WORK)
def test_a_process_that_code_has_forked_is_not_the_attempt(bounds: list[str], name: str, own: bool) -> None:
    """It comes back from that code too, and ends there, with nothing told and no command read."""

    def work() -> object:
        of = means([], own=own)
        try:
            WORK[name](of)
        except Ended:
            pass
        return "goes on"

    assert in_child(work) == ("goes on" if own else None)
