"""Attempts from Python: run source in an isolated fork, check a notebook.

``attempt`` runs source that nobody has reviewed; ``check_notebook`` is ``jupyter refine check``. Neither
calls a model. The page is ``docs/python.md``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .kernel import pack
from .warm.frames import Frames

__all__ = ["Attempt", "AttemptError", "Check", "NotebookCheck", "TargetCheck", "attempt", "check_notebook"]

Ask = Callable[[dict[str, Any]], Any]

#: Seconds beyond the limits of an attempt, which ends itself.
_MORE_SECONDS = 15.0
_START = Path(__file__).parent / "warm" / "start.py"


class AttemptError(RuntimeError):
    """Nothing could be run; the message says why and what to do."""


@dataclass(frozen=True)
class Check:
    """One checking statement."""

    source: str
    #: From 1, in the checks.
    line: int
    #: ``passed``, ``failed``, ``error`` or ``not-run``.
    outcome: str
    #: Whether it also held in a process that never ran the source; None where it did not pass.
    confirmed: bool | None
    #: What was expected and observed, or the error; empty for a check that passed.
    message: str


@dataclass(frozen=True)
class Attempt:
    """What became of the source."""

    #: Whether it ran to its end and every check passed; None where it did, and nothing checks it.
    passed: bool | None
    #: ``completed``, ``error``, or ``cut`` at a limit.
    status: str
    #: One line that says why it did not complete; empty where it did.
    message: str
    #: Of the error; empty for none.
    traceback: str
    stdout: str
    stderr: str
    #: Rich outputs, each as texts by MIME type; images in base64.
    displays: tuple[dict[str, str], ...]
    checks: tuple[Check, ...]
    #: Names of files that it wrote; thrown away unless ``allow_writes``.
    files_written: tuple[str, ...]
    #: What it tried and was denied, as clauses.
    denied: tuple[str, ...]
    #: Wall time of source and checks.
    seconds: float


@dataclass(frozen=True)
class TargetCheck:
    """One target of a notebook."""

    cell_id: str
    #: Position of the cell, from 0.
    index: int
    #: ``passed``, ``failed``, ``error`` (ours, not the notebook's), ``input`` or ``interrupted``.
    status: str
    #: Visible checks that passed, and all of them.
    checks: tuple[int, int]
    #: Hold-outs that passed, and all of them.
    holdouts: tuple[int, int]
    #: Why it did not pass; empty for a pass.
    message: str


@dataclass(frozen=True)
class NotebookCheck:
    """All targets of a notebook."""

    path: str
    passed: bool
    #: In the order of the notebook.
    targets: tuple[TargetCheck, ...]
    #: What is wrong with the notebook as a whole; None for nothing.
    problem: str | None


def attempt(
    source: str,
    checks: str | Sequence[str] = (),
    *,
    above: str | Sequence[str] = (),
    folder: str | os.PathLike[str] = ".",
    seconds: float = 30.0,
    allow_network: bool = False,
    allow_writes: bool = False,
    shell: Any = None,
) -> Attempt:
    """Run source in an isolated fork, then the checks.

    Parameters
    ----------
    source
        One cell: Python, with magics and ``await`` as in a notebook.
    checks
        Source of check cells, or one. Each ``assert``, ``test_…`` function and ``np.testing`` call counts.
    above
        Source of the cells before it, or one. They run in the same fork, before the source.
    folder
        Where relative paths start and modules are found.
    seconds
        Wall time for source and checks together. The cells above have as long again.
    allow_network, allow_writes
        Let what it sends and writes be real.
    shell
        IPython's shell of this kernel: the source sees its variables and its folder, and changes neither.
        None: a fresh process of this Python.

    Raises
    ------
    AttemptError
        When this system or process cannot be forked, or cannot isolate files and ``allow_writes`` is not set.
    ValueError
        When ``seconds`` is not positive, or ``above`` is given with ``shell``.

    Examples
    --------
    >>> attempt("def double(n): return n + 2", "assert double(5) == 10").passed
    False
    """
    if not seconds > 0:
        raise ValueError(f"seconds must be a positive number, not {seconds!r}.")
    if shell is not None and above:
        raise ValueError("above cannot be given with shell: its kernel has run the cells above.")
    limits = {"seconds": seconds, "aboveSeconds": seconds}
    job = {
        "id": uuid.uuid4().hex,
        "candidate": source,
        "assertions": _cells(checks, "check"),
        "holdouts": [],
        "limits": limits,
        "contextValues": "none",
        "allowNetwork": allow_network,
        "allowWrites": allow_writes,
    }
    # In the worker, source and checks run a second time.
    wait = (2 * seconds + seconds + _MORE_SECONDS) * 1000
    with _of_shell(shell) if shell is not None else _of_process(Path(folder), _cells(above, "above")) as ask:
        isolation = ask({"op": "hello", "keyVariables": ["OPENAI_API_KEY"]})["isolation"]
        reasons = " ".join(isolation["reasons"])
        if isolation["mode"] != "fork":
            raise AttemptError(f"Attempts cannot run in a fork here: {reasons}.")
        if isolation["files"] == "open" and not allow_writes:
            raise AttemptError(
                f"Attempts write files for real here. {reasons} Allow it with allow_writes=True."
            )
        answer = ask({"op": "attempt", "job": job, "graceMs": wait})
    if answer.get("state") != "done":
        raise AttemptError(answer.get("message") or f"The attempt is {answer.get('state')}.")
    above_error = _above_error(answer.get("above"))
    return _result(answer["execution"], above_error)


def check_notebook(
    path: str | os.PathLike[str], *, tests: str | os.PathLike[str] | None = None, seconds: float = 600
) -> NotebookCheck:
    """Check every target of a notebook, as ``jupyter refine check`` does.

    Parameters
    ----------
    path
        The notebook. It is not changed.
    tests
        An nbgrader notebook whose locked tests are used in place of its own.
    seconds
        Wall time for all targets together, a whole number.

    Raises
    ------
    AttemptError
        When the command line cannot run, for example because Node is missing.
    """
    from .cli import CommandLineError, child_environment, command

    more = [] if tests is None else ["--tests", os.fspath(tests)]
    limit = ["--notebook-timeout", str(int(seconds))]
    try:
        line = command(["check", os.fspath(path), "--json", "--quiet", *limit, *more])
    except CommandLineError as error:
        raise AttemptError(str(error)) from None
    done = subprocess.run(line, env=child_environment(os.environ), capture_output=True, text=True)
    try:
        (found,) = json.loads(done.stdout)["notebooks"]
    except ValueError:
        raise AttemptError(
            done.stderr.strip() or f"The command ended with status {done.returncode}."
        ) from None
    targets = tuple(
        TargetCheck(
            cell_id=target["cellId"],
            index=target["index"],
            status=target["status"],
            checks=(target["assertions"]["passed"], target["assertions"]["total"]),
            holdouts=(target["holdouts"]["passed"], target["holdouts"]["total"]),
            message=(target["reason"] or {}).get("message", "") or target["message"],
        )
        for target in found["targets"]
    )
    problem = (found["problem"] or {}).get("message")
    passed = problem is None and bool(targets) and all(target.status == "passed" for target in targets)
    return NotebookCheck(found["path"], passed, targets, problem)


def _cells(sources: str | Sequence[str], name: str) -> list[dict[str, Any]]:
    given = [sources] if isinstance(sources, str) else list(sources)
    return [
        {"cellId": f"{name}-{index}", "index": index, "source": source, "tolerated": False}
        for index, source in enumerate(given)
        if source.strip()
    ]


@contextmanager
def _of_shell(shell: Any) -> Iterator[Ask]:
    """The kernel part in this kernel, where a page of JupyterLab may have loaded it."""
    if getattr(shell, "kernel", None) is None:
        raise AttemptError("This shell has no kernel. Run the cell in a notebook, or leave out shell.")
    entry = sys.modules.get("_jupyterlab_refine.entry")
    if entry is None or vars(entry).get("__version__") != pack.version():
        exec(pack.pack(), {"__name__": "_jupyterlab_refine_loader"})
        entry = sys.modules["_jupyterlab_refine.entry"]
    yield entry.answer


@contextmanager
def _of_process(folder: Path, above: list[dict[str, Any]]) -> Iterator[Ask]:
    """A warm process of this Python, with a notebook that has these cells above."""
    command = [sys.executable, str(_START), "python3", "resolved"]
    # Of its own: modules that the caller can import, the source can.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    frames, errors = Frames(process.stdout.fileno(), process.stdin.fileno()), process.stderr

    def read(name: str) -> dict[str, Any]:
        while (frame := frames.read()) is not None:
            if name in frame:
                return frame
        log = errors.read().decode("utf-8", "replace").strip().splitlines()
        raise AttemptError(f"The process of the attempt ended. {log[-1] if log else ''}".strip())

    def ask(request: dict[str, Any]) -> Any:
        frames.write({"id": 1, "request": request})
        answer = read("answer")["answer"]
        if answer.get("state") == "error":
            raise AttemptError(f"The kernel part failed: {answer['message']}")
        return answer

    try:
        read("ready")
        ask({"op": "load", "source": pack.pack()})
        ask({"op": "open", "folder": str(folder.resolve()), "imports": [], "runs": False})
        ask(
            {
                "op": "above",
                "cells": above,
                "leftOut": [],
                "hidden": [],
                "folderOfChecks": str(folder.resolve()),
                "proven": 0,
            }
        )
        yield ask
    finally:
        process.stdin.close()
        process.stdout.close()
        try:
            process.wait(_MORE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        errors.close()


def _above_error(above: dict[str, Any] | None) -> str:
    errors = (above or {}).get("errors") or []
    return f"A cell above failed: {_described(errors[0]['error'])}" if errors else ""


def _result(execution: dict[str, Any], above_error: str) -> Attempt:
    error = execution.get("error")
    status = execution["status"]
    checks = tuple(_check(found) for found in execution["assertions"])
    tampering = list(execution.get("tampering") or [])
    message = above_error or (_described(error) if error else execution.get("stopMessage") or "")
    message = message or ", ".join(tampering)
    ran = status == "completed" and not tampering and not above_error
    held = all(check.outcome == "passed" for check in checks)
    return Attempt(
        passed=(held if checks else None) if ran else False,
        status=status,
        message=message,
        traceback=(error or {}).get("traceback", ""),
        stdout=execution["stdout"],
        stderr=execution["stderr"],
        displays=tuple(_display(shown) for shown in execution["displays"]),
        checks=checks,
        files_written=tuple(execution["filesWritten"]),
        denied=tuple(execution["denied"]),
        seconds=execution["durationMs"] / 1000,
    )


def _check(found: dict[str, Any]) -> Check:
    observed, expected, error = (found.get(name) for name in ("observed", "expected", "error"))
    message = ""
    if found["outcome"] != "passed":
        if observed and expected:
            message = f"expected {expected['repr']}, observed {observed['repr']}"
        elif error:
            message = _described(error)
        elif observed:
            message = f"observed {observed['repr']}"
    confirmed = found.get("confirmed") if found["outcome"] == "passed" else None
    return Check(found["source"], found["line"], found["outcome"], confirmed, message)


def _described(error: dict[str, Any]) -> str:
    return ": ".join(filter(None, (error["name"], error["message"])))


def _display(shown: dict[str, Any]) -> dict[str, str]:
    texts = {} if shown.get("leftOut") else {shown["mime"]: shown["data"]}
    return {**({"text/plain": shown["text"]} if shown.get("text") else {}), **texts}
