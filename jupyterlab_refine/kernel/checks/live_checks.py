"""Check cells as code to execute in the live kernel, one statement at a time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..source.names import python_source
from . import evaluating, statements


def list_statements(cells: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """All statements of the cells in order: fields of ``AssertionResult``, ``code``, whether it ``counts``.

    ``nothing`` is the reason why a cell checks nothing at all.
    """
    replies = []
    for cell in cells:
        found = statements.split(cell)
        source = python_source(cell["source"])
        if not any(statement.checks for statement in found):
            replies.append(_unchecked(cell))
            continue
        lines = source.splitlines()
        replies += [
            {**statement.to_reply(), "code": _code(statement, source, lines), "counts": statement.checks}
            for statement in found
        ]
    return replies


def _unchecked(cell: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"{cell['cellId']}:1",
        "cellId": cell["cellId"],
        "role": cell["role"],
        "line": 1,
        "source": cell["source"][:2000],
        "code": cell["source"],
        "counts": True,
        "nothing": "nothing in this cell can fail: the value of an expression is not checked; write assert",
    }


def _code(statement: statements.Statement, source: str, lines: list[str]) -> str:
    if not statement.body:
        # It cannot be parsed: running it raises the reason.
        return source
    code = statements.text(lines, statement.body[0])
    if statement.runs is None:
        return code
    return f"{code}\nawait __import__('sys').modules['{__name__}'].run({statement.runs})"


async def run(test: Any) -> None:
    """Called by that code: run a test that was just defined."""
    await evaluating.run_test(test)
