"""The warm process and its copies.

The warm process answers ``load`` (the kernel part). For each ``fork`` it forks a copy, which takes the pipe,
reads what belongs to one attempt and gives it to the kernel part, as a kernel would, answers when the attempt
has ended, and ends with it: what it has read is in no later attempt's memory.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import re
import select
import struct
import sys
import warnings
from typing import Any, NamedTuple

#: Libraries of the assignments that are imported once, and not in every attempt: known to survive a fork, and
#: to do nothing else when they are imported.
_SHARED = (
    "matplotlib networkx nltk numpy pandas PIL requests scipy seaborn sklearn statsmodels sympy tqdm".split()
)
#: Their parts that take the time.
_PARTS = {"matplotlib": "matplotlib.pyplot", "PIL": "PIL.Image", "scipy": "scipy.stats"}
_PACKAGE = "_jupyterlab_refine"
_END_SECONDS = 3.0
#: Seconds between two looks whether an attempt has ended: from the first to the longest.
_FIRST_PAUSE = 0.001
_LONGEST_PAUSE = 0.05


def main(arguments: list[str]) -> None:
    """Serve until the pipe ends; never returns."""
    name, *resolved = arguments
    if not sys.platform.startswith("linux") or not (resolved or _resolve(name)):
        # Its end says that this kernel needs a Jupyter server.
        os._exit(0)
    frames = _frames()
    from .shell import make

    make()
    _Server(frames).run()
    os._exit(0)


def _resolve(name: str) -> bool:
    """Go on as the interpreter of that kernel specification; False for one that needs a Jupyter server."""
    try:
        found = find_interpreter(name)
        if found is not None and not found.is_this:
            program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "start.py")
            environment = {**os.environ, **found.environment}
            os.execvpe(found.command[0], [*found.command, program, name, "resolved"], environment)
        return found is not None
    except (OSError, ImportError):
        return False


def _frames() -> Frames:
    """Take the pipes from standard input and descriptor 3; standard input and output belong to the cells."""
    frames = Frames(os.dup(0), os.dup(ANSWERS))
    os.close(ANSWERS)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    sys.stdin = open(0, closefd=False)
    return frames


class _Server:
    def __init__(self, frames: Frames) -> None:
        self._frames = frames

    def run(self) -> None:
        while (frame := self._frames.read()) is not None:
            request = frame["request"]
            if request["op"] == "load":
                self._answer(frame, _load(request["source"]))
            elif request["op"] == "fork":
                _import(request["imports"])
                status = self._fork(request["folder"])
                if status:
                    message = f"its process ended with status {status}"
                    self._answer(frame, {"state": "refused", "code": "child-failed", "message": message})

    def _answer(self, frame: dict[str, Any], answer: dict[str, Any]) -> None:
        self._frames.write({"id": frame["id"], "answer": answer})

    def _fork(self, folder: str) -> int:
        """Let a copy of this process serve one attempt; its exit status when it has ended."""
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pid = os.fork()
        if pid == 0:
            status = 1
            try:
                os.chdir(folder)
                self._be_attempt()
                status = 0
            finally:
                os._exit(status)
        _, ended = os.waitpid(pid, 0)
        return os.waitstatus_to_exitcode(ended)

    def _be_attempt(self) -> None:
        """Read ``above``, ``prepare``, where there is a secret, and ``attempt``; answer the latter."""
        answer = None
        while (asked := self._frames.read()) is not None:
            request = asked["request"]
            if request["op"] == "attempt":
                answer = answer or self._attempt(request)
                _end_attempts()
                self._answer(asked, answer)
                return
            if request["op"] in ("above", "prepare"):
                prepared = _call(request)
                answer = answer or (prepared if prepared.get("state") in ("refused", "error") else None)
        _end_attempts()

    def _attempt(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer when it has ended, also by ``cancel``, or by the end of the pipe."""
        answer = _call(request)
        pause = _FIRST_PAUSE
        while answer.get("state") == "running":
            if select.select([self._frames.reader], [], [], pause)[0]:
                if self._frames.read() is None:
                    break
                _call({"op": "cancel", "id": request["job"]["id"]})
            pause = min(2 * pause, _LONGEST_PAUSE)
            answer = _call({"op": "collect", "id": request["job"]["id"]})
        return answer


