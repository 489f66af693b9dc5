"""The root of an attempt's processes as a fork: forks the attempt and the worker, then is judge."""

from __future__ import annotations

import _signal
import asyncio
import gc
import os
import random
import select
import signal
import socket
import time
import traceback
from collections.abc import Callable
from typing import Any

from ..child import child, shell_cut
from ..child.running import new_loop
from ..child.streams import Events, Silent
from ..ends import send
from ..isolation import isolation, processes
from ..judge import importing, judge, worker
from ..judge.exchange import wire
from ..secrecy import hidden_files, redact
from . import attempt, descriptors, emptied, mappings, pools


def main(setup: attempt.Setup, ends: attempt.Ends, shell: Any) -> None:
    """Everything the forked process does; never returns."""
    _separate(setup)
    processes.name_family(os.getpid())
    for name in redact.secret_environment():
        del os.environ[name]
    mappings.make_private()
    hidden = hidden_files.identities(setup.plan.hidden)
    layers = isolation.enter(setup.plan)
    inherited = descriptors.Inherited(hidden, layers.folders)
    random.setstate(setup.random_state)
    # Before the forks: memory that a process writes is copied, and again in each process forked later.
    shell_cut.cut(shell, Silent())
    gc.freeze()
    is_open = isolation.to_reply(setup.plan)["files"] == "open"
    importing.started_ns = importing.first_ns if is_open else time.time_ns()
    # Between judge and worker: a copy of the attempt's process, or one that runs the candidate again.
    (late, late_worker), (road, road_worker) = socket.socketpair(), socket.socketpair()
    parent = os.getpid()
    pid = processes.fork()
    if pid == 0:
        isolation.separate_network(setup.plan)
        isolation.drop_capabilities(setup.plan)
        attempt.main(setup, ends, layers, inherited, late_worker, parent, shell)
    worker_pid = processes.fork()
    if worker_pid == 0:
        isolation.drop_capabilities(setup.plan)
        try:
            _work(setup, parent, road_worker, inherited, shell)
        finally:
            os._exit(0)
    for end in (*ends.of_attempt, *layers.uppers, late_worker.detach(), road_worker.detach()):
        os.close(end)
    keep = (ends.judge_events, ends.judge_commands, late.fileno(), road.fileno())
    descriptors.detach(keep, inherited, runs_candidate=False)
    isolation.drop_capabilities(setup.plan)
    _Judge(setup, ends, late, pid, road, worker_pid, shell).run()


def _separate(setup: attempt.Setup) -> None:
    """From the kernel: session, signals, standard streams, traces, pools."""
    processes.lead(setup.parent_pid)
    attempt.prefer_for_oom()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD):
        _signal.signal(number, _signal.SIG_DFL)
    for number in (signal.SIGPIPE, signal.SIGINT):
        _signal.signal(number, _signal.SIG_IGN)
    descriptors.silence()
    child.stop_tracing()
    asyncio._set_running_loop(None)
    pools.revive()


class _Judge:
    def __init__(
        self,
        setup: attempt.Setup,
        ends: attempt.Ends,
        late: socket.socket,
        pid: int,
        road: socket.socket,
        worker: int,
        shell: Any,
    ) -> None:
        """:param road: to the worker, a process that waits for a candidate to run again."""
        self._setup, self._shell, self._late, self._child = setup, shell, late, pid
        self._road, self._worker, self._end = road, worker, ends.judge_commands
        self._events = Events(ends.judge_events)
        self._commands = child.Commands(self._end)
        self._judge = judge.JudgeProcess(shell, self._events, self._start_worker)

    def run(self) -> None:
        """Wait for commands, and for the end of the attempt's process."""
        try:
            isolation.confine(self._setup.plan, self._setup.scratch, signals=True)
            self._judge.prepare()
            if self._setup.ahead:
                self._judge.rehearse(wire.Link(self._road))
            _signal.pthread_sigmask(signal.SIG_SETMASK, self._setup.signal_mask)
            self._loop()
        except BaseException as error:
            # What the kernel reads is in the memory of later attempts.
            name = type(error).__name__ if self._judge.secrets else traceback.format_exc()
            self._events.send("failed", traceback=name)
        while True:
            signal.pause()

    def _loop(self) -> None:
        reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        _signal.signal(signal.SIGCHLD, lambda *_: None)
        poller = select.poll()
        poller.register(reader, select.POLLIN)
        poller.register(self._end, select.POLLIN)
        self._reap()
        while True:
            found = [descriptor for descriptor, _ in poller.poll(0 if self._commands.has_next else None)]
            if reader in found:
                os.read(reader, 512)
                self._reap()
            if self._end in found or self._commands.has_next:
                command = self._commands.next()
                if "head" in command:
                    self._judge.take_head(command)
                elif "remove" in command:
                    if self._setup.plan.folders:
                        _remove(command["remove"])
                    if command["worker"]:
                        self._start_worker(None)
                else:
                    _signal.signal(signal.SIGCHLD, _signal.SIG_DFL)
                    signal.set_wakeup_fd(-1)
                    self._confirm(command)
                    return

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

    def _start_worker(self, head: dict[str, Any] | None) -> None:
        if head is None:
            self._events.send("worker", pid=self._worker)
        send(self._road, head or {})

    def _confirm(self, command: dict[str, Any]) -> None:
        if command["late"]:
            processes.kill(self._worker)
        held: Callable[[], list[str]] = list
        if command["empties"]:
            held = emptied.prepare(self._judge.complete(command), self._shell, self._judge.displays)
        self._judge.judge(command, wire.Link(self._late if command["late"] else self._road), held)


def _remove(paths: list[str]) -> None:
    """Remove what the attempt made before the candidate runs again, the innermost files first."""
    for path in paths:
        try:
            (os.rmdir if os.path.isdir(path) and not os.path.islink(path) else os.unlink)(path)
        except OSError:
            continue


def _work(
    setup: attempt.Setup,
    parent: int,
    road: socket.socket,
    inherited: descriptors.Inherited,
    shell: Any,
) -> None:
    """Run the candidate again in a process that has no check, then answer the judge."""
    processes.lead(parent)
    _signal.signal(signal.SIGINT, signal.default_int_handler)
    descriptors.detach((road.fileno(),), inherited, runs_candidate=True)
    link = wire.Link(road)
    isolation.confine(setup.plan, setup.scratch)
    random.setstate(setup.random_state)
    _signal.pthread_sigmask(signal.SIG_SETMASK, setup.signal_mask)
    displays, _ = shell_cut.cut(shell, Silent())
    loop = new_loop()
    if setup.ahead:
        worker.rehearse(link, loop)
    worker.work(child.Commands(road), link, shell, displays, loop, lambda: None)
