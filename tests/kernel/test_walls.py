"""What keeps an attempt apart, part by part: where systems differ, and what must not be left behind."""

from __future__ import annotations

import ctypes
import errno
import faulthandler
import json
import mmap
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from parts import a_child, anything, descriptors, in_child, only_linux, refuse

from jupyterlab_refine.kernel import descriptors as descriptors_module
from jupyterlab_refine.kernel import (
    environment,
    isolation,
    landlock,
    linux,
    mappings,
    overlay,
    processes,
    seccomp,
)

# Means: what is tried, what is told, what is applied


Recorded = dict[str, Any]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Recorded:
    """What the system is asked for, instead of asking."""
    seen: Recorded = {}

    def record(module: Any, name: str, answer: Any = None) -> None:
        def call(*given: Any, **named: Any) -> Any:
            seen[name] = named or given
            return answer

        monkeypatch.setattr(module, name, call)

    for name in ("unshare", "make_mounts_private", "raise_loopback", "drop_capabilities"):
        record(linux, name)
    record(isolation.hidden_files, "cover")
    record(isolation.hidden_files, "readable_beside", ["/beside"])
    record(isolation.overlay, "apply", overlay.Layers(("/work",), (5,)))
    monkeypatch.setattr(landlock, "restrict", lambda *given: seen.update(landlock=given))
    monkeypatch.setattr(seccomp, "restrict", lambda **named: seen.update(seccomp=named))
    monkeypatch.setattr(seccomp, "available", lambda: True)
    monkeypatch.setenv("TMPDIR", "/tmp")
    monkeypatch.setattr(tempfile, "tempdir", "/tmp")
    return seen


def a_plan(means: str, network: bool, writes: bool, abi: int = 7) -> isolation.Plan:
    return isolation.Plan(means, abi, network, writes, 5, "/work", ("/work",), (), ("/work/a.ipynb",))


@pytest.mark.parametrize("network", [False, True], ids=["no network", "network"])
@pytest.mark.parametrize("writes", [False, True], ids=["no writes", "writes"])
def test_what_an_overlay_is_made_of(asked: Recorded, network: bool, writes: bool) -> None:
    applied = isolation.apply(a_plan("overlay", network, writes), None)
    assert asked.pop("unshare") == (linux.CLONE_NEWNS | (0 if network else linux.CLONE_NEWNET),)
    assert asked.pop("cover") == (("/work/a.ipynb",),)
    # What the namespaces keep is left alone by the others.
    assert asked.pop("landlock") == (7, None, True, None)
    assert asked.pop("seccomp") == {"network": True, "attributes": True, "kernel": 5, "signals": True}
    own = {"raise_loopback": not network, "apply": not writes}
    assert set(asked) == {"make_mounts_private", "drop_capabilities", *(name for name in own if own[name])}
    assert applied.layers == (((), ()) if writes else (("/work",), (5,)))
    assert applied.told["network"] is (not network)
    assert applied.told["files"] == ("open" if writes else "overlay")


DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx", "/dev/pts")


@pytest.mark.parametrize("network", [False, True], ids=["no network", "network"])
@pytest.mark.parametrize("writes", [False, True], ids=["no writes", "writes"])
def test_what_is_denied_without_an_overlay(asked: Recorded, network: bool, writes: bool) -> None:
    scratch = None if writes else "/tmp/scratch"
    applied = isolation.apply(a_plan("landlock", network, writes), scratch)
    writable = None if writes else [*DEVICES, "/tmp/scratch"]
    assert asked.pop("landlock") == (7, writable, network, ["/beside"])
    assert asked.pop("seccomp") == {"network": network, "attributes": writes, "kernel": 5, "signals": True}
    assert set(asked) == {"drop_capabilities", "readable_beside"}
    assert applied.told["network"] is (not network)
    assert applied.told["files"] == ("open" if writes else "denied")
    # Temporary files go where writes are possible.
    assert {os.environ["TMPDIR"], tempfile.gettempdir()} == {"/tmp" if writes else scratch}


def test_without_any_means_nothing_is_asked_and_nothing_promised(asked: Recorded) -> None:
    applied = isolation.apply(a_plan("none", False, False), None)
    assert asked == {}
    assert (applied.told["files"], applied.told["network"], applied.layers) == ("open", False, ((), ()))


def test_means_that_a_system_lacks_are_not_asked_for(
    monkeypatch: pytest.MonkeyPatch, asked: Recorded
) -> None:
    isolation.apply(a_plan("overlay", False, False, abi=0), None)
    assert "landlock" not in asked and asked["seccomp"]["signals"] is False
    asked.clear()
    monkeypatch.setattr(seccomp, "available", lambda: False)
    plan = a_plan("landlock", False, False)._replace(hidden=())
    isolation.apply(plan, None)
    assert "seccomp" not in asked
    # Nothing is hidden, so everything can be read.
    assert asked["landlock"] == (7, list(DEVICES), False, None)
    assert os.environ["TMPDIR"] == "/tmp"


def test_files_that_cannot_be_hidden_are_told(monkeypatch: pytest.MonkeyPatch, asked: Recorded) -> None:
    monkeypatch.setattr(isolation.hidden_files, "readable_beside", refuse)
    told = isolation.apply(a_plan("landlock", False, False), None).told
    assert (
        told["reasons"] == ["the notebook file and the history cannot be hidden: Too many open files"]
        and asked["landlock"][3] is None
    )


