"""Parts of a kernel's harness by themselves: what a real kernel does not do, or does not show."""

from __future__ import annotations

import ast
import asyncio
import builtins
import errno
import fcntl
import fractions
import inspect
import io
import json
import os
import pickle
import resource
import select
import threading
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from parts import LINUX, descriptors, in_child, refuse, wait_until

from jupyterlab_refine.kernel import (
    hidden_files,
    impostors,
    inspection,
    isolation,
    landlock,
    limits,
    linters,
    linux,
    outcome,
    overlay,
    pipes,
    pools,
    previews,
    processes,
    redact,
    reliance,
    rewriting,
    running,
    scorer,
    scoring,
    share_names,
    share_pack,
    share_values,
    shell_cut,
    spare,
    static,
    streams,
    supervise,
    tampering,
    tracebacks,
    unbound,
    vault,
    watch,
)
from jupyterlab_refine.kernel.tracebacks import CANDIDATE

BOUNDS = limits.read({"seconds": 10})


# Which means there are


Probed = Callable[..., None]


@pytest.fixture
def probed(monkeypatch: pytest.MonkeyPatch) -> Probed:
    """Let the probe have found this: None is a means that works, a text why it does not."""

    def found(overlay: str | None, restrict: str | None, abi: int, table: bool) -> None:
        for name, value in (("overlay", overlay), ("restrict", restrict), ("abi", abi)):
            monkeypatch.setattr(isolation._Probe, name, value)
        monkeypatch.setattr(isolation.seccomp, "available", lambda: table)

    return found


SIGNALS = "signals to the kernel cannot be denied"
NO_OVERLAY = "writes cannot be kept in an overlay: no"
NO_LANDLOCK = "writes and network cannot be denied: no"
PLANS: dict[str, tuple[tuple[Any, ...], str, tuple[str, ...]]] = {
    "overlay": ((None, None, 6, True), "overlay", ()),
    "signals by Landlock": ((None, None, 6, False), "overlay", ()),
    "signals by seccomp": ((None, None, 0, True), "overlay", ()),
    "signals by nothing": ((None, None, 0, False), "overlay", (SIGNALS,)),
    "landlock": (("no", None, 6, True), "landlock", (NO_OVERLAY,)),
    "nothing": (("no", "no", 0, False), "none", (NO_OVERLAY, NO_LANDLOCK, isolation._CAN_READ)),
}


@pytest.mark.parametrize("name", PLANS)
def test_the_best_means_that_work_and_what_is_missing(probed: Probed, name: str) -> None:
    found, means, reasons = PLANS[name]
    probed(*found)
    plan = isolation.plan(False, False)
    assert (plan.means, plan.reasons) == (means, reasons)


def test_a_means_that_is_switched_off(probed: Probed, monkeypatch: pytest.MonkeyPatch) -> None:
    probed(None, None, 6, True)
    monkeypatch.setattr(isolation, "avoid", {"overlay"})
    plan = isolation.plan(False, False)
    assert (plan.means, plan.reasons) == (
        "landlock",
        ("writes cannot be kept in an overlay: switched off",),
    )


def test_landlock_is_not_tried_without_all_it_needs(probed: Probed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation.posix, "fork", refuse)
    probed(None, None, 0, True)
    assert isolation._try("landlock") == "this Linux has no Landlock"
    probed(None, None, 6, False)
    assert isolation._try("landlock") == "no seccomp rules for this machine"
    probed(None, None, 0, False)
    with pytest.raises(OSError):
        isolation._try("overlay")


def test_folders_within_a_folder_are_covered_by_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert str(inner) not in overlay.writable_folders()


@pytest.mark.skipif(not LINUX, reason="only Linux has an overlay")
@pytest.mark.parametrize("told", [True, False], ids=["told by itself", "told by a table"])
def test_a_folder_that_is_mounted_in_a_folder_is_not_covered_by_it(tmp_path: Path, told: bool) -> None:
    """Though it is of the same file system."""
    inner = tmp_path / "a"
    inner.mkdir()

    def work() -> object:
        os.chdir(inner)
        os.environ["HOME"] = str(tmp_path)
        try:
            linux.unshare(linux.CLONE_NEWNS)
            linux.make_mounts_private()
            linux.mount(str(inner), str(inner), None, linux.MS_BIND)
        except OSError as error:
            return str(error)
        os.chdir(inner)
        if not told:
            linux.is_mount = lambda _: None
        return [linux.is_mount(str(inner)), str(inner) in overlay.writable_folders()]

    found = in_child(work)
    if isinstance(found, str):
        pytest.skip(found)
    assert found == [True if told else None, True]


@pytest.mark.skipif(not LINUX, reason="only Linux tells")
def test_whether_something_is_mounted_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/proc")
    places = ("/proc", "/", str(tmp_path), str(tmp_path / "link"), str(tmp_path / "gone"))
    assert [linux.is_mount(place) for place in places] == [True, True, False, False, None]
    # An older Linux fills in no attributes; an older library of C has no such function.
    for libc in (SimpleNamespace(statx=lambda *_: 0), SimpleNamespace()):
        monkeypatch.setattr(linux, "libc", lambda libc=libc: libc)
        assert linux.is_mount("/proc") is None


def test_what_sqlite_adds_lies_beside_the_history_itself(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    (real / "history.sqlite").touch()
    link.symlink_to(real / "history.sqlite")
    shell = SimpleNamespace(history_manager=SimpleNamespace(hist_file=str(link)))
    hidden = hidden_files.paths(shell, None)
    assert {str(real / f"history.sqlite{more}") for more in ("", "-journal", "-wal", "-shm")} <= set(hidden)


def test_rules_of_landlock_leave_no_descriptor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = descriptors()
    with pytest.raises(OSError):
        landlock._allow(-1, str(tmp_path), 0)
    answers: Iterator[Any] = iter([lambda: os.open(os.devnull, os.O_RDONLY), refuse])
    monkeypatch.setattr(landlock.linux, "syscall", lambda *_: next(answers)())
    monkeypatch.setattr(landlock.linux, "no_new_privileges", lambda: None)
    with pytest.raises(OSError):
        landlock.restrict(1, [], False)
    assert descriptors() == before


def test_room_for_an_error_where_the_system_has_no_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "resource", None)
    limits.unbound_memory()
    limits.bound_files()


