"""The visible checks once more, after a pass, where all that the candidate defines is empty.

A check that holds there as well says nothing about the code; the user is warned of it. No code of the
candidate's runs: its functions and methods only raise ``NotImplementedError``.
"""

from __future__ import annotations

import ast
import json
import os
import socket
from collections.abc import Callable, Iterator
from typing import Any

from ..checks.check_calls import FUNCTIONS
from ..checks.evaluating import Evaluator
from ..child import above
from ..child.running import Runner, complete, new_loop
from ..child.streams import Silent
from ..child.tracebacks import ErrorFormatter
from ..isolation import processes
from ..source import names

_RECORDER = "_refine_emptied"
_SECONDS = 1.0


class _Held(Silent):
    """Keeps the ids of the rows that hold."""

    def __init__(self) -> None:
        self.ids: list[str] = []

    def send(self, kind: str, **fields: Any) -> None:
        if fields["result"]["outcome"] == "passed":
            self.ids.append(fields["result"]["id"])


def prepare(command: dict[str, Any], shell: Any, displays: Any) -> Callable[[], list[str]]:
    """Fork a process from the state without candidate and checks; the returned function lets it run.

    That returns the ids of the rows that hold; none where it takes longer than a second.
    """
    ours, theirs = socket.socketpair()
    pid = processes.fork()
    if pid == 0:
        try:
            processes.die_with_parent()
            ours.close()
            if theirs.recv(1):
                theirs.sendall(json.dumps(_run(command, shell, displays)).encode() + b"\n")
        finally:
            os._exit(0)
    theirs.close()

    def run() -> list[str]:
        ours.settimeout(_SECONDS)
        try:
            ours.sendall(b"1")
            return list(json.loads(ours.makefile().readline()))
        except (OSError, ValueError):
            return []
        finally:
            processes.kill(pid)
            os.waitpid(pid, 0)

    return run


def _run(command: dict[str, Any], shell: Any, displays: Any) -> list[str]:
    loop, runner, held = new_loop(), Runner(shell, displays), _Held()
    above.find_modules()
    complete(above.run_again(runner), loop)
    for name in names.of_candidate(command["source"])["binds"]:
        shell.user_ns.pop(name, None)
    for tree in names.trees([command["source"]]):
        for node in _hollow(tree):
            try:
                loop.run_until_complete(runner.execute([ast.fix_missing_locations(node)], "<emptied>"))
            except Exception:
                # Without the name no check of it holds.
                continue
    evaluator = Evaluator(shell, runner, ErrorFormatter(shell, "none"), held, _RECORDER)
    cells = [cell for cell in command["cells"] if cell["role"] == "assertion"]
    loop.run_until_complete(evaluator.cells(cells))
    return held.ids


def _hollow(tree: ast.Module) -> Iterator[ast.stmt]:
    """Imports, functions, and classes that have methods; without anything else."""
    for node in tree.body:
        if isinstance(node, FUNCTIONS):
            node.decorator_list = []
            yield _raising(node)
        elif isinstance(node, ast.ClassDef):
            node.decorator_list = []
            node.body = [_raising(one) for one in node.body if isinstance(one, FUNCTIONS)]
            if node.body:
                yield node
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node


def _raising(node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt:
    node.body = [ast.Raise(ast.Name("NotImplementedError", ast.Load()), None)]
    return node
