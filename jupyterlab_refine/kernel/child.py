"""The child's side of an attempt: make itself harmless, run the candidate, then the checks.

It never returns and never exits by itself: the kernel kills it, so that no
``atexit`` handler, finaliser or inherited buffer runs a second time. Candidate
and checks come over a pipe, the checks only after the candidate has ended.
"""

from __future__ import annotations

import asyncio
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
    environment,
    hidden_files,
    hiding,
    impostors,
    isolation,
    limits,
    mappings,
    pools,
    processes,
    reliance,
    shell_cut,
    tampering,
)
from .evaluating import Evaluator
from .forget import forget_attempts, forget_request
from .running import Runner
from .streams import Events
from .tracebacks import Teller
from .watch import Watch

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


class Commands:
    """Lines of JSON from the kernel."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._set_blocking = os.set_blocking
        self._read, self._decode = os.read, json.JSONDecoder().decode
        self._rest = b""

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


def main(setup: Setup, ends: Ends, shell: Any) -> None:
    """Everything the child does. Called in the forked process only."""
    _become_harmless(setup, ends)
    environment.lose_secrets()
    mappings.make_private()
    hidden = hidden_files.identities(setup.plan.hidden)
    applied = isolation.apply(setup.plan, setup.scratch)
    descriptors.detach((*ends, *applied.layers.uppers), hidden)
    gc.freeze()
    random.setstate(setup.random_state)
    events = Events(ends.events)
    commands = Commands(ends.commands)
    forget_attempts()
    if setup.forget is not None:
        forget_request(setup.forget, shell.kernel)
    signal.pthread_sigmask(signal.SIG_SETMASK, setup.signal_mask)
    watch = _watch(setup, applied)
    events.send("ready", isolation=applied.told, layers=applied.layers)
    job = commands.next()
    hiding.hide(job.pop("hidden"), job.pop("names"), shell)
    attempt = _Attempt(job, shell, events, commands, watch)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.run_until_complete(attempt.run())


def _become_harmless(setup: Setup, ends: Ends) -> None:
    os.setsid()
    processes.die_with_parent()
    if os.getppid() != setup.parent_pid:
        os._exit(0)
    processes.adopt_orphans(True)
    processes.mark(setup.token)
    _prefer_for_oom()
    signal.set_wakeup_fd(-1)
    signal.setitimer(signal.ITIMER_REAL, 0)
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

    def __init__(
        self, job: dict[str, Any], shell: Any, events: Events, commands: Commands, watch: Watch
    ) -> None:
        self._watch = watch
        self._tampered: list[str] = []
        bounds = limits.read(job["limits"])
        self._job = job
        self._shell = shell
        self._events = events
        self._commands = commands
        displays, self._streams = shell_cut.cut(shell, events, bounds.output_bytes, bounds.hard_output_bytes)
        self._runner = Runner(shell, displays)
        self._teller = Teller(shell, job["contextValues"])
        self._builtins = tampering.Builtins()
        limits.bound_memory(bounds.memory_bytes)

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
        out_of_memory = error is not None and error["name"] == "MemoryError"
        found = self._watch.found()
        self._events.send("candidate", error=error, memory=out_of_memory, denied=found)
        while True:
            command = self._commands.next()
            self._events.nonce = command["nonce"]
            await self._checks(command)

    async def _candidate(self) -> dict[str, Any] | None:
        try:
            await self._runner.candidate(self._job["candidate"])
        except BaseException as error:
            if isinstance(error, MemoryError):
                limits.unbound_memory()
            self._tampered = [f"builtins.{name} was replaced" for name in self._builtins.restore()]
            return self._teller.tell(error)
        return None

    async def _checks(self, command: dict[str, Any]) -> None:
        tampered = self._tampered
        after = tampering.fingerprints(command["chains"], self._shell.user_ns)
        values = reliance.contents(command["values"], self._shell.user_ns)
        made = tampering.made_by_candidate(command["chains"], self._shell.user_ns)
        name = f"_refine_{command['nonce']}"
        evaluator = Evaluator(self._shell, self._runner, self._teller, self._events, name)
        odd: list[str] = []
        for cell in command["cells"]:
            await evaluator.cell(cell, lambda _: odd.extend(impostors.impostors(evaluator.recorder)))
            if not self._events.own_process():
                os._exit(0)
        held = []
        for canary in tampering.canaries():
            told, _ = await evaluator.outcome(canary, "<check 1>")
            if told["outcome"] != "failed":
                held.append(told["source"])
        if held:
            tampered.append(f"a check that must fail did not: {held[0].splitlines()[0]}")
        tampered += dict.fromkeys(odd)
        tampered += impostors.patched_methods(command["chains"], self._shell.user_ns)
        tampered += [f"{name} was replaced" for name in command["relied"] if name in self._shell.user_ns]
        self._finish_streams()
        found = self._watch.found()
        told = {"tampering": tampered, "fingerprints": after, "made": made, "values": values}
        self._events.send("checked", **told, denied=found)

    def _finish_streams(self) -> None:
        for stream in self._streams:
            stream.finish()