@pytest.mark.parametrize(("means", "writes"), [("overlay", False), ("landlock", True), ("none", False)])
def test_who_needs_no_folder_for_temporary_files(
    monkeypatch: pytest.MonkeyPatch, means: str, writes: bool
) -> None:
    monkeypatch.setattr(isolation.temporary, "make", lambda: "/tmp/made")
    assert isolation.scratch_for(a_plan(means, False, writes)) is None
    assert isolation.scratch_for(a_plan("landlock", False, False)) == "/tmp/made"


@pytest.fixture
def probing(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """Probe with these answers: None where a means works."""

    def probe(linux_here: bool, abi: int = 0, **answers: str | None) -> dict[str, Any]:
        for name, value in (("done", False), ("abi", 0), ("overlay", "old"), ("restrict", "old")):
            monkeypatch.setattr(isolation._Probe, name, value)
        monkeypatch.setattr(isolation, "LINUX", linux_here)
        monkeypatch.setattr(isolation, "avoid", set())
        monkeypatch.setattr(isolation.pools, "hostile", lambda: [])
        monkeypatch.setattr(isolation.landlock, "version", lambda: abi)
        monkeypatch.setattr(isolation.seccomp, "available", lambda: True)
        tried: list[str] = []
        tidied: list[bool] = []
        monkeypatch.setattr(isolation, "_try", lambda name: tried.append(name) or answers[name])
        monkeypatch.setattr(isolation.temporary, "remove_stale", lambda: tidied.append(True))
        told = isolation.probe()
        plan = isolation.plan(False, False)
        return {**told, "tried": tried, "tidied": bool(tidied), "abi": plan.abi, "folders": plan.folders}

    return probe


Probing = Callable[..., dict[str, Any]]


def test_what_a_system_offers_is_found_out(probing: Probing) -> None:
    best = probing(True, 7, overlay=None)
    assert (best["files"], best["tried"], best["tidied"], best["abi"]) == ("overlay", ["overlay"], False, 7)
    assert best["reasons"] == [] and best["folders"]
    less = probing(True, 7, overlay="no", landlock=None)
    assert (less["files"], less["tried"], less["tidied"]) == ("denied", ["overlay", "landlock"], True)
    assert less["folders"] == ()
    none = probing(True, 0, overlay="no", landlock="neither")
    assert (none["files"], none["network"], none["tidied"]) == ("open", False, False)
    assert none["reasons"][:2] == [
        "writes cannot be kept in an overlay: no",
        "writes and network cannot be denied: neither",
    ]


def test_a_system_that_is_not_linux(probing: Probing) -> None:
    told = probing(False)
    assert (told["mode"], told["memory"], told["files"], told["tried"]) == ("fork", True, "open", [])
    assert all("only Linux has the means" in reason for reason in told["reasons"][:2])


def test_folders_are_looked_for_only_where_an_overlay_takes_writes(probing: Probing) -> None:
    probing(True, 7, overlay=None)
    assert isolation.plan(False, True).folders == ()


@only_linux
def test_a_trial_tells_what_went_wrong_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(isolation._Probe, "abi", 7)
    monkeypatch.setattr(isolation, "apply", anything)
    monkeypatch.setattr(isolation.overlay, "writable_folders", lambda: [str(tmp_path)])
    before = (descriptors(), processes.children(os.getpid()))
    assert isolation._try("overlay") is None
    assert list(tmp_path.iterdir()) == []
    # An overlay that can be made, and in which no file can be.
    monkeypatch.setattr(isolation.overlay, "writable_folders", lambda: [str(tmp_path / "gone")])
    assert isolation._try("overlay") == "No such file or directory"
    monkeypatch.setattr(isolation, "apply", lambda *_: {}["odd"])
    assert isolation._try("landlock") == "KeyError: 'odd'"
    monkeypatch.setattr(isolation, "apply", refuse)
    assert isolation._try("landlock") == "Too many open files"
    monkeypatch.setattr(isolation, "apply", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    assert isolation._try("landlock") == "the trial ended without an answer"
    assert (descriptors(), processes.children(os.getpid())) == before


# System calls that Python does not wrap


UNSHARED = {0: [linux.CLONE_NEWNS, linux.CLONE_NEWNS | 0x10000000], 1000: [linux.CLONE_NEWNS | 0x10000000]}


@pytest.mark.parametrize("uid", UNSHARED)
def test_who_needs_a_namespace_of_users(monkeypatch: pytest.MonkeyPatch, uid: int) -> None:
    """Root does without where it can: there, files of other users could not be copied."""
    calls: list[int] = []
    libc = SimpleNamespace(unshare=lambda flags: calls.append(flags) or -1)
    monkeypatch.setattr(linux, "libc", lambda: libc)
    monkeypatch.setattr(linux.os, "getuid", lambda: uid)
    with pytest.raises(OSError, match="new namespaces: "):
        linux.unshare(linux.CLONE_NEWNS)
    assert calls == UNSHARED[uid]
    if uid == 0:
        libc.unshare = lambda flags: calls.append(flags) or 0
        calls.clear()
        linux.unshare(linux.CLONE_NEWNS)
        assert calls == [linux.CLONE_NEWNS]


def spaces() -> dict[str, str]:
    return {name: os.readlink(f"/proc/self/ns/{name}") for name in ("mnt", "net", "user")}


def in_namespaces(work: Callable[[], object]) -> Any:
    """In a child with its own mounts and network; skips where the system has none."""

    def inside() -> object:
        try:
            linux.unshare(linux.CLONE_NEWNS | linux.CLONE_NEWNET)
            linux.make_mounts_private()
            linux.mount("tmpfs", "/tmp", "tmpfs")
        except OSError as error:
            return {"skip": str(error)} if ctypes.CDLL(None).unshare(0x20000) else {"failed": str(error)}
        return {"told": work()}

    answer = in_child(inside)
    if "skip" in answer:
        pytest.skip(answer["skip"])
    return answer["told"]


@only_linux
def test_namespaces_are_new() -> None:
    before = spaces()
    after = in_namespaces(spaces)
    assert before["mnt"] != after["mnt"] and before["net"] != after["net"]
    assert (before["user"] == after["user"]) == (os.getuid() == 0)


@only_linux
def test_users_keep_their_ids_in_a_namespace_of_their_own() -> None:
    """By a map of just these: files are written as who the user is."""

    def work() -> object:
        libc = ctypes.CDLL(None)
        if os.getuid() == 0:
            try:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            except OSError:
                return "root of a namespace that has no other user"
            # A process that has just become another user may not write its own files in /proc.
            libc.prctl(4, 1, 0, 0, 0)
        pid = os.fork()
        if pid == 0:
            os._exit(libc.unshare(0x10020000) != 0)
        if os.waitpid(pid, 0)[1]:
            return "no namespaces of users here"
        before = [os.getuid(), os.getgid()]
        linux.unshare(linux.CLONE_NEWNS)
        maps = [Path(f"/proc/self/{name}").read_text().split() for name in ("uid_map", "gid_map")]
        groups = Path("/proc/self/setgroups").read_text()
        return [before, [os.getuid(), os.getgid()], maps, groups]

    told = in_child(work)
    if isinstance(told, str):
        pytest.skip(told)
    before, after, maps, groups = told
    assert after == before
    assert maps == [[str(one), str(one), "1"] for one in before]
    assert groups == "deny\n"


@only_linux
def test_mounts_are_seen_by_nobody_else_and_can_be_read_only() -> None:
    def work() -> object:
        os.mkdir("/tmp/inner")
        linux.mount("tmpfs", "/tmp/inner", "tmpfs")
        # As systemd has them.
        linux.mount("none", "/tmp/inner", None, 1 << 20)

        def shared() -> bool:
            return "shared:" in Path("/proc/self/mountinfo").read_text()

        told: list[Any] = [shared()]
        linux.make_mounts_private()
        told.append(shared())
        linux.make_mounts_read_only()
        for path in ("/tmp/file", "/tmp/inner/file"):
            try:
                open(path, "w").close()
                told.append("written")
            except OSError as error:
                told.append(error.errno)
        held = os.open("/tmp/inner", os.O_PATH)
        linux.unmount("/tmp/inner")
        os.close(held)
        return [*told, linux.is_mount("/tmp/inner")]

    assert in_namespaces(work) == [True, False, 30, 30, False]


@only_linux
def test_a_network_of_its_own_talks_to_itself() -> None:
    def work() -> object:
        linux.raise_loopback()
        with socket.create_server(("127.0.0.1", 0)) as server:
            with socket.create_connection(server.getsockname(), 2):
                return "connected"

    assert in_namespaces(work) == "connected"


def status(name: str) -> int:
    (line,) = [
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name + ":")
    ]
    return int(line.split()[1], 16)


@only_linux
def test_only_what_root_may_do_with_files_is_kept() -> None:
    def work() -> list[int]:
        held = status("CapPrm")
        linux.drop_capabilities()
        return [held, status("CapPrm"), status("CapEff"), status("CapInh"), status("NoNewPrivs")]

    held, permitted, effective, inherited, no_new = in_child(work)
    # CHOWN, DAC_OVERRIDE, FOWNER, FSETID
    kept = held & 0b11011 if os.getuid() == 0 else 0
    assert (permitted, effective, inherited, no_new) == (kept, kept, 0, 1)


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "mount": (lambda: linux.mount("overlay", "/nowhere/at/all", "overlay"), "mount overlay: "),
    "bind": (lambda: linux.mount("/nowhere", "/nowhere/at/all", None, linux.MS_BIND), "mount bind: "),
    "unmount": (lambda: linux.unmount("/nowhere/at/all"), "umount: "),
    "rules": (lambda: seccomp.restrict(True, True, os.getpid(), False), "seccomp: "),
}


