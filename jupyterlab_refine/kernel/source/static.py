"""Static findings in a candidate, before it runs: syntax, undefined names."""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Iterable
from typing import Any

from .. import paused, texts
from ..child import above, running
from ..child.tracebacks import CANDIDATE
from . import names


def look(source: str, cells: Iterable[dict[str, Any]], shell: Any) -> dict[str, Any]:
    """The ``findings``, each a ``StaticFinding`` (TypeScript), in the order of the lines.

    And the ``error``, an ``ExecutionError``, of a candidate that cannot run; None for one that can.

    :param cells: visible checks, which may define names for it.
    """
    found = _find(source, [cell["source"] for cell in cells], shell)
    wrong = [finding for finding in found if finding["severity"] == "error"]
    if not wrong:
        return {"findings": found, "error": None}
    lines = [f"line {finding['line']}: {finding['message']}" for finding in wrong]
    error = {"name": "StaticError", "message": "; ".join(lines), "candidateLine": wrong[0]["line"]}
    return {"findings": found, "error": {**error, "traceback": "\n".join(["The code was not run:", *lines])}}


def _find(source: str, checks: list[str], shell: Any) -> list[dict[str, Any]]:
    with warnings.catch_warnings():
        # They are shown when the candidate is run; before, nothing here may print.
        warnings.simplefilter("ignore")
        try:
            text, tree = running.parsed(source, CANDIDATE, shell)
            compile(text, CANDIDATE, "exec", running.flags(shell), True, 0)
        except names.UNREADABLE as error:
            return [_syntax(source, error)]
    if shell.ast_transformers or above.cells:
        # They may define what the source does not.
        return []
    defined = {*paused.seen_from(shell.user_ns), *shell.user_global_ns, *vars(builtins)}
    defined = defined.union(*map(names.bound, names.trees(checks)))
    return [_undefined_name(node) for node in names.undefined(tree, text, defined)]


def _syntax(source: str, error: BaseException) -> dict[str, Any]:
    line = max(1, min(getattr(error, "lineno", None) or 1, source.count("\n") + 1))
    reason = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
    message = f"{type(error).__name__}: {reason}"
    return {"line": line, "code": "syntax", "message": message, "severity": "error"}


def _undefined_name(node: ast.Name) -> dict[str, Any]:
    message = texts.cut_end(f"name '{node.id}' is not defined", 300)
    return {"line": node.lineno, "code": "undefined-name", "message": message, "severity": "warning"}
