"""The isolation of attempts: probe once which means work on this system, apply the best in every child."""

from __future__ import annotations

import functools
import json
import os
import tempfile
from typing import Any

from ..attempt.forms import Plan
from . import landlock, linux, overlay, processes, seccomp

#: With the terminals that `!command` makes.
_ALWAYS_WRITABLE = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx", "/dev/pts")
_CAN_READ = "the notebook file and the history cannot be hidden"
_CAN_SIGNAL = "signals to the kernel cannot be denied"
#: Means that are not used, for tests of the others.
avoid: set[str] = set()
#: Means of isolation, the best first, and what it means that one is missing.
_EFFECTS = {
    "overlay": "writes cannot be kept in an overlay",
    "landlock": "writes and network cannot be denied",
}


def plan(allow_network: bool, allow_writes: bool, hidden: tuple[str, ...] = ()) -> Plan:
    """The best means that work here.

    :param hidden: files that an attempt shall not read, where that can be denied.
    """
    reasons: list[str] = []
    means = "none"
    for name, effect in _EFFECTS.items():
        problem = "switched off" if name in avoid else _try(name)
        if problem is None:
            means = name
            break
        reasons.append(f"{effect}: {problem}")
    abi = 0 if "landlock" in avoid else landlock.version()
    if means != "none" and abi < landlock.HAS_SIGNALS and not seccomp.available():
        reasons.append(_CAN_SIGNAL)
    folders = tuple(overlay.writable_folders()) if means == "overlay" and not allow_writes else ()
    if means == "none":
        reasons.append(_CAN_READ)
    where = (os.getpid(), os.getcwd())
    return Plan("fork", means, abi, allow_network, allow_writes, *where, folders, tuple(reasons), hidden)


def plan_without_mounts(allow_network: bool, allow_writes: bool, hidden: tuple[str, ...] = ()) -> Plan | None:
    """For processes that share no file system of their own: Landlock; None where it is missing."""
    abi = landlock.version()
    if not abi or not seccomp.available():
        return None
    where = (os.getpid(), os.getcwd())
    return Plan("sidecar", "landlock", abi, allow_network, allow_writes, *where, (), (), hidden)


def enter(chosen: Plan) -> overlay.Layers:
    """In the judge, for all processes of an attempt: namespaces, and the throw-away view of the files.

    :raises OSError: when the system refuses what the probe was granted.
    """
    layers = overlay.Layers((), ())
    if chosen.means != "overlay":
        return layers
    network = 0 if chosen.allow_network else linux.CLONE_NEWNET
    linux.unshare(linux.CLONE_NEWIPC | network)
    if network:
        linux.raise_loopback()
    if not chosen.allow_writes:
        layers = overlay.apply(list(chosen.folders))
    overlay.cover(chosen.hidden)
    return layers


def confine(chosen: Plan, scratch: str | None, signals: bool = False) -> dict[str, Any]:
    """Isolate this process of an attempt for the rest of its life; returns the resulting ``Isolation``.

    :param signals: whether it may signal others: the judge, whose end ends them.
    :raises OSError: when the system refuses what the probe was granted.
    """
    answer = chosen.to_reply()
    if chosen.means == "none":
        try:
            _restrict_calls(chosen, signals)
        except OSError as error:
            answer["reasons"].append(f"{_CAN_SIGNAL}: {error.strerror}")
        return answer
    linux.drop_capabilities()
    by_landlock = chosen.means == "landlock"
    writable = None
    if by_landlock and not chosen.allow_writes:
        writable = [*_ALWAYS_WRITABLE, *([scratch] if scratch else [])]
        if scratch:
            os.environ["TMPDIR"] = tempfile.tempdir = scratch
    readable = None
    if by_landlock and chosen.hidden:
        try:
            readable = landlock.readable_beside(chosen.hidden)
        except OSError as error:
            answer["reasons"].append(f"{_CAN_READ}: {error.strerror}")
    if chosen.abi:
        landlock.restrict(chosen.abi, writable, chosen.allow_network or not by_landlock, readable, signals)
    _restrict_calls(chosen, signals)
    return answer


def _restrict_calls(chosen: Plan, signals: bool) -> None:
    """Deny system calls that Landlock does not know.

    :raises OSError: when the system refuses.
    """
    if not seccomp.available():
        return
    families = None
    if not chosen.allow_network and chosen.means != "none":
        families = seccomp.LOCAL_SOCKETS + (seccomp.INTERNET_SOCKETS if chosen.means == "overlay" else ())
    by_landlock = chosen.abi >= landlock.HAS_SIGNALS and chosen.means != "none"
    seccomp.restrict(
        families,
        attributes=chosen.allow_writes or chosen.means != "landlock",
        protected=None if signals or by_landlock else chosen.kernel_pid,
    )


@functools.cache
def _try(means: str) -> str | None:
    """Apply a means in a throw-away child; returns why it does not work, or None."""
    abi = landlock.version()
    if means == "landlock" and (not abi or not seccomp.available()):
        return "this Linux has no Landlock" if not abi else "no seccomp rules for this machine"
    folders = tuple(overlay.writable_folders()) if means == "overlay" else ()
    trial = Plan("fork", means, abi, False, False, os.getpid(), os.getcwd(), folders, ())
    reader, writer = os.pipe()
    pid = processes.fork()
    if pid == 0:
        _report_and_exit(trial, writer)
    os.close(writer)
    try:
        with open(reader, "rb") as answer:
            text = answer.read()
    finally:
        os.waitpid(pid, 0)
    return json.loads(text) if text else "the trial ended without an answer"


def _report_and_exit(trial: Plan, writer: int) -> None:
    problem: str | None = None
    try:
        enter(trial)
        confine(trial, None)
        for folder in trial.folders:
            # What an attempt does most: make and remove a file.
            name = os.path.join(folder, f".refine-{os.getpid()}")
            os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
            os.unlink(name)
    except BaseException as error:
        problem = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
    finally:
        try:
            os.write(writer, json.dumps(problem).encode())
        finally:
            os._exit(0)
