"""The root of an attempt's processes: it forks the candidate's, and confirms the checks after a pass.

It never runs the candidate. It has the kernel's state from before the attempt, is isolated like an
attempt, and alone is sent hold-outs and scorer.
"""

from __future__ import annotations

import _signal
import asyncio
import gc
import json
import os
import posix
import random
import select
import shutil
import signal
import socket
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from ..child import above, child, descriptors, environment, loops, mappings, pools, shell_cut
from ..child.running import Runner, complete
from ..child.streams import Events, Silent
from ..isolation import isolation, linux, overlay, processes
from ..secrecy import hidden_files, hiding
from . import emptied, importing, judging, scorer, worker
from .exchange import wire

#: In the place of every sentence that could quote a hold-out.
_HIDDEN = "the reason could reveal a hold-out"
_PR_GET_DUMPABLE, _PR_SET_DUMPABLE = 3, 4


class Ends(NamedTuple):
    """This side's ends of the pipes: the attempt's, then the judge's own."""

    attempt: child.Ends
    events: int
    commands: int


class Roads(NamedTuple):
    """Sockets between judge and worker."""

    judge: socket.socket
    worker: socket.socket


def main(setup: child.Setup, ends: Ends, shell: Any) -> None:
    """Everything the forked process does; never returns."""
    _separate(setup)
    environment.remove_secrets()
    mapped = mappings.make_private()
    hidden = hidden_files.identities(setup.plan.hidden)
    layers = isolation.enter(setup.plan)
    inherited = descriptors.Inherited(hidden, layers.folders, mapped)
    random.setstate(setup.random_state)
    # Before the forks: memory that a process writes is copied, and again in each process forked later.
    shell_cut.cut(shell, Silent())
    loops.prepare()
    gc.freeze()
    is_open = isolation.to_reply(setup.plan)["files"] == "open"
    importing.started_ns = importing.first_ns if is_open else time.time_ns()
    late, road = Roads(*socket.socketpair()), Roads(*socket.socketpair())
    reader, writer = os.pipe()
    parent = os.getpid()
    isolation.confine_signals(setup.plan)
    was_readable = _is_readable()
    # Otherwise the attempt's process could read the worker's memory before the worker has hidden itself.
    _set_readable(False)
    pid = _fork()
    if pid == 0:
        _set_readable(was_readable)
        isolation.separate_network(setup.plan)
        isolation.drop_capabilities(setup.plan)
        child.main(setup, ends.attempt, layers, inherited, late.worker, parent, shell)
    worker_pid = _fork()
    if worker_pid == 0:
        isolation.drop_capabilities(setup.plan)
        try:
            _work(setup, parent, reader, road.worker, inherited, shell)
        finally:
            os._exit(0)
    for end in (*ends.attempt, *layers.uppers, reader):
        os.close(end)
    late.worker.close()
    road.worker.close()
    keep = (*ends[1:], writer, late.judge.fileno(), road.judge.fileno(), *loops.descriptors())
    descriptors.detach(keep, inherited, runs_candidate=False)
    isolation.drop_capabilities(setup.plan)
    worker_end = _Worker(worker_pid, writer, road.judge)
    _Judge(setup, ends, late.judge, pid, worker_end, shell).run()


def _fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return posix.fork()


def _separate(setup: child.Setup) -> None:
    """From the kernel: session, signals, standard streams, traces, pools."""
    os.setsid()
    processes.die_with_parent()
    if os.getppid() != setup.parent_pid:
        os._exit(0)
    processes.adopt_orphans(True)
    processes.mark(setup.token)
    child.prefer_for_oom()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD):
        _signal.signal(number, _signal.SIG_DFL)
    for number in (signal.SIGPIPE, signal.SIGINT):
        _signal.signal(number, _signal.SIG_IGN)
    descriptors.silence()
    child.stop_tracing()
    asyncio._set_running_loop(None)
    pools.revive()


class _Worker(NamedTuple):
    """A process that waits for a candidate to run again."""

    pid: int
    commands: int
    road: socket.socket


