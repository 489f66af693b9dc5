"""What a scorer computes with: operands whose operators, written by the candidate, would decide its value."""

from __future__ import annotations

import ast
import sys
import types
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from typing import Any

from . import describe
from .impostors import is_anything, is_made_in_c
from .tracebacks import CANDIDATE

_OPERATORS = frozenset(
    f"__{name}__"
    for word in (
        *("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "divmod"),
        *("and", "or", "xor", "lshift", "rshift"),
    )
    for name in (word, f"r{word}", f"i{word}")
) | frozenset(
    (
        *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__neg__", "__abs__", "__round__"),
        *("__pos__", "__invert__", "__trunc__", "__floor__", "__ceil__", "__complex__"),
        *("__float__", "__int__", "__index__", "__bool__", "__len__", "__array__", "__array_ufunc__"),
        *("__array_function__", "__array_wrap__", "__array_finalize__", "__contains__"),
    )
)
#: Classes are known by their ids: one of the candidate's may be equal to any.
_PLAIN = frozenset(map(id, (int, float, bool, str)))
_ITERATORS = frozenset(map(id, (types.GeneratorType, map, filter, zip)))
_CONTAINERS = frozenset(map(id, (list, tuple, set, frozenset, deque, type({}.values()))))
_SLOTS = (types.WrapperDescriptorType, types.MethodDescriptorType)
#: Items that are looked at in all; of what comes then, the first of each container.
_MAX_ITEMS = 5_000_000
_FIRST_ITEMS = 200
_MAX_DEPTH = 4
#: What a class is, whatever its metaclass tells.
_mro, _members = type.__dict__["__mro__"].__get__, type.__dict__["__dict__"].__get__

#: The sizes of what a value holds, and how to read it.
_Reader = Callable[[Any], Iterable[tuple[int, Iterator[Any]]]]


def known() -> list[int]:
    """Ids of classes and modules that are here, which a fork keeps: others came with the candidate."""
    found: dict[int, type] = {}
    todo: list[type] = [object]
    while todo:
        for kind in type.__subclasses__(todo.pop()):
            if id(kind) not in found:
                found[id(kind)] = kind
                todo.append(kind)
    made = [number for number, kind in found.items() if not is_made_in_c(kind)]
    return [*made, *map(id, list(sys.modules.values()))]


class Looker:
    """Reached from the scorer's code under a name of its own."""

    def __init__(self, name: str, strict: bool, known: Iterable[int] = ()) -> None:
        """:param strict: the scorer sees hidden data, which operators of the candidate would see too.

        :param known: what :func:`known` told in the kernel.
        """
        self.name = name
        self._strict = strict
        self._known = frozenset(known)
        #: In words: what makes the score prove nothing, and what a user should know of it.
        self.found: dict[str, None] = {}
        self.warnings: dict[str, None] = {}
        self._seen: dict[int, tuple[type, _Reader | None]] = {}
        self._left = _MAX_ITEMS

    def look(self, value: Any) -> Any:
        """The value itself; for an iterator one that looks at what comes of it."""
        kind = type(value)
        if id(kind) in _PLAIN:
            return value
        if id(kind) in _ITERATORS:
            return map(self.look, value)
        self._look_into(value, self._look(value), _MAX_DEPTH)
        return value

    def _look_into(self, value: Any, read: _Reader | None, depth: int) -> None:
        if read is None or not depth:
            return
        for size, items in read(value):
            found = list(islice(items, size if size <= self._left else _FIRST_ITEMS))
            self._left -= min(len(found), self._left)
            # One of each class, since there may be many.
            kinds = dict(zip(map(id, map(type, found)), found, strict=True))
            readers = {number: self._look(item) for number, item in kinds.items()}
            if any(readers.values()):
                for item in found:
                    self._look_into(item, readers[id(type(item))], depth - 1)

    def _look(self, value: Any) -> _Reader | None:
        kind = type(value)
        if id(kind) not in self._seen:
            self._seen[id(kind)] = kind, _reader(value)
            if any(self._is_candidates(kind, name) for name in _OPERATORS):
                self._tell(value)
        return self._seen[id(kind)][1]

    def _tell(self, value: Any) -> None:
        name = describe.type_name(value)
        base = next((base.__name__ for base in _mro(type(value))[1:] if _is_measured(base)), None)
        if base is not None:
            self.found[f"{name} looks like {base} to the scorer, with operators of its own"] = None
        elif is_anything(value):
            self.found[f"a value of type {name} is equal to anything"] = None
        else:
            told = self.found if self._strict else self.warnings
            told[f"the scorer computes with the candidate's own operators of {name}"] = None

    def _is_candidates(self, kind: type, name: str) -> bool:
        for base in _mro(kind):
            if name in _members(base):
                return self._has_own(base, _members(base)[name])
        return False

    def _has_own(self, kind: type, member: Any) -> bool:
        """Whether this operator of a class came with the candidate, and not from a library."""
        if is_made_in_c(kind) or member is None:
            return False
        if type(member) in _SLOTS and member.__objclass__ is kind:
            return False
        if id(kind) in self._known or self._is_imported(kind):
            code = getattr(member, "__code__", None)
            return getattr(code, "co_filename", "") == CANDIDATE
        return True

    def _is_imported(self, kind: type) -> bool:
        """Whether it is of a module that the candidate was the first to import."""
        module = sys.modules.get(str(_members(kind).get("__module__")))
        if type(module) is not types.ModuleType or id(module) in self._known:
            return False
        return vars(module).get(kind.__name__) is kind and getattr(module, "__file__", None) is not None


def _reader(value: Any) -> _Reader | None:
    """How to read what values of this class hold, if they are containers, or arrays or frames of objects."""
    numpy = sys.modules.get("numpy")
    for base in _mro(type(value)):
        if base is dict:
            return lambda value: [(dict.__len__(value), iter(dict.values(value)))]
        if id(base) in _CONTAINERS:
            return lambda value, base=base: [(base.__len__(value), base.__iter__(value))]
        if numpy is not None and base is numpy.ndarray:
            return lambda value: _objects([numpy.asarray(value)])
    if describe.is_from(value, "pandas", "Series"):
        return lambda value: _objects([value.to_numpy()] if value.dtype == object else [])
    if describe.is_from(value, "pandas", "DataFrame"):
        return lambda value: _objects(value.iloc[:, n].to_numpy() for n in _object_columns(value))
    return None


def _objects(arrays: Iterable[Any]) -> Iterator[tuple[int, Iterator[Any]]]:
    for array in arrays:
        if array.dtype == object:
            yield array.size, array.flat


def _object_columns(frame: Any) -> Collection[int]:
    return [number for number, dtype in enumerate(frame.dtypes) if getattr(dtype, "hasobject", False)]


def looked_at(tree: ast.Module, name: str) -> ast.Module:
    """The scorer's code with each operand, and each argument of a call, shown to the :class:`Looker`."""
    return ast.fix_missing_locations(_Rewriter(name).visit(tree))


def _is_measured(kind: type) -> bool:
    """Numbers, arrays and frames: what a score is computed from."""
    return kind in (int, float, complex) or kind.__module__.split(".")[0] in ("numpy", "pandas")


class _Rewriter(ast.NodeTransformer):
    def __init__(self, name: str) -> None:
        self._name = name

    def _shown(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Constant):
            return node
        if isinstance(node, ast.Starred):
            return ast.copy_location(ast.Starred(self._shown(node.value), node.ctx), node)
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
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            return node
        node.args = [self._shown(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self._shown(keyword.value)
        return node
