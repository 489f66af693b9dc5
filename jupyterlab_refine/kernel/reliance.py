"""Values that checks rely on and that were there before the candidate: which of them has it changed?"""

from __future__ import annotations

import ast
import hashlib
import types
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from . import describe, tampering
from .statements import python_source, trees
from .tracebacks import CANDIDATE

_MAX_ITEMS = 2000
_MAX_DEPTH = 4
_MAX_BYTES = 1 << 20
_INNER_SCOPES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
#: Of True, False and None there is one each: their identities tell them.
_NUMBERS = (int, float, complex)


def names(sources: Iterable[str]) -> list[str]:
    """Names that the sources load and do not bind themselves."""
    loaded: dict[str, None] = {}
    bound: set[str] = set()
    for tree in trees(sources):
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Load):
                    loaded.setdefault(node.id)
                else:
                    bound.add(node.id)
            elif isinstance(node, ast.arg):
                bound.add(node.arg)
    return [name for name in loaded if name not in bound]


def made_anew(source: str) -> set[str]:
    """Names that a candidate binds at its top level before it reads them: old values are nothing to it."""
    try:
        tree = ast.parse(python_source(source))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return set()
    made: set[str] = set()
    read: set[str] = set()
    for statement in tree.body:
        bound, loaded = set(), set()
        for node in _own_scope(statement):
            if isinstance(node, ast.Name):
                (loaded if isinstance(node.ctx, ast.Load) else bound).add(node.id)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                loaded.add(node.target.id)
        read |= loaded - made
        made |= bound
    return made - read


def _own_scope(statement: ast.stmt) -> Iterator[ast.AST]:
    """Its nodes, without the bodies that run later or bind names of their own."""
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, _INNER_SCOPES):
            todo += ast.iter_child_nodes(node)


def contents(wanted: Iterable[str], namespace: dict[str, Any]) -> dict[str, str | None]:
    """A bounded digest of each value; None where there is none, or it cannot be told without user code.

    Only values made of plain types, arrays and frames are looked into; of others
    the identity counts, which a fork keeps. Modules, functions and classes are
    told elsewhere: replaced machinery is tampering, a function the usual task.
    """
    return {name: _content(namespace[name]) for name in wanted if name in namespace}


def warnings(before: dict[str, str | None], after: dict[str, str | None]) -> list[str]:
    """In words: the values that are other ones now, or gone."""
    names = [name for name, digest in before.items() if digest is not None and after.get(name) != digest]
    return [changed(name) for name in names]


def changed(name: str) -> str:
    return f"{name}, which was there before and which the checks use, was changed"


def _content(value: Any) -> str | None:
    own = getattr(getattr(value, "__code__", None), "co_filename", "") == CANDIDATE
    if own or tampering.is_of_library(value):
        return None
    if isinstance(value, types.ModuleType | types.FunctionType | types.BuiltinFunctionType | type):
        return None
    digest = hashlib.blake2b(digest_size=16)
    try:
        _add(digest, value, 0)
    except Exception:
        # Changed meanwhile by a thread of the user's, or odd: nothing can be said.
        return None
    return digest.hexdigest()


def _add(digest: Any, value: Any, depth: int) -> None:
    kind = type(value)
    digest.update(kind.__qualname__.encode("utf-8", "replace"))
    if kind in (str, bytes):
        digest.update(b"%d" % len(value))
        data = value.encode("utf-8", "surrogatepass") if kind is str else value
        digest.update(data[:_MAX_BYTES])
    elif kind in _NUMBERS:
        digest.update(repr(value).encode())
    elif kind in (list, tuple, dict, set, frozenset) and depth < _MAX_DEPTH:
        digest.update(b"%d" % len(value))
        # Keys and values by themselves: beyond the depth identities count, and a pair has none.
        for part in (value.keys(), value.values()) if kind is dict else (value,):
            for item in islice(part, _MAX_ITEMS):
                _add(digest, item, depth + 1)
    elif describe.is_from(value, "numpy", "ndarray") and value.dtype != object:
        digest.update(f"{value.shape}{value.dtype}".encode())
        digest.update(value.ravel()[: _MAX_BYTES // max(1, value.itemsize)].tobytes())
    elif describe.is_from(value, "pandas", "DataFrame") or describe.is_from(value, "pandas", "Series"):
        digest.update(f"{value.shape}".encode())
        for rows in (value.head(_MAX_ITEMS // 20), value.tail(_MAX_ITEMS // 20)):
            # Split: the other forms refuse names that are not unique.
            text = rows.to_json(orient="split", date_unit="ns", default_handler=str)
            _add(digest, text, depth + 1)
    else:
        digest.update(b"%d" % id(value))
