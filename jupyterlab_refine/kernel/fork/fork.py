"""The processes of an attempt as forks: :func:`spawn` forks the kernel in its main thread.

The fork forks attempt and worker, then is the judge (:class:`Root`).
"""

from __future__ import annotations

import _signal
import _thread
import asyncio
import contextlib
import errno
import faulthandler
import functools
import gc
import json
import os
import random
import signal
import socket
import sys
import tempfile
import time
import traceback
from typing import Any, NamedTuple

from .. import changes, paused
from ..attempt.forms import Child, Plan, Refused, StackDump, make_folder, remove_folder
from ..child import child, shell_cut
from ..child.running import new_loop
from ..ends import Events, silence
from ..isolation import isolation, overlay, processes
from ..isolation.isolation import plan
from ..judge import importing, judge, worker
from ..judge.exchange import wire
from ..secrecy import hidden_files, redact
from . import descriptors, pools
from .family import Family
from .pools import hostile

#: A fork has all variables.
COPIES = False
__all__ = ["COPIES", "hostile", "plan", "spawn"]
#: On which the attempt's process writes its Python stack.
_DUMP_SIGNAL = signal.SIGRTMIN + 7


def spawn(chosen: Plan, shell: Any, ahead: bool = False) -> Child:
    """Fork a judge, which forks the process of an attempt; both wait for their job.

    Must run in the main thread, as :func:`..attempt.pipes.interrupts`: sqlite's thread check, ``np.seterr``,
    decimal contexts and ``threading.local`` are bound to it.

    :param ahead: whether there is time for the child to do what it can before its job.
    :raises Refused: when the system or a library does not allow it.
    """
    reasons = hostile()
    if reasons:
        raise Refused("fork-unsafe", "; ".join(reasons))
    pools.pause_openmp()
    if chosen.to_reply()["files"] == "open" and importing.first_ns is None:
        importing.first_ns = time.time_ns()
    with contextlib.ExitStack() as started:
        try:
            return _forked(chosen, shell, ahead, started)
        except OSError as error:
            name = errno.errorcode.get(error.errno or 0, "")
            message = f"The kernel could not be forked: {error.strerror} ({name})."
            raise Refused("fork-failed", message) from error


def _forked(chosen: Plan, shell: Any, ahead: bool, started: contextlib.ExitStack) -> Child:
    """:param started: undoes what was made, unless all of it is."""
    # Where there is no overlay.
    scratch = make_folder() if chosen.means == "landlock" and not chosen.allow_writes else None
    started.callback(remove_folder, scratch)
    file: Any = tempfile.TemporaryFile()
    # Events, commands, standard output and error, then of the judge; the kernel writes to these.
    written = (1, 5)
    ours, theirs = [], []
    for number in range(6):
        pipe = os.pipe() if number not in written else os.pipe()[::-1]
        ours.append(pipe[0])
        theirs.append(pipe[1])
        started.callback(os.close, pipe[0])
        started.callback(os.close, pipe[1])
    dump = StackDump(file, _DUMP_SIGNAL)
    # Not of `signal`, which makes names of the numbers: every page used after a fork is copied.
    mask = _signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    forked = Root(chosen, scratch, Ends(*(*theirs, file.fileno())), shell, mask, ahead)
    try:
        pid = processes.fork()
        if pid == 0:
            for descriptor in ours:
                os.close(descriptor)
            forked.main()
    finally:
        _signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    started.pop_all()
    for descriptor in theirs:
        os.close(descriptor)
    for descriptor in ours:
        os.set_blocking(descriptor, False)
    return Child._make((*ours, dump, Family(pid), chosen, scratch))


# -- in the forks


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


