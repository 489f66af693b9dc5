"""The child's side of an attempt: isolate itself, run the candidate, then the visible checks.

It never returns and never exits by itself: the kernel kills it, so that no
``atexit`` handler, finaliser or inherited buffer runs a second time. Candidate
and checks come over a pipe, the checks only after the candidate has ended.
"""

from __future__ import annotations

import _signal
import asyncio
import builtins
import contextlib
import faulthandler
import io
import json
import os
import posix
import random
import secrets
import signal
import socket
import sys
import threading
import traceback
import warnings
from typing import Any, NamedTuple

from ..checks import statements
from ..checks.evaluating import Evaluator
from ..isolation import isolation, limits, overlay, processes
from ..isolation.watch import Watch
from ..judge import worker
from ..judge.exchange import wire
from ..secrecy import hidden_data, hiding
from ..source import static
from . import above, descriptors, loops, mappings, pools, shell_cut
from .repair import Repair
from .running import Runner, complete
from .streams import Events, TextStream
from .tracebacks import ErrorFormatter

#: File name of the checks that are evaluated once before the candidate.
_REHEARSAL = "_refine_rehearsal"

#: On which the child dumps its Python stack, even with the GIL held.
DUMP_SIGNAL = signal.SIGRTMIN + 7 if hasattr(signal, "SIGRTMIN") else signal.SIGUSR2


class Ends(NamedTuple):
    """The child's ends of the pipes."""

    events: int
    commands: int
    stdout: int
    stderr: int
    dump: int


class Setup(NamedTuple):
    """What a child needs at the fork; the job itself comes over a pipe."""

    token: str
    plan: isolation.Plan
    scratch: str | None
    random_state: Any
    #: The kernel.
    parent_pid: int
    signal_mask: Any
    #: Whether it waits for its job, and does beforehand what it can.
    ahead: bool


