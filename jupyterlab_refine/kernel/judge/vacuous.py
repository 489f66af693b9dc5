"""Find comparisons that hold whatever the candidate does: over nothing, or with values that it changed.

For example ``assert f(xs) == xs`` where ``f`` has emptied ``xs``, and
``np.allclose(f(x), [0, 1])`` where ``f`` gives an array without elements. Plain
Python passes both; the judge reports them as not confirmed.
"""

from __future__ import annotations

import ast
import builtins
import sys
import types
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from ..checks import rewriting
from ..source import names
from .exchange import stub_types

#: Their result does not depend on the order of what they are given.
_UNORDERED = ("sorted", "set", "frozenset", "Counter", "len", "sum", "min", "max")
#: Functions and methods that compare arrays, besides `assert_...`.
_COMPARING = ("allclose", "isclose", "equal", "array_equal", "array_equiv", "less", "less_equal", "eq")
_MOST = 100_000


class Changes:
    """Containers of the checks that calls of the candidate have changed in place."""

    def __init__(self) -> None:
        #: By id: the container and what is left of its earlier content: "order", "items" or "".
        self._found: dict[int, tuple[Any, str]] = {}

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, value: Any, before: Any) -> None:
        """:param before: of :func:`earlier`."""
        left = _left(value, before)
        old = self._found.get(id(value))
        self._found[id(value)] = (value, left if old is None or old[1] == left else "")

    def left_of(self, value: Any) -> str | None:
        """What is left of the earlier content; None for what was not changed."""
        found = self._found.get(id(value))
        return None if found is None else found[1]


def earlier(value: Any) -> Any:
    """What :meth:`Changes.add` needs of a container that is about to be changed."""
    if type(value) in (list, dict, set) and len(value) <= _MOST:
        return value.copy()
    return dict(value.items()) if _is_frame(value) else None


def _left(value: Any, before: Any) -> str:
    try:
        if type(value) is list and type(before) is list and len(before) <= len(value):
            if value[: len(before)] == before:
                return "items"
            return "order" if len(before) == len(value) and _counted(before) == _counted(value) else ""
        if type(value) is set and before is not None:
            return "items" if before <= value else ""
        if type(value) is dict and before is not None:
            return "items" if all(k in value and value[k] == v for k, v in before.items()) else ""
        if _is_frame(value) and before is not None:
            return "items" if all(k in value and value[k].equals(v) for k, v in before.items()) else ""
    except Exception:
        # Items may be of any class.
        return ""
    return ""


def _counted(values: list[Any]) -> Any:
    try:
        return Counter(values)
    except TypeError:
        return sorted(map(repr, values))


def _is_frame(value: Any) -> bool:
    kind = type(value)
    return kind.__name__ == "DataFrame" and kind.__module__.split(".")[0] == "pandas"


class Recorder(rewriting.Recorder):
    """Inspects each assert that held in the judge.

    :param note: takes the reason why it is not confirmed.
    """

    def __init__(self, changes: Changes, note: Callable[[str], None]) -> None:
        super().__init__()
        self._changes = changes
        self._note = note
        #: Names that the checks give values of the candidate's.
        self.derived: set[str] = set()

    def test(self, _: None, value: Any) -> Any:
        truth = super().test(_, value)
        if truth:
            self._look(sys._getframe(1))
        return truth

    def ended(self, value: Any) -> Any:
        self._look(sys._getframe(1))
        return super().ended(value)

    def _look(self, frame: types.FrameType) -> None:
        part = self.current
        if part is None:
            return
        for reason in _over_nothing(part, self.values):
            self._note(reason)
        if self._changes:
            for comparison in _comparisons(part._node):
                name = self._changed_name(comparison, frame)
                if name is not None:
                    self._note(f"the candidate changed `{name}`, which the check compares with")

    def _changed_name(self, comparison: ast.AST, frame: types.FrameType) -> str | None:
        def value_of(name: str) -> Any:
            return frame.f_locals.get(name, frame.f_globals.get(name, getattr(builtins, name, None)))

        mentions = list(_mentions(comparison, lambda name: is_stub(value_of(name))))
        for name, is_argument, is_part, is_unordered in mentions:
            left = self._changes.left_of(value_of(name))
            if is_argument or left is None or left == "items" and is_part or left == "order" and is_unordered:
                continue
            others = [other for other in mentions if other[0] != name]
            if any(other in self.derived or is_stub(value_of(other)) for other, *_ in others):
                return name
            if not _size(value_of(name)) and [other[0] for other in mentions].count(name) > 1:
                return name
        return None