@only_linux
@pytest.mark.parametrize("name", REFUSED)
def test_what_the_system_refuses_ends_the_attempt_with_its_name(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Never a wall that is believed to stand."""
    if name == "rules":
        if not seccomp.available():
            pytest.skip("no table of system calls")
        monkeypatch.setattr(linux, "no_new_privileges", anything)
        monkeypatch.setattr(linux, "libc", lambda: SimpleNamespace(prctl=lambda *_: -1))
    call, told = REFUSED[name]
    with pytest.raises(OSError, match=told):
        call()


def test_nothing_is_mounted_by_asking_whether_something_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """As autofs does, which may wait for another machine: `AT_NO_AUTOMOUNT` is 0x800."""
    asked: list[int] = []
    libc = SimpleNamespace(statx=lambda at, path, flags, mask, told: asked.append(flags) or -1)
    monkeypatch.setattr(linux, "libc", lambda: libc)
    assert linux.is_mount("/net/machine") is None
    assert [flags & 0x800 for flags in asked] == [0x800]


def test_privileges_that_cannot_be_given_up_end_the_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linux, "libc", lambda: SimpleNamespace(prctl=lambda *_: -1))
    with pytest.raises(OSError, match="no_new_privs"):
        linux.no_new_privileges()


#: What each version of Landlock knows: rights on files, TCP, scopes, and how large its ruleset is.
ALL_WRITES, REFER, TRUNCATE = 0b1111111110010, 1 << 13, 1 << 14
ABIS = {
    1: (ALL_WRITES, 0, 0, 8),
    2: (ALL_WRITES | REFER, 0, 0, 8),
    3: (ALL_WRITES | REFER | TRUNCATE, 0, 0, 8),
    4: (ALL_WRITES | REFER | TRUNCATE, 3, 0, 16),
    5: (ALL_WRITES | REFER | TRUNCATE, 3, 0, 16),
    6: (ALL_WRITES | REFER | TRUNCATE, 3, 3, 24),
}


class Rulesets:
    """Takes the system calls of Landlock."""

    def __init__(self) -> None:
        self.made: list[tuple[int, ...]] = []
        self.rights: list[int] = []
        self.done: list[str] = []

    def syscall(self, number: int, what: str, *arguments: Any) -> int:
        if number == 444:
            ruleset = arguments[0]._obj
            self.made.append((ruleset.fs, ruleset.net, ruleset.scoped, arguments[1].value))
            return os.open(os.devnull, os.O_RDONLY)
        if number == 445:
            assert arguments[1].value == 1
            self.rights.append(arguments[2]._obj.allowed)
        self.done.append(what)
        return 0


@pytest.fixture
def rulesets(monkeypatch: pytest.MonkeyPatch) -> Rulesets:
    taken = Rulesets()
    monkeypatch.setattr(linux, "syscall", taken.syscall)
    monkeypatch.setattr(linux, "no_new_privileges", lambda: taken.done.append("no_new_privileges"))
    return taken


@pytest.mark.parametrize("abi", ABIS)
def test_each_version_of_landlock_is_asked_for_all_it_knows(
    rulesets: Rulesets, tmp_path: Path, abi: int
) -> None:
    """And for nothing more: it would refuse everything then."""
    file = tmp_path / "file"
    file.touch()
    landlock.restrict(abi, [str(tmp_path), str(file)], False, [str(file)])
    files, tcp, scopes, size = ABIS[abi]
    reads = 1 << 2
    assert rulesets.made == [(files | reads, tcp, scopes, size)]
    # A file has no entries that could be made or removed.
    assert rulesets.rights == [files, files & (2 | TRUNCATE), reads]
    assert rulesets.done[-2:] == ["no_new_privileges", "landlock_restrict_self"]


#: Version, what is restricted: what is asked for.
PARTS_OF_RULES: dict[str, tuple[int, tuple[Any, ...], list[tuple[int, ...]]]] = {
    "signals alone": (6, (None, True, None), [(0, 0, 2, 24)]),
    "network alone": (4, (None, False, None), [(0, 3, 0, 16)]),
    "nothing, where signals are unknown": (5, (None, True, None), []),
    "reads alone": (1, (None, True, ["/"]), [(4, 0, 0, 8)]),
    "nothing to do for TCP": (3, (None, False, None), []),
}


@pytest.mark.parametrize("name", PARTS_OF_RULES)
def test_what_is_allowed_is_not_restricted(rulesets: Rulesets, name: str) -> None:
    abi, given, made = PARTS_OF_RULES[name]
    landlock.restrict(abi, *given)
    assert rulesets.made == made
    assert ("landlock_restrict_self" in rulesets.done) == bool(made)


@pytest.mark.parametrize("error", [OSError, AttributeError], ids=["not in this Linux", "no system calls"])
def test_systems_without_landlock(monkeypatch: pytest.MonkeyPatch, error: type[Exception]) -> None:
    def missing(*_: Any) -> int:
        raise error(38, "Function not implemented")

    monkeypatch.setattr(linux, "syscall", missing)
    assert landlock.version() == 0


def test_the_version_of_landlock_is_what_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """And no set of rules: `LANDLOCK_CREATE_RULESET_VERSION` is 1, without rules and their size."""

    def create(number: int, what: str, rules: Any, size: Any, flags: Any) -> int:
        assert (number, rules, size.value, flags.value) == (444, None, 0, 1)
        return 5

    monkeypatch.setattr(linux, "syscall", create)
    assert landlock.version() == 5


@only_linux
def test_landlock_itself(tmp_path: Path) -> None:
    """Under the oldest rules as well as under those of this system."""
    abi = landlock.version()
    if not abi:
        pytest.skip("no Landlock here")
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "file").write_text("kept")
    parent = os.getpid()

    def tried(*calls: Callable[[], Any]) -> list[str]:
        told = []
        for call in calls:
            try:
                call()
                told.append("done")
            except OSError as error:
                told.append(type(error).__name__)
        return told

    def work(version: int) -> list[str]:
        landlock.restrict(version, [str(inside)], False)
        return tried(
            lambda: (inside / "made").mkdir(),
            lambda: (inside / "file").write_text("new"),
            lambda: (outside / "file").write_text("lost"),
            lambda: (outside / "made").mkdir(),
            lambda: (outside / "file").unlink(),
            lambda: (outside / "file").read_text(),
            *([lambda: os.kill(parent, 0)] if version >= 6 else []),
        )

    denied = ["PermissionError"] * 3
    for version in {1, abi}:
        (inside / "made").rmdir() if (inside / "made").exists() else None
        signals = ["PermissionError"] if version >= 6 else []
        assert in_child(lambda version=version: work(version)) == ["done", "done", *denied, "done", *signals]


# Filters of system calls, run on paper: also for the processor that is not this one


def answer(program: list[Any], architecture: int, number: int, *arguments: int) -> int:
    """What the filter says to a system call: an error number, or 0 where it is allowed."""
    data = {0: number, 4: architecture}
    data.update({16 + 8 * index: value & 0xFFFFFFFF for index, value in enumerate(arguments)})
    at = loaded = 0
    while True:
        step = program[at]
        at += 1
        if step.code == 0x20:
            loaded = data.get(step.k, 0)
        elif step.code == 0x05:
            at += step.k
        elif step.code == 0x15:
            at += step.jt if loaded == step.k else step.jf
        elif step.code == 0x35:
            at += step.jt if loaded >= step.k else step.jf
        else:
            assert step.code == 0x06
            return step.k & 0xFFFF if step.k >> 16 == 5 else 0


#: Numbers as the headers of Linux have them.
MACHINES: dict[str, tuple[int, str]] = {
    "x86_64": (
        0xC000003E,
        "write 1 socket 41 kill 62 chmod 90 fchmodat 268 chown 92 fchownat 260 setxattr 188 fremovexattr 199"
        " utime 132 utimes 235 futimesat 261 utimensat 280 tkill 200 tgkill 234 ptrace 101"
        " process_vm_writev 311 rt_sigqueueinfo 129 rt_tgsigqueueinfo 297 pidfd_send_signal 424"
        " prlimit64 302",
    ),
    "aarch64": (
        0xC00000B7,
        "write 64 socket 198 kill 129 fchmodat 53 fchownat 54 setxattr 5 fremovexattr 16 utimensat 88"
        " tkill 130 tgkill 131 ptrace 117 process_vm_writev 271 rt_sigqueueinfo 138 rt_tgsigqueueinfo 240"
        " pidfd_send_signal 424 prlimit64 261",
    ),
}
ATTRIBUTES = {
    *("chmod", "fchmodat", "chown", "fchownat", "setxattr", "fremovexattr", "utime", "utimes", "futimesat"),
    "utimensat",
}
SENT = {"tkill", "tgkill", "ptrace", "process_vm_writev", "rt_sigqueueinfo", "rt_tgsigqueueinfo"}
SENT |= {"pidfd_send_signal"}


@pytest.mark.parametrize("free", [False, True], ids=["all denied", "all that can be allowed"])
@pytest.mark.parametrize("machine", MACHINES)
def test_filters_of_both_processors(monkeypatch: pytest.MonkeyPatch, machine: str, free: bool) -> None:
    programs: list[Any] = []

    def prctl(option: int, mode: int, program: Any, *_: int) -> int:
        held = program._obj
        programs.append([held.filter[index] for index in range(held.length)])
        return 0

    monkeypatch.setattr(seccomp.platform, "machine", lambda: machine)
    monkeypatch.setattr(linux, "libc", lambda: SimpleNamespace(prctl=prctl))
    monkeypatch.setattr(linux, "no_new_privileges", anything)
    kernel = os.getpid()
    seccomp.restrict(network=free, attributes=free, kernel=kernel, signals=free)
    (program,) = programs
    architecture, table = MACHINES[machine]
    words = table.split()
    numbers = dict(zip(words[::2], map(int, words[1::2]), strict=True))

    def errors(names: set[str], *arguments: int) -> set[int]:
        return {answer(program, architecture, numbers[name], *arguments) for name in names & {*numbers}}

    assert errors({"write"}) == {0}
    assert errors(ATTRIBUTES) == ({0} if free else {1})
    assert errors(SENT | {"kill"}, kernel) == ({0} if free else {1})
    for family, error in ((1, 0), (2, 13), (10, 13), (17, 13), (16, 0)):
        assert errors({"socket"}, family) == {0 if free else error}
    # Its own limits, and those of any other process.
    assert (errors({"prlimit64"}, 0), errors({"prlimit64"}, kernel)) == ({0}, {1})
    # Calls of 32 bits, and those of x32, have other numbers.
    assert answer(program, 0x40000003, numbers["write"]) == 1
    assert answer(program, architecture, 0x40000000 | numbers["write"]) == 1


@only_linux
def test_what_an_attempt_starts_gains_no_privileges() -> None:
    """Not by `sudo`, say: rules of Landlock and filters would stay, walls of the user's would not."""
    if not seccomp.available():
        pytest.skip("no table of system calls")

    def work() -> list[int]:
        seccomp.restrict(True, True, os.getppid(), True)
        return [status("NoNewPrivs"), status("Seccomp")]

    assert in_child(work) == [1, 2]


# Descriptors


@only_linux
def test_what_becomes_of_open_files(tmp_path: Path) -> None:
    """Offsets, contents and connections of the kernel's stay as they are, whatever an attempt does."""
    told_r, told_w = os.pipe()
    for name in ("read", "update", "write", "hidden"):
        (tmp_path / name).write_text("0123456789")
    flags = {"read": os.O_RDONLY, "hidden": os.O_RDONLY, "update": os.O_RDWR, "write": os.O_WRONLY}
    opened = {name: os.open(tmp_path / name, how) for name, how in flags.items()}
    opened |= {"folder": os.open(tmp_path, os.O_RDONLY), "null": os.open(os.devnull, os.O_RDWR)}
    opened["reader"], opened["writer"] = os.pipe()
    opened["socket"] = socket.socket().detach()
    opened["kept"] = os.dup(opened["writer"])
    os.set_inheritable(opened["update"], True)
    for name in ("read", "update", "write"):
        os.lseek(opened[name], 3, os.SEEK_SET)
    hidden = os.stat(tmp_path / "hidden")

    def kinds(numbers: Iterable[int]) -> list[str]:
        return [os.readlink(f"/proc/self/fd/{number}") for number in numbers]

    def work() -> None:
        before, streams = descriptors(), kinds(range(3))
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            descriptors_module.detach({told_w, opened["kept"]}, {(hidden.st_dev, hidden.st_ino)})
        told: dict[str, Any] = {"warned": len(warned), "leaked": len(descriptors()) - len(before)}
        told["streams stay"] = streams == kinds(range(3))
        told["inheritable"] = [name for name, number in opened.items() if os.get_inheritable(number)]
        told["dead"] = [name for name, n in opened.items() if stat.S_ISSOCK(os.fstat(n).st_mode)]
        told["ends"] = os.read(opened["socket"], 1).hex()
        told["read"] = [os.read(opened[name], 3).decode() for name in ("read", "update")]
        told["beside"] = os.pread(opened["write"], 3, 0).hex()
        for name in ("update", "write", "null", "kept"):
            os.write(opened[name], b"lost")
        os.write(told_w, json.dumps(told).encode())

    in_child(work)
    os.close(told_w)
    assert json.loads(os.read(told_r, 1 << 16)) == {
        "warned": 0,
        "leaked": 0,
        "streams stay": True,
        "inheritable": ["update"],
        "dead": ["hidden", "folder", "reader", "writer", "socket"],
        "ends": "",
        "read": ["345", "345"],
        # What could not be read before is not there to be read.
        "beside": "000000",
    }
    assert os.read(opened["reader"], 10) == b"lost"
    assert [os.lseek(opened[name], 0, os.SEEK_CUR) for name in ("read", "update", "write")] == [3, 3, 3]
    assert {(tmp_path / name).read_text() for name in ("update", "write")} == {"0123456789"}
    for descriptor in (told_r, *opened.values()):
        os.close(descriptor)


# Shared memory


PAGE = mmap.ALLOCATIONGRANULARITY


def written_by_an_attempt(shared: mmap.mmap) -> list[str]:
    """What it reads before and after it writes there, and what the kernel reads then."""

    def work() -> list[str]:
        before = descriptors()
        mappings.make_private()
        first = shared[:4].decode()
        shared[:4] = b"lost"
        assert descriptors() == before
        return [first, shared[:4].decode()]

    return [*in_child(work), shared[:4].decode()]


@only_linux
@pytest.mark.parametrize("what", ["a file", "large", "no file", "deleted", "another has its name"])
def test_shared_memory_is_the_attempts_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, what: str
) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"kept" * PAGE)
    if what == "no file":
        shared = mmap.mmap(-1, PAGE)
        shared[:4] = b"kept"
    else:
        with open(path, "r+b") as file:
            # Not from the beginning of the file.
            shared = mmap.mmap(file.fileno(), PAGE, offset=PAGE)
    if what == "large":
        # It needs no copy.
        monkeypatch.setattr(mappings, "_COPY_LIMIT", 0)
    if what in ("deleted", "another has its name"):
        path.unlink()
    if what == "another has its name":
        # As the system tells the name of what is deleted.
        (tmp_path / "data (deleted)").write_bytes(b"fake" * PAGE)
    assert written_by_an_attempt(shared) == ["kept", "lost", "kept"]
    shared.close()


