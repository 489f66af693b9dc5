"""The root of an attempt's processes as a fork: forks the attempt and the worker, then is judge."""

from __future__ import annotations

import _signal
import _thread
import asyncio
import contextlib
import gc
import os
import random
import signal
import socket
import time
import traceback
from typing import Any

from .. import changes
from ..child import child, shell_cut
from ..child.streams import Events, Silent
from ..ends import silence
from ..isolation import isolation, processes
from ..judge import importing, judge, judging, worker
from ..judge.exchange import wire
from ..secrecy import hidden_files, redact
from . import attempt, descriptors, mappings, pools


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
    is_open = setup.plan.to_reply()["files"] == "open"
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
    _Judge(setup, ends, late, road, worker_pid, shell).run(pid)


def _separate(setup: attempt.Setup) -> None:
    """From the kernel: session, signals, standard streams, traces, pools."""
    processes.lead(setup.parent_pid)
    attempt.prefer_for_oom()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD):
        _signal.signal(number, _signal.SIG_DFL)
    for number in (signal.SIGPIPE, signal.SIGINT):
        _signal.signal(number, _signal.SIG_IGN)
    silence(0, 1, 2)
    child.stop_tracing()
    asyncio._set_running_loop(None)
    pools.revive()
    changes.stop_watching()


class _Judge(judge.JudgeProcess):
    """The judge, where a worker may be a copy of the attempt's process as well."""

    def __init__(
        self,
        setup: attempt.Setup,
        ends: attempt.Ends,
        late: socket.socket,
        road: socket.socket,
        worker: int,
        shell: Any,
    ) -> None:
        super().__init__(shell, Events(ends.judge_events), road, worker)
        self._setup, self._late = setup, late
        self._commands = child.Commands(ends.judge_commands)

    def run(self, attempt: int) -> None:
        """Serve, and report the end of the attempt's process; never returns."""
        try:
            isolation.confine(self._setup.plan, self._setup.scratch, signals=True)
            self.prepare()
            if self._setup.ahead:
                self.rehearse()
            # Not a `threading.Thread`: a check may count those.
            _thread.start_new_thread(self._await_end, (attempt,))
            _signal.pthread_sigmask(signal.SIG_SETMASK, self._setup.signal_mask)
            self.serve(self._commands)
        except BaseException as error:
            # What the kernel reads is in the memory of later attempts.
            name = type(error).__name__ if self.secrets else traceback.format_exc()
            self._events.send("failed", traceback=name)
        while True:
            signal.pause()

    def _await_end(self, attempt: int) -> None:
        self._events.send("ended", status=os.waitstatus_to_exitcode(os.waitpid(attempt, 0)[1]))

    def remove(self, paths: list[str]) -> None:
        """The innermost files come first."""
        for path in paths if self._setup.plan.folders else ():
            with contextlib.suppress(OSError):
                (os.rmdir if os.path.isdir(path) and not os.path.islink(path) else os.unlink)(path)

    def start_worker(self, late: bool, confirmation: judging.Judging) -> None:
        if late:
            processes.kill(self._worker)
            confirmation.judge.link = wire.Link(self._late)
        else:
            super().start_worker(late, confirmation)


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
    worker.work(child.Commands(link), link, shell, setup.ahead)
