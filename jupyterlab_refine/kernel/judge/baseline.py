"""What the locked cells above a target define, defined again in the judge so that no solution replaces it.

Where attempts run the cells above themselves (``check --tests``), the judge has no name of the notebook. It
runs those statements of the master's cells that a check needs; the author wrote them, as the checks.
"""

from __future__ import annotations

import ast
import builtins
import re
import types
from typing import Any, NamedTuple

from ..child import above
from ..source import names
from .exchange import plain

_WORD = re.compile(r"\w+")
#: Words of statements whose value differs each time, or that ask for input or open a file.
_UNSTABLE = re.compile(
    r"\b(?:random|default_rng|rng|time|now|today|uuid\w*|getpid|get_ipython)\b|\b(?:id|input|open|hash)\("
)


class _Statement(NamedTuple):
    node: ast.stmt
    #: Names that it binds, or whose values it may change.
    makes: set[str]
    reads: set[str]


class Baseline:
    """Defines names in the judge's namespace."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace
        self._sources = above.locked_sources()
        self._statements: list[_Statement] | None = None
        #: What the locked cells define: plain data and functions.
        self.found: dict[str, Any] = {}
        #: By name of a function: what it reads.
        self._reads: dict[str, set[str]] = {}

    def _parse(self) -> list[_Statement]:
        trees = list(names.trees(self._sources))
        own = set().union(*map(names.bound_anywhere, trees))
        return [_read(node, own) for tree in trees for node in tree.body]

    def behind(self, read: set[str]) -> set[str]:
        """These names, and those that the functions among them read."""
        found, waiting = set[str](), read
        while waiting:
            found |= waiting
            waiting = set().union(*(self._reads.get(name, set()) for name in waiting)) - found
        return found

    def define(self, wanted: set[str]) -> set[str]:
        """Define the names that the locked cells bind. Returns the other names that their functions read."""
        if not any(map(wanted.intersection, map(_WORD.findall, self._sources))):
            return set()
        if self._statements is None:
            self._statements = self._parse()
        made = set().union(*(one.makes for one in self._statements))
        needed: set[str] = set()
        waiting = wanted & made - self.found.keys()
        while waiting:
            needed |= waiting
            chosen = [one for one in self._statements if one.makes & needed]
            waiting = {name for one in chosen for name in one.reads & made} - needed
        if not needed:
            return set()
        space: dict[str, Any] = {"__name__": "__main__", "__builtins__": builtins}
        lost = {name for one in chosen if not _run(one, space) for name in one.makes}
        others: set[str] = set()
        for name in (needed & space.keys()) - lost:
            value = space[name]
            if type(value) is types.FunctionType and value.__closure__ is None:
                # Like a function of a cell, it reads the names of the notebook, including the solution's.
                value = _within(value, self._namespace)
                self._reads[name] = {*names.of_code(value.__code__).free}
                others |= self._reads[name]
            elif value is None or value is ... or not plain.is_data(value):
                continue
            self.found[name] = self._namespace[name] = value
        return others - wanted


def _run(statement: _Statement, space: dict[str, Any]) -> bool:
    """Run it. Returns whether that worked, and would give the same again."""
    if _UNSTABLE.search(ast.unparse(statement.node)):
        return False
    try:
        exec(compile(ast.Module([statement.node], []), "<locked>", "exec"), space)
    except BaseException:
        # It needs what the solution defines, for example.
        return False
    return True


def _read(node: ast.stmt, own: set[str]) -> _Statement:
    """:param own: names that the locked cells bind."""
    here = [node, *names.own(node)]
    makes = set().union(*map(names.bound_here, here))
    for part in here:
        if isinstance(part, (ast.Attribute, ast.Subscript)) and isinstance(part.ctx, ast.Store):
            makes |= _root(part)
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            makes |= _root(part.func)
        elif isinstance(part, ast.Call) and _root(part.func) <= own:
            makes |= {name for argument in part.args for name in _root(argument)}
    return _Statement(node, makes & own | _imported(here), names.named(node))


def _imported(here: list[ast.AST]) -> set[str]:
    found = [part for part in here if isinstance(part, (ast.Import, ast.ImportFrom))]
    return {(alias.asname or alias.name).split(".")[0] for part in found for alias in part.names}


def _root(node: ast.AST) -> set[str]:
    """The name at the start of ``a.b[0].c``."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def _within(function: types.FunctionType, namespace: dict[str, Any]) -> types.FunctionType:
    made = types.FunctionType(
        function.__code__, namespace, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__, made.__doc__, made.__module__ = function.__kwdefaults__, function.__doc__, "__main__"
    return made