@only_linux
def test_shared_memory_that_is_too_large_to_be_copied_can_only_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mappings, "_COPY_LIMIT", PAGE - 1)
    shared = mmap.mmap(-1, PAGE)
    shared[:4] = b"kept"
    seen: list[str] = []

    def work() -> None:
        faulthandler.disable()
        mappings.make_private()
        os.write(writer, shared[:4])
        shared[:4] = b"lost"

    reader, writer = os.pipe()
    code = os.waitstatus_to_exitcode(os.waitpid(a_child(work), 0)[1])
    seen.append(os.read(reader, 4).decode())
    assert (code, seen, shared[:4]) == (-signal.SIGSEGV, ["kept"], b"kept")
    shared.close()
    for descriptor in (reader, writer):
        os.close(descriptor)


#: As the system tells it: whether it is made private.
MAPPED = {
    "/home/me/data.npy": True,
    "/dev/shm/psm_1": True,
    "/dev/zero (deleted)": True,
    "": True,
    # Memory of a processor for graphics, and its registers.
    "/dev/nvidia0": False,
    "/dev/dri/renderD128": False,
}


@pytest.mark.parametrize("path", MAPPED)
def test_devices_are_left_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, path: str) -> None:
    maps = tmp_path / "maps"
    maps.write_text(
        f"1000-3000 rw-s 00000000 00:01 7   {path}\n4000-5000 rw-p 00000000 00:01 8   /private\n"
        "6000-7000 r--s 00000000 00:01 9   /read\n"
    )
    monkeypatch.setattr(mappings, "open", lambda _: open(maps), raising=False)
    monkeypatch.setattr(mappings.linux, "libc", lambda: SimpleNamespace(mmap=SimpleNamespace()))
    seen: list[Any] = []
    monkeypatch.setattr(mappings, "_map_file", lambda _, *given: seen.append(given) or True)
    monkeypatch.setattr(mappings, "_map_copy", refuse)
    mappings.make_private()
    assert seen == ([(0x1000, 0x2000, 0, path, 7)] if MAPPED[path] else [])


