"""The child's side of an attempt: make itself harmless, run the candidate, then the checks.

It never returns and never exits by itself: the kernel kills it, so that no
``atexit`` handler, finaliser or inherited buffer runs a second time. Candidate
and checks come over a pipe, the checks only after the candidate has ended.
"""

from __future__ import annotations

import asyncio
import builtins
import faulthandler
import gc
import json
import os
import random
import signal
import sys
import threading
import traceback
from typing import Any, NamedTuple

from . import (
    descriptors,
    eavesdropping,
    environment,
    hidden_data,
    hidden_files,
    hiding,
    impostors,
    isolation,
    limits,
    mappings,
    operands,
    pools,
    processes,
    reliance,
    scorer,
    scoring,
    shell_cut,
    statements,
    static,
    tampering,
)
from .evaluating import Evaluator
from .forget import forget_attempts, forget_requests
from .running import Runner
from .streams import Events, TextStream
from .tracebacks import Teller
from .watch import Watch

_NOT_ALL_HIDDEN = (
    "The kernel holds too many objects to look at each of them: a candidate may find pieces of the hold-outs "
    "that you ran in it. Restart the kernel and run the cells above the target only."
)

#: Named so for a moment, before there is a candidate.
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
    """What must be known at the fork; the job itself comes over the pipe."""

    token: str
    #: Text by which the request is known that must be forgotten.
    forget: str | None
    plan: isolation.Plan
    scratch: str | None
    random_state: Any
    parent_pid: int
    signal_mask: Any
    #: It will wait for its job: what can be done before is.
    ahead: bool


class Commands:
    """Lines of JSON from the kernel."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._set_blocking = os.set_blocking
        self._read, self._decode = os.read, json.JSONDecoder().decode
        self._rest = b""

    def next(self) -> dict[str, Any]:
        while b"\n" not in self._rest:
            self._fill()
        line, _, self._rest = self._rest.partition(b"\n")
        return self._decode(line.decode("utf-8"))

    def bytes(self, size: int) -> bytes:
        """The next bytes, where a command has announced some."""
        while len(self._rest) < size:
            self._fill()
        data, self._rest = self._rest[:size], self._rest[size:]
        return data

    def _fill(self) -> None:
        # A candidate may have made it non-blocking.
        self._set_blocking(self._descriptor, True)
        data = self._read(self._descriptor, 1 << 16)
        if not data:
            os._exit(0)
        self._rest += data


class Means(NamedTuple):
    """What is there before the job."""

    shell: Any
    events: Events
    commands: Commands
    watch: Watch
    #: How files are isolated.
    files: str
    displays: shell_cut.Displays
    streams: list[TextStream]
    builtins: tampering.Builtins
    loop: asyncio.AbstractEventLoop


def main(setup: Setup, ends: Ends, shell: Any) -> None:
    """Everything the child does. Called in the forked process only."""
    _become_harmless(setup, ends)
    environment.lose_secrets()
    mappings.make_private()
    hidden = hidden_files.identities(setup.plan.hidden)
    applied = isolation.apply(setup.plan, setup.scratch)
    descriptors.detach((*ends, *applied.layers.uppers), hidden)
    forget_attempts()
    forget_requests(setup.forget, shell)
    gc.freeze()
    random.setstate(setup.random_state)
    events = Events(ends.events)
    commands = Commands(ends.commands)
    signal.pthread_sigmask(signal.SIG_SETMASK, setup.signal_mask)
    watch = _watch(setup, applied)
    means = _prepare(shell, events, commands, watch, applied.told["files"])
    if setup.ahead:
        _rehearse(means)
    events.send("ready", isolation=applied.told, layers=applied.layers)
    job = commands.next()
    all_hidden = hiding.hide(job.pop("hidden"), job.pop("names"), shell)
    events.send("hidden", warnings=hidden_data.hide(job.pop("hiddenData"), shell))
    _look(job, shell, events, commands)
    attempt = _Attempt(job, means)
    events.send("begin", warnings=[] if all_hidden else [_NOT_ALL_HIDDEN])
    means.loop.run_until_complete(attempt.run())


def _prepare(shell: Any, events: Events, commands: Commands, watch: Watch, files: str) -> Means:
    displays, streams = shell_cut.cut(shell, events)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    return Means(shell, events, commands, watch, files, displays, streams, tampering.Builtins(), loop)


def _rehearse(means: Means) -> None:
    """Do once what every attempt does: the pages that it writes to are this process's own then."""
    runner, teller = Runner(means.shell, means.displays), Teller(means.shell, "none")
    evaluator = Evaluator(means.shell, runner, teller, means.events, _REHEARSAL)
    cell = {"cellId": "", "role": "", "source": "assert [1] == [1]"}
    for statement in statements.split(cell):
        means.loop.run_until_complete(evaluator.outcome(statement, _REHEARSAL))
    delattr(builtins, _REHEARSAL)


def _become_harmless(setup: Setup, ends: Ends) -> None:
    os.setsid()
    processes.die_with_parent()
    if os.getppid() != setup.parent_pid:
        os._exit(0)
    processes.adopt_orphans(True)
    processes.mark(setup.token)
    _prefer_for_oom()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (ends.stdout, 1), (ends.stderr, 2)):
        os.dup2(source, target)
    os.close(null)
    faulthandler.enable(file=2, all_threads=False)
    faulthandler.register(DUMP_SIGNAL, file=ends.dump, all_threads=True, chain=False)
    # A debugger's tracing is inherited: a breakpoint would wait for ever.
    _stop_tracing()
    if hasattr(sys, "monitoring"):
        for tool in range(6):
            if sys.monitoring.get_tool(tool) is not None:
                sys.monitoring.set_events(tool, 0)
    asyncio._set_running_loop(None)
    pools.revive()


