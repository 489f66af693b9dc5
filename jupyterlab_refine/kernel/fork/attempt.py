"""The process of an attempt as a fork: set it up, and copy it as a worker."""

from __future__ import annotations

import _signal
import asyncio
import contextlib
import faulthandler
import os
import random
import signal
import socket
import sys
from typing import Any, NamedTuple

from ..attempt.forms import Plan
from ..child import child
from ..child.running import new_loop
from ..child.streams import Events
from ..ends import silence
from ..isolation import isolation, overlay, processes, resources
from ..judge import worker
from ..judge.exchange import wire
from . import descriptors, mappings, pools

#: On which the process writes its Python stack.
DUMP_SIGNAL = signal.SIGRTMIN + 7


class Ends(NamedTuple):
    """These processes' ends of the pipes, and the file for the attempt's stack."""

    events: int
    commands: int
    stdout: int
    stderr: int
    judge_events: int
    judge_commands: int
    dump: int

    @property
    def of_attempt(self) -> tuple[int, ...]:
        return (*self[:4], self.dump)


class Setup(NamedTuple):
    """What a child needs at the fork; the job itself comes over a pipe."""

    plan: Plan
    scratch: str | None
    random_state: Any
    #: The kernel.
    parent_pid: int
    signal_mask: Any
    #: Whether it waits for its job, and does beforehand what it can.
    ahead: bool


def main(
    setup: Setup,
    ends: Ends,
    layers: overlay.Layers,
    inherited: descriptors.Inherited,
    late: socket.socket,
    parent: int,
    shell: Any,
) -> None:
    """Everything that the attempt's process does: run the candidate, then the visible checks.

    :param parent: the judge, which has forked it.
    """
    _separate(ends, parent)
    keep = (*ends.of_attempt, late.fileno(), *layers.uppers)
    layers = layers._replace(unchanged=descriptors.detach(keep, inherited, runs_candidate=True))
    isolated = isolation.confine(setup.plan, setup.scratch)
    # A fork seeds it anew.
    random.setstate(setup.random_state)
    events = Events(ends.events)
    commands = child.Commands(ends.commands)
    _signal.pthread_sigmask(signal.SIG_SETMASK, setup.signal_mask)
    resources.no_core_files()
    writable = None
    if isolated["files"] != "open":
        resources.bound_files()
        # A failing write of a byte-code cache is not caused by the candidate.
        sys.dont_write_bytecode = True
        writable = [*layers.folders, *([setup.scratch] if setup.scratch else [])]

    def copy_as_worker(before: dict[str, Any]) -> None:
        _fork_worker(events, late, inherited, shell, before)

    def open_output() -> None:
        os.dup2(ends.stdout, 1)
        os.dup2(ends.stderr, 2)

    attempt = child.Attempt(shell, events, commands, isolated, writable, open_output, copy_as_worker)
    if setup.ahead:
        attempt.rehearse()
    events.send("ready", isolation=isolated, layers=layers, pid=os.getpid())
    attempt.serve(commands.next()["head"])


def _fork_worker(
    events: Events,
    late: socket.socket,
    inherited: descriptors.Inherited,
    shell: Any,
    before: dict[str, Any],
) -> None:
    """Copy this process as a worker, with the candidate's results, before any check arrives.

    :param late: the worker's end of its connection to the judge.
    """
    reasons = pools.hostile()
    if reasons:
        events.send("worker", pid=None, reason="; ".join(reasons))
        return
    pools.pause_openmp()
    reader, writer = os.pipe()
    state = random.getstate()
    pid = processes.fork()
    if pid:
        os.close(writer)
        late.close()
        # Until it shares nothing with this process, which is sent the checks.
        os.read(reader, 1)
        os.close(reader)
        events.send("worker", pid=pid)
        return
    try:
        os.setsid()
        random.setstate(state)
        # No data on the checks may reach this process.
        mappings.make_private()
        silence(0, 1, 2)
        descriptors.detach((late.fileno(), writer), inherited, True)
        os.close(writer)
        pools.revive()
        asyncio._set_running_loop(None)
        worker.Worker(wire.Link(late), shell.user_ns, before, new_loop()).run()
    finally:
        os._exit(0)


def _separate(ends: Ends, parent: int) -> None:
    """From the judge: session, signals."""
    processes.lead(parent)
    _signal.signal(signal.SIGINT, signal.default_int_handler)
    faulthandler.enable(file=2, all_threads=False)
    faulthandler.register(DUMP_SIGNAL, file=ends.dump, all_threads=True, chain=False)


def prefer_for_oom() -> None:
    """Let the system kill the attempt, not the kernel, when memory runs out."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