def test_a_file_that_cannot_be_mapped_again_is_copied(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    libc: Any = SimpleNamespace(mmap=lambda *_: (1 << 64) - 1)
    before = descriptors()
    assert not mappings._map_file(libc, 4096, 4096, 0, str(path), path.stat().st_ino)
    assert descriptors() == before


def test_a_system_that_does_not_tell_what_is_mapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mappings, "open", refuse, raising=False)
    mappings.make_private()


# The environment


#: Variable: whether an attempt may know it.
VARIABLES = {"FIRST": True, "OPENAI_API_KEY": False, "EMPTY_API_KEY": False, "LAST": True}


@only_linux
def test_keys_are_in_no_place_where_an_attempt_could_look() -> None:
    code = (
        "import json, os\nfrom jupyterlab_refine.kernel import environment\n"
        "def told(): return open('/proc/self/environ').read()\n"
        "before = told()\nenvironment.lose_secrets()\nprint(json.dumps([before, told(), dict(os.environ)]))"
    )
    values = {"FIRST": "one", "OPENAI_API_KEY": "0123456789", "EMPTY_API_KEY": "", "LAST": "two"}
    folder = Path(environment.__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, **values},
        capture_output=True,
        check=True,
    )
    before, after, environ = json.loads(done.stdout)
    assert {name: name in environ for name in VARIABLES} == VARIABLES
    hidden = {*(line.split("=")[0] for line in before.split("\0")[:-1])} - set(environ)
    lines = []
    for line in before.split("\0"):
        name, _, value = line.partition("=")
        lines.append(f"{name}={'x' * len(value)}" if name in hidden else line)
    assert after == "\0".join(lines) and "0123456789" in before


