"""What an expression of a check reads: names and simple paths, such as ``self.xs`` and ``case["xs"]``."""

from __future__ import annotations

import ast
import builtins
import re
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ..checks.check_calls import last_name
from ..source import names
from . import vacuous
from .exchange import stub_types

#: Functions whose result does not depend on the order of their argument.
_UNORDERED = ("sorted", "set", "frozenset", "Counter", "len", "sum", "min", "max")
_PLAIN = (list, tuple, dict)


#: Names of the notebook in texts: `mock.patch("__main__.fetch")`.
_OF_MAIN = re.compile(r"""["']__main__\.(\w+)""")
_TEXTS = re.compile(r"""["'](\w+)["']""")
#: Calls that find names by texts, and calls that read all names.
_BY_TEXT = re.compile(r"\b(?:eval|exec|globals|locals|vars|dir|get_ipython)\(")
_ALL = re.compile(r"%run\b|\b(?:globals|locals|vars|dir)\(\s*\)")
#: Puts a name together: `eval(f"answer_{n}")`.
_COMPUTED = re.compile(r"""\b(?:eval|exec)\([fF]["']""")


class Mention(NamedTuple):
    """A name or path that an expression reads."""

    name: str
    value: Any
    #: Within an argument of a call of the candidate.
    is_argument: bool
    #: Only a part of the value is read.
    is_part: bool
    #: It is read in a way that does not depend on its order.
    is_unordered: bool
    #: It only chooses an item, as ``k`` in ``xs[:k]``.
    is_index: bool

    @property
    def root(self) -> str:
        """``xs`` of ``xs[0].y``."""
        return self.name.partition("[")[0].partition(".")[0]


def own_mentions(reader: Reader, node: ast.AST) -> list[Mention]:
    """What an expression mentions, without the variables of its comprehensions."""
    inner = [part.target for part in ast.walk(node) if isinstance(part, ast.comprehension)]
    variables = set().union(*map(names.named, inner))
    return [mention for mention in reader.mentions(node) if mention.name not in variables]


class Reader:
    """Reads an expression as it is evaluated in a frame.

    :param own: the name under which rewritten code reaches its recorder.
    """

    def __init__(self, frame: types.FrameType, own: str) -> None:
        self._locals, self._globals, self._own = frame.f_locals, frame.f_globals, own

    def value_of(self, name: str) -> Any:
        """The value of a name or path; None where there is none. Nothing of the value's class is called."""
        first, *rest = name.split("\0")
        found = self._locals.get(first, self._globals.get(first, getattr(builtins, first, None)))
        for key in rest:
            found = _part(found, key)
        return found

    def mentions(self, node: ast.AST) -> Iterator[Mention]:
        for name, *rest in self._read(node, False, False, False):
            first, *keys = name.split("\0")
            shown = first + "".join(f"{key}]" if key[0] == "[" else key for key in keys)
            yield Mention(shown, self.value_of(name), *rest)

    def _read(
        self, node: ast.AST, argument: bool, part: bool, unordered: bool, index: bool = False
    ) -> Iterator[tuple[str, bool, bool, bool, bool]]:
        if isinstance(node, ast.Name):
            yield node.id, argument, part, unordered, index
            return
        inner = (argument, False, False)
        if isinstance(node, ast.Call):
            yield from self._read_call(node, argument, part, unordered, index)
            return
        path = _path(node)
        if path:
            yield path, argument, part, unordered, index
        if isinstance(node, ast.Attribute) or (
            isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
        ):
            inner = (argument, True, False)
        for child in ast.iter_child_nodes(node):
            yield from self._read(child, *inner, index or _is_index(child, node))

    def _read_call(
        self, node: ast.Call, argument: bool, part: bool, unordered: bool, index: bool
    ) -> Iterator[tuple[str, bool, bool, bool, bool]]:
        function, values = node.func, node.args
        if isinstance(function, ast.Attribute) and getattr(function.value, "id", "") == self._own:
            if function.attr in TRANSPARENT:
                yield from self._read(values[-1], argument, part, unordered, index)
                return
            if function.attr in ("called", "zipped"):
                function, values = values[1], values[2:]
        root: ast.AST = function
        while isinstance(root, (ast.Attribute, ast.Call, ast.Subscript)):
            root = root.func if isinstance(root, ast.Call) else root.value
        name = root.id if isinstance(root, ast.Name) else ""
        yield from self._read(function, argument, False, False, index)
        is_candidates = argument or bool(name) and is_stub(self.value_of(name))
        inner = (is_candidates, False, name in _UNORDERED and not node.keywords)
        for child in (*values, *node.keywords):
            yield from self._read(child, *inner, index)


def read_by(function: types.FunctionType, depth: int = 2) -> Iterator[tuple[str, Any]]:
    """Names from outside that a function, and the functions that it calls, read, with their values."""
    codes, space = [function.__code__], function.__globals__
    found = {
        name: cell.cell_contents
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        if cell != _EMPTY_CELL
    }
    for code in codes:
        codes += [part for part in code.co_consts if type(part) is types.CodeType]
        found |= {name: space[name] for name in code.co_names if name in space}
    yield from found.items()
    for value in found.values():
        if depth and type(value) is types.FunctionType:
            yield from read_by(value, depth - 1)


