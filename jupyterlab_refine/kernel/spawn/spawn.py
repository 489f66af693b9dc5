"""Start the processes of an attempt: three of this kernel's Python, which get copies of its variables.

The form of macOS and Windows, and on Linux of kernels that cannot be forked (any more).
"""

from __future__ import annotations

import contextlib
import marshal
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from typing import Any

from .. import ends
from ..attempt import forms
from ..attempt.forms import Child, Plan, Refused, StackDump
from ..secrecy import redact
from ..share import share

COPIES = True
#: Of macOS, with what programs always write to.
_SANDBOX = "/usr/bin/sandbox-exec"
#: Variable by which all that an attempt starts is found: its value is the attempt's folder.
_MARK = "JUPYTERLAB_REFINE_ATTEMPT"
_DEVICES = ("/dev/null", "/dev/zero", "/dev/tty", "/dev/dtracehelper")
_FILES_OPEN = "This system has no means to isolate files and network."
#: Reads the modules of the kernel part, compiled, and the set-up from standard input. As in a kernel, files
#: beside the notebook (`random.py`) take the place of no module of the standard library.
_START = """
import sys
sys.path[:] = filter(None, sys.path)
import marshal, os, types
def read(size):
    data = b""
    while len(data) < size:
        data += os.read(0, size - len(data)) or os._exit(0)
    return data
setup, version, sources, install = marshal.loads(read(int.from_bytes(read(8), "big")))
types.FunctionType(install, {"__builtins__": __builtins__, "__name__": "_refine"})(version, sources)
sys.modules["_jupyterlab_refine"].load("spawn.process").main(setup)
"""


def plan(allow_network: bool, allow_writes: bool, hidden: tuple[str, ...] = ()) -> Plan:
    """What isolates the processes on this system."""
    if forms.is_linux():
        from ..isolation import isolation

        found = isolation.plan_without_mounts(allow_network, allow_writes, hidden)
        if found is not None:
            return found
    has_sandbox = sys.platform == "darwin" and os.path.exists(_SANDBOX)
    means = "sandbox" if has_sandbox and not (allow_network and allow_writes) else "none"
    reasons = () if has_sandbox else (_FILES_OPEN,)
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
    scratch = forms.make_folder()
    with contextlib.ExitStack() as started:
        started.callback(forms.remove_folder, scratch)
        try:
            child = _Started(chosen, scratch, started).child()
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
    """The processes while they are started. :param undo: gets what undoes that."""

    def __init__(self, chosen: Plan, scratch: str, undo: contextlib.ExitStack) -> None:
        self._chosen, self._scratch, self._stack = chosen, scratch, os.path.join(scratch, "stack")
        self._undo = undo
        self._dump = StackDump(open(self._stack, "w+b"))
        self._processes: list[Any] = []
        self._setups: list[dict[str, Any]] = []

    def child(self) -> Child:
        attempt_end, attempt = self._pair()
        judge_end, judge = self._pair()
        road_of_judge, road_of_worker = self._pair()
        # Windows cannot wait for pipes.
        texts = [self._pair(), self._pair()] if sys.platform == "win32" else []
        shown = subprocess.DEVNULL if texts else subprocess.PIPE
        texts_of_attempt = [theirs for _, theirs in texts]
        first = self._start("attempt", [attempt, *texts_of_attempt], shown, dump=self._stack)
        second = self._start("worker", [road_of_worker], subprocess.DEVNULL)
        third = self._start("judge", [judge, road_of_judge], subprocess.DEVNULL, worker=second.pid)
        self._feed()
        outputs: list[ends.End] = [mine for mine, _ in texts]
        out, err = outputs or map(_descriptor, (first.stdout, first.stderr))
        for end in (attempt, judge, road_of_judge, road_of_worker, *texts_of_attempt):
            # Else the end of the process that has it would not show.
            end.close()
        commands, judge_commands = attempt_end.dup(), judge_end.dup()
        mine = (attempt_end, commands, out, err, judge_end, judge_commands)
        for mine_too in (attempt_end, out, err, judge_end):
            ends.set_blocking(mine_too, False)
        family = Family(first, second, third, self._scratch)
        return Child(*mine, self._dump, family, self._chosen, self._scratch)

    def _pair(self) -> tuple[socket.socket, socket.socket]:
        pair = socket.socketpair()
        for end in pair:
            self._undo.callback(end.close)
        return pair

    def _start(self, role: str, theirs: list[socket.socket], shown: int, **more: Any) -> Any:
        chosen = self._chosen
        environment = {
            name: text for name, text in os.environ.items() if name not in redact.secret_environment()
        }
        environment[_MARK] = self._scratch
        program = [_python(environment), *subprocess._args_from_interpreter_flags(), "-c", _START]  # type: ignore[attr-defined]
        if chosen.means == "sandbox":
            rules = profile(self._scratch, chosen.allow_network, chosen.allow_writes, chosen.hidden)
            program = [_SANDBOX, "-p", rules, *program]
        options: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": shown, "stderr": shown}
        if sys.platform == "win32":
            options["creationflags"] = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        else:
            options |= {"pass_fds": [end.fileno() for end in theirs], "start_new_session": True}
        process = subprocess.Popen(program, cwd=chosen.working_folder, env=environment, **options)
        self._undo.callback(process.wait)
        self._undo.callback(process.kill)
        sockets: list[Any] = [end.fileno() for end in theirs]
        if sys.platform == "win32":
            sockets = [end.share(process.pid) for end in theirs]
        setup: dict[str, Any] = {
            "role": role,
            "folder": chosen.working_folder,
            "path": [entry for entry in sys.path if isinstance(entry, str)],
            "scratch": self._scratch,
            "started": time.time_ns(),
            "plan": tuple(chosen),
            "sockets": sockets,
            **more,
        }
        self._processes.append(process)
        self._setups.append(setup)
        return process

    def _feed(self) -> None:
        """Send each process its set-up and the kernel part, once all are starting."""
        parts = _package().parts()
        for process, setup in zip(self._processes, self._setups, strict=True):
            data = marshal.dumps((setup, *parts))
            process.stdin.write(len(data).to_bytes(8, "big") + data)
            process.stdin.flush()


