"""What failed in a cell of the user's, and the variables that the run changed."""

from __future__ import annotations

import ast
import linecache
import sys
import traceback
import types
from typing import Any

from ..values import describe, similar
from . import names


def last(shell: Any, source: str, name: str, values: str) -> dict[str, Any] | None:
    """The last error of the kernel, when it is of this source and this type; None otherwise.

    :param source: of the cell, as the notebook has it.
    :param name: of the error's type: ``KeyError``.
    :param values: as ``contextValues``.
    """
    error = getattr(sys, "last_value", None)
    if error is None or type(error).__name__ != name:
        return None
    own = getattr(shell.compile, "_filename_map", {})
    of_user = [found for found in traceback.walk_tb(error.__traceback__) if _file_of(found) in own]
    if not of_user:
        return None
    file_name, top_line = _file_of(of_user[0]), of_user[0][1]
    text = "".join(linecache.getlines(file_name))
    if text.strip() not in (source.strip(), shell.transform_cell(source).strip()):
        return None
    frame, shown = of_user[-1][0], describe.sample if values == "samples" else None
    return {
        "line": [line for frame, line in of_user if frame.f_code.co_filename == file_name][-1],
        "similar": similar.did_you_mean(error),
        "changed": [used for used in changed(text, top_line) if used in shell.user_ns],
        "locals": [
            describe.local_variable(used, frame.f_locals[used], shown, is_live=True)
            for used in (describe.names_of_frame(frame, shell) if values != "none" else ())
        ],
    }


def _file_of(found: tuple[types.FrameType, int]) -> str:
    return found[0].f_code.co_filename


def changed(source: str, line: int) -> list[str]:
    """Names whose earlier value the cell reads, and has changed up to this line.

    Run again, such a cell does not start from what it started from before. What
    a called function changes is not seen.
    """
    for tree in names.trees([source]):
        # A statement that raised has bound nothing, but for what it ran within.
        ran = [
            statement
            for statement in tree.body
            if (statement.end_lineno or statement.lineno) < line
            or (statement.lineno <= line and hasattr(statement, "body"))
        ]
        nodes = list(names.own(ast.Module(ran, [])))
        found = set().union(*(names.bound_here(node) | names.mutated(node) for node in nodes))
        return [name for name in names.of_source(ast.unparse(ast.Module(ran, []))).free if name in found]
    return []