_EMPTY_CELL = types.CellType()
#: Methods of a recorder that return their last argument.
TRANSPARENT = ("keep", "bind", "source", "truth", "ended", "items")


def _is_index(node: ast.AST, parent: ast.AST) -> bool:
    """Whether it only chooses an item; a call within it may be what is checked."""
    is_slice = isinstance(parent, ast.Subscript) and node is parent.slice
    return is_slice and not any(isinstance(part, ast.Call) for part in ast.walk(node))


def _path(node: ast.AST) -> str:
    """``self\\0.xs`` of ``self.xs``; empty for anything but a path of two or more parts."""
    parts: list[str] = []
    while True:
        if isinstance(node, ast.Attribute):
            parts.append(f".{node.attr}")
            node = node.value
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            parts.append(f"[{node.slice.value!r}")
            node = node.value
        else:
            break
    return "\0".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) and parts else ""


def _part(value: Any, key: str) -> Any:
    if key.startswith("."):
        try:
            return object.__getattribute__(value, "__dict__").get(key[1:])
        except (AttributeError, TypeError):
            return None
    if type(value) not in _PLAIN:
        return None
    parts = value.items() if type(value) is dict else enumerate(value[:100])
    return next((part for name, part in parts if type(name) in (int, str) and f"[{name!r}" == key), None)


def is_stub(value: Any) -> bool:
    return issubclass(type(value), (stub_types.Stub, stub_types.StubType))


def comparisons(node: ast.AST) -> Iterator[ast.AST]:
    """The smallest parts of a test that have a truth value of their own."""
    if isinstance(node, ast.BoolOp):
        for part in node.values:
            yield from comparisons(part)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from comparisons(node.operand)
    elif not (isinstance(node, ast.Compare) and all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops)):
        yield node


def compared(node: ast.AST, own: str) -> Iterator[list[ast.expr]]:
    """The sides of each comparison within a comparison; it may be rewritten.

    Without ``not in``: ``x = take(xs); assert x not in xs`` is about both.
    """
    for part in ast.walk(node):
        if isinstance(part, ast.Compare):
            if len(part.ops) == 1 and not _is_membership(part):
                yield [part.left, *part.comparators]
        elif isinstance(part, ast.BinOp) and isinstance(part.op, ast.Sub):
            yield [part.left, part.right]
        elif isinstance(part, ast.Call):
            function, values = part.func, part.args
            if isinstance(function, ast.Attribute) and getattr(function.value, "id", "") == own:
                if function.attr == "compare":
                    yield values[1:]
                if function.attr not in ("called", "zipped"):
                    continue
                function, values = values[1], values[2:]
            name = last_name(function)
            is_comparing = name == "zip" or name.startswith("assert") or name in vacuous.COMPARING
            is_comparing |= name == "map" and len(values) > 2
            if (part is node or is_comparing) and name not in ("isdisjoint", "assertNotIn"):
                yield [function, *values, *(keyword.value for keyword in part.keywords)]


def operands(node: Any) -> list[ast.AST]:
    """Both sides of a comparison: ``a < b``, ``a - b`` or ``a.issubset(b)``."""
    if isinstance(node, ast.Compare):
        return [node.left, node.comparators[0]]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    return [node.func, node.args[0]]


def _is_membership(node: ast.Compare) -> bool:
    """``x not in xs``, and ``i in range(len(xs))``, which says little about either."""
    found = node.comparators[0]
    is_of_range = isinstance(found, ast.Call) and last_name(found.func) == "range"
    return isinstance(node.ops[0], ast.NotIn) or isinstance(node.ops[0], ast.In) and is_of_range


def added_to(node: ast.Call) -> str:
    """``xs`` of ``xs.append(1)``; empty for any other call."""
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    is_adding = isinstance(owner, ast.Name) and last_name(node.func) in _ADDING and node.args
    return owner.id if is_adding and isinstance(owner, ast.Name) else ""


_ADDING = ("add", "append", "appendleft", "extend", "insert", "setdefault", "update")


def behind(read: set[str], read_by: dict[str, set[str]]) -> set[str]:
    """These names, and those that the functions among them read.

    :param read_by: by name of a function: what it reads.
    """
    found, waiting = set[str](), read
    while waiting:
        found |= waiting
        waiting = set().union(*(read_by.get(name, set()) for name in waiting)) - found
    return found


def in_texts(text: str, trees: list[ast.Module], new_names: Callable[[], list[Any]]) -> set[str]:
    """Names that checks may find by texts: ``eval("f(2)")``, ``"f" in dir()``, ``patch("__main__.f")``.

    :param new_names: those that the candidate has made.
    """
    found = set(_OF_MAIN.findall(text) + (_TEXTS.findall(text) if "__main__" in text else []))
    if _BY_TEXT.search(text):
        found |= set().union(*map(names.of_texts, trees))
    if _ALL.search(text):
        found |= {name for name in new_names() if type(name) is str}
    elif _COMPUTED.search(text):
        starts = tuple(found)
        found |= {name for name in new_names() if type(name) is str and name.startswith(starts)}
    return found


