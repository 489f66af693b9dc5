"""The call that failed in a cell, and which calls of a candidate count as it.

Open this when a fix is refused although it fixes the call, or accepted although
the call is gone. A call counts when it calls the same function, or when it takes
the place of the failed call: it is new in the cell, and takes one of the same
variables or constants.
"""

from __future__ import annotations

import ast
import builtins
import re
import types
from collections.abc import Iterator
from typing import Any

from ..source import names
from ..source.failures import called_name, with_magics
from .tracebacks import CANDIDATE

#: Calls that only report something.
SILENT_CALLS = frozenset("print display warn warning info debug error exception log print_exc write".split())
#: Expressions that may take the place of a call.
WORKING = (ast.Call, ast.Await, ast.BinOp, ast.Compare, ast.ListComp, ast.SetComp, ast.DictComp)
_IMPORTS = (ast.Import, ast.ImportFrom)
_IMPORT_ERRORS = re.compile(r"\b(ImportError|ModuleNotFoundError)\b")
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_FUNCTION_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, type)


class FailedCall:
    """:param call: ``source`` and ``name`` of the call. :param cell: source of the cell that it failed in.
    :param namespace: the notebook's, before the candidate runs.
    """

    def __init__(self, call: dict[str, str], cell: str, namespace: dict[str, Any]) -> None:
        self._namespace = namespace
        self.name = call["name"]
        self._source = normal(call["source"])
        node = _expression(call["source"])
        node = node.value if isinstance(node, ast.Await) else node
        self._callee = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        self._function = self._find(self._callee)
        self._inputs = self._inputs_of(node) if isinstance(node, ast.Call) else set()
        parts = [part for tree in with_magics(cell) for part in ast.walk(tree)]
        self._written = {normal(ast.unparse(part)) for part in parts if isinstance(part, WORKING)}
        #: Nothing uses its value: a condition may decide whether it is needed at all.
        self.is_statement = any(isinstance(part, ast.Expr) and self.is_same(part.value) for part in parts)
        own = isinstance(self._function, _FUNCTIONS) and self._function.__module__ == "__main__"
        #: The notebook defines the function: a fix may define it anew.
        self._own = own or any(self.name in names.bound_here(part) for part in parts)

    def is_same(self, node: ast.expr) -> bool:
        """Whether it is written as the call that failed was."""
        return normal(ast.unparse(node)) == self._source

    def has_name(self, call: ast.Call) -> bool:
        """Whether it may call the same function."""
        return called_name(call) == self.name

    def is_replaced_by(self, node: ast.expr) -> bool:
        """Whether a call or an operation of the candidate takes the place of the call."""
        is_new = normal(ast.unparse(node)) not in self._written
        return is_new and not self._inputs.isdisjoint(_mentioned(node))

    def is_genuine(self, function: Any, callee: str) -> bool:
        """Whether a function that the candidate calls is no stand-in that it has made itself.

        :param callee: how the candidate calls it: ``json.loads``.
        """
        if self._own:
            return True
        if callee == self._callee and self._function is not None and function is not self._function:
            return False
        return not is_made_by_candidate(function)

    def _find(self, callee: str) -> Any:
        """The function, class or module of such a name; None for anything else. No property is read."""
        first, *rest = callee.split(".")
        found = self._namespace.get(first, vars(builtins).get(first))
        for name in rest:
            if not isinstance(found, (types.ModuleType, type)):
                return None
            found = getattr(found, name, None)
        return found if isinstance(found, _FUNCTIONS) else None

    def _inputs_of(self, call: ast.Call) -> set[str]:
        """Variables, and texts or numbers, that it takes; not its function, nor modules."""
        callees = {part.func for part in ast.walk(call) if isinstance(part, ast.Call)}
        modules = {name for name, value in self._namespace.items() if isinstance(value, types.ModuleType)}
        return {
            name for part in ast.walk(call) if part not in callees for name in _mentioned(part, deep=False)
        } - modules


