"""What a candidate does that is to fix an error: whether it hides it, and what it still defines.

Where nothing checks a cell, code that only hides its error looks as good as code that fixes it. So it is
observed whether a handler has swallowed the error, and read whether the call that failed is still there.
What may be honest, such as a handler with a value, is ``handled``.
"""

from __future__ import annotations

import ast
import builtins
import re
import secrets
import sys
from collections.abc import Iterator
from typing import Any

from ..checks.check_calls import last_name
from ..source import names
from ..source.failures import failing_call
from .tracebacks import CANDIDATE

#: Calls that only report something.
_REPORTS = frozenset("print display warn warning info debug error exception log print_exc write".split())
_IMPORTS = (ast.Import, ast.ImportFrom)
_IMPORT_ERRORS = re.compile(r"\b(ImportError|ModuleNotFoundError)\b")
#: Expressions that may take the place of a call.
_WORKING = (ast.Call, ast.BinOp, ast.Compare, ast.ListComp, ast.SetComp, ast.DictComp)


class Repair(ast.NodeTransformer):
    """An AST transformer for the candidate, and what its run then has shown.

    Magics such as ``%%time`` transform the code that they run with it, too.

    :param wanted: ``error`` is the name of the error's type; ``call`` has the ``source`` and ``name``
        of the call that failed, or is missing; ``names`` are those that the cell defined; ``cell`` is
        its source.
    """

    def __init__(self, wanted: dict[str, Any]) -> None:
        self._wanted = wanted
        call = wanted.get("call")
        # Nobody can answer `input` in an attempt: a value takes its place.
        self._call: dict[str, str] | None = None if call and call["name"] == "input" else call
        self._marker = f"_refine_{secrets.token_hex(8)}"
        self._bound: set[str] = set()
        self._same = next(names.trees([self._call["source"]]), None) if self._call else None
        known = names.trees([wanted.get("cell", "")])
        self._written = {ast.unparse(part) for tree in known for part in ast.walk(tree) if _works(part)}
        #: Whether there is such a call, or other work with the same variables.
        self._has_call = False
        self._loops = 0
        self._dropped = self._handled = False

    def visit_Module(self, node: ast.Module) -> ast.AST:
        self._bound |= names.bound(node)
        self._has_call |= any(self._is_named(part) for part in ast.walk(node))
        self._has_call |= any(map(self._replaces, _parts(node)))
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

    def report(self, error: BaseException | None, namespace: dict[str, Any]) -> dict[str, Any]:
        """The type ``RepairReport`` (TypeScript)."""
        vars(builtins).pop(self._marker, None)
        wanted = self._wanted.get("names", [])
        found: dict[str, Any] = {
            "silenced": self._dropped,
            "missing": [name for name in wanted if name not in namespace or name not in self._bound],
        }
        if self._call:
            found["hasCall"] = self._has_call
        if self._handled and not self._dropped:
            found["handled"] = True
        failed = failing_call(error, CANDIDATE) if error else None
        return {**found, "call": failed} if failed else found

    # -- the source

    def _replaces(self, node: ast.AST) -> bool:
        """Whether it is new in the cell and works with the variables of the call."""
        if not _works(node) or self._is_named(node) or ast.unparse(node) in self._written:
            return False
        return self._same is not None and not {*_words(self._same)}.isdisjoint(_words(node))

    def _is_named(self, node: ast.AST) -> bool:
        call = self._call
        return call is not None and isinstance(node, ast.Call) and last_name(node.func) == call["name"]


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """All below it, but for what takes the place of no call."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.Assert, ast.ExceptHandler)) and not _is_report(child):
            yield child
            yield from _parts(child)


def _works(node: ast.AST) -> bool:
    return isinstance(node, _WORKING)


def _words(node: ast.AST) -> Iterator[str]:
    """Variables, and texts or numbers, that an expression takes; not the functions that it calls."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Constant) and type(node.value) in (str, bytes, int, float):
        yield repr(node.value)
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.Lambda) or isinstance(node, ast.Call) and child is node.func):
            yield from _words(child)


def _does_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Pass, ast.Continue, ast.Break, *_IMPORTS)):
        return True
    if not isinstance(statement, ast.Expr):
        return False
    return isinstance(statement.value, ast.Constant) or _is_report(statement.value)


def _is_report(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) in _REPORTS
