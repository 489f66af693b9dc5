"""What runs in a process that the kernel has started: it is the attempt, the worker or the judge."""

from __future__ import annotations

import faulthandler
import os
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

from .. import ends
from ..attempt import forms
from ..child import child
from ..ends import Events, replace_output, unbuffered
from ..judge import importing, judge, worker
from ..judge.exchange import wire
from ..share import share_values
from ..shell import shell as shells


def main(setup: dict[str, Any]) -> None:
    """Everything the process does; never returns."""
    os.chdir(setup["folder"])
    sys.path[:] = setup["path"]
    _end_with_kernel()
    connections = _connections(setup)
    events = Events(connections[0])
    try:
        shell = shells.make()
        # Before any thread is started: what confines a process does not confine those.
        isolated = _confine(setup)
        if setup["role"] == "attempt":
            _attempt(setup, connections, events, shell, isolated)
        elif setup["role"] == "judge":
            _judge(setup, connections, events, shell, isolated["files"] == "open")
        else:
            link = wire.Link(connections[-1])
            worker.work(_Commands(link, shell), link, shell)
    except BaseException as error:
        if setup["role"] != "worker":
            failed = error.failed if isinstance(error, share_values.Failed) else None
            events.send("failed", traceback=traceback.format_exc(), variable=failed)
    finally:
        os._exit(70)


def _end_with_kernel() -> None:
    """Standard input ends with the kernel; candidates get an empty one."""
    life = os.dup(0)
    ends.silence(0)

    def watch() -> None:
        os.read(life, 1)
        os._exit(0)

    threading.Thread(target=watch, daemon=True, name="refine-attempt").start()


def _connections(setup: dict[str, Any]) -> list[socket.socket]:
    """To the kernel, and between judge and worker; on Windows what the attempt prints has its own."""
    if sys.platform == "win32":
        return [socket.fromshare(shared) for shared in setup["sockets"]]
    return [socket.socket(fileno=number) for number in setup["sockets"]]


def _confine(setup: dict[str, Any]) -> dict[str, Any]:
    plan = forms.Plan(*setup["plan"])
    if plan.means == "landlock":
        from ..isolation import isolation

        return isolation.confine(plan, setup["scratch"])
    if setup["scratch"]:
        import tempfile

        os.environ["TMPDIR"] = tempfile.tempdir = setup["scratch"]
    return plan.to_reply()


class _Commands(child.Commands):
    """Takes modules and copies for a job before that arrives."""

    def __init__(self, end: Any, shell: Any, forward: ends.End | None = None) -> None:
        super().__init__(end)
        self._shell, self._forward = shell, forward
        self._loaded: str | None = None

    def next(self) -> dict[str, Any]:
        while True:
            command = super().next()
            if "modules" not in command:
                break
            if self._forward is not None:
                ends.send(self._forward, command)
            share_values.import_all(command["modules"])
            self._load(command["copies"])
        self._load(command.get("head", command).get("copies"))
        return command

    def _load(self, copies: str | None) -> None:
        if copies is not None and copies != self._loaded:
            self._loaded = copies
            share_values.load(copies, self._shell)


def _attempt(
    setup: dict[str, Any], connections: list[socket.socket], events: Events, shell: Any, isolated: Any
) -> None:
    commands, output, dump = _Commands(connections[0], shell), _output(connections), open(setup["dump"], "wb")

    def open_output() -> None:
        output()
        # Where the candidate is when its time is over.
        faulthandler.dump_traceback_later(float(attempt.job["limits"]["seconds"]), file=dump)

    faulthandler.enable(file=2, all_threads=False)
    writable = None if isolated["files"] == "open" else [folder for folder in (setup["scratch"],) if folder]
    attempt = child.Attempt(shell, events, commands, isolated, writable, open_output)
    attempt.serve(ahead=True)


def _output(connections: list[socket.socket]) -> Callable[[], object]:
    """Until it is called, what is printed is dropped."""
    theirs, streams = (os.dup(1), os.dup(2)), [end.makefile("wb", 0) for end in connections[1:]]
    ends.silence(1, 2)
    if streams:
        # As in a kernel on Windows, what programs print is not shown.
        return lambda: replace_output(*map(unbuffered, streams))
    return lambda: [os.dup2(end, number) for number, end in enumerate(theirs, 1)]


def _judge(
    setup: dict[str, Any], connections: list[socket.socket], events: Events, shell: Any, is_open: bool
) -> None:
    importing.started_ns = setup["started"] if is_open else time.time_ns()
    kernel, road = connections
    process = judge.JudgeProcess(shell, events, road, setup["worker"])
    process.prepare()
    process.serve(_Commands(kernel, shell, road))
    # The kernel kills it.
    threading.Event().wait()
