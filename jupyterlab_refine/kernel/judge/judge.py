"""The judge, once its process is set up: it confirms the checks after a pass, and runs hold-outs and scorer.

It never runs the candidate. It has the kernel's state from before the attempt, and alone is sent hold-outs
and scorer.
"""

from __future__ import annotations

import os
import socket
import sys
from typing import Any

from .. import ends
from ..child import above, child, shell_cut
from ..child.running import new_loop
from ..child.streams import Events, Silent
from ..secrecy import hiding
from . import emptied, importing, judging, scorer
from .exchange import wire

#: In the place of every sentence that could quote a hold-out.
_HIDDEN = "the reason could reveal a hold-out"


class JudgeProcess:
    """Takes the commands of one attempt.

    :param road: to the worker that waits to run the candidate again, and its process id.
    """

    def __init__(self, shell: Any, events: Events, road: socket.socket, worker: int) -> None:
        self._shell, self._events, self._road, self._worker = shell, events, road, worker
        #: ``holdouts``, ``scorer`` and ``hiddenNames`` of the job.
        self.secrets: dict[str, Any] = {}

    def prepare(self) -> None:
        """Prepare the judgement as far as possible without a result of the attempt."""
        importing.install_guard()
        sys.dont_write_bytecode = True
        # What is displayed or printed goes nowhere.
        self.displays, _ = shell_cut.cut(self._shell, Silent())
        self._loop = new_loop()

    def serve(self, commands: child.Commands) -> None:
        """Take commands, until the job is judged."""
        while True:
            command = commands.next()
            if "head" in command:
                self._take_head(command)
            elif "remove" in command:
                self.remove(command["remove"])
                if command["worker"]:
                    self._events.send("worker", pid=self._worker)
                    ends.send(self._road, {})
            else:
                return self.confirm(command)

    def remove(self, paths: list[str]) -> None:
        """Remove what the checks made in the attempt."""

    def confirm(self, command: dict[str, Any]) -> None:
        """Judge, with the worker that has run the candidate again."""
        self.judge(command, wire.Link(self._road))

    def rehearse(self) -> None:
        """Judge a check once beforehand, so that this process has its own copies of the pages written."""
        command: dict[str, Any] = dict.fromkeys(("free", "asked", "imports", "binds", "reads", "hidden"), [])
        command["cells"] = [{"cellId": "", "role": "assertion", "source": "assert [1] == [1]"}]
        confirmation = judging.Judging(command, wire.Link(self._road), self._shell, self.displays)
        self._loop.run_until_complete(_exhaust(confirmation))

    def _take_head(self, command: dict[str, Any]) -> None:
        """The start of a job, with its secrets if it has any."""
        head = command["head"]
        if command["secrets"] is not None:
            self.secrets = command["secrets"]
            known = hiding.known(self.secrets, self._shell)
            self._events.send("opened", **known)
            head["hidden"] = known["hidden"]
        # It hides what it must meanwhile.
        ends.send(self._road, head)

    def judge(self, command: dict[str, Any], link: wire.Link) -> None:
        """Judge, and send the result: see ``Supervisor._handle_judge``."""
        command, before = self.complete(command), dict(self._shell.user_ns)
        above.find_modules_of_checks(one["source"] for one in command["cells"])
        # Prepared while the worker runs the candidate.
        confirmation = judging.Judging(command, link, self._shell, self.displays)
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
        is_judged = self._loop.run_until_complete(self._run(command, confirmation))
        if is_judged and command["empties"]:
            held = emptied.held(command, before, self._shell, self.displays, self._loop)
            self._events.send("emptied", held=held)

    def complete(self, command: dict[str, Any]) -> dict[str, Any]:
        """The command to judge, with the secrets."""
        return {
            **command,
            "cells": [*command["cells"], *self.secrets.get("holdouts", [])],
            "scorer": self.secrets.get("scorer"),
            "hidden": sorted({*self.secrets.get("hiddenNames", []), *command["data"]}),
        }

    async def _run(self, command: dict[str, Any], confirmation: judging.Judging) -> bool:
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
            return False
        self._events.send("judged", problem=None)
        return True


async def _exhaust(confirmation: judging.Judging) -> None:
    async for _ in confirmation.checks("assertion"):
        pass