def _mentioned(node: ast.AST, deep: bool = True) -> Iterator[str]:
    """Names, and reprs of texts and numbers, but for those in functions that are not called yet."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Constant) and type(node.value) in (str, bytes, int, float):
        yield repr(node.value)
    for child in ast.iter_child_nodes(node) if deep else ():
        if not isinstance(child, ast.Lambda):
            yield from _mentioned(child)


def normal(source: str) -> str:
    """An expression without what its writing leaves open."""
    node = _expression(source)
    return source if node is None else ast.unparse(node)


def aside(tree: ast.AST, conditions: bool) -> set[ast.AST]:
    """Nodes in handlers, assertions, reports and, if asked, conditions: a call there replaces no other."""
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        roots: list[ast.AST] = []
        if isinstance(node, (ast.If, ast.While, ast.IfExp)) and conditions:
            roots = [node.test]
        elif isinstance(node, ast.comprehension) and conditions:
            roots = list(node.ifs)
        elif isinstance(node, (ast.Assert, ast.ExceptHandler)) or is_silent(node):
            roots = [node]
        found.update(part for root in roots for part in ast.walk(root))
    return found


def skippable(tree: ast.AST) -> set[ast.AST]:
    """Nodes that honest code may leave unrun: in a branch, a loop, behind an early return or in a ``try``.

    A condition that is a constant decides nothing, and a handler that does nothing handles nothing.
    """
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        roots: list[Any] = []
        if isinstance(node, ast.If) and not isinstance(node.test, ast.Constant):
            roots = [*node.body, *node.orelse]
        elif isinstance(node, ast.IfExp) and not isinstance(node.test, ast.Constant):
            roots = [node.body, node.orelse]
        elif isinstance(node, ast.BoolOp):
            roots = node.values[1:]
        elif isinstance(node, _LOOPS):
            roots = node.body
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            roots = [node.elt]
        elif isinstance(node, ast.DictComp):
            roots = [node.key, node.value]
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            roots = node.body
        elif isinstance(node, ast.match_case):
            roots = node.body
        elif handlers := getattr(node, "handlers", []):
            roots = [] if all(map(handles_nothing, handlers)) else getattr(node, "body", [])
        elif isinstance(node, _FUNCTION_DEFINITIONS) and _may_return_early(node):
            roots = node.body
        found.update(part for root in roots for part in ast.walk(root))
    return found


def _may_return_early(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    branches = [part for part in ast.walk(function) if isinstance(part, ast.If)]
    return any(isinstance(part, ast.Return) for branch in branches for part in ast.walk(branch))


def handles_nothing(handler: ast.ExceptHandler) -> bool:
    """Whether it drops the error: ``pass``, or a report and nothing else."""
    if handler.type is not None and _IMPORT_ERRORS.search(ast.unparse(handler.type)):
        # Another module takes the place of the missing one.
        if any(isinstance(part, _IMPORTS) for part in handler.body):
            return False
    return all(map(_does_nothing, handler.body))


def is_import_fallback(handler: ast.ExceptHandler) -> bool:
    """Whether it imports another module in place of a missing one."""
    return not handles_nothing(handler) and any(isinstance(part, _IMPORTS) for part in handler.body)


def _does_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Pass, ast.Continue, ast.Break, *_IMPORTS)):
        return True
    return isinstance(statement, ast.Expr) and (
        isinstance(statement.value, ast.Constant) or is_silent(statement.value)
    )


def is_silent(node: ast.AST) -> bool:
    """Whether it is a call that only reports something."""
    return isinstance(node, ast.Call) and called_name(node) in SILENT_CALLS


def _expression(source: str) -> ast.expr | None:
    try:
        return ast.parse(source, mode="eval").body
    except names.UNREADABLE:
        return None


def is_made_by_candidate(function: Any) -> bool:
    """Whether it is a function or class of the candidate's, or a callable of one."""
    inner = getattr(function, "__func__", getattr(function, "func", function))
    if not hasattr(inner, "__code__") and not isinstance(inner, type):
        inner = type(inner)
    parts = vars(inner).values() if isinstance(inner, type) else [inner]
    codes = [getattr(getattr(part, "__func__", part), "__code__", None) for part in parts]
    return any(code is not None and code.co_filename == CANDIDATE for code in codes)