def _load(source: str) -> dict[str, Any]:
    """Load the kernel part, and all that each attempt would repeat; what ``hello`` answers."""
    exec(source, {"__name__": f"{_PACKAGE}_loader"})
    sys.modules[_PACKAGE].parts()
    hello = _call({"op": "hello"})
    sys.modules[f"{_PACKAGE}.entry"].settle()
    # Attempts alone find the modules beside the notebook. IPython adds an empty path.
    sys.path[:] = [path for path in sys.path if path not in ("", os.curdir)]
    gc.collect()
    gc.freeze()
    return hello


def _import(wanted: list[str]) -> None:
    """Import what notebooks share."""
    for name in sorted({*wanted}.intersection(_SHARED)):
        try:
            importlib.import_module(_PARTS.get(name, name))
        except Exception:
            # The notebook reports it.
            continue


def _end_attempts() -> None:
    sys.modules[f"{_PACKAGE}.entry"].shutdown()
    attempts = sys.modules[f"{_PACKAGE}.attempt.attempts"]
    # The threads that supervise kill what an attempt has started, wherever it hides.
    attempts.wait_for_all(_END_SECONDS)


def _call(request: dict[str, Any]) -> dict[str, Any]:
    answered: dict[str, Any] = sys.modules[f"{_PACKAGE}.entry"].answer(request)
    return answered


#: Descriptor of the answers. Standard output is not ours: what runs when Python starts may print.
ANSWERS = 3


class Frames:
    """Requests and answers, as JSON over pipes: lengths before the requests, a line for each answer.

    One process at a time reads and writes: it takes no byte of the next frame.
    """

    def __init__(self, reader: int, writer: int) -> None:
        self.reader, self._writer = reader, writer

    def read(self) -> dict[str, Any] | None:
        """The next frame; None when the other side is gone."""
        head = self._exactly(4)
        body = None if head is None else self._exactly(struct.unpack(">I", head)[0])
        return None if body is None else json.loads(body)

    def write(self, frame: dict[str, Any]) -> None:
        """A line of its own."""
        left = memoryview(json.dumps(frame, default=str).encode() + b"\n")
        while left:
            left = left[os.write(self._writer, left) :]

    def _exactly(self, size: int) -> bytes | None:
        parts: list[bytes] = []
        while size:
            part = os.read(self.reader, min(size, 1 << 20))
            if not part:
                return None
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


#: What a kernel specification of ipykernel runs after its interpreter and the options of that.
_LAUNCH = ["-m", "ipykernel_launcher", "-f", "{connection_file}"]
#: As Jupyter: a notebook names its kernel, and a path would lead to a file that lies beside it.
_NAME = re.compile(r"[a-z0-9._-]*[a-z0-9_-][a-z0-9._-]*")


class Interpreter(NamedTuple):
    """What runs the cells of a kernel specification."""

    #: The program and its own options.
    command: list[str]
    environment: dict[str, str]

    @property
    def is_this(self) -> bool:
        return self.command == [sys.executable] and not self.environment


def find_interpreter(name: str) -> Interpreter | None:
    """The interpreter of ipykernel's specification of that name; None: none, or one that starts more."""
    if not _NAME.fullmatch(name.lower()):
        return None
    from jupyter_core.paths import jupyter_path

    for folder in jupyter_path():
        file = os.path.join(folder, "kernels", name.lower(), "kernel.json")
        try:
            with open(file, encoding="utf-8") as opened:
                spec = json.load(opened)
        except (OSError, ValueError):
            continue
        return _interpreter(spec, os.path.dirname(file))
    # ipykernel's own, which Jupyter has without a file.
    return Interpreter([sys.executable], {}) if name.lower() == "python3" else None


def _interpreter(spec: dict[str, object], folder: str) -> Interpreter | None:
    given, environment = spec.get("argv"), spec.get("env") or {}
    if not isinstance(given, list) or not isinstance(environment, dict):
        return None
    argv = [str(part).replace("{resource_dir}", folder) for part in given]
    options = [part for part in argv[1:] if part not in _LAUNCH]
    is_plain = all(option.startswith("-X") for option in options)
    if not argv or argv[-4:] != _LAUNCH or not is_plain or "kernel_provisioner" in str(spec.get("metadata")):
        return None
    major, minor = sys.version_info[:2]
    own = ("python", f"python{major}", f"python{major}.{minor}")
    program = sys.executable if argv[0] in own else argv[0]
    # An option that only quietens the debugger needs no other process.
    needed = [option for option in options if option != "-Xfrozen_modules=off"]
    return Interpreter([program, *needed], {str(key): str(value) for key, value in environment.items()})