class Commands:
    """Lines of JSON from the kernel."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._set_blocking = os.set_blocking
        self._read, self._decode = os.read, json.JSONDecoder().decode
        self._rest = b""

    @property
    def has_next(self) -> bool:
        """Whether a command was read that was not used yet."""
        return b"\n" in self._rest

    def next(self) -> dict[str, Any]:
        while b"\n" not in self._rest:
            # A candidate may have made it non-blocking.
            self._set_blocking(self._descriptor, True)
            data = self._read(self._descriptor, 1 << 16)
            if not data:
                os._exit(0)
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return self._decode(line.decode("utf-8"))


class Means(NamedTuple):
    """What the process has set up before the job arrives."""

    shell: Any
    plan: isolation.Plan
    events: Events
    commands: Commands
    watch: Watch
    #: How files are isolated.
    files: str
    displays: shell_cut.Displays
    streams: list[TextStream]
    loop: asyncio.AbstractEventLoop
    inherited: descriptors.Inherited
    #: The worker's end of a connection to the judge, in case this process must be copied as a worker.
    late: socket.socket


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
    _separate(setup, ends, parent)
    late = socket.socket(fileno=descriptors.move_up(late.detach()))
    keep = (*ends, late.fileno(), *layers.uppers, *loops.descriptors())
    files = descriptors.detach(keep, inherited, runs_candidate=True)
    layers = layers._replace(unchanged=files.unchanged)
    isolated = isolation.confine(setup.plan, setup.scratch, parent)
    # A fork seeds it anew.
    random.setstate(setup.random_state)
    events = Events(ends.events)
    commands = Commands(ends.commands)
    _signal.pthread_sigmask(signal.SIG_SETMASK, setup.signal_mask)
    watch = _watch(setup, isolated, layers)
    displays, streams = shell_cut.cut(shell, events)
    loop = loops.own()
    means = Means(
        shell,
        setup.plan,
        events,
        commands,
        watch,
        isolated["files"],
        displays,
        streams,
        loop,
        inherited,
        late,
    )
    if setup.ahead:
        _rehearse(means)
    events.send("ready", isolation=isolated, layers=layers, pid=os.getpid(), read_only=files.read_only)
    job = commands.next()["head"]
    events.send("hidden", warnings=blind(job, shell))
    attempt = _Attempt(job, means)
    above.find_modules()
    complete(attempt.above(), loop)
    _look(job, shell, events, commands)
    events.send("start")
    loop.run_until_complete(attempt.run())


def blind(job: dict[str, Any], shell: Any) -> list[str]:
    """Remove what no candidate may see: hold-outs that the user ran, and hidden data. Returns warnings."""
    found = job["hidden"] is not None and hiding.hide(job["hidden"], shell)
    return [*([hiding.RAN] if found else []), *hidden_data.hide(job["hiddenData"], shell)]


def _rehearse(means: Means) -> None:
    """Evaluate a check once beforehand, so that this process has its own copies of the pages written."""
    runner, formatter = Runner(means.shell, means.displays), ErrorFormatter(means.shell, "none")
    evaluator = Evaluator(means.shell, runner, formatter, means.events, _REHEARSAL)
    cell = {"cellId": "", "role": "", "source": "assert [1] == [1]"}
    for statement in statements.split(cell):
        means.loop.run_until_complete(evaluator.run(statement, _REHEARSAL))
    delattr(builtins, _REHEARSAL)


def _separate(setup: Setup, ends: Ends, parent: int) -> None:
    """From the judge: session, standard streams, signals."""
    os.setsid()
    processes.die_with_parent()
    if os.getppid() != parent:
        os._exit(0)
    processes.adopt_orphans(True)
    _signal.signal(signal.SIGINT, signal.default_int_handler)
    for source, target in ((ends.stdout, 1), (ends.stderr, 2)):
        os.dup2(source, target)
    faulthandler.enable(file=2, all_threads=False)
    faulthandler.register(DUMP_SIGNAL, file=ends.dump, all_threads=True, chain=False)


def _look(job: dict[str, Any], shell: Any, events: Events, commands: Commands) -> None:
    """At the source, before anything of it runs; the kernel, which knows the checks, may end it here."""
    if job["static"] is None:
        return
    found = static.find(job["candidate"], shell)
    events.send("findings", findings=found)
    if job["static"] == "gate" and static.is_refused(found):
        commands.next()


def stop_tracing() -> None:
    """An inherited debugger would wait at a breakpoint for ever; a candidate may have started one."""
    getters = (sys.gettrace, sys.getprofile, threading.gettrace, threading.getprofile)
    # A trace function whose truth value is False traces as well.
    if any(trace() is not None for trace in getters):
        # pydevd warns about it, here into the output of the user's cell.
        with contextlib.redirect_stderr(io.StringIO()):
            for stop in (sys.settrace, sys.setprofile, threading.settrace, threading.setprofile):
                stop(None)
    if hasattr(sys, "monitoring"):
        for tool in range(6):
            if sys.monitoring.get_tool(tool) is not None:
                sys.monitoring.set_events(tool, 0)


def _watch(setup: Setup, isolated: dict[str, Any], layers: overlay.Layers) -> Watch:
    writable: list[str] | None = None
    if isolated["files"] != "open":
        # A failing write of a byte-code cache is not caused by the candidate.
        sys.dont_write_bytecode = True
        writable = [*layers.folders, *([setup.scratch] if setup.scratch else [])]
    watch = Watch(isolated["network"], writable)
    watch.start()
    return watch


def prefer_for_oom() -> None:
    """Let the system kill the attempt, not the kernel, when memory runs out."""
    try:
        descriptor = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        try:
            os.write(descriptor, b"1000")
        finally:
            os.close(descriptor)
    except OSError:
        return


class _Attempt:
    """One job: the candidate, then the visible checks."""

    def __init__(self, job: dict[str, Any], means: Means) -> None:
        bounds = limits.read(job["limits"])
        self._job = job
        self._means = means
        self._shell, self._events, self._commands = means.shell, means.events, means.commands
        self._watch, self._files = means.watch, means.files
        self._streams = means.streams
        self._bounds = bounds
        self._runner = Runner(self._shell, means.displays)
        self._formatter = ErrorFormatter(self._shell, job["contextValues"])
        self._before = dict(self._shell.user_ns)
        self._builtins = dict(vars(builtins))
        limits.no_core_files()
        if self._files != "open":
            limits.bound_files()
        self._exceeded: str | None = None
        self._repair = Repair(job["repair"]) if job["repair"] else None
        self._repaired: dict[str, Any] | None = None

    async def above(self) -> None:
        """Run the cells above the target, where the kernel has not run them. What they print is dropped.

        Returns only when the candidate may run.
        """
        is_first = True
        for number, cell in above.numbered():
            is_new = not above.is_proven(number)
            if is_new or is_first:
                is_first = False
                self._events.send("above", number=number)
            try:
                await self._runner.cell(cell.source, cell.file_name, cell.compiled)
            except BaseException as error:
                vars(builtins).update(self._builtins)
                if is_new or not cell.tolerated:
                    self._events.send("above-failed", number=number, error=self._formatter.to_reply(error))
                while not cell.tolerated:
                    signal.pause()
            if not self._events.own_process():
                os._exit(0)
        vars(builtins).update(self._builtins)
        for stream in self._streams:
            stream.bound(self._bounds.output_bytes, self._bounds.hard_output_bytes)

    async def run(self) -> None:
        """Never returns: what would run afterwards may have been patched by the candidate."""
        try:
            await self._run()
        except BaseException:
            self._events.send("broken", message=traceback.format_exc())
        while True:
            signal.pause()

    async def _run(self) -> None:
        error = await self._candidate()
        # What it traces could change what the checks see.
        stop_tracing()
        if not self._events.own_process():
            os._exit(0)
        self._finish_streams()
        found = self._watch.found()
        self._events.send(
            "candidate", error=error, exceeded=self._exceeded, denied=found, repair=self._repaired
        )
        while True:
            command = self._commands.next()
            if command["worker"]:
                self._fork_worker()
            await self._checks(command["cells"])

    async def _candidate(self) -> dict[str, Any] | None:
        try:
            await self._runner.candidate(self._job["candidate"], self._repair)
        except BaseException as error:
            vars(builtins).update(self._builtins)
            self._report_repair(error)
            self._exceeded = limits.exceeded(error, self._files)
            return self._formatter.to_reply(error)
        # The checks are run with modules that need `len` and the like; the judge has its own.
        vars(builtins).update(self._builtins)
        self._report_repair(None)
        return None

    def _report_repair(self, error: BaseException | None) -> None:
        if self._repair is not None:
            self._repaired = self._repair.report(error, self._shell.user_ns)

    def _fork_worker(self) -> None:
        """Copy this process as a worker, with the candidate's results, before any check arrives."""
        threads = pools.threads()
        reasons = pools.hostile(threads)
        if reasons:
            self._events.send("worker", pid=None, reason="; ".join(reasons))
            return
        pools.pause_openmp(threads)
        reader, writer = os.pipe()
        state = random.getstate()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pid = posix.fork()
        if pid:
            os.close(writer)
            self._means.late.close()
            # Until it shares nothing with this process, which is sent the checks.
            os.read(reader, 1)
            os.close(reader)
            self._events.send("worker", pid=pid)
            return
        try:
            os.setsid()
            random.setstate(state)
            # No data on the checks may reach this process.
            mappings.make_private()
            descriptors.silence()
            descriptors.detach((self._means.late.fileno(), writer), self._means.inherited, True)
            isolation.close_network(self._means.plan)
            os.close(writer)
            pools.revive()
            asyncio._set_running_loop(None)
            loop = asyncio.new_event_loop()
            asyncio.set_event_loop(loop)
            worker.serve(wire.Link(self._means.late), self._shell, self._before, loop)
        finally:
            os._exit(0)

    async def _checks(self, cells: list[dict[str, Any]]) -> None:
        name = f"_refine_{secrets.token_hex(8)}"
        evaluator = Evaluator(self._shell, self._runner, self._formatter, self._events, name)
        above.replace_modules_of_checks(cell["source"] for cell in cells)
        _, skipped = await evaluator.cells(cells)
        if not self._events.own_process():
            os._exit(0)
        self._finish_streams()
        self._events.send("checked", denied=self._watch.found(), skipped=skipped)

    def _finish_streams(self) -> None:
        for stream in self._streams:
            stream.finish()
