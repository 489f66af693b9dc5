"""Mutants of the kernel part: in each, one guard of one module is taken out.

Left alone are docstrings, type hints, messages and what only names things.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from typing import NamedTuple

#: Their constants are numbers of the operating system: nothing that could be larger or smaller.
SYSTEM_NUMBERS = frozenset({"descriptors", "landlock", "linux", "mappings", "processes", "seccomp"})
#: They only tell what was seen: their guards are what they leave out, limit or catch.
TELLING = frozenset({"describe", "differences", "explain", "inspection", "rewriting", "statements"})
_OF_TELLING = frozenset({"except out", "filter out", "if False", "limit gone", "statement out"})
#: Smaller numbers within functions are indexes, not limits.
_SMALLEST_LIMIT = 16
_FACTOR = 1000
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
#: On a variable of the function's own they only build its answer.
_GATHERING = frozenset({"add", "append", "extend", "insert", "update"})


class Mutant(NamedTuple):
    """One changed place of a module."""

    module: str
    #: From 1.
    line: int
    #: Of the function or class around it; empty at the level of the module.
    within: str
    operator: str
    start: int
    end: int
    replacement: str
    #: What is changed, on one line.
    code: str
    #: The same for the same guard, however the code around it changes.
    key: str
    #: Changes with the function around it.
    context: str

    def apply(self, source: str) -> str:
        return source[: self.start] + self.replacement + source[self.end :]


class _Place(NamedTuple):
    operator: str
    node: ast.AST
    replacement: str


def mutants(module: str, source: str) -> list[Mutant]:
    """All mutants of a module, from its top down."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def span(node: ast.AST) -> tuple[int, int]:
        # Sources are ASCII, so columns in bytes are columns in characters.
        begin = starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        return begin, starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    found: list[Mutant] = []
    seen: dict[str, int] = {}
    for within, owner, place in _places(module, ast.parse(source)):
        start, end = span(place.node)
        if source[start:end] == place.replacement:
            continue
        if module in TELLING and place.operator not in _OF_TELLING:
            continue
        code = " ".join(source[start:end].split())
        what = f"{module} {within} {place.operator} {code}"
        seen[what] = seen.get(what, 0) + 1
        around = slice(*span(owner))
        line = place.node.lineno  # type: ignore[attr-defined]
        keys = _digest(f"{what} {seen[what]}"), _digest(source[around])
        found.append(Mutant(module, line, within, place.operator, start, end, place.replacement, code, *keys))
    return sorted(found, key=lambda mutant: (mutant.start, mutant.end))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _places(module: str, tree: ast.Module) -> Iterator[tuple[str, ast.AST, _Place]]:
    for node in tree.body:
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            for place in _constants(node, module in SYSTEM_NUMBERS):
                yield "", node, place
    for within, function in _functions(tree, ""):
        for place in _in_function(function):
            yield within, function, place


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.AST]]:
    """Functions and methods with their qualified names; what is nested in one belongs to it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        elif isinstance(child, _FUNCTIONS):
            yield f"{prefix}{child.name}", child


# Constants


def _constants(node: ast.stmt, system: bool) -> Iterator[_Place]:
    if isinstance(node, ast.AnnAssign):
        target: ast.expr | None = node.target
    else:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
    value = getattr(node, "value", None)
    if not isinstance(target, ast.Name) or not target.id.isupper() or value is None:
        return
    if _is_number(value):
        text = ast.unparse(value)
        if system:
            yield _Place("number zero", value, "0")
        else:
            yield _Place("limit gone", value, f"(({text}) * {_FACTOR})")
        return
    for collection in ast.walk(value):
        yield from _elements(collection)


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_number(node.left) and _is_number(node.right)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _elements(node: ast.AST) -> Iterator[_Place]:
    """Each element left out: one road that nobody watches any more."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)) and len(node.elts) > 1:
        if any(isinstance(element, (ast.Tuple, ast.List, ast.Set)) for element in node.elts):
            return
        for left_out in node.elts:
            rest = [element for element in node.elts if element is not left_out]
            changed = type(node)(elts=rest, **({} if isinstance(node, ast.Set) else {"ctx": ast.Load()}))
            yield _Place(f"without {ast.unparse(left_out)}", node, ast.unparse(changed))


