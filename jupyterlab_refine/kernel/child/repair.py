"""What a candidate still does that is to fix an error: the call that failed, and the names of the cell.

Where nothing checks a cell, code that only hides its error looks as good as code
that fixes it. The candidate's calls of the failing function are wrapped, so that
it is known whether one returned; so are its handlers that do nothing.
"""

from __future__ import annotations

import ast
import builtins
import secrets
import sys
from typing import Any

from ..source import names
from ..source.failures import called_name, failing_call
from .tracebacks import CANDIDATE

_VALUE = 200
_SILENT_CALLS = frozenset(
    ["print", "display", "warn", "warning", "info", "debug", "error", "exception", "log"]
)


class Repair(ast.NodeTransformer):
    """An AST transformer for the candidate, and what its run then has shown.

    :param wanted: ``error`` is the name of the error's type; ``call`` has the ``source`` and ``name``
        of the call that failed, or is missing; ``names`` are those that the cell defined.
    """

    def __init__(self, wanted: dict[str, Any]) -> None:
        self._wanted = wanted
        self._call: dict[str, str] = wanted.get("call") or {}
        self._same = _normal(self._call.get("source", ""))
        self._marker = f"_refine_{secrets.token_hex(8)}"
        self._bound: set[str] = set()
        self._returned = False
        self._value: str | None = None
        self._silenced = False

    def visit_Module(self, node: ast.Module) -> ast.AST:
        self._bound = names.bound_anywhere(node) | names.bound(node)
        setattr(builtins, self._marker, self)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        return self._wrapped(node, node)

    def visit_Await(self, node: ast.Await) -> ast.expr:
        if isinstance(node.value, ast.Call):
            return self._wrapped(node, node.value)
        self.generic_visit(node)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        silent = all(_does_nothing(statement) for statement in node.body)
        self.generic_visit(node)
        if silent:
            node.body.insert(0, ast.copy_location(ast.Expr(self._method("caught", node, [])), node))
            ast.fix_missing_locations(node)
        return node

    def visit_With(self, node: ast.With) -> ast.With:
        """``contextlib.suppress`` is a handler that does nothing."""
        suppresses = any(
            isinstance(item.context_expr, ast.Call) and called_name(item.context_expr) == "suppress"
            for item in node.items
        )
        self.generic_visit(node)
        if suppresses:
            note = ast.Expr(self._method("caught", node, []))
            handler = ast.ExceptHandler(type=None, name=None, body=[note, ast.Raise(exc=None, cause=None)])
            guarded = ast.Try(body=node.body, handlers=[handler], orelse=[], finalbody=[])
            node.body = [ast.copy_location(guarded, node)]
            ast.fix_missing_locations(node)
        return node

    def returned(self, value: Any, same: bool) -> Any:
        """A call of the function has returned; ``same``: with the arguments that had failed."""
        self._returned = True
        if same and self._value is None:
            self._value = _literal(value)
        return value

    def caught(self) -> None:
        """A handler that does nothing has an error."""
        kind = sys.exc_info()[0]
        if kind is not None and kind.__name__ == self._wanted.get("error"):
            self._silenced = True

    def report(self, error: BaseException | None, namespace: dict[str, Any]) -> dict[str, Any]:
        """The type ``RepairReport`` (TypeScript)."""
        vars(builtins).pop(self._marker, None)
        wanted = self._wanted.get("names", [])
        found: dict[str, Any] = {
            "silenced": self._silenced,
            "missing": [name for name in wanted if name not in namespace or name not in self._bound],
        }
        if self._call:
            found["callRan"] = self._returned
        if self._value is not None:
            found["value"] = self._value
        failed = failing_call(error, CANDIDATE) if error else None
        return {**found, "call": failed} if failed else found

    def _wrapped(self, node: ast.expr, call: ast.Call) -> ast.expr:
        same = ast.Constant(_normal(ast.unparse(node)) == self._same)
        self.generic_visit(call)
        if not self._call or called_name(call) != self._call["name"]:
            return node
        return self._method("returned", node, [node, ast.copy_location(same, node)])

    def _method(self, name: str, at: ast.AST, arguments: list[ast.expr]) -> ast.Call:
        marker = ast.Attribute(ast.Name(self._marker, ast.Load()), name, ast.Load())
        return ast.fix_missing_locations(ast.copy_location(ast.Call(marker, arguments, []), at))


def _normal(source: str) -> str:
    try:
        return ast.unparse(ast.parse(source, mode="eval"))
    except (SyntaxError, ValueError):
        return source


def _does_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Pass, ast.Continue)):
        return True
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    return isinstance(value, ast.Constant) or (
        isinstance(value, ast.Call) and called_name(value) in _SILENT_CALLS
    )


def _literal(value: Any) -> str | None:
    """A literal that equals the value; None where there is no short one."""
    if type(value) not in (int, float, bool, str, bytes, list, tuple, dict, set):
        return None
    try:
        text = repr(value)
        return text if len(text) <= _VALUE and ast.literal_eval(text) == value else None
    except Exception:
        return None
