"""The visible checks once more, after a pass, where all that the candidate defines is empty.

A check that holds there as well says nothing about the code; the user is warned of it. No code of the
candidate's runs: its functions and methods only raise ``NotImplementedError``.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from typing import Any

from ..checks.check_calls import FUNCTIONS
from ..checks.evaluating import Evaluator
from ..child.running import Runner
from ..source import names


async def held(
    candidate: str,
    cells: list[dict[str, Any]],
    namespace: dict[str, Any],
    runner: Runner,
    evaluator: Evaluator,
) -> list[str]:
    """Ids of the rows of the visible checks that hold.

    :param namespace: of the user, as before the candidate.
    :param evaluator: has run these cells, and has their code.
    """
    for tree in names.trees([candidate]):
        for name in set().union(*map(names.bound_here, names.own(tree))):
            namespace.pop(name, None)
        for node in _hollow(tree):
            with contextlib.suppress(Exception):
                # Without the name no check of it holds.
                node = ast.fix_missing_locations(node)
                await runner.run(runner.compile(ast.Module([node], []), "<emptied>"))
    evaluator.forget_runs()
    with evaluator.listening(cells):
        return [
            row.fields["id"]
            for cell in cells
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
