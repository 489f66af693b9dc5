"""What checks judge with under a bare name: `isclose`, where a cell says `from math import isclose`."""

from __future__ import annotations

import ast
import builtins
import re
import sys
import types
from collections.abc import Collection, Iterable
from typing import Any

from . import statements, tampering

_WORD = re.compile(r"[^\W\d]\w*")


class Judges:
    """Functions and classes of libraries that the checks of an attempt call, those that they test aside."""

    def __init__(self, cells: list[dict[str, Any]], free: Collection[str], namespace: dict[str, Any]) -> None:
        """In the kernel, right after the fork.

        :param free: names that a candidate may define anew.
        """
        sources = [cell["source"] for cell in cells]
        #: As object ids.
        self._before = _libraries(sources, namespace)
        #: By the checks, one after the other.
        self._used: list[list[str]] = []
        for name in free:
            self._before.pop(name, None)
        if not self._before:
            return
        judging: set[str] = set()
        for read, called in _names(sources, namespace):
            used = [name for name in called if name in self._before]
            self._used.append(used)
            # `assert gcd(12, 8) == 4`: nothing else is there that could be judged.
            if any(name not in used and _may_be_judged(name, namespace) for name in read):
                judging.update(used)
        self._before = {name: ids for name, ids in self._before.items() if name in judging}

    def next(self, count: int) -> dict[str, list[int] | None]:
        """Those that the next so many checks use, with what they meant."""
        used = [name for names in self._used[:count] for name in names]
        del self._used[:count]
        return {name: self._before[name] for name in used if name in self._before}

    def held(self) -> list[Any]:
        """What a child forked meanwhile must forget."""
        return [self._before, self._used]


def _libraries(sources: list[str], namespace: dict[str, Any]) -> dict[str, list[int]]:
    """Found by their words: most checks have none, and are not parsed for it."""
    words = {word for source in sources for word in _WORD.findall(source)}
    found = {word: tampering.fingerprint(word, namespace) for word in words}
    return {word: ids for word, ids in found.items() if ids is not None}


def same_elsewhere(name: str, ids: list[int] | None) -> bool:
    """In the kernel: whether a library has it under this name, as numpy and math have a `sqrt` each."""
    if ids is None or "." in name:
        return False
    modules = [module for module in list(sys.modules.values()) if isinstance(module, types.ModuleType)]
    return any(tampering.fingerprint(name, vars(module)) == ids for module in modules)


def _names(sources: list[str], namespace: dict[str, Any]) -> list[tuple[list[str], list[str]]]:
    """Names that each check reads and that none up to it binds; and those that it judges with."""
    bound: set[str] = set()
    told = []
    for source in sources:
        nodes = [node for tree in statements.trees([source]) for node in ast.walk(tree)]
        bound |= _bound(nodes)
        # Those that it binds are left out below.
        read = (node.id for node in nodes if isinstance(node, ast.Name))
        names = [name for name in dict.fromkeys(read) if name not in bound]
        judges = {name for node in nodes if isinstance(node, ast.Call) for name in _judges(node, namespace)}
        told.append((names, [name for name in names if name in judges]))
    return told


def _judges(call: ast.Call, namespace: dict[str, Any]) -> list[str]:
    """What is called, and classes that it is given: `isinstance(x, Decimal)`. Other values are results."""
    found = [call.func.id] if isinstance(call.func, ast.Name) else []
    given = [name.id for name in call.args if isinstance(name, ast.Name)]
    return found + [name for name in given if isinstance(namespace.get(name), type)]


def _bound(nodes: Iterable[ast.AST]) -> set[str]:
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).split(".")[0])
    return found


def _may_be_judged(name: str, namespace: dict[str, Any]) -> bool:
    """Anything but modules and builtins, whether the candidate makes it or changes it in place."""
    if name in namespace:
        return not isinstance(namespace[name], types.ModuleType)
    return not hasattr(builtins, name)