def _python(environment: dict[str, str]) -> str:
    """The Python of this kernel, to be run in this environment.

    In a virtual environment on Windows `sys.executable` starts another one, with which no socket could be
    shared and whose memory would not be seen. As multiprocessing does, that one is started, and finds the
    environment by a variable.
    """
    base: str = getattr(sys, "_base_executable", sys.executable)
    if sys.platform != "win32" or base == sys.executable:
        return sys.executable
    environment["__PYVENV_LAUNCHER__"] = sys.executable
    return base


def _descriptor(pipe: Any) -> int:
    with pipe:
        return os.dup(pipe.fileno())


class Family:
    """The processes of one attempt, measured and ended by psutil; as :class:`..fork.family.Family`.

    :param mark: is in the environment of each process that they start.
    """

    #: For three interpreters, their modules and the copies.
    start_seconds = 50.0
    lost = "its connection ended"
    #: Each was started; the end of the attempt's process shows by its connection.
    are_started = True
    adopting = staticmethod(contextlib.nullcontext)

    def __init__(self, attempt: Any, worker: Any, judge: Any, mark: str) -> None:
        self._attempt, self._worker, self._judge, self._mark = attempt, worker, judge, mark
        self.judge = judge.pid

    def is_ready(self, _: Any) -> None:
        """What it writes is not listed here."""

    files_written = staticmethod(list[str])
    is_repeatable = staticmethod(lambda *_: True)

    def after_checks(self, _: Any) -> tuple[list[str], list[str], list[str]]:
        # The worker needs the memory that it has taken.
        self._kill(self._attempt)
        return [], [], []

    def status_of_attempt(self) -> int | None:
        try:
            return int(self._attempt.wait(2))
        except subprocess.TimeoutExpired:
            return None

    def started_by(self, pid: int) -> list[int]:
        return [one.pid for one in self._processes(pid)[1:]]

    def memory_beyond(self, limit: int, pids: list[int]) -> int:
        """Bytes that these processes use beside what the judge has, which has the same copies."""
        used = sum(map(self._resident, pids)) - self._resident(self.judge)
        return used if used > limit else 0

    def stop(self, _: Any = None) -> None:
        """Kill what runs code of the candidate's; the judge itself is killed by :meth:`reap`."""
        self._kill(self._attempt)
        self._kill(self._worker)

    def reap(self, ran: bool = False) -> None:
        self.stop()
        self._kill(self._judge)
        for process in (self._attempt, self._worker, self._judge):
            process.wait()
            process.stdin.close()
        if ran:
            self._kill_daemons()

    def _kill_daemons(self) -> None:
        """Kill what has left the attempt's family, as a daemon does by two forks."""
        import psutil

        for one in psutil.process_iter():
            # Those of other users, and what has ended.
            with contextlib.suppress(psutil.Error, OSError):
                if one.environ().get(_MARK) == self._mark:
                    one.kill()

    def _kill(self, process: Any) -> None:
        if process.poll() is None:
            for one in reversed(self._processes(process.pid)[1:]):
                with contextlib.suppress(Exception):
                    one.kill()
        if hasattr(os, "killpg"):
            # It leads a session: what it started may have outlived it.
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()

    def _resident(self, pid: int) -> int:
        return sum(int(one.memory_info().rss) for one in self._processes(pid)[:1])

    def _processes(self, pid: int) -> list[Any]:
        """The process and all that it has started; none where it has ended."""
        # Not where another Python's kernel only asks what there is.
        import psutil

        try:
            first = psutil.Process(pid)
            return [first, *first.children(recursive=True)]
        except psutil.Error:
            return []


def profile(scratch: str, allow_network: bool, allow_writes: bool, hidden: Iterable[str] = ()) -> str:
    """For macOS: all but signals to others, the network, writes outside of a folder, and hidden files."""
    # As the system names it: `/var` is a link.
    folder = f"(subpath {_quoted(os.path.realpath(scratch))})"
    lines = ["(version 1)", "(allow default)", "(deny signal)"]
    lines.append("(allow signal (target self) (target same-sandbox))")
    if not allow_network:
        # Sockets that were opened before stay: those to the kernel.
        lines.append("(deny network*)")
        # For processes that an attempt starts.
        lines.append(f"(allow network-bind (local unix-socket {folder}))")
        lines.append(f"(allow network-outbound (remote unix-socket {folder}))")
    if not allow_writes:
        places = [folder, *(f"(literal {_quoted(name)})" for name in _DEVICES)]
        lines += ["(deny file-write*)", f"(allow file-write* {' '.join(places)})"]
    lines += [f"(deny file-read* (subpath {_quoted(path)}))" for path in hidden]
    return "\n".join(lines)


def _quoted(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