def arguments(trees: list[ast.Module]) -> set[str]:
    """Arguments of the functions that the checks define, without ``self``.

    Not those of functions that the checks only call themselves: :func:`derived` has what these get.
    """
    found: set[str] = set()
    for tree in trees:
        functions = [node for node in tree.body if isinstance(node, _FUNCTIONS)]
        own = [node for node in functions if _is_own(node, trees)]
        inner = {id(part) for node in own for part in _single(node.args)}
        found |= {part.arg for part in ast.walk(tree) if isinstance(part, ast.arg) and id(part) not in inner}
    return found - {"self"}


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _is_own(node: ast.FunctionDef | ast.AsyncFunctionDef, trees: list[ast.Module]) -> bool:
    """Whether a function is only called by the checks, or with a table that they write out."""
    for tree in trees:
        called = {id(part.func) for part in ast.walk(tree) if isinstance(part, ast.Call)}
        for part in ast.walk(tree):
            if isinstance(part, ast.Name) and part.id == node.name and id(part) not in called:
                return False
    return all(map(_is_table, node.decorator_list))


def _is_table(node: ast.expr) -> bool:
    """Whether a decorator is ``pytest.mark.parametrize`` with literals."""
    if not (isinstance(node, ast.Call) and last_name(node.func) == "parametrize"):
        return False
    given = [*node.args, *(one.value for one in node.keywords)]
    read = set().union(*map(names.named, given))
    called = [part for one in given for part in ast.walk(one) if isinstance(part, ast.Call)]
    return read <= {"pytest"} and all(last_name(part.func) == "param" for part in called)


def derived(
    trees: list[ast.Module], is_candidates: Callable[[str], bool], parameters: dict[str, list[str]]
) -> set[str]:
    """Names to which the checks assign results of the candidate's calls.

    :param parameters: of :func:`helpers`.
    """
    found: set[str] = set()
    given = [
        (targets, set().union(*map(_named, _without_indices(value))))
        for tree in trees
        for node in ast.walk(tree)
        for targets, value in _given(node, parameters)
    ]
    while True:
        size = len(found)
        for targets, value in given:
            if any(name in found or is_candidates(name) for name in value):
                found |= targets
        if len(found) == size:
            return found


def _named(node: ast.AST) -> set[str]:
    """Names in an expression, and attributes of a test object, such as ``self.xs``."""
    of_self = {
        f"self.{part.attr}"
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "self"
    }
    return names.named(node) | of_self


def _without_indices(node: ast.AST) -> list[ast.AST]:
    """The parts that a value is made of: ``xs`` of ``xs[:k]``."""
    if not any(isinstance(part, ast.Subscript) for part in ast.walk(node)):
        return [node]
    if isinstance(node, ast.Name) or not any(True for _ in ast.iter_child_nodes(node)):
        return [node]
    children = [child for child in ast.iter_child_nodes(node) if not _is_index(child, node)]
    return [part for child in children for part in _without_indices(child)]


def _targets(node: ast.AST) -> set[str]:
    return _named(node) - {"self"}


def _given(node: ast.AST, parameters: dict[str, list[str]]) -> Iterator[tuple[set[str], ast.AST]]:
    """Names that get a value, and the expression of that value."""
    if isinstance(node, ast.Assign):
        yield set().union(*map(_targets, node.targets)), node.value
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)) and node.value:
        yield _targets(node.target), node.value
    elif isinstance(node, (ast.For, ast.comprehension)):
        yield _targets(node.target), node.iter
    elif isinstance(node, ast.Call):
        if added_to(node):
            yield {added_to(node)}, node.args[-1]
        yield from _passed(node, parameters.get(last_name(node.func)))
    elif isinstance(node, ast.arguments):
        for default in filter(None, (*node.defaults, *node.kw_defaults)):
            yield {one.arg for one in _single(node)}, default


def _passed(node: ast.Call, known: list[str] | None) -> Iterator[tuple[set[str], ast.AST]]:
    """:param known: the parameters, where a function of the checks is called."""
    if known is None:
        return
    for name, argument in zip(known, node.args, strict=False):
        yield {name}, argument
    for one in node.keywords:
        yield {one.arg} if one.arg else {*known}, one.value
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            yield {*known}, argument


def _single(node: ast.arguments) -> list[ast.arg]:
    """All but ``*args`` and ``**named``."""
    return [*node.posonlyargs, *node.args, *node.kwonlyargs]


def helpers(trees: list[ast.Module]) -> dict[str, list[str]]:
    """Parameters of the functions that the checks define, without ``self``."""
    found: dict[str, list[str]] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                parameters = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
                found[node.name] = parameters[1:] if parameters[:1] in (["self"], ["cls"]) else parameters
    return found
