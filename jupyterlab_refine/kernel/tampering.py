"""Signs that a pass means nothing: a canary that holds, replaced machinery, values equal to everything."""

from __future__ import annotations

import ast
import builtins
import secrets
import types
from collections.abc import Iterable
from typing import Any

from .statements import Statement, split, trees
from .tracebacks import CANDIDATE

#: Builtins that checks use to look at a result; a candidate has no business defining them anew.
_RELIED_ON = {
    *("abs", "all", "any", "bool", "callable", "dict", "enumerate", "float", "getattr", "hasattr", "int"),
    *("isinstance", "issubclass", "len", "list", "range", "repr", "round", "set", "sorted", "str", "tuple"),
    *("type", "zip", "AssertionError", "Exception"),
}


_NUMPY_FUNCTIONS = {("numpy", "ufunc"), ("numpy", "_ArrayFunctionDispatcher")}


def canaries() -> list[Statement]:
    """Checks that must fail, new ones for every attempt."""
    first, second = secrets.randbelow(10**9), 10**9 + secrets.randbelow(10**9)
    name = f"test_{secrets.token_hex(8)}"
    source = (
        f"assert {first} == {second}\n"
        f"assert {second} in [{first}]\n"
        f"assert not {second}\n"
        f"def {name}():\n    assert {first} > {second}\n"
    )
    return split({"cellId": "canary", "role": "assertion", "source": source})


class Builtins:
    """The builtins as they were before the candidate."""

    def __init__(self) -> None:
        self._before = dict(vars(builtins))

    def restore(self) -> list[str]:
        """Put back what was replaced or deleted, since the library needs it; returns the names."""
        now = vars(builtins)
        names = [
            name for name, value in self._before.items() if name != "_" and now.get(name, self) is not value
        ]
        for name in names:
            now[name] = self._before[name]
        return names


def chains(sources: Iterable[str]) -> list[str]:
    """Dotted names that the checks use: ``np.testing.assert_allclose``."""
    found: dict[str, None] = {}
    for tree in trees(sources):
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                found.setdefault(ast.unparse(node))
    return [chain for chain in found if all(part.isidentifier() for part in chain.split("."))]


def fingerprint(chain: str, namespace: dict[str, Any]) -> list[int] | None:
    """What a dotted name of a module, or a bare name of a library's, means, as object ids.

    None for any other name. A fork keeps addresses, so kernel and child agree on what neither has replaced.
    """
    first, *rest = chain.split(".")
    value = namespace.get(first)
    if not rest:
        return _meaning(value) if is_of_library(value) else None
    for name in rest:
        value = value.__dict__.get(name) if isinstance(value, types.ModuleType) else None
        if value is None:
            return None
    return _meaning(value)


def is_of_library(value: Any) -> bool:
    """Whether it is a function or class that no cell has defined."""
    kind = type(value)
    if not issubclass(kind, (types.FunctionType, types.BuiltinFunctionType, type)):
        if (kind.__module__, kind.__name__) not in _NUMPY_FUNCTIONS:
            return False
    try:
        return getattr(value, "__module__", None) not in (None, "__main__")
    except Exception:
        # A class of the candidate's may do anything.
        return False


def _meaning(value: Any) -> list[int]:
    ids = [id(value)]
    if isinstance(value, type):
        members = [member for base in value.__mro__[:3] for member in vars(base).values()]
        ids += [part for member in members for part in _function_ids(member)]
    return ids + _function_ids(value)


def identity(value: Any) -> list[int]:
    """A function or class, as object ids."""
    return [id(value), *_function_ids(value)]


def _function_ids(value: Any) -> list[int]:
    if not isinstance(value, types.FunctionType):
        return []
    return [id(value), id(value.__code__), id(value.__defaults__), id(value.__kwdefaults__)]


def made_by_candidate(names: Iterable[str], namespace: dict[str, Any]) -> list[str]:
    """In the child: those that lead from a module to a function that the candidate defined."""
    found = []
    for name in names:
        first, *rest = name.split(".")
        value = namespace.get(first)
        if not isinstance(value, types.ModuleType):
            continue
        for part in rest:
            value = value.__dict__.get(part) if isinstance(value, types.ModuleType) else None
        if getattr(getattr(value, "__code__", None), "co_filename", "") == CANDIDATE:
            found.append(name)
    return found


def leads_from_module(name: str, namespace: dict[str, Any]) -> bool:
    """In the kernel: whether it began at a module before the candidate as well."""
    return isinstance(namespace.get(name.split(".")[0]), types.ModuleType)


def fingerprints(names: Iterable[str], namespace: dict[str, Any]) -> dict[str, list[int] | None]:
    return {name: fingerprint(name, namespace) for name in names}


def replaced(before: dict[str, list[int] | None], after: dict[str, list[int] | None]) -> list[str]:
    """Dotted names that meant something before the candidate and mean something else now."""
    return [name for name, ids in before.items() if ids is not None and after.get(name) != ids]


def shadowed(sources: Iterable[str], before: dict[str, Any]) -> list[str]:
    """In the kernel: builtins that the checks rely on and that nothing shadowed before the candidate."""
    used = {node.id for tree in trees(sources) for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return sorted(name for name in used & _RELIED_ON if name not in before)
