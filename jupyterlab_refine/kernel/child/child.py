"""The process of an attempt, once it is set up: run the candidate, then the visible checks.

It never returns and never exits by itself: the kernel kills it, so that no
``atexit`` handler, finaliser or inherited buffer runs a second time. Candidate
and checks come over a pipe, the checks only after the candidate has ended.
"""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import io
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

from .. import ends
from ..checks.evaluating import Evaluator
from ..ends import Events
from ..secrecy import hiding
from . import above, shell_cut
from .repair import Repair
from .running import Runner, complete, new_loop
from .tracebacks import ErrorFormatter
from .watch import Watch

#: Seconds; the process is killed long before.
_LONG = 1e6


class Commands:
    """Lines of JSON from the kernel, or from the judge."""

    def __init__(self, end: Any) -> None:
        self._end = end
        self._set_blocking = ends.set_blocking
        self._read, self._decode = ends.reader(end), json.JSONDecoder().decode
        self._rest = b""

    def next(self) -> dict[str, Any]:
        while b"\n" not in self._rest:
            # A candidate may have made it non-blocking.
            self._set_blocking(self._end, True)
            data = self._read(1 << 16)
            if not data:
                os._exit(0)
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return self._decode(line.decode("utf-8"))


def blind(job: dict[str, Any], shell: Any) -> list[str]:
    """Remove what no candidate may see: hold-outs that the user ran, and hidden data. Returns warnings."""
    found = job["hidden"] is not None and hiding.hide(job["hidden"], shell)
    return [*([hiding.RAN] if found else []), *hiding.hide_data(job["hiddenData"], shell)]


def rehearse(shell: Any, displays: shell_cut.Displays, loop: asyncio.AbstractEventLoop) -> None:
    """Evaluate two checks once beforehand, so that this process has its own copies of the pages written."""
    runner, formatter = Runner(shell, displays), ErrorFormatter(shell, "types")
    evaluator = Evaluator(shell, runner, formatter, Events(None))
    cell = {"cellId": "", "role": "", "source": "assert [1] == [1]\nassert [1] == [2]"}
    loop.run_until_complete(evaluator.cells([cell]))
    delattr(builtins, evaluator.name)


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


class Attempt:
    """One job: the candidate, then the visible checks. It is made once the process is isolated.

    :param isolated: the ``Isolation`` of the process.
    :param writable: as of :class:`.watch.Watch`.
    :param open_output: from now on report what is printed; before the candidate it is dropped.
    :param copy_as_worker: copies the process, with the candidate's results, before any check arrives.
    """

    def __init__(
        self,
        shell: Any,
        events: Events,
        commands: Commands,
        isolated: dict[str, Any],
        writable: list[str] | None,
        open_output: Callable[[], object],
        copy_as_worker: Callable[[dict[str, Any]], None] = lambda _: None,
    ) -> None:
        self._shell, self._events, self._commands = shell, events, commands
        self._copy_as_worker = copy_as_worker
        self._watch = Watch(isolated["network"], writable)
        self._displays, self._open_output = shell_cut.cut(shell, events), open_output
        self._loop, self._isolated = new_loop(), isolated
        self._runner, self._builtins = Runner(shell, self._displays), dict(vars(builtins))
        #: See ``supervise._head``.
        self.job: dict[str, Any] = {}

    def serve(self, ahead: bool, **fields: Any) -> None:
        """Take a job and run it; returns only when the harness fails.

        :param ahead: whether there is time for a rehearsal.
        :param fields: of the event that it is ready.
        """
        if ahead:
            rehearse(self._shell, self._displays, self._loop)
        self._events.send("ready", isolation=self._isolated, pid=os.getpid(), **fields)
        job = self.job = self._commands.next()["head"]
        self._events.send("hidden", warnings=blind(job, self._shell))
        self._formatter = ErrorFormatter(self._shell, job["contextValues"])
        self._before = dict(self._shell.user_ns)
        self._repair = Repair(job["repair"]) if job["repair"] else None
        above.find_modules()
        if above.cells:
            complete(self._above(), self._loop)
        self._open_output()
        self._events.send("start")
        self._loop.run_until_complete(self._run())

    async def _above(self) -> None:
        """Run the cells above the target, where the kernel has not run them. What they print is dropped."""
        for number, cell in enumerate(above.cells):
            self._events.send("above", number=number)
            try:
                await self._runner.cell(cell.source, cell.file_name, cell.compiled)
            except BaseException as error:
                vars(builtins).update(self._builtins)
                self._events.send("above-failed", number=number, error=self._formatter.to_reply(error))
            if not self._events.own_process():
                os._exit(0)
        vars(builtins).update(self._builtins)

    async def _run(self) -> None:
        """Never returns: what would run afterwards may have been patched by the candidate."""
        try:
            found = await self._candidate()
            # What it traces could change what the checks see.
            stop_tracing()
            if not self._events.own_process():
                os._exit(0)
            self._events.send("candidate", denied=self._watch.found(), **found)
            command = self._commands.next()
            if command["worker"]:
                self._copy_as_worker(self._before)
            await self._checks(command["cells"])
        except BaseException:
            self._events.send("broken", message=traceback.format_exc())
        while True:
            time.sleep(_LONG)

    async def _candidate(self) -> dict[str, Any]:
        error: BaseException | None = None
        try:
            await self._runner.candidate(self.job["candidate"], self._repair)
        except BaseException as raised:
            error = raised
        # The checks are run with modules that need `len` and the like; the judge has its own.
        vars(builtins).update(self._builtins)
        return {
            "error": None if error is None else self._formatter.to_reply(error),
            "repair": self._repair and self._repair.report(self._shell.user_ns),
        }

    async def _checks(self, cells: list[dict[str, Any]]) -> None:
        evaluator = Evaluator(self._shell, self._runner, self._formatter, self._events)
        above.replace_modules_of_checks(cell["source"] for cell in cells)
        skipped = await evaluator.cells(cells)
        if not self._events.own_process():
            os._exit(0)
        self._events.send("checked", denied=self._watch.found(), skipped=skipped)
