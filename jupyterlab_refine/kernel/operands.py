"""What a scorer computes with: operands whose operators, written by the candidate, would decide its value."""

from __future__ import annotations

import ast
import sys
from typing import Any

from . import describe
from .impostors import is_anything
from .tracebacks import CANDIDATE

_OPERATORS = frozenset(
    f"__{name}__"
    for word in ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "divmod")
    for name in (word, f"r{word}", f"i{word}")
) | frozenset(
    (
        *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__neg__", "__abs__", "__round__"),
        *("__float__", "__int__", "__index__", "__bool__", "__len__", "__array__", "__array_ufunc__"),
        *("__array_function__", "__array_wrap__", "__array_finalize__", "__contains__"),
    )
)
_MAX_ITEMS = 200


class Looker:
    """Reached from the scorer's code under a name of its own."""

    def __init__(self, name: str, strict: bool) -> None:
        """:param strict: the scorer sees hidden data, which operators of the candidate would see too."""
        self.name = name
        self._strict = strict
        #: In words: what makes the score prove nothing, and what a user should know of it.
        self.found: dict[str, None] = {}
        self.warnings: dict[str, None] = {}
        self._seen: dict[type, None] = {}

    def look(self, value: Any) -> Any:
        """The value itself."""
        kind = type(value)
        if kind in (int, float, bool, str):
            return value
        self._look(value)
        numpy = sys.modules.get("numpy")
        if kind in (list, tuple):
            for item in value[:_MAX_ITEMS]:
                self._look(item)
        elif numpy is not None and kind is numpy.ndarray and value.dtype == object:
            for item in value.ravel()[:_MAX_ITEMS].tolist():
                self._look(item)
        return value

    def _look(self, value: Any) -> None:
        kind = type(value)
        # Whatever it says to be: a class of the candidate's may name any module as its own.
        if kind in self._seen:
            return
        self._seen[kind] = None
        own = [name for name in _OPERATORS if _is_candidates(kind, name)]
        if not own:
            return
        name = describe.type_name(value)
        base = next((base.__name__ for base in kind.__mro__[1:] if _is_measured(base)), None)
        if base is not None:
            self.found[f"{name} looks like {base} to the scorer, with operators of its own"] = None
        elif is_anything(value):
            self.found[f"a value of type {name} is equal to anything"] = None
        else:
            told = self.found if self._strict else self.warnings
            told[f"the scorer computes with the candidate's own operators of {name}"] = None


def looked_at(tree: ast.Module, name: str) -> ast.Module:
    """The scorer's code with each operand, and each argument of a call, shown to the :class:`Looker`."""
    return ast.fix_missing_locations(_Rewriter(name).visit(tree))


def _is_measured(kind: type) -> bool:
    """Numbers, arrays and frames: what a score is computed from."""
    return kind in (int, float, complex) or kind.__module__.split(".")[0] in ("numpy", "pandas")


def _is_candidates(kind: type, name: str) -> bool:
    for base in kind.__mro__:
        if name in vars(base):
            code = getattr(vars(base)[name], "__code__", None)
            return getattr(code, "co_filename", "") == CANDIDATE
    return False


class _Rewriter(ast.NodeTransformer):
    def __init__(self, name: str) -> None:
        self._name = name

    def _shown(self, node: ast.expr) -> ast.expr:
        if isinstance(node, (ast.Constant, ast.Starred)):
            return node
        looker = ast.Attribute(ast.Name(self._name, ast.Load()), "look", ast.Load())
        return ast.copy_location(ast.Call(looker, [node], []), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        node.left, node.right = self._shown(node.left), self._shown(node.right)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        node.value = self._shown(node.value)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        node.operand = self._shown(node.operand)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        node.left, *node.comparators = map(self._shown, [node.left, *node.comparators])
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.args = [self._shown(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self._shown(keyword.value)
        return node