def is_stub(value: Any) -> bool:
    return issubclass(type(value), (stub_types.Stub, stub_types.StubType))


def _comparisons(node: ast.AST) -> Iterator[ast.AST]:
    """The smallest parts of a test that have a truth value of their own."""
    if isinstance(node, ast.BoolOp):
        for part in node.values:
            yield from _comparisons(part)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _comparisons(node.operand)
    elif not (isinstance(node, ast.Compare) and all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops)):
        yield node


def _mentions(
    node: ast.AST,
    is_candidates: Callable[[str], bool],
    argument: bool = False,
    part: bool = False,
    unordered: bool = False,
) -> Iterator[tuple[str, bool, bool, bool]]:
    """Names that an expression reads: whether as an argument of the candidate's, a part, without order."""
    if isinstance(node, ast.Name):
        yield node.id, argument, part, unordered
        return
    inner = (argument, False, False)
    if isinstance(node, ast.Call):
        root: ast.AST = node.func
        while isinstance(root, (ast.Attribute, ast.Call, ast.Subscript)):
            root = root.func if isinstance(root, ast.Call) else root.value
        name = root.id if isinstance(root, ast.Name) else ""
        yield from _mentions(node.func, is_candidates, *inner)
        inner = (argument or bool(name) and is_candidates(name), False, name in _UNORDERED)
        if node.keywords:
            inner = (inner[0], False, False)
        for child in (*node.args, *node.keywords):
            yield from _mentions(child, is_candidates, *inner)
        return
    if isinstance(node, ast.Attribute) or (
        isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
    ):
        inner = (argument, True, False)
    for child in ast.iter_child_nodes(node):
        yield from _mentions(child, is_candidates, *inner)


def derived(trees: list[ast.Module], is_candidates: Callable[[str], bool]) -> set[str]:
    """Names to which the checks give results of calls of the candidate's."""
    found: set[str] = set()
    while True:
        size = len(found)
        for tree in trees:
            for node in ast.walk(tree):
                if isinstance(node, ast.Assign):
                    value, targets = node.value, node.targets
                elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)) and node.value:
                    value, targets = node.value, [node.target]
                elif isinstance(node, ast.For):
                    value, targets = node.iter, [node.target]
                else:
                    continue
                if any(name in found or is_candidates(name) for name in names.named(value)):
                    found.update(*map(names.named, targets))
        if len(found) == size:
            return found


# -- comparisons over nothing


def _over_nothing(part: rewriting.Part, values: dict[rewriting.Part, Any]) -> Iterator[str]:
    for inner in part.parts:
        yield from _over_nothing(inner, values)
    if part.kind == "quantifier":
        if part.name == "all" and values.get(part) is True and part.parts[0] not in values:
            yield f"`{part.source[:80]}` compares no elements"
    elif part.kind in ("compare", "call") and part in values:
        operands = [values[inner] for inner in part.parts if inner in values]
        sizes = [_size(operand) for operand in operands]
        result = values[part]
        if part.kind == "call" and not (part.name.startswith("assert") or part.name in _COMPARING):
            return
        lost = _missing(result) if part.kind == "compare" else any(map(_is_masked, operands))
        if lost and not all(_missing(operand) for operand in operands if _size(operand)):
            yield f"`{part.source[:80]}` skips missing values"
        elif 0 in sizes and any(sizes) and (part.kind == "call" or _size(result) == 0):
            if any(_is_library(operand) for operand in operands):
                yield f"`{part.source[:80]}` compares no elements"


def _is_library(value: Any) -> bool:
    return type(value).__module__.split(".")[0] in ("numpy", "pandas") and hasattr(value, "shape")


def _size(value: Any) -> int | None:
    """Number of elements of a container or an array; None for anything else."""
    if type(value) in (list, tuple, dict, set, frozenset):
        return len(value)
    return int(value.size) if _is_library(value) and value.shape != () else None


def _is_masked(value: Any) -> bool:
    return type(value).__name__ == "MaskedArray" and _is_library(value) and bool(value.mask.any())


def _missing(value: Any) -> bool:
    """Whether elements are masked, or a comparison's are neither true nor false."""
    if _is_masked(value):
        return True
    is_series = _is_library(value) and type(value).__name__ in ("Series", "DataFrame", "BooleanArray")
    return is_series and bool(value.isna().to_numpy().any() if hasattr(value, "to_numpy") else False)