def _look(job: dict[str, Any], shell: Any, events: Events, commands: Commands) -> None:
    """At the source, before anything of it runs; the kernel, which knows the checks, may end it here."""
    if job["static"] is None:
        return
    found = static.find(job["candidate"], shell)
    events.send("findings", findings=found)
    if job["static"] == "gate" and static.is_refused(found):
        commands.next()


def _stop_tracing() -> None:
    for stop in (sys.settrace, sys.setprofile, threading.settrace, threading.setprofile):
        stop(None)  # type: ignore[operator]


def _watch(setup: Setup, applied: isolation.Applied) -> Watch:
    writable: list[str] | None = None
    if applied.told["files"] != "open":
        # A failing write of a byte-code cache is nothing that the candidate did.
        sys.dont_write_bytecode = True
        writable = [*applied.layers.folders, *([setup.scratch] if setup.scratch else [])]
    watch = Watch(applied.told["network"], writable)
    watch.start()
    return watch


def _prefer_for_oom() -> None:
    """When memory runs out, the system shall take the attempt, never the kernel."""
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        return


class _Attempt:
    """One job: candidate, assertions, hold-outs."""

    def __init__(self, job: dict[str, Any], means: Means) -> None:
        self._tampered: list[str] = []
        bounds = limits.read(job["limits"])
        self._job = job
        self._shell, self._events, self._commands = means.shell, means.events, means.commands
        self._watch, self._files = means.watch, means.files
        self._streams, self._builtins = means.streams, means.builtins
        for stream in self._streams:
            stream.bound(bounds.output_bytes, bounds.hard_output_bytes)
        self._runner = Runner(self._shell, means.displays)
        self._teller = Teller(self._shell, job["contextValues"])
        limits.bound_memory(bounds.memory_bytes)
        if self._files != "open":
            limits.bound_files()
        self._exceeded: str | None = None

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
        _stop_tracing()
        if not self._events.own_process():
            os._exit(0)
        self._tampered += [f"builtins.{name} was replaced" for name in self._builtins.restore()]
        self._finish_streams()
        found = self._watch.found()
        self._events.send("candidate", error=error, exceeded=self._exceeded, denied=found)
        while True:
            command = self._commands.next()
            self._events.nonce = command["nonce"]
            await self._checks(command)

    async def _candidate(self) -> dict[str, Any] | None:
        try:
            await self._runner.candidate(self._job["candidate"])
        except BaseException as error:
            self._exceeded = limits.exceeded(error, self._files)
            if self._exceeded == "memory":
                limits.unbound_memory()
            self._tampered = [f"builtins.{name} was replaced" for name in self._builtins.restore()]
            return self._teller.tell(error)
        return None

    async def _checks(self, command: dict[str, Any]) -> None:
        tampered = self._tampered
        chains = command["chains"]
        after = tampering.fingerprints(chains, self._shell.user_ns)
        values = reliance.contents(command["values"], self._shell.user_ns)
        made = tampering.made_by_candidate(chains, self._shell.user_ns)
        name = f"_refine_{command['nonce']}"
        evaluator = Evaluator(self._shell, self._runner, self._teller, self._events, name)
        odd: list[str] = []
        for cell in command["cells"]:
            await evaluator.cell(cell, lambda _: odd.extend(impostors.impostors(evaluator.recorder)))
            if not self._events.own_process():
                os._exit(0)
        scored: dict[str, Any] = {}
        if "score" in command:
            scored = await self._score(command["score"])
            # What it calls of the candidate's may have replaced more.
            again = tampering.fingerprints(chains, self._shell.user_ns)
            after = {name: after[name] if again[name] == after[name] else None for name in chains}
        held = []
        for canary in tampering.canaries():
            told, _ = await evaluator.outcome(canary, "<check 1>")
            if told["outcome"] != "failed":
                held.append(told["source"])
        if held:
            tampered.append(f"a check that must fail did not: {held[0].splitlines()[0]}")
        tampered += dict.fromkeys(odd)
        tampered += impostors.patched_methods(chains, self._shell.user_ns)
        tampered += [f"{name} was replaced" for name in command["relied"] if name in self._shell.user_ns]
        self._finish_streams()
        found = self._watch.found()
        told = {"tampering": tampered, "fingerprints": after, "made": made, "values": values}
        self._events.send("checked", **told, **scored, denied=found)

    async def _score(self, command: dict[str, Any]) -> dict[str, Any]:
        limits.unbound_memory()
        hidden: dict[str, Any] = {}
        missing: dict[str, str] = {}
        looker = operands.Looker(command["looker"], strict=bool(command["hidden"]))
        with eavesdropping.Eavesdropping() as watched:
            if command["data"]:
                hidden, missing = scorer.receive(self._commands.bytes, command["hidden"])
            elif command["hidden"]:
                missing = dict.fromkeys(command["hidden"], "the system refused the process that copies it")
            told = await scorer.measure(command["cell"], hidden, missing, self._shell, looker)
        canary = await scorer.measure(command["canary"], {}, {}, self._shell, looker)
        if not self._events.own_process():
            os._exit(0)
        _stop_tracing()
        found = [f"builtins.{name} was replaced" for name in self._builtins.restore()]
        found += [*watched.found(), *looker.found, *eavesdropping.changed_libraries(command["packages"])]
        self._tampered += found
        libraries = scoring.identities(command["libraries"], self._shell.user_ns)
        left = [f"the scorer does not see {name}: {reason}" for name, reason in missing.items()]
        scored = {"scored": told, "canary": canary, "libraries": libraries}
        return {**scored, "warnings": [*left, *looker.warnings]}

    def _finish_streams(self) -> None:
        for stream in self._streams:
            stream.finish()