class _Judge:
    def __init__(
        self,
        setup: child.Setup,
        ends: Ends,
        late: socket.socket,
        pid: int,
        worker: _Worker,
        shell: Any,
    ) -> None:
        self._setup, self._shell, self._late, self._child = setup, shell, late, pid
        self._ends, self._worker = ends, worker
        self._events = Events(ends.events)
        self._commands = child.Commands(ends.commands)
        #: ``holdouts``, ``scorer`` and ``hiddenNames`` of the job.
        self._secrets: dict[str, Any] = {}

    def run(self) -> None:
        """Wait for commands, and for the end of the attempt's process."""
        try:
            self._prepare()
            if self._setup.ahead:
                self._rehearse(wire.Link(self._worker.road))
            _signal.pthread_sigmask(signal.SIG_SETMASK, self._setup.signal_mask)
            self._loop()
        except BaseException as error:
            # What the kernel reads is in the memory of later attempts.
            name = type(error).__name__ if self._secrets else traceback.format_exc()
            self._events.send("failed", traceback=name)
        while True:
            signal.pause()

    def _prepare(self) -> None:
        """Prepare the judgement as far as possible without a result of the attempt."""
        isolation.confine(self._setup.plan, self._setup.scratch, signals=True)
        importing.install_guard()
        sys.dont_write_bytecode = True
        self._displays = _cut(self._shell, 0)
        self._loop_of_checks = loops.current()

    def _rehearse(self, link: wire.Link) -> None:
        """Judge a check once beforehand, so that this process has its own copies of the pages written."""
        command: dict[str, Any] = {
            "cells": [],
            "free": [],
            "asked": [],
            "imports": [],
            "binds": [],
            "reads": [],
            "hidden": [],
        }
        command["cells"] = [{"cellId": "", "role": "assertion", "source": "assert [1] == [1]"}]
        confirmation = judging.Judging(command, link, self._shell, self._displays)
        self._loop_of_checks.run_until_complete(_exhaust(confirmation))

    def _loop(self) -> None:
        reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        _signal.signal(signal.SIGCHLD, lambda *_: None)
        poller = select.poll()
        poller.register(reader, select.POLLIN)
        poller.register(self._ends.commands, select.POLLIN)
        self._reap()
        while True:
            found = [descriptor for descriptor, _ in poller.poll(0 if self._commands.has_next else None)]
            if reader in found:
                os.read(reader, 512)
                self._reap()
            if self._ends.commands in found or self._commands.has_next:
                command = self._commands.next()
                if "head" in command:
                    head = command["head"]
                    if command["secrets"] is not None:
                        self._secrets = command["secrets"]
                        known = hiding.known(self._secrets, self._shell)
                        self._events.send("opened", **known)
                        head["hidden"] = known["hidden"]
                    # It hides what it must meanwhile.
                    _write(self._worker.commands, json.dumps(head).encode() + b"\n")
                elif "remove" in command:
                    if self._setup.plan.folders:
                        _remove(command["remove"])
                    if command["worker"]:
                        self._start_worker()
                else:
                    _signal.signal(signal.SIGCHLD, _signal.SIG_DFL)
                    signal.set_wakeup_fd(-1)
                    self._judge(self._complete(command))
                    return

    def _complete(self, command: dict[str, Any]) -> dict[str, Any]:
        """The command to judge, with the secrets."""
        secrets = self._secrets
        return {
            **command,
            "cells": [*command["cells"], *secrets.get("holdouts", [])],
            "scorer": secrets.get("scorer"),
            "hidden": sorted({*secrets.get("hiddenNames", []), *command["data"]}),
        }

    def _reap(self) -> None:
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return
                if pid == self._child:
                    self._events.send("ended", status=status)
        except ChildProcessError:
            return

    # -- the worker

    def _start_worker(self) -> None:
        """Let the worker run the candidate."""
        self._events.send("worker", pid=self._worker.pid)
        _write(self._worker.commands, b"{}\n")

    # -- the judgement

    def _judge(self, command: dict[str, Any]) -> None:
        if command["late"]:
            processes.kill_group(self._worker.pid)
        link = wire.Link(self._late if command["late"] else self._worker.road)
        start_emptied: Callable[[], None] | None = None
        if command["empties"]:
            start_emptied = emptied.prepare(command, self._shell, self._displays, self._ends.events)
        above.find_modules_of_checks(one["source"] for one in command["cells"])
        # Prepared while the worker runs the candidate.
        confirmation = judging.Judging(command, link, self._shell, self._displays)
        if not command["late"]:
            try:
                tree, _ = link.receive()
                problem = tree[0] if type(tree) is list and tree else "no answer"
            except (wire.Closed, wire.Malformed):
                problem = "its process ended"
            if problem is not None:
                self._events.send(
                    "judged", problem=f"the candidate failed when it ran again: {problem}"[:300]
                )
                return
        self._loop_of_checks.run_until_complete(self._run(command, confirmation))
        if start_emptied is not None:
            start_emptied()

    async def _run(self, command: dict[str, Any], confirmation: judging.Judging) -> None:
        is_held_out = False
        try:
            async for result in confirmation.checks("assertion"):
                self._events.send("check", **result)
            # Before the hold-outs: the model sees what it gives, and the worker hears their arguments.
            if command.get("scorer") is not None:
                self._events.send("scored", scored=await scorer.judge(command, confirmation, self._shell))
            self._events.send("holdouts")
            is_held_out = True
            async for result in confirmation.checks("holdout"):
                # No text of a hold-out goes back through the kernel.
                reason = None if result["reason"] is None else _HIDDEN
                self._events.send("check", **{**result, "reason": reason})
                if not result["held"] and not result["unjudged"]:
                    break
        except BaseException as error:
            if not self._events.own_process():
                os._exit(0)
            found = confirmation.judge.problems or [f"{type(error).__name__}: {error}"]
            problem = _HIDDEN if is_held_out else found[0][:300]
            self._events.send("judged", problem=problem, fault=confirmation.judge.faults)
            return
        self._events.send("judged", problem=None)