@pytest.mark.skipif(not LINUX, reason="the size of a process is told under /proc")
def test_limits_are_set_and_memory_is_given_back() -> None:
    def work() -> list[bool]:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        limits.bound_memory(1 << 20)
        limits.bound_files()
        set_limits = [resource.getrlimit(what)[0] for what in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE)]
        bounded = set_limits[0] != hard and set_limits[1] == limits.FILE_BYTES
        limits.unbound_memory()
        return [bounded, resource.getrlimit(resource.RLIMIT_AS) == (hard, hard)]

    assert in_child(work) == [True, True]


BEYOND = {
    "a file": (OSError(errno.EFBIG, "large"), {"overlay": "file", "denied": "file", "open": None}),
    "all files": (OSError(errno.ENOSPC, "full"), {"overlay": "files", "denied": None, "open": None}),
    "memory": (MemoryError(), {"overlay": "memory", "denied": "memory", "open": "memory"}),
    "nothing": (OSError(errno.EACCES, "denied"), {"overlay": None, "denied": None, "open": None}),
}


@pytest.mark.parametrize("name", BEYOND)
def test_what_a_candidate_had_too_much_of(name: str) -> None:
    error, told = BEYOND[name]
    assert {files: limits.exceeded(error, files) for files in told} == told


def test_the_means_are_tried_once(probed: Probed, monkeypatch: pytest.MonkeyPatch) -> None:
    tried_out: list[str] = []
    probed(None, None, 6, True)
    monkeypatch.setattr(isolation, "_try", tried_out.append)
    monkeypatch.setattr(isolation.pools, "hostile", lambda: [])
    monkeypatch.setattr(isolation._Probe, "done", False)
    assert isolation.probe() == isolation.probe()
    assert tried_out == (["overlay"] if LINUX else [])


def test_who_has_ended_is_reaped_without_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    def child() -> int:
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        return pid

    ended = child()
    processes._await_end(ended)
    with pytest.raises(ChildProcessError):
        os.waitpid(ended, 0)
    ended = child()
    os.waitid(os.P_PID, ended, os.WEXITED | os.WNOWAIT)
    monkeypatch.setattr(processes.time, "sleep", refuse)
    processes.reap([ended])
    with pytest.raises(ChildProcessError):
        os.waitpid(ended, 0)


# Hidden data waits in a process of its own


def test_the_vault_tells_nothing_before_it_is_asked_and_its_end_once() -> None:
    asks_r, asks_w = os.pipe()
    data_r, data_w = os.pipe()
    os.set_blocking(data_r, False)
    kept = vault.Vault(0, asks_w, data_r)
    os.write(data_w, b"told")
    assert kept.chunk() == b""
    kept.ask()
    assert kept.chunk() == b"\0\0\0\4told"
    assert kept.chunk() == b""
    os.close(data_w)
    assert (kept.chunk(), kept.chunk()) == (bytes(4), b"")
    for descriptor in (asks_r, asks_w, data_r):
        os.close(descriptor)


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="pipes have one size")
def test_the_vault_is_read_in_pieces() -> None:
    data_r, data_w = os.pipe()
    fcntl.fcntl(data_w, fcntl.F_SETPIPE_SZ, 1 << 20)  # type: ignore[attr-defined]
    os.write(data_w, bytes(1 << 20))
    os.set_blocking(data_r, False)
    kept = vault.Vault(0, os.open(os.devnull, os.O_WRONLY), data_r)
    kept.ask()
    assert len(kept.chunk()) == 4 + (1 << 16)
    for descriptor in (data_r, data_w, kept._asks):
        os.close(descriptor)


@pytest.mark.skipif(not LINUX, reason="descriptors are seen under /proc")
def test_the_vault_holds_its_two_pipes_and_no_stream() -> None:
    reader, writer = os.pipe()
    data = os.dup(writer)

    def work() -> None:
        vault._close_others(reader, data)
        held = {
            n: os.readlink(f"/proc/self/fd/{n}") for n in range(256) if os.path.exists(f"/proc/self/fd/{n}")
        }
        os.write(data, json.dumps(held).encode())

    in_child(work)
    held = json.loads(os.read(reader, 1 << 16))
    assert [held.pop(number) for number in "012"] == [os.devnull] * 3
    assert set(held) == {str(reader), str(data)}
    for descriptor in (reader, writer, data):
        os.close(descriptor)


