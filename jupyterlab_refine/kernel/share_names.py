"""Which variables of the kernel a source needs, found from its code without running it."""

from __future__ import annotations

import ast
import dis
import re
import types
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from .statements import python_source

_LOADS = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS", "DELETE_NAME", "DELETE_GLOBAL")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_NAME", "IMPORT_FROM")
#: Which of their parts run, and so what is bound when they end, is not known.
_BRANCHES = (ast.If, ast.While, ast.Try, ast.Match, ast.IfExp, ast.BoolOp)
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
#: Longer texts are data.
_TEXT_LIMIT = 2000


class Needs(NamedTuple):
    """Names in the order of their first use."""

    #: Read before the source itself binds them.
    free: dict[str, None]
    #: Bound for certain when the source has run.
    bound: set[str]
    #: Words of its texts: a magic, ``eval`` and ``df.query`` read code from there.
    mentioned: dict[str, None]
    #: Names of attributes, by which a loaded submodule is told to be used.
    attributes: set[str]


def of_source(source: str) -> Needs:
    """What a cell needs; a cell that cannot be parsed needs nothing, as it cannot run either."""
    needs = Needs({}, set(), {}, set())
    try:
        tree = ast.parse(python_source(source))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return needs
    later: dict[str, None] = {}
    for node in tree.body:
        try:
            module = ast.Module([node], [])
            code = compile(module, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True, 0)
        except (SyntaxError, ValueError):
            continue
        _add_statement(needs, later, node, code)
        for child in ast.walk(node):
            if isinstance(child, ast.Constant) and isinstance(child.value, str):
                needs.mentioned.update(dict.fromkeys(_IDENTIFIER.findall(child.value[:_TEXT_LIMIT])))
    needs.free.update((name, None) for name in later if name not in needs.bound)
    return needs


def of_code(code: types.CodeType) -> Needs:
    """What a function reads when it is called."""
    needs = Needs({}, set(), {}, set())
    for inner in _nested(code):
        for step in dis.get_instructions(inner):
            if step.opname in _LOADS:
                needs.free[step.argval] = None
        needs.attributes.update(_attributes(inner))
    return needs


def _add_statement(needs: Needs, later: dict[str, None], node: ast.stmt, code: types.CodeType) -> None:
    branches = any(isinstance(child, _BRANCHES) for child in ast.walk(node))
    stored: set[str] = set()
    for inner in _nested(code):
        # Comprehensions and class bodies run at once, a function when it is called.
        now = inner.co_name.startswith("<") or not inner.co_flags & 0x2
        for step in dis.get_instructions(inner):
            if inner is code and step.opname in ("STORE_NAME", "STORE_GLOBAL"):
                stored.add(step.argval)
            elif step.opname in _LOADS and not (step.argval in stored and not branches):
                if not now:
                    later[step.argval] = None
                elif step.argval not in needs.bound:
                    needs.free[step.argval] = None
        needs.attributes.update(_attributes(inner))
    if not isinstance(node, (*_BRANCHES, ast.For, ast.AsyncFor)):
        needs.bound.update(stored)


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _nested(constant)


def _attributes(code: types.CodeType) -> Iterable[str]:
    for step in dis.get_instructions(code):
        if step.opname in _ATTRIBUTES:
            yield from step.argval.split(".")


class Wanted(NamedTuple):
    """What one attempt wants of the kernel's variables."""

    #: Without one of these it cannot run as it would here.
    required: list[str]
    #: Names that it may read: in its texts, or in checks of what the candidate binds itself.
    optional: list[str]
    attributes: set[str]


def wanted(candidate: str, others: Iterable[str], hidden: Iterable[str], shell: Any) -> Wanted:
    """What candidate, checks and scorer want of ``user_ns``.

    :param hidden: names that are never told to an attempt.
    """
    first = of_source(candidate)
    rest = [of_source(source) for source in others]
    known = _shared_names(shell, set(hidden))
    required = dict(first.free)
    optional = dict(first.mentioned)
    attributes = set(first.attributes)
    for needs in rest:
        required.update((name, None) for name in needs.free if name not in first.bound)
        optional.update({**needs.free, **needs.mentioned})
        attributes |= needs.attributes
    return Wanted(
        [name for name in required if name in known],
        [name for name in optional if name in known and name not in required],
        attributes,
    )


def _shared_names(shell: Any, hidden: set[str]) -> set[str]:
    own = getattr(shell, "user_ns_hidden", {})
    names = {name for name in shell.user_ns if isinstance(name, str)}
    return {name for name in names if name not in own and name not in hidden and not name.startswith("__")}