@pytest.mark.parametrize("told", ["nothing", "no addresses", "something else"])
def test_a_system_that_does_not_tell_where_the_environment_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, told: str
) -> None:
    """As for a process whose memory nobody may look at."""
    file = tmp_path / "stat"
    file.write_text("1 (a) b) S " + ("0 " * 60 if told == "no addresses" else ""))
    monkeypatch.setattr(
        environment, "open", refuse if told == "nothing" else lambda _: open(file), raising=False
    )
    monkeypatch.setattr(environment.ctypes, "memset", refuse)
    environment._wipe_block()


# Folders that take writes, and what was written there


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., list[str]]:
    """The folders that take writes, for this working folder and home."""

    def chosen(working: str, home: str) -> list[str]:
        monkeypatch.setattr(overlay.os, "getcwd", lambda: working)
        monkeypatch.setenv("HOME", home)
        return overlay.writable_folders()

    return chosen


Places = Callable[..., list[str]]


def test_only_folders_that_the_user_can_write_to_take_writes(
    monkeypatch: pytest.MonkeyPatch, places: Places, tmp_path: Path
) -> None:
    work, script = tmp_path / "work", tmp_path / "home"
    work.mkdir()
    script.touch()
    script.chmod(0o755)
    monkeypatch.setattr(overlay, "_covers", lambda *_: False)
    assert str(work) in places(str(work), "/")
    # The whole system, what is no folder, and nothing at all.
    for home in ("/", str(script), "/nowhere/at/all"):
        assert home not in places(home, home)
    allowed = os.access
    monkeypatch.setattr(overlay.os, "access", lambda path, how: path != str(work) and allowed(path, how))
    assert str(work) not in places(str(work), str(work))