@pytest.mark.skipif(not LINUX, reason="only Linux tells a process of its parent's end")
def test_the_vault_ends_with_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though its pipes stay open in another process: this one."""
    pipes_of_it = [os.pipe(), os.pipe()]
    left = iter(pipes_of_it)

    def work() -> int | None:
        monkeypatch.setattr(vault.os, "pipe", lambda: next(left))
        kept = vault.make(["x"], {"x": 1})
        assert kept is not None
        wait_until(lambda: len(os.listdir(f"/proc/{kept._pid}/fd")) == 5)
        return kept._pid

    pid = in_child(work)
    assert wait_until(lambda: not processes._is_alive(pid))
    for descriptor in (*pipes_of_it[0], *pipes_of_it[1]):
        os.close(descriptor)


def test_a_vault_is_heard_from_when_it_was_asked_and_leaves_no_descriptor() -> None:
    before = descriptors()
    kept = vault.make(["x"], {"x": 1})
    assert kept is not None
    assert not os.get_blocking(kept._data) and not os.get_blocking(kept._asks)
    poller = select.poll()
    kept.register(poller, True)
    assert poller.poll(0) == []
    with pytest.raises(KeyError):
        poller.unregister(kept._data)
    kept.ask()
    kept.register(poller, True)
    assert poller.poll(10000)
    kept.register(poller, False)
    assert poller.poll(0) == []
    kept.close()
    assert descriptors() == before


class Unpicklable:
    def __reduce__(self) -> Any:
        raise ValueError("no copy" + 5000 * "!")


def test_why_the_vault_cannot_copy_a_value_is_cut() -> None:
    kept = vault.make(["odd", "gone", "x"], {"odd": Unpicklable(), "x": 1})
    assert kept is not None
    kept.ask()
    data = b""
    while not data.endswith(bytes(4)):
        select.select([kept._data], [], [], 10)
        data += kept.chunk()
    kept.close()
    values, missing = scorer.receive(io.BytesIO(data).read, ["odd", "gone", "x"])
    assert (values, missing.pop("gone")) == ({"x": 1}, "the kernel has no such name")
    assert missing["odd"].startswith("ValueError: no copy!!!") and len(missing["odd"]) == 300


def test_hidden_data_goes_on_only_when_the_child_has_taken_the_last() -> None:
    told: list[bytes] = []
    wanted: list[bool] = []
    kept: Any = SimpleNamespace(chunk=lambda: b"more", register=lambda _, idle: wanted.append(idle))
    scored = scoring.Scoring({}, kept, {}, 0)
    for idle in (False, True):
        scored.relay(
            SimpleNamespace(is_idle=idle, send_bytes=told.append, write=lambda: told.append(b"written")),  # type: ignore[arg-type]
            None,
        )
    assert (told, wanted) == ([b"more", b"written"], [False, True])


def test_a_score_that_is_known_was_told_wrong() -> None:
    scored = scoring.Scoring({}, None, {}, 0)
    scored._canary = {"value": 1.5}
    assert scored.tampering({"libraries": {}, "canary": {"value": 1.5}}) == []
    assert scored.tampering({"libraries": {}, "canary": {"value": 0}}) == [
        "a score that is known was told wrong"
    ]


def test_packages_of_a_scorer() -> None:
    sources = ["from . import helper\nfrom numpy.linalg import norm\nimport pandas.api, os.path as p"]
    assert scoring._packages(sources, [], {}) == {"numpy", "pandas", "os"}


# What a candidate can write into the harness's pipe


@pytest.fixture
def supervisor() -> Iterator[supervise.Supervisor]:
    """Of a child that is this process, and of which nothing is heard."""
    reader, writer = os.pipe()
    job = {"id": "a", "candidate": "z = 6", "assertions": [], "holdouts": [], "static": "gate"}
    ends = [os.dup(reader) for _ in range(4)]
    forked = SimpleNamespace(pid=os.getpid(), commands=writer, events=ends[0], stdout=ends[1], stderr=ends[2])
    forked.dump = ends[3]
    plan = isolation.Plan("none", 0, False, False, os.getpid(), os.getcwd(), (), ())
    kernel = SimpleNamespace(control_thread=SimpleNamespace(io_loop=SimpleNamespace(add_callback=print)))
    one = supervise.Supervisor(
        job,
        BOUNDS,
        forked,  # type: ignore[arg-type]
        plan,
        None,
        {},
        previews.Previews(kernel, "a", {}),
        scoring.Scoring(job, None, {}, 0),
    )
    yield one
    for descriptor in (reader, writer, *ends, one._wake_r, one._wake_w, *one._exit):
        os.close(descriptor)


EARLY: dict[str, dict[str, Any]] = {
    "ready": {"isolation": {"files": "overlay"}, "layers": [[], []]},
    "hidden": {"warnings": ["forged"]},
    "findings": {"findings": [{"code": "x", "line": 1, "message": "forged", "severity": "error"}]},
    "begin": {"warnings": ["forged"]},
    "failed": {"traceback": "forged"},
}


@pytest.mark.parametrize("kind", EARLY)
def test_what_only_the_harness_tells_is_not_believed_once_the_candidate_runs(
    supervisor: supervise.Supervisor, kind: str
) -> None:
    supervisor._handle("begin", {"warnings": []})
    supervisor._handle(kind, EARLY[kind])
    told = supervisor._outcome.execution(redact.Masker([]))
    assert told.pop("tampering") == ["a result was told before the checks were run"]
    assert "forged" not in json.dumps(told) and "stop" not in told
    assert told["isolation"]["files"] == "open"
    assert supervisor._stage == "candidate"


def test_a_candidate_ends_once(supervisor: supervise.Supervisor) -> None:
    ended: dict[str, Any] = {"error": None, "exceeded": None}
    supervisor._handle("candidate", ended)
    assert supervisor._stage == "starting"
    supervisor._handle("begin", {"warnings": []})
    supervisor._stage = "checks"
    supervisor._handle("candidate", {"error": {"name": "Forged"}, "exceeded": None})
    assert supervisor._outcome.error is None
    assert len(supervisor._outcome.tampering) == 2


def test_an_execution_has_only_what_there_is_to_tell() -> None:
    told = outcome.Outcome("a", BOUNDS, {}).execution(redact.Masker([]))
    assert not {"findings", "scored", "stop", "stopMessage", "stack", "error"} & set(told)


def test_what_a_pipe_holds_is_used() -> None:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.write(writer, b"told")
    seen: list[bytes] = []
    assert pipes.drain(reader, seen.append)
    assert seen == [b"told"]
    os.close(writer)
    assert not pipes.drain(reader, seen.append)
    os.close(reader)


def test_functions_of_the_notebook_are_no_machinery() -> None:
    space: dict[str, Any] = {"module": types.ModuleType("module")}
    exec(compile("def f(): pass\nclass A:\n    def g(self): pass", CANDIDATE, "exec"), space)
    space["module"].f = space["f"]  # type: ignore[attr-defined]
    assert tampering.made_by_candidate(["f", "A.g", "module.f"], space) == ["module.f"]


# Findings


OURS = (
    *("F403", "F404", "F405", "F406", "F701", "F702", "F704", "F706", "F707", "F722", "F821", "F822"),
    *("E501", "FAST001"),
)


def test_findings_that_are_ours_or_say_nothing_of_a_cell() -> None:
    place = {"row": 3, "column": 1}
    items = [{"code": code, "location": place, "message": "m"} for code in (*OURS, "F841", None)]
    assert [found["code"] for found in linters._of_ruff(json.dumps(items))] == ["F841"]


def test_an_error_without_a_text_is_told_by_its_name() -> None:
    assert static._syntax("x", MemoryError())["message"] == "MemoryError: MemoryError"


#: source: the names that nothing binds, where ``known`` alone is there.
UNBOUND: dict[str, list[str]] = {
    "class A:\n    print(__module__, __qualname__)\n    def f(self): return __class__": [],
    "display(get_ipython(), _exit_code, __annotations__)": [],
    "known and missing": ["missing"],
    "with known as f: print(f, missing)": ["missing"],
    "with suppress(NameError): missing": [],
    "try: missing\nexcept BaseException: pass": [],
    "try: missing\nexcept known.NameError: pass": [],
    "try: missing\nexcept ValueError: pass": ["ValueError", "missing"],
    "if __name__ == 'x': missing": [],
    "if known.PY2: missing": [],
    "if dir(known): missing": [],
    "if known: missing": ["missing"],
    "setattr(known, 'a', 1); missing": ["missing", "setattr"],
    "setattr(known.__dict__, 'a', 1); missing": [],
    "len(known.modules); missing": ["len", "missing"],
    "[(y := x) for x in known]; y": [],
    "from known import x as y; y, x": ["x"],
    "def f(*, a, b=known): return a, b": [],
    "@missing\ndef f(): pass": ["missing"],
    "get_ipython().push({}); missing": [],
    "get_ipython().safe_execfile('a'); missing": [],
    "get_ipython().run_cell('a'); missing": [],
    "get_ipython().run_cell_magic('a', '', ''); missing": [],
    "known.f_globals; missing": [],
    "get_ipython().run_line_magic('time', 'a'); missing": [],
    "class A:\n    a = known\n    b = a\n    def f(self): return a": ["a"],
    "@missing\nclass A: pass": ["missing"],
    "[a for b in known for a in missing]": ["missing"],
    "{a: missing for a in known}": ["missing"],
    "[(y := missing) for _ in known]": ["missing"],
    "def f():\n    (y := known)\ny": ["y"],
    "x: 'int' = missing": ["missing"],
    "try: known\nexcept known.Error: missing": ["missing"],
    "with known: missing": ["missing"],
    "try: missing\nexcept: pass": [],
    "known.push({}); missing": ["missing"],
    "match known:\n    case [a, *b]: a, b\n    case {'c': _, **d}: d, missing": ["missing"],
    "if False: missing": [],
    "push(1); missing": ["missing", "push"],
    "if hasattr(known, 'a'): missing": ["hasattr"],
    "if known.PY3: missing": [],
    "if known.TYPE_CHECKING: missing": [],
    "if known.version_info: missing": [],
    "if known.platform: missing": [],
    "try: missing\nexcept known.Exception: pass": [],
    "known.user_ns; missing": [],
    "known.user_global_ns; missing": [],
    "__builtins__['x'] = 1; missing": [],
    "known.modules['x'] = 1; missing": [],
    "get_ipython().run_code(known); missing": [],
    "get_ipython().magic('a'); missing": [],
    "locals(); missing": [],
    "lambda a=missing: a": ["missing"],
    "class A: pass\nA": [],
    "class A(metaclass=missing): pass": ["missing"],
    "[a for a in missing]": ["missing"],
    "[a for a in known if missing]": ["missing"],
    "try: known\nexcept known.Error as e: e": [],
    "assert missing": ["missing"],
    "assert known, missing": ["missing"],
    "missing and known": ["missing"],
    "match known:\n    case [a] as b: a, b": [],
    "with known.open(): missing": ["missing"],
    "if missing: pass": ["missing"],
    "known.exec(1); missing": ["missing"],
    "vars(); missing": [],
    "vars(known); missing": ["missing", "vars"],
    "setattr(); missing": ["missing", "setattr"],
    "known.var(); missing": ["missing"],
    "known.var(known); missing": ["missing"],
    "known().push(1); missing": ["missing"],
    "known.user_ns = 1; missing": ["missing"],
    "known.__dict__.a; missing": ["missing"],
    "known.modules[0]; missing": ["missing"],
    "get_ipython().run_line_magic(known, 'a'); missing": [],
}


@pytest.mark.parametrize("source", UNBOUND)
def test_names_that_nothing_binds(source: str) -> None:
    found = unbound.names(
        ast.parse(source), {"known", "dir", "suppress", "NameError", "BaseException", "print", "__name__"}
    )
    assert sorted(use.node.id for use in found) == UNBOUND[source]


@pytest.mark.parametrize("first", ["known and missing", "if known: missing", "def f(): known and missing"])
def test_a_name_is_told_where_it_is_read_for_certain(first: str) -> None:
    (use,) = unbound.names(ast.parse(f"{first}\nmissing\nmissing"), {"known"})
    assert (use.certain, use.node.lineno) == (True, 2)


def test_what_is_left_without_a_name_binds_none() -> None:
    tree = ast.parse("match x:\n    case [a, *_]: pass\n    case {'b': _}: pass\n    case _: c = 1")
    assert unbound.bound(tree) == {"a", "c"}
    assert unbound.bound(ast.parse("try: pass\nexcept known: d = 1")) == {"d"}


def test_many_names_that_nothing_binds_are_not_all_told() -> None:
    assert len(unbound.names(ast.parse("\n".join(f"missing{n}" for n in range(50))), ())) == 20


def test_another_future_changes_no_annotation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unbound, "sys", SimpleNamespace(version_info=(3, 13)))
    for future, found in (("division", ["missing"]), ("annotations", [])):
        tree = ast.parse(f"from __future__ import {future}\nx: missing = 1")
        assert [use.node.id for use in unbound.names(tree, ())] == found


@pytest.mark.parametrize(("version", "names"), [((3, 13), ["A", "B", "C"]), ((3, 14), [])])
def test_annotations_are_evaluated_by_older_pythons(
    monkeypatch: pytest.MonkeyPatch, version: tuple[int, int], names: list[str]
) -> None:
    monkeypatch.setattr(unbound, "sys", SimpleNamespace(version_info=version))
    found = unbound.names(ast.parse("x: A = 1\ndef f(a: B) -> C:\n    b: D = a"), ())
    assert [use.node.id for use in found] == names


PLAIN = "matplotlib config autoreload cd pwd ls pip conda mamba uv timeit who".split()


@pytest.mark.parametrize("magic", PLAIN)
def test_magics_that_define_nothing(magic: str) -> None:
    tree = ast.parse(f"get_ipython().run_line_magic({magic!r}, 'a'); missing")
    assert [use.node.id for use in unbound.names(tree, ())] == ["missing"]


def test_a_long_name_is_cut() -> None:
    node = ast.Name("x" * 5000, ast.Load(), lineno=1, col_offset=0)
    assert len(static._undefined_name(node, True, [])["message"]) == 300


# The supervisor


def test_a_defect_of_the_harness_is_told_with_its_place(supervisor: supervise.Supervisor) -> None:
    try:
        raise ValueError("broken")
    except ValueError as error:
        told = supervisor.failed(error)
    assert (told["stop"], told["stopMessage"]) == ("harness", "the harness failed: ValueError: broken")
    assert "test_parts.py" in told["stack"]


def test_what_an_attempt_uses_is_bounded(
    supervisor: supervise.Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervise.limits, "private_dirty", lambda pid: 5 << 20)
    monkeypatch.setattr(supervise.limits, "machine_is_full", lambda: False)
    monkeypatch.setattr(supervise.processes, "descendants", lambda pid: [1, 2])
    monkeypatch.setattr(supervise.processes, "cpu_seconds", lambda pid: 2.0)

    def stop(**bounds: Any) -> str | None:
        supervisor._bounds = BOUNDS._replace(**bounds)
        supervisor._outcome.stop = None
        supervisor._check_use()
        return supervisor._outcome.stop

    assert [stop(), stop(cpu_seconds=6.0), stop(memory_bytes=5 << 20)] == [None] * 3
    assert [stop(cpu_seconds=5.0), stop(memory_bytes=4 << 20)] == ["cpu", "memory"]
    monkeypatch.setattr(supervise.limits, "PROCESSES", 1)
    assert stop() == "processes"
    monkeypatch.setattr(supervise.limits, "PROCESSES", 2)
    monkeypatch.setattr(supervise.limits, "machine_is_full", lambda: True)
    assert stop() == "memory"


# What an attempt tries


def tried(event: str, *arguments: Any) -> list[str]:
    one = watch.Watch(True, ["/work"])
    one._on_event(event, arguments)
    return one.found()


def test_what_is_tried_is_told() -> None:
    assert tried("socket.connect", None, ("example.org",)) == ["tried to reach example.org"]
    assert tried("socket.connect", None, ("example.org", 80)) == ["tried to reach example.org:80"]
    assert tried("os.rename", "/elsewhere", "/work/a", -1, -1) == ["tried to write /elsewhere"]
    assert tried("open", "/elsewhere", "a", None) == ["tried to write /elsewhere"]


def test_what_is_read_or_stays_in_its_folder_is_not_told() -> None:
    assert tried("open", "/elsewhere", "r", os.O_RDONLY) == []
    assert tried("open", "/work/file", "w", os.O_WRONLY) == []
    assert tried("os.remove", "/work/file", -1) == []


def test_a_server_of_the_candidates_own_is_no_host() -> None:
    one = watch.Watch(True, None)
    one._on_event("socket.connect", (None, ("127.0.0.1", 80)))
    assert one.found() == ["tried to reach 127.0.0.1:80"]
    one._on_event("socket.bind", (None, ("127.0.0.1", 0)))
    one._on_event("socket.connect", (None, ("127.0.0.1", 81)))
    assert one.found() == ["tried to reach 127.0.0.1:80"]


def test_a_host_and_its_address_are_told_once() -> None:
    one = watch.Watch(True, [])
    one._on_event("socket.getaddrinfo", ("example.org", 80, 0, 0, 0))
    one._on_event("socket.connect", (None, ("192.0.2.1", 80)))
    one._on_event("socket.connect", (None, ("192.0.2.1", 443)))
    assert one.found() == ["tried to reach example.org:80", "tried to reach 192.0.2.1:443"]


# Code runs as a cell


class Displayed:
    def __init__(self) -> None:
        self.shown: list[Any] = []

    def show(self, data: dict[str, Any]) -> None:
        self.shown.append(data)


def run(source: str, **events: Callable[[], None]) -> list[Any]:
    """What a candidate displays. ``events``: what the user has registered."""
    namespace: dict[str, Any] = {}
    shell: Any = SimpleNamespace(
        user_ns=namespace,
        user_global_ns=namespace,
        compile=SimpleNamespace(flags=0),
        ast_transformers=[],
        ast_node_interactivity="last_expr",
        input_transformers_post=[],
        input_transformer_manager=SimpleNamespace(line_transforms=[None]),
        events=SimpleNamespace(trigger=lambda name: events.get(name, lambda: None)()),
        display_formatter=SimpleNamespace(format=lambda value: ({"text/plain": repr(value)}, {})),
    )
    displays = Displayed()
    asyncio.run(running.Runner(shell, displays).candidate(source))  # type: ignore[arg-type]
    return displays.shown


def test_the_last_value_is_displayed_unless_there_is_none() -> None:
    assert run("x = 6\nx") == [{"text/plain": "6"}]
    assert run("x = None\nx") == run("6;") == []


def test_a_hook_of_the_users_that_fails_before_is_no_fault_of_the_candidates() -> None:
    def fails() -> None:
        shell_cut.shown_errors.append(ValueError("of the hook"))

    assert run("6", pre_execute=fails) == [{"text/plain": "6"}]


def test_a_coroutine_that_an_assert_tests_is_closed() -> None:
    async def work() -> None: ...

    tested = work()
    with pytest.raises(rewriting.NotAwaited):
        rewriting.Recorder().test(None, tested)
    assert inspect.getcoroutinestate(tested) == inspect.CORO_CLOSED


def test_output_is_sent_at_once_when_there_is_some() -> None:
    sent: list[tuple[str, str]] = []
    events: Any = SimpleNamespace(
        own_process=lambda: True, send=lambda kind, name="", text="", **_: sent.append((kind, text))
    )
    stream = streams.TextStream("stdout", 1, events)
    stream.bound(1000, 10000)
    stream.flush()
    assert sent == []
    stream.write("told")
    assert sent == [("stream", "told")]
    # Much waits for no time to pass.
    stream._may_send, stream._waits = lambda: False, True  # type: ignore[method-assign]
    stream.write("a")
    assert len(sent) == 1
    stream.bound(1 << 20, 1 << 24)
    stream.write("b" * streams._FLUSH_SIZE)
    assert len(sent) == 2


# A spare waits


@pytest.mark.parametrize(
    "name", ["MainThread", "IOPub", "Heartbeat", "Control", "Shell channel", "refine-attempt"]
)
def test_threads_of_the_kernels_change_nothing(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    threads = [SimpleNamespace(name=name)]
    monkeypatch.setattr(spare.threading, "enumerate", lambda: threads)
    assert not spare._user_code_runs(SimpleNamespace(kernel=None))
    threads.append(SimpleNamespace(name="of the user's"))
    assert spare._user_code_runs(SimpleNamespace(kernel=None))


KNOWN_MODULES = ("ipykernel", "IPython", "zmq", "debugpy", "pydevd", "_pydevd_bundle", "tornado")


@pytest.mark.parametrize("module", KNOWN_MODULES)
def test_threads_of_the_kernels_libraries_change_nothing(
    monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    made = type("Thread", (SimpleNamespace,), {"__module__": f"{module}.part"})(name="Thread-5")
    runs = SimpleNamespace(name="Thread-6", _target=SimpleNamespace(__module__=module))
    monkeypatch.setattr(spare.threading, "enumerate", lambda: [made, runs])
    assert not spare._user_code_runs(SimpleNamespace(kernel=None))


def test_a_spare_is_fresh_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spare.fork, "spawn", refuse)
    monkeypatch.setattr(spare.fork, "check_descriptors", refuse)
    monkeypatch.setattr(spare.fork, "end", lambda child: None)
    monkeypatch.setattr(spare, "_user_code_runs", lambda shell: False)
    plan, child = isolation.plan(True, True), SimpleNamespace()
    for age, fresh in ((0, True), (61, False)):
        waiting: Any = spare.Spare(child, plan, None, time.monotonic() - age)  # type: ignore[arg-type]
        monkeypatch.setattr(spare, "_spare", waiting)
        if fresh:
            assert spare.prepare(plan, None)
        else:
            with pytest.raises(OSError):
                spare.prepare(plan, None)


def test_a_spare_that_is_discarded_leaves_no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder, ended = tmp_path / "scratch", []
    folder.mkdir()
    child: Any = SimpleNamespace()
    monkeypatch.setattr(spare.fork, "end", ended.append)
    monkeypatch.setattr(spare, "_spare", spare.Spare(child, isolation.plan(True, True), str(folder), 0.0))
    spare.discard()
    assert ended == [child] and not folder.exists()


def test_any_execution_and_requests_that_a_kernel_has_discard_a_spare(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spare, "_restore", [])
    registered: list[Any] = []
    handlers = {"comm_msg": lambda: "handled", "kernel_info_request": lambda: "told"}
    before = dict(handlers)
    shell: Any = SimpleNamespace(
        events=SimpleNamespace(
            register=lambda *what: registered.append(what), unregister=lambda *what: registered.remove(what)
        ),
        kernel=SimpleNamespace(shell_handlers=handlers),
    )
    spare._watch(shell)
    assert registered == [("pre_execute", spare.discard)]
    assert handlers["kernel_info_request"] is before["kernel_info_request"]
    assert handlers["comm_msg"]() == "handled"
    assert (registered, handlers) == ([], before)


def test_one_look_waits_for_spares_that_are_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spare, "_restore", [])
    monkeypatch.setattr(spare, "_timed", False)
    ended: list[Any] = []
    monkeypatch.setattr(spare.fork, "end", ended.append)
    later: list[Any] = []
    loop: Any = SimpleNamespace(
        add_callback=lambda call, *rest: call(*rest),
        call_later=lambda seconds, call, *rest: later.append((seconds, lambda: call(*rest))),
    )
    events = SimpleNamespace(register=lambda *_: None, unregister=lambda *_: None)
    kernel = SimpleNamespace(control_thread=SimpleNamespace(io_loop=loop))
    shell = SimpleNamespace(events=events, kernel=kernel)

    def born(age: float) -> None:
        made = spare.Spare(object(), isolation.plan(True, True), None, time.monotonic() - age)  # type: ignore[arg-type]
        monkeypatch.setattr(spare, "_spare", made)
        spare._watch(shell)

    born(50)
    spare.discard()
    born(20)
    assert [seconds for seconds, _ in later] == [61] and len(ended) == 1
    # That of the first: the second is younger.
    later.pop()[1]()
    assert [round(seconds) for seconds, _ in later] == [41] and len(ended) == 1
    born(61)
    later.pop()[1]()
    assert (later, spare._spare) == ([], None) and len(ended) == 2
    born(0)
    assert [seconds for seconds, _ in later] == [61]
    spare.discard()
    later.pop()[1]()
    assert later == [] and not spare._timed


# Pools of threads that do not survive a fork


@pytest.mark.skipif(not LINUX, reason="only Linux tells")
def test_threads_are_known_by_when_they_began(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Path("/proc/self/stat").read_text().rpartition(") ")[2].split()
    name = Path("/proc/self/comm").read_text().rstrip("\n")
    before = descriptors()
    assert pools.threads()[os.getpid(), told[22 - 3].encode()] == name
    assert descriptors() == before
    listed = os.listdir
    # One that has ended since.
    monkeypatch.setattr(pools.os, "listdir", lambda path: ["0", *listed(path)])
    assert pools.threads()


@pytest.mark.skipif(not LINUX, reason="only Linux tells")
def test_pools_are_looked_for_when_a_native_thread_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[bool] = []
    answers = iter([False, True, True, True, True, True, True])
    monkeypatch.setattr(pools, "_without_pool", set())
    monkeypatch.setattr(pools, "_pause_all", lambda: looked.append(next(answers)) or looked[-1])
    main, other = (threading.main_thread().native_id or 0, b"1"), (1 << 23, b"5")

    def looks(*running: tuple[int, bytes]) -> bool:
        before = len(looked)
        pools.pause_openmp(dict.fromkeys(running, "python"))
        return len(looked) > before

    assert not looks(main)
    # The first time one could not be told.
    assert looks(main, other) and looks(main, other)
    assert not looks(main, other) and not looks(main)
    # The id of one that has ended comes again.
    again = (other[0], b"6")
    assert looks(main, again) and not looks(main, again)
    assert looks(main, other) and looks(main, other, again)
    # A thread that runs code of Python's without being Python's.
    dummy = SimpleNamespace(native_id=other[0] + 1)
    monkeypatch.setattr(threading, "enumerate", lambda: [dummy])
    assert not looks((dummy.native_id, b"1"))
    monkeypatch.setattr(threading, "_DummyThread", SimpleNamespace)
    assert looks((dummy.native_id, b"1"))
    # Where nothing is told of threads, there may be any.
    assert looks()


def test_a_pool_that_cannot_be_dropped_is_told_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = str(tmp_path / "libgomp-a.so.1")
    maps = tmp_path / "maps"
    maps.write_bytes(b"00-01 r-xp 00000000 00:01 7   " + path.encode() + b"\n00-01 r-xp 0 0:1 7  /\xff\n")
    monkeypatch.setattr(pools, "open", lambda *rest: open(maps, *rest[1:]), raising=False)
    answers = [-1, 0]
    monkeypatch.setattr(pools, "_known", {path: lambda kind: answers.pop(0)})
    assert [pools._pause_all(), pools._pause_all()] == [False, True]
    maps.unlink()
    assert not pools._pause_all()


# What goes over to a second kernel


def test_a_function_that_calls_itself_goes_over_once() -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    exec("def f(n): return n and f(n - 1) + g(n)\ndef g(n): return f(0)", space)
    request = {"id": "a", "candidate": "f(3)", "others": [], "hidden": [], "known": [], "without": {}}
    request |= {"cloudpickle": None, "limitBytes": 1 << 24, "seconds": 20}
    answer = share_pack.pack(request, SimpleNamespace(user_ns=space))
    share_pack.drop(answer["token"])
    assert answer["names"] == ["f", "g"]


def test_attributes_that_a_function_names_go_over() -> None:
    def function(text: Any) -> Any:
        return text.lower().special(lambda x: x.inner)

    assert share_names.of_code(function.__code__).attributes == {"lower", "special", "inner"}


def test_functions_without_a_source_bring_no_file() -> None:
    found = share_values.Found()
    found.add_file("<nowhere>")
    assert found.files == {}


# Hidden data that is damaged on its way


def frames(data: bytes) -> io.BytesIO:
    return io.BytesIO(len(data).to_bytes(4, "big") + data + bytes(4))


def test_a_damaged_value_does_not_keep_the_next_from_the_scorer() -> None:
    good = pickle.dumps([1, 2])
    bad = b"\xff" + bytes(1 << 17)
    parts = [
        json.dumps({"name": n, "size": len(p)}).encode() + b"\n" + p for n, p in (("a", bad), ("b", good))
    ]
    values, missing = scorer.receive(frames(b"".join(parts)).read, ["a", "b"])
    assert (values, list(missing)) == ({"b": [1, 2]}, ["a"])


def test_hidden_data_that_ends_too_soon() -> None:
    data = json.dumps({"name": "a", "size": 1 << 20}).encode() + b"\n" + bytes(100)
    values, missing = scorer.receive(frames(data).read, ["a", "b"])
    assert values == {} and missing["b"] == "the kernel ended while it was copied"


# Impostors and values


SPECIAL = (
    *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__", "__len__", "__bool__"),
    *("__iter__", "__getitem__", "__getattribute__", "__hash__"),
)


@pytest.mark.parametrize("name", SPECIAL)
def test_a_special_method_of_a_library_that_was_replaced(name: str) -> None:
    kind = type("Frame", (), {"__module__": "library"})
    exec(compile(f"Frame.{name} = lambda *_: True", CANDIDATE, "exec"), {"Frame": kind})
    assert impostors._patched(kind) == [name]


@pytest.mark.parametrize("values", [(True, False), (None, False), (b"a", b"b"), (1, 1.0), (0j, 0)])
def test_values_that_checks_rely_on_are_told_apart(values: tuple[Any, Any]) -> None:
    before, after = (reliance.contents(["x"], {"x": [value]}) for value in values)
    assert before != after
    assert reliance.contents(["x"], {"x": [values[0]]}) == before


def test_only_locals_that_a_cell_names_are_told() -> None:
    shell: Any = SimpleNamespace(compile=None, user_ns={"__name__": "__main__", "other": 5})
    code = compile("z = 6\nlen(z, gone if z == 5 else z)", CANDIDATE, "exec")
    with pytest.raises(TypeError) as raised:
        exec(code, shell.user_ns)
    told = tracebacks.Teller(shell, "samples").tell(raised.value)
    assert [variable["name"] for variable in told["locals"]] == ["z"]


def test_a_long_line_of_a_docstring_is_cut() -> None:
    def function() -> None: ...

    function.__doc__ = "x" * 5000
    (told,) = inspection.variables(["function"], "types", {"function": function})
    assert len(told["doc"]) == 200


def frame_locals(source: str) -> list[str]:
    space: dict[str, Any] = {"__name__": "__main__"}
    with pytest.raises(ZeroDivisionError) as raised:
        exec(compile(source, CANDIDATE, "exec"), space)
    shell: Any = SimpleNamespace(compile=None, user_ns=space)
    return [told["name"] for told in tracebacks.Teller(shell, "samples").tell(raised.value).get("locals", [])]


def test_locals_of_functions_are_told_and_machinery_is_not() -> None:
    assert frame_locals("def f(a):\n    b = a\n    return a / 0\nf(1)") == ["a", "b"]
    assert frame_locals("import math\ndef f(): pass\nz = 1\n(math, f, z, 1 / 0)") == ["z"]


def test_lines_of_other_files_are_not_the_candidates() -> None:
    for name, line in ((CANDIDATE, 3), ("other.py", None)):
        error = SyntaxError("wrong", (name, 3, 1, "text"))
        assert tracebacks._candidate_line(error, None) == line


def test_a_long_stack_is_cut() -> None:
    stack = "\n".join(f'  File "a.py", line {number} in f' for number in range(1000))
    assert len(outcome.plain_stack(stack)) < 4100
    assert outcome.plain_stack('a\n  File "<jupyterlab-refine/x>"\nb') == "a"


def test_texts_that_are_no_keys() -> None:
    assert not redact.looks_secret("a text about skies")
    assert redact.looks_secret("sk-" + "a" * 20)


OF_LIBRARIES = {
    "a function": (json.dumps, True),
    "a class": (fractions.Fraction, True),
    "of C": (len, True),
    "a ufunc": (np.add, True),
    "a function of numpy": (np.mean, True),
    "an object": (fractions.Fraction(1), False),
    "a number": (5, False),
    "of the notebook": (type("Own", (), {"__module__": "__main__"}), False),
}


@pytest.mark.parametrize("name", OF_LIBRARIES)
def test_functions_and_classes_of_libraries(name: str) -> None:
    value, told = OF_LIBRARIES[name]
    assert tampering.is_of_library(value) == told


def test_builtins_that_a_candidate_replaced_are_put_back_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtins, "_", "the last result", raising=False)
    before = tampering.Builtins()
    assert before.restore() == []
    # Of any cell: IPython keeps the last result there.
    builtins._ = "another"  # type: ignore[attr-defined]
    monkeypatch.setattr(builtins, "len", lambda _: 6)
    monkeypatch.delattr(builtins, "sorted")
    told = before.restore()
    assert sorted(told) == ["len", "sorted"]
    assert len([]) == 0 and sorted([2, 1]) == [1, 2]
    assert builtins._ == "another"  # type: ignore[attr-defined]


#: What checks name, in a notebook that has these: whether it is a thing of a library's that can be replaced.
NAMED: dict[str, bool] = {
    "np.mean": True,
    "np.linalg.norm": True,
    "mean": True,
    "np.nothing": False,
    "np.nothing.mean": False,
    "frame.mean": False,
    "number": False,
    "own": False,
    "missing": False,
}


@pytest.mark.parametrize("name", NAMED)
def test_names_that_mean_something_of_a_library(name: str) -> None:
    own = type("Own", (), {"__module__": "__main__", "mean": np.mean})
    space: dict[str, Any] = {"np": np, "mean": np.mean, "number": 5, "own": own, "frame": own()}
    before = tampering.fingerprints([name], space)
    assert (before[name] is not None) == NAMED[name]
    assert tampering.replaced(before, tampering.fingerprints([name], space)) == []
    first = name.split(".")[0]
    assert tampering.leads_from_module(name, space) == (first == "np")


def test_builtins_that_the_notebook_had_replaced_itself() -> None:
    assert tampering.shadowed(["assert len(x) == max(x)"], {}) == ["len"]
    assert tampering.shadowed(["assert len(x) == max(x)"], {"len": 5}) == []


def test_a_class_that_does_not_tell_its_module_is_of_no_library() -> None:
    class Resists(type):
        @property
        def __module__(cls) -> str:  # type: ignore[override]
            raise RuntimeError("no module")

    odd = Resists("Odd", (), {})
    assert not tampering.is_of_library(odd)
    assert tampering.fingerprint("odd", {"odd": odd}) is None
