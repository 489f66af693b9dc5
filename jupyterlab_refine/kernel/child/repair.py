"""What a candidate does that is to fix an error: whether it hides it, and what it still defines.

Where nothing checks a cell, code that only hides its error looks as good as code that fixes it. So it is
observed whether a handler has swallowed the error. What may be honest, such as a handler with a value, is
``handled``.
"""

from __future__ import annotations

import ast
import builtins
import re
import secrets
import sys
from typing import Any

from ..checks.check_calls import last_name
from ..source import names

#: Calls that only report something.
_REPORTS = frozenset("print display warn warning info debug error exception log print_exc write".split())
_IMPORTS = (ast.Import, ast.ImportFrom)
_IMPORT_ERRORS = re.compile(r"\b(ImportError|ModuleNotFoundError)\b")


class Repair(ast.NodeTransformer):
    """An AST transformer for the candidate, and what its run then has shown.

    Magics such as ``%%time`` transform the code that they run with it, too.

    :param wanted: ``error`` is the name of the error's type; ``names`` are those that the cell defined.
    """

    def __init__(self, wanted: dict[str, Any]) -> None:
        self._wanted = wanted
        self._marker = f"_refine_{secrets.token_hex(8)}"
        self._bound: set[str] = set()
        self._loops = 0
        self._dropped = self._handled = False

    def visit_Module(self, node: ast.Module) -> ast.AST:
        self._bound |= names.bound(node)
        setattr(builtins, self._marker, self)
        return self.generic_visit(node)

    def visit_For(self, node: Any) -> ast.AST:
        self._loops += 1
        visited = self.generic_visit(node)
        self._loops -= 1
        return visited

    visit_AsyncFor = visit_While = visit_For

    def visit_Try(self, node: Any) -> ast.AST:
        for handler in node.handlers:
            # In a loop it may leave out a row, or let the call be tried again.
            is_dropped = not self._loops and all(map(_does_nothing, handler.body))
            if handler.type is not None and _IMPORT_ERRORS.search(ast.unparse(handler.type)):
                if any(isinstance(part, _IMPORTS) for part in handler.body):
                    # Another module takes the place of the missing one.
                    continue
            marker = ast.Attribute(ast.Name(self._marker, ast.Load()), "caught", ast.Load())
            note = ast.Expr(ast.Call(marker, [ast.Constant(is_dropped)], []))
            handler.body.insert(0, ast.fix_missing_locations(ast.copy_location(note, handler)))
        return self.generic_visit(node)

    visit_TryStar = visit_Try

    def caught(self, is_dropped: bool) -> None:
        """Called by the rewritten candidate: a handler is entered."""
        error = sys.exc_info()[1]
        # `except*` gets a group.
        errors = (error, *getattr(error, "exceptions", ()))
        if any(type(one).__name__ == self._wanted.get("error") for one in errors):
            self._dropped |= is_dropped
            self._handled |= not is_dropped

    def report(self, namespace: dict[str, Any]) -> dict[str, Any]:
        """The type ``RepairReport`` (TypeScript)."""
        vars(builtins).pop(self._marker, None)
        wanted = self._wanted.get("names", [])
        found: dict[str, Any] = {
            "silenced": self._dropped,
            "missing": [name for name in wanted if name not in namespace or name not in self._bound],
        }
        return {**found, "handled": True} if self._handled and not self._dropped else found


def _does_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Pass, ast.Continue, ast.Break, *_IMPORTS)):
        return True
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    is_report = isinstance(value, ast.Call) and last_name(value.func) in _REPORTS
    return is_report or isinstance(value, ast.Constant)