def test_a_folder_within_another_needs_no_overlay_of_its_own(
    monkeypatch: pytest.MonkeyPatch, places: Places, tmp_path: Path
) -> None:
    (tmp_path / "home" / "work").mkdir(parents=True)
    (tmp_path / "home-2").mkdir()
    home, inner, beside = (str(tmp_path / name) for name in ("home", "home/work", "home-2"))
    monkeypatch.setattr(overlay, "_covers", lambda folder, path: folder.startswith(str(tmp_path)))
    assert {home, inner} & {*places(inner, home)} == {home}
    assert {home, beside} <= {*places(beside, home)}


#: User, owner of the inner folder, something is mounted there: whether the outer folder takes its writes.
COVERED = [(0, 5, False, True), (5, 5, False, True), (5, 6, False, False), (5, 5, True, False)]


@pytest.mark.parametrize(("uid", "owner", "mounted", "covered"), COVERED)
def test_writes_that_go_through_the_folder_around(
    monkeypatch: pytest.MonkeyPatch, uid: int, owner: int, mounted: bool, covered: bool
) -> None:
    """Folders of other users cannot be copied to where only the own user exists."""
    monkeypatch.setattr(overlay.linux, "is_mount", lambda path: path == "/home/me/a" and mounted)
    with monkeypatch.context() as system:
        system.setattr(overlay.os, "getuid", lambda: uid)
        system.setattr(overlay.os, "stat", lambda path: SimpleNamespace(st_uid=owner))
        found = overlay._covers("/home/me", "/home/me/a/b")
    assert found == covered


