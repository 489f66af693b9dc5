"""Check cells as code to execute in the live kernel, one statement at a time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..source.names import python_source
from . import evaluating, frameworks, rewriting, statements


def list_statements(cells: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The statements of the cells: fields of ``AssertionResult``, ``code``, whether it ``counts``."""
    replies = []
    for cell in cells:
        source = python_source(cell["source"])
        lines = source.splitlines()
        replies += [
            {**statement.to_reply(), "code": _code(statement, source, lines), "counts": statement.checks}
            for statement in statements.split(cell)
        ]
    return replies


def _code(statement: statements.Statement, source: str, lines: list[str]) -> str:
    if len(statement.body) != 1:
        # All of the cell; one that cannot be parsed raises the reason.
        return source
    code = statements.text(lines, statement.body[0])
    if statement.runs is None or not statement.checks:
        return code
    return f"{code}\nawait __import__('sys').modules['{__name__}'].run({statement.runs})"


async def run(test: Any) -> None:
    """Called by that code: run a test that was just defined; raises what the first that fails has raised."""
    reports = frameworks.Reports(rewriting.Recorder())
    with reports.listening(""):
        await evaluating.run_test(test, test.__name__, reports)
    tests, _ = reports.take()
    if tests and all(one.skipped is not None for one in tests):
        raise AssertionError("every test was skipped")
    for one in tests:
        if one.error is not None:
            raise one.error
