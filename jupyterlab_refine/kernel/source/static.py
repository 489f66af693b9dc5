"""Static findings in a candidate, before it runs: syntax, undefined names."""

from __future__ import annotations

import ast
import builtins
import difflib
import re
import warnings
from collections.abc import Iterable
from typing import Any

from .. import paused, texts
from ..child import running
from ..child.tracebacks import CANDIDATE
from . import names

_QUOTED = re.compile(r"[`'\"]([^`'\"]+)[`'\"]")


def find(source: str, shell: Any) -> list[dict[str, Any]]:
    """The findings, each a ``StaticFinding`` (TypeScript), in the order of the lines."""
    with warnings.catch_warnings():
        # They are shown when the candidate is run; before, nothing here may print.
        warnings.simplefilter("ignore")
        text = running.transformed(source, shell)
        try:
            tree = ast.parse(text, CANDIDATE)
            compile(text, CANDIDATE, "exec", running.flags(shell), True, 0)
        except names.UNREADABLE as error:
            return [_syntax(source, error)]
    return _undefined(tree, text, shell)


def judge(findings: list[dict[str, Any]], checks: Iterable[str]) -> list[dict[str, Any]]:
    """In the kernel, which has the checks: remove findings on names that the checks define."""
    defined = set().union(*map(names.bound, names.trees(checks)))

    def stays(finding: dict[str, Any]) -> bool:
        return finding["code"] != "undefined-name" or _QUOTED.findall(finding["message"])[0] not in defined

    return [finding for finding in findings if stays(finding)]


def is_refused(findings: Iterable[dict[str, Any]]) -> bool:
    """Whether a candidate with these cannot run."""
    return any(finding["severity"] == "error" for finding in findings)


def error(findings: list[dict[str, Any]]) -> dict[str, Any]:
    """The ``ExecutionError`` of a candidate that was not run because of them."""
    wrong = [finding for finding in findings if finding["severity"] == "error"]
    lines = [f"line {finding['line']}: {finding['message']}" for finding in wrong]
    message = "; ".join(lines)
    report = "\n".join(["The code was not run:", *lines])
    return {"name": "StaticError", "message": message, "traceback": report, "candidateLine": wrong[0]["line"]}


def _syntax(source: str, error: BaseException) -> dict[str, Any]:
    line = max(1, min(getattr(error, "lineno", None) or 1, source.count("\n") + 1))
    reason = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
    finding = {"line": line, "code": "syntax", "message": f"{type(error).__name__}: {reason}"}
    column = getattr(error, "offset", None)
    return {**finding, **({"column": column} if column else {}), "severity": "error"}


def _undefined(tree: ast.Module, source: str, shell: Any) -> list[dict[str, Any]]:
    if shell.ast_transformers:
        # They may define what the source does not.
        return []
    defined = {*paused.seen_from(shell.user_ns), *shell.user_global_ns, *vars(builtins)}
    found = names.undefined(tree, source, defined)
    known = [] if not found else [name for name in defined | names.bound(tree) if name[:1] != "_"]
    return [_undefined_name(use.node, use.certain, known) for use in found]


def _undefined_name(node: ast.Name, certain: bool, known: list[str]) -> dict[str, Any]:
    near = difflib.get_close_matches(node.id, known, 1, 0.75)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    message = texts.cut_end(f"name '{node.id}' is not defined{hint}", 300)
    # A branch that is never taken never fails.
    severity = "error" if certain else "warning"
    place = {"line": node.lineno, "column": node.col_offset + 1}
    return {**place, "code": "undefined-name", "message": message, "severity": severity}
