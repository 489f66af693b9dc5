"""Start the processes of an attempt: three of this kernel's Python, which get copies of its variables.

The form of macOS and Windows, and on Linux of kernels that cannot be forked (any more).
"""

from __future__ import annotations

import contextlib
import marshal
import os
import socket
import subprocess
import sys
import time
from typing import Any

from .. import ends
from ..attempt import forms, temporary
from ..attempt.forms import Child, Plan, Refused
from ..attempt.stack import StackDump
from ..secrecy import redact
from ..share import share
from . import sandbox
from .family import Family

COPIES = True
_IS_WINDOWS = sys.platform == "win32"
_FILES_OPEN = "This system has no means to isolate files and network."
#: Reads the modules of the kernel part, compiled, and the set-up from standard input.
_START = """
import marshal, os, types
def read(size):
    data = b""
    while len(data) < size:
        data += os.read(0, size - len(data)) or os._exit(0)
    return data
setup, version, sources, install = marshal.loads(read(int.from_bytes(read(8), "big")))
types.FunctionType(install, {"__builtins__": __builtins__, "__name__": "_refine"})(version, sources)
import sys
sys.modules["_jupyterlab_refine"].load("spawn.process").main(setup)
"""


def plan(allow_network: bool, allow_writes: bool, hidden: tuple[str, ...] = ()) -> Plan:
    """What isolates the processes on this system."""
    if forms.is_linux():
        from ..isolation import isolation

        found = isolation.plan_without_mounts(allow_network, allow_writes, hidden)
        if found is not None:
            return found
    means = "sandbox" if sandbox.exists() and not (allow_network and allow_writes) else "none"
    reasons = () if sandbox.exists() else (_FILES_OPEN,)
    where = (os.getpid(), os.getcwd())
    return Plan("sidecar", means, 0, allow_network, allow_writes, *where, (), reasons, hidden)


def spawn(chosen: Plan, shell: Any, ahead: bool = False) -> Child:
    """Start attempt, worker and judge; all wait for their job.

    :raises Refused: when the system does not start them.
    """
    if not sys.executable or not hasattr(_package(), "load"):
        raise Refused("fork-failed", "This Python does not know the program that runs it.")
    copies = share.again(shell) if ahead else None
    modules = share.modules(shell) if ahead else []
    # For temporary files, and the stack of a late candidate.
    scratch = temporary.make()
    with contextlib.ExitStack() as started:
        started.callback(temporary.remove, scratch)
        try:
            made = _Started(chosen, scratch)
            started.callback(made.abandon)
            child = made.child()
        except OSError as error:
            raise Refused("fork-failed", f"A second Python could not be started: {error}") from error
        started.pop_all()
    for end in (child.commands, child.judge_commands):
        ends.send(end, {"modules": modules, "copies": copies})
        ends.set_blocking(end, False)
    return child


def _package() -> Any:
    return sys.modules.get(__name__.split(".")[0])


class _Started:
    """The processes while they are started."""

    def __init__(self, chosen: Plan, scratch: str) -> None:
        self._chosen, self._scratch, self._stack = chosen, scratch, os.path.join(scratch, "stack")
        self._dump = StackDump(open(self._stack, "wb"), self._stack)
        self._processes: list[Any] = []
        #: Of each process, beside its set-up the ends that it gets.
        self._setups: list[tuple[dict[str, Any], list[socket.socket]]] = []
        self._ends: list[Any] = []

    def abandon(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()
        for end in self._ends:
            ends.close(end)

    def child(self) -> Child:
        # On Windows a socket is no standard output.
        pairs = [socket.socketpair() for _ in range(5 if _IS_WINDOWS else 3)]
        self._ends = [end for pair in pairs for end in pair]
        (attempt_end, attempt), (judge_end, judge), road, *texts = pairs
        shown = subprocess.DEVNULL if _IS_WINDOWS else subprocess.PIPE
        first = self._start("attempt", [attempt, *(end for _, end in texts)], shown, dump=self._stack)
        second = self._start("worker", [road[0]])
        self._start("judge", [judge, road[1]], worker=second.pid)
        self._feed()
        pipes = () if texts else (first.stdout, first.stderr)
        printed: list[ends.End] = [*(end for end, _ in texts), *map(_descriptor, pipes)]
        out, err = printed
        for end in (attempt, judge, *road, *(end for _, end in texts)):
            # Else the end of the process that has it would not show.
            end.close()
        commands, judge_commands = attempt_end.dup(), judge_end.dup()
        mine = (attempt_end, commands, out, err, judge_end, judge_commands)
        self._ends = [*mine]
        for own in (attempt_end, out, err, judge_end):
            ends.set_blocking(own, False)
        family = Family(*self._processes)
        return Child(family.judge, *mine, self._dump, family, self._chosen, self._scratch)

    def _start(
        self, role: str, theirs: list[socket.socket], shown: int = subprocess.DEVNULL, **more: Any
    ) -> Any:
        chosen = self._chosen
        setup: dict[str, Any] = {
            "role": role,
            "folder": chosen.working_folder,
            "path": [entry for entry in sys.path if isinstance(entry, str)],
            "scratch": self._scratch,
            "started": time.time_ns(),
            "plan": tuple(chosen),
            **more,
        }
        environment = {
            name: text for name, text in os.environ.items() if name not in redact.secret_environment()
        }
        python, options = sys.executable, dict[str, Any]()
        if _IS_WINDOWS:
            options["creationflags"] = getattr(subprocess, "CREATE_NO_WINDOW", 0)
            # As multiprocessing does: the launcher of a virtual environment has another process id.
            python, environment["__PYVENV_LAUNCHER__"] = sys._base_executable, python  # type: ignore[attr-defined]
        else:
            options |= {"pass_fds": [end.fileno() for end in theirs], "start_new_session": True}
        program = [python, *subprocess._args_from_interpreter_flags(), "-c", _START]  # type: ignore[attr-defined]
        if chosen.means == "sandbox":
            profile = sandbox.profile(self._scratch, chosen.allow_network, chosen.allow_writes, chosen.hidden)
            program = [*sandbox.command(profile), *program]
        options |= {"stdin": subprocess.PIPE, "stdout": shown, "stderr": shown}
        process = subprocess.Popen(program, cwd=chosen.working_folder, env=environment, **options)
        self._processes.append(process)
        self._setups.append((setup, theirs))
        return process

    def _feed(self) -> None:
        """Send each process its set-up and the kernel part, once all are starting."""
        parts = _package().parts()
        for process, (setup, theirs) in zip(self._processes, self._setups, strict=True):
            setup["sockets"] = [_shared(end, process.pid) for end in theirs]
            data = marshal.dumps((setup, *parts))
            process.stdin.write(len(data).to_bytes(8, "big") + data)
            process.stdin.flush()


def _shared(end: Any, pid: int) -> Any:
    """By which that process takes the socket."""
    return end.share(pid) if sys.platform == "win32" else end.fileno()


def _descriptor(pipe: Any) -> int:
    with pipe:
        return os.dup(pipe.fileno())