class Root:
    """What these processes have from the kernel; the job itself comes over a pipe.

    Made in the kernel, before the fork.

    :param signal_mask: of the kernel.
    :param ahead: whether they wait for their job, and do beforehand what they can.
    """

    def __init__(
        self, plan: Plan, scratch: str | None, ends: Ends, shell: Any, signal_mask: Any, ahead: bool
    ) -> None:
        self.plan, self.scratch, self.ends, self.shell = plan, scratch, ends, shell
        self.signal_mask, self.ahead = signal_mask, ahead
        # A fork seeds it anew.
        self._random_state, self._kernel = random.getstate(), os.getpid()

    def main(self) -> None:
        """Everything the forked process does; never returns."""
        try:
            paused.enter(self.shell.user_ns)
            self._run()
        except BaseException:
            # Never caused by the candidate, whose errors are reported elsewhere.
            failed = json.dumps({"t": "failed", "traceback": traceback.format_exc()})
            os.write(self.ends.events, failed.encode() + b"\n")
        finally:
            os._exit(70)

    def _run(self) -> None:
        self._separate()
        for name in redact.secret_environment():
            del os.environ[name]
        descriptors.make_maps_private()
        self._hidden = hidden_files.identities(self.plan.hidden)
        self._layers = isolation.enter(self.plan)
        random.setstate(self._random_state)
        # Before the forks: memory that a process writes is copied, and again in each process forked later.
        shell_cut.cut(self.shell, Events(None))
        gc.freeze()
        is_open = self.plan.to_reply()["files"] == "open"
        importing.started_ns = importing.first_ns if is_open else time.time_ns()
        # Between judge and worker: a copy of the attempt's process, or one that runs the candidate again.
        (late, self._late), (road, road_worker) = socket.socketpair(), socket.socketpair()
        self._judge = os.getpid()
        attempt = processes.fork()
        if attempt == 0:
            self._attempt()
        worker_pid = processes.fork()
        if worker_pid == 0:
            try:
                # It runs the candidate again, and has no check.
                self._enter(road_worker.fileno())
                link = wire.Link(road_worker)
                worker.work(child.Commands(link), link, self.shell, self.ahead)
            finally:
                os._exit(0)
        ends = self.ends
        for end in (*ends.of_attempt, *self._layers.uppers, self._late.detach(), road_worker.detach()):
            os.close(end)
        keep = (ends.judge_events, ends.judge_commands, late.fileno(), road.fileno())
        descriptors.detach(keep, self._hidden)
        events = Events(ends.judge_events)
        self._judge_of(attempt, judge.JudgeProcess(self.shell, events, road, worker_pid, late))

    def _separate(self) -> None:
        """From the kernel: session, signals, standard streams, traces, pools."""
        processes.lead(self._kernel)
        processes.name_family(os.getpid())
        # Let the system kill the attempt, not the kernel, when memory runs out.
        with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
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

    def _enter(self, *keep: int) -> tuple[dict[str, Any], overlay.Layers]:
        """In a process that runs the candidate: session, descriptors, isolation."""
        processes.lead(self._judge)
        _signal.signal(signal.SIGINT, signal.default_int_handler)
        unchanged = descriptors.detach(keep, self._hidden, self._layers.folders)
        isolated = isolation.confine(self.plan, self.scratch)
        random.setstate(self._random_state)
        _signal.pthread_sigmask(signal.SIG_SETMASK, self.signal_mask)
        return isolated, self._layers._replace(unchanged=unchanged)

    def _attempt(self) -> None:
        """Run the candidate, then the visible checks."""
        ends = self.ends
        faulthandler.enable(file=2, all_threads=False)
        faulthandler.register(_DUMP_SIGNAL, file=ends.dump, all_threads=True, chain=False)
        isolated, layers = self._enter(*ends.of_attempt, self._late.fileno(), *self._layers.uppers)
        events, commands = Events(ends.events), child.Commands(ends.commands)
        writable = None
        processes.bound(isolated["files"] != "open")
        if isolated["files"] != "open":
            # A failing write of a byte-code cache is not caused by the candidate.
            sys.dont_write_bytecode = True
            writable = [*layers.folders, *([self.scratch] if self.scratch else [])]

        def open_output() -> None:
            os.dup2(ends.stdout, 1)
            os.dup2(ends.stderr, 2)

        copy = functools.partial(self._copy_as_worker, events)
        attempt = child.Attempt(self.shell, events, commands, isolated, writable, open_output, copy)
        attempt.serve(self.ahead, layers=layers)

    def _copy_as_worker(self, events: Events, before: dict[str, Any]) -> None:
        """Copy this process as a worker, with the candidate's results, before any check arrives."""
        reasons = hostile()
        if reasons:
            events.send("worker", pid=None, reason="; ".join(reasons))
            return
        pools.pause_openmp()
        reader, writer = os.pipe()
        state, own = random.getstate(), os.getpid()
        pid = processes.fork()
        if pid:
            os.close(writer)
            self._late.close()
            # Until it shares nothing with this process, which is sent the checks.
            os.read(reader, 1)
            os.close(reader)
            events.send("worker", pid=pid)
            return
        try:
            processes.lead(own)
            random.setstate(state)
            # No data on the checks may reach this process.
            descriptors.make_maps_private()
            silence(0, 1, 2)
            descriptors.detach((self._late.fileno(), writer), self._hidden, self._layers.folders)
            os.close(writer)
            pools.revive()
            asyncio._set_running_loop(None)
            worker.Worker(wire.Link(self._late), self.shell.user_ns, before, new_loop()).run()
        finally:
            os._exit(0)

    def _judge_of(self, attempt: int, process: judge.JudgeProcess) -> None:
        """Serve, and report the end of the attempt's process; never returns."""
        events = process.events

        def await_end() -> None:
            events.send("ended", status=os.waitstatus_to_exitcode(os.waitpid(attempt, 0)[1]))

        try:
            isolation.confine(self.plan, self.scratch, signals=True)
            process.prepare()
            if self.ahead:
                process.rehearse()
            # Not a `threading.Thread`: a check may count those.
            _thread.start_new_thread(await_end, ())
            _signal.pthread_sigmask(signal.SIG_SETMASK, self.signal_mask)
            process.serve(child.Commands(self.ends.judge_commands))
        except BaseException as error:
            # What the kernel reads is in the memory of later attempts.
            name = type(error).__name__ if process.secrets else traceback.format_exc()
            events.send("failed", traceback=name)
        while True:
            signal.pause()