def _write(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def _remove(paths: list[str]) -> None:
    """Remove what the attempt made before the candidate runs again, the innermost files first."""
    for path in paths:
        try:
            (os.rmdir if os.path.isdir(path) and not os.path.islink(path) else os.unlink)(path)
        except OSError:
            continue
    if os.path.ismount(overlay.SHARED_MEMORY):
        for name in os.listdir(overlay.SHARED_MEMORY):
            _remove_tree(os.path.join(overlay.SHARED_MEMORY, name))


def _remove_tree(path: str) -> None:
    try:
        os.unlink(path)
    except IsADirectoryError:
        shutil.rmtree(path, ignore_errors=True)
    except OSError:
        return


def _is_readable() -> bool:
    return processes.LINUX and linux.libc().prctl(_PR_GET_DUMPABLE, 0, 0, 0, 0) == 1


def _set_readable(on: bool) -> None:
    """Whether processes of the same user may read this one's memory and take its descriptors."""
    if processes.LINUX:
        linux.libc().prctl(_PR_SET_DUMPABLE, int(on), 0, 0, 0)


def _cut(shell: Any, kept: int) -> Any:
    """Cut the shell off; what is displayed or printed goes nowhere.

    :param kept: characters of a stream that are inspected.
    """
    displays, streams = shell_cut.cut(shell, Silent())
    for stream in streams:
        stream.bound(kept, sys.maxsize)
    return displays


async def _exhaust(confirmation: judging.Judging) -> None:
    async for _ in confirmation.checks("assertion"):
        pass


def _work(
    setup: child.Setup,
    parent: int,
    commands: int,
    road: socket.socket,
    inherited: descriptors.Inherited,
    shell: Any,
) -> None:
    """Run the candidate again in a process that has no check, then answer the judge."""
    os.setsid()
    processes.die_with_parent()
    if os.getppid() != parent:
        return
    processes.adopt_orphans(True)
    _signal.signal(signal.SIGINT, signal.default_int_handler)
    descriptors.detach((commands, road.fileno(), *loops.descriptors()), inherited, runs_candidate=True)
    link = wire.Link(road)
    isolation.confine(setup.plan, setup.scratch, parent)
    random.setstate(setup.random_state)
    _signal.pthread_sigmask(signal.SIG_SETMASK, setup.signal_mask)
    displays = _cut(shell, 1 << 16)
    loop = loops.own()
    runner = Runner(shell, displays)
    if setup.ahead:
        worker.rehearse(link, loop)
    waiting = child.Commands(commands)
    head = waiting.next()
    child.blind(head, shell)
    before = dict(shell.user_ns)
    waiting.next()
    # Until now the attempt's process could have reached it.
    _set_readable(True)
    os.close(commands)
    above.find_modules()
    try:
        complete(above.run_again(runner), loop)
        complete(runner.candidate(head["candidate"]), loop)
    except BaseException as error:
        link.send(wire.encoded([f"{type(error).__name__}: {error}"[:200]]), [])
        return
    link.send(wire.encoded([None]), [])
    child.stop_tracing()
    worker.serve(link, shell, before, loop)
