"""The visible checks once more, after a pass, where all that the candidate defines is empty.

A check that holds there as well says nothing about the code; the user is warned of it. No code of the
candidate's runs: its functions and methods only raise ``NotImplementedError``.
"""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Iterator
from typing import Any

from ..checks.check_calls import FUNCTIONS
from ..checks.evaluating import Evaluator
from ..child.running import Runner
from ..child.streams import Silent
from ..child.tracebacks import ErrorFormatter
from ..source import names

_RECORDER = "_refine_emptied"


def held(
    command: dict[str, Any],
    before: dict[str, Any],
    shell: Any,
    displays: Any,
    loop: asyncio.AbstractEventLoop,
) -> list[str]:
    """Ids of the rows of the visible checks that hold.

    :param before: the user's namespace before the candidate.
    """
    runner = Runner(shell, displays)
    shell.user_ns.clear()
    shell.user_ns.update(before)
    for name in names.of_candidate(command["source"])["binds"]:
        shell.user_ns.pop(name, None)
    for tree in names.trees([command["source"]]):
        for node in _hollow(tree):
            try:
                loop.run_until_complete(runner.execute([ast.fix_missing_locations(node)], "<emptied>"))
            except Exception:
                # Without the name no check of it holds.
                continue
    evaluator = Evaluator(shell, runner, ErrorFormatter(shell, "none"), Silent(), _RECORDER)
    cells = [cell for cell in command["cells"] if cell["role"] == "assertion"]
    with evaluator.listening(cells):
        return [row for cell in cells for row in loop.run_until_complete(_held(evaluator, cell))]


async def _held(evaluator: Evaluator, cell: dict[str, Any]) -> list[str]:
    return [
        row.fields["id"]
        async for _, ended, _ in evaluator.results(cell)
        for row in ended.rows
        if row.error is None
    ]


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
