"""The judge, once its process is set up: it confirms the checks after a pass, and runs hold-outs and scorer.

It never runs the candidate. It has the kernel's state from before the attempt, and alone is sent hold-outs
and scorer.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import socket
import sys
from typing import Any

from .. import ends
from ..child import above, child, shell_cut
from ..child.running import new_loop
from ..ends import Events
from ..values import describe
from . import importing, judging, scorer
from .exchange import wire

#: In the place of every sentence that could quote a hold-out.
_HIDDEN = "the reason could reveal a hold-out"
#: For the checks on an empty cell.
_EMPTY_SECONDS = 1.0


class JudgeProcess:
    """Judges one attempt.

    :param road: to the worker that waits to run the candidate again, and its process id.
    :param late: to a copy of the attempt's process, which may take its place.
    """

    def __init__(
        self, shell: Any, events: Events, road: socket.socket, worker: int, late: socket.socket | None = None
    ) -> None:
        self._shell, self.events, self._road, self._worker = shell, events, road, worker
        self._late = late
        self._link = wire.Link(road)
        #: ``holdouts``, ``scorer`` and ``hiddenNames`` of the job.
        self.secrets: dict[str, Any] = {}

    def prepare(self) -> None:
        """Set the process up, before there is a job."""
        sys.meta_path.insert(0, importing.Guard())
        sys.dont_write_bytecode = True
        # What is displayed or printed goes nowhere.
        self._displays = shell_cut.cut(self._shell, Events(None))
        self._loop = new_loop()

    def rehearse(self) -> None:
        """Judge a check once beforehand, so that this process has its own copies of the pages written."""
        cells = [{"cellId": "", "role": "assertion", "source": "assert [1] == [1]"}]
        rehearsed = self._judging("", {"cells": cells, "free": [], "asked": [], "hidden": []})
        self._loop.run_until_complete(_exhaust(rehearsed))
        self._loop.run_until_complete(rehearsed.held_empty(""))

    def serve(self, commands: child.Commands) -> None:
        """Take a job; after a pass judge it, and send the result: see ``Supervisor._handle_judge``."""
        first = commands.next()
        head, self.secrets = first["head"], first["secrets"]
        # It hides what it must meanwhile.
        ends.send(self._road, head)
        # While the attempt runs its checks.
        checks = commands.next()
        checks["cells"] += self.secrets.get("holdouts", [])
        checks["hidden"] = sorted({*self.secrets.get("hiddenNames", []), *head["hiddenData"]})
        have_modules = above.find_modules_of_checks([one["source"] for one in checks["cells"]])
        confirmation = self._judging(head["candidate"], checks)
        command = commands.next()
        _remove(command["made"])
        # What the finders have cached of folders dates from before the attempt.
        importlib.invalidate_caches()
        for name in command["changed"]:
            # Cells above write files as well: that deceives no check which reads none.
            if not above.cells or have_modules or confirmation.reads_file(name):
                confirmation.common.append(f"`{name}`, a file that existed before, was changed")
        if command["late"] and self._late is not None:
            os.kill(self._worker, signal.SIGKILL)
            confirmation.judge.link = wire.Link(self._late)
        else:
            self.events.send("worker", pid=self._worker)
            ends.send(self._road, {})
        is_judged = self._loop.run_until_complete(self._run(confirmation, head["hiddenData"]))
        if is_judged:
            empty: list[str] = []
            if command["empties"]:
                held = confirmation.held_empty(head["candidate"])
                empty = describe.bounded(lambda: self._loop.run_until_complete(held), empty, _EMPTY_SECONDS)
            self.events.send("judged", problem=None, empty=empty)

    def _judging(self, candidate: str, checks: dict[str, Any]) -> judging.Judging:
        command = {**above.names_with(candidate), **checks}
        return judging.Judging(command, self._link, self._shell, self._displays)

    async def _run(self, confirmation: judging.Judging, data: list[str]) -> bool:
        is_held_out = False
        try:
            async for result in confirmation.checks("assertion"):
                self.events.send("check", **result)
            # Before the hold-outs: the model sees what it gives, and the worker hears their arguments.
            if "scorer" in self.secrets:
                scored = await scorer.judge(self.secrets["scorer"], data, confirmation, self._shell)
                self.events.send("scored", scored=scored)
            self.events.send("holdouts")
            is_held_out = True
            async for result in confirmation.checks("holdout"):
                # No text of a hold-out goes back through the kernel.
                reason = None if result["reason"] is None else _HIDDEN
                self.events.send("check", **{**result, "reason": reason})
                if not result["held"] and not result["unjudged"]:
                    break
        except BaseException as error:
            if not self.events.own_process():
                os._exit(0)
            found = confirmation.judge.problems or [f"{type(error).__name__}: {error}"]
            problem = _HIDDEN if is_held_out else found[0][:300]
            self.events.send("judged", problem=problem, fault=confirmation.judge.faults)
            return False
        return True


def _remove(paths: list[str]) -> None:
    """What the checks made in the attempt; the innermost files come first."""
    for path in paths:
        with contextlib.suppress(OSError):
            (os.rmdir if os.path.isdir(path) and not os.path.islink(path) else os.unlink)(path)


async def _exhaust(confirmation: judging.Judging) -> None:
    async for _ in confirmation.checks("assertion"):
        pass