def writes(path: str) -> str:
    try:
        with open(path, "w") as file:
            file.write("lost")
        return "written"
    except OSError as error:
        return errno.errorcode[error.errno or 0]


@only_linux
def test_a_view_in_which_writes_vanish() -> None:
    """With a mount in the folder that takes writes, one that another hides, and one elsewhere."""

    def mounted(path: str) -> int:
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
        return sum(line.split()[4] == path for line in lines)

    def work() -> dict[str, Any]:
        for path in ("/tmp/l", "/tmp/u", "/tmp/w", "/tmp/m"):
            os.mkdir(path)
        libc = ctypes.CDLL(None, use_errno=True)
        options = b"lowerdir=/tmp/l,upperdir=/tmp/u,workdir=/tmp/w,userxattr"
        if libc.mount(b"overlay", b"/tmp/m", b"overlay", ctypes.c_ulong(0), options):
            return {"missing": "no overlays in namespaces"}
        if libc.syscall(442, -1, None, 0, None, 0) and ctypes.get_errno() == errno.ENOSYS:
            return {"missing": "no mount_setattr"}
        for path in ("/tmp/home/work", "/tmp/home/inner", "/tmp/home/a", "/tmp/elsewhere"):
            os.makedirs(path)
        os.chmod("/tmp/home", 0o1771)
        linux.mount("tmpfs", "/tmp/home/a", "tmpfs")
        os.mkdir("/tmp/home/a/b")
        for path in ("/tmp/home/inner", "/tmp/elsewhere", "/tmp/home/a/b", "/tmp/home/a"):
            linux.mount("tmpfs", path, "tmpfs")
        Path("/tmp/home/inner/file").write_text("kept")
        Path("/tmp/home/work/kept").write_text("kept")
        os.chdir("/tmp/home/work")
        held, memory = len(descriptors()), mounted("/dev/shm")
        layers = overlay.apply(["/tmp/home"])
        told: dict[str, Any] = {"descriptors": len(descriptors()) - held}
        told["memory"] = [mounted("/dev/shm") - memory, writes("/dev/shm/mine"), os.listdir("/dev/shm")]
        told["elsewhere"] = [mounted("/tmp/elsewhere"), writes("/tmp/elsewhere/file"), writes("/tmp/file")]
        told["inner"] = [Path("/tmp/home/inner/file").read_text(), writes("/tmp/home/inner/file")]
        os.remove("kept")
        told["work"] = [writes("made"), writes("/tmp/home/made")]
        told["mode"] = oct(os.stat("/tmp/home").st_mode)
        told["folders"] = layers.folders
        told["changes"] = sorted(overlay.changes(os.getpid(), layers))
        return told

    told = in_namespaces(work)
    if "missing" in told:
        pytest.skip(told["missing"])
    assert told == {
        "descriptors": 1,
        "memory": [1, "written", ["mine"]],
        "elsewhere": [1, "EROFS", "EROFS"],
        "inner": ["kept", "EROFS"],
        "work": ["written", "written"],
        "mode": "0o41771",
        "folders": ["/tmp/home"],
        "changes": ["/tmp/home/made", "/tmp/home/work/kept (deleted)", "/tmp/home/work/made"],
    }


def test_a_file_that_vanishes_while_it_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Something that the attempt has started may still run."""
    (tmp_path / "file").touch()
    held = os.open(tmp_path, os.O_RDONLY)
    with monkeypatch.context() as system:
        system.setattr(overlay.os, "lstat", refuse)
        found = overlay.changes(os.getpid(), overlay.Layers(("/home/me",), (held,)))
    assert found == []
    os.close(held)


NOT_TOLD = ("__pycache__", ".ipython", ".cache", ".hypothesis", ".pytest_cache")


@only_linux
def test_what_libraries_write_for_themselves_is_not_told(tmp_path: Path) -> None:
    for name in (*NOT_TOLD, "results"):
        (tmp_path / name / "inner").mkdir(parents=True)
        (tmp_path / name / "inner" / "file").touch()
    held = os.open(tmp_path, os.O_PATH)
    layers = overlay.Layers(("/home/me", "/gone"), (held, held))
    assert overlay.changes(os.getpid(), layers) == [
        "/home/me/results/inner/file",
        "/gone/results/inner/file",
    ]
    os.close(held)