# Functions


def _in_function(function: ast.AST) -> Iterator[_Place]:
    # What already has a mutant of the same effect.
    covered: set[ast.AST] = set()
    # `elif`: which of several, no guard that always holds.
    later: set[ast.AST] = set()
    initialises = getattr(function, "name", "") == "__init__"
    returns = getattr(function, "returns", None)
    says_bool = isinstance(returns, ast.Name) and returns.id == "bool"
    for node in _without_hints(function):
        if isinstance(node, ast.If):
            leaves = isinstance(node.body[-1], _LEAVING)
            if leaves or not node.orelse:
                yield _Place("if False", node.test, "False")
            if not leaves and node not in later and not isinstance(node.test, ast.BoolOp):
                yield _Place("if True", node.test, "True")
            if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
                later.add(node.orelse[0])
            if len(node.body) == 1 and not node.orelse:
                covered.add(node.body[0])
        elif isinstance(node, ast.While) and not isinstance(node.test, ast.Constant):
            yield _Place("while False", node.test, "False")
        elif isinstance(node, ast.comprehension):
            for condition in node.ifs:
                yield _Place("filter out", condition, "True")
        elif isinstance(node, ast.BoolOp):
            neutral = "True" if isinstance(node.op, ast.And) else "False"
            for operand in node.values:
                yield _Place("operand out", operand, neutral)
        elif isinstance(node, ast.Return) and node.value is not None:
            if not isinstance(node.value, (ast.BoolOp, ast.Constant)):
                if says_bool or _is_condition(node.value):
                    yield _Place("return False", node.value, "False")
                    yield _Place("return True", node.value, "True")
        elif isinstance(node, ast.ExceptHandler):
            if not isinstance(node.body[0], ast.Raise):
                yield _handler(node)
            if len(node.body) == 1:
                covered.add(node.body[0])
        elif isinstance(node, ast.stmt) and node not in covered and not initialises:
            if _is_action(node):
                yield _Place("statement out", node, "pass")
        if isinstance(node, (ast.Call, ast.Compare, ast.Slice, ast.keyword)):
            yield from _numbers(node)


def _without_hints(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below, parents first, without annotations and docstrings."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child
                yield from _without_hints(child)


def _is_condition(node: ast.expr) -> bool:
    return isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


def _handler(node: ast.ExceptHandler) -> _Place:
    first, last = node.body[0], node.body[-1]
    body = ast.Pass(
        lineno=first.lineno,
        col_offset=first.col_offset,
        end_lineno=last.end_lineno,
        end_col_offset=last.end_col_offset,
    )
    return _Place("except out", body, "raise")


def _is_action(node: ast.stmt) -> bool:
    """Whether it does something beyond the function's own variables and state."""
    if isinstance(node, ast.Expr):
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if not isinstance(call, ast.Call):
            return False
        gathers = isinstance(call.func, ast.Attribute) and call.func.attr in _GATHERING
        return not (gathers and isinstance(call.func.value, ast.Name))  # type: ignore[attr-defined]
    if isinstance(node, ast.Assign):
        return any(_is_foreign(target) for target in node.targets)
    return isinstance(node, (ast.Raise, ast.Delete))


def _is_foreign(target: ast.expr) -> bool:
    """An attribute, or an item of one, of something that is not ``self``."""
    while isinstance(target, ast.Subscript):
        target = target.value
    if not isinstance(target, ast.Attribute):
        return False
    return not (isinstance(target.value, ast.Name) and target.value.id == "self")


def _numbers(node: ast.AST) -> Iterator[_Place]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Constant) and type(child.value) in (int, float):
            if child.value >= _SMALLEST_LIMIT:
                yield _Place("limit gone", child, f"({child.value} * {_FACTOR})")
