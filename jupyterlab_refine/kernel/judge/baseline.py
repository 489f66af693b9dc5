"""What the locked cells above a target define, defined again in the judge so that no solution replaces it.

Where attempts run the cells above themselves (``check --tests``), the judge has no name of the notebook. It
runs those statements of the master's cells that a check needs; the author wrote them, as the checks.
"""

from __future__ import annotations

import ast
import builtins
import functools
import re
import types
from typing import Any, NamedTuple

from ..checks.check_calls import first_name
from ..child import above
from ..source import names
from . import mentions, states
from .exchange import digest, plain

_FILE = "<locked>"
_CACHED = type(functools.cache(len))
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_WORD = re.compile(r"\w+")
#: What differs between two processes, though not within one, and what asks for input or opens a file.
_UNSTABLE = frozenset("get_ipython getpid input now open strftime time today".split())


class _Statement(NamedTuple):
    node: ast.stmt
    #: Names that it binds, or whose values it may change.
    makes: set[str]
    reads: set[str]
    imports: set[str]
    #: Names whose values its functions change when they are called, and those that the solution is to define.
    writes: set[str]
    is_unstable: bool
    #: Of its cell's functions, by name and line.
    codes: dict[tuple[str, int], types.CodeType]


class Baseline:
    """Defines names in the judge's namespace."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace
        self._sources = above.locked_sources()
        self._statements: list[_Statement] | None = None
        #: What the locked cells define: plain data and functions.
        self.found: dict[str, Any] = {}
        #: What they import.
        self.imported: dict[str, Any] = {}
        #: Names of other code that they define: classes, partial and cached functions, tables of functions.
        self.code: set[str] = set()
        #: By name of a function: what it reads.
        self._reads: dict[str, set[str]] = {}

    def _parse(self) -> list[_Statement]:
        trees = list(names.trees(self._sources))
        own = set().union(*map(names.bound_anywhere, trees))
        return [_read(node, own, codes) for tree in trees for codes in [_codes(tree)] for node in tree.body]

    def behind(self, read: set[str]) -> set[str]:
        """These names, and those that the functions among them read."""
        return mentions.behind(read, self._reads)

    def define(self, wanted: set[str]) -> set[str]:
        """Define the names that the locked cells bind. Returns the other names that their functions read."""
        if not any(map(wanted.intersection, map(_WORD.findall, self._sources))):
            return set()
        if self._statements is None:
            self._statements = self._parse()
        made = set().union(*(one.makes for one in self._statements))
        needed: set[str] = set()
        waiting = wanted & made - self.found.keys() - self.imported.keys()
        while waiting:
            needed |= waiting
            chosen = [one for one in self._statements if one.makes & needed]
            waiting = {name for one in chosen for name in one.reads & made} - needed
        if not needed:
            return set()
        random_states = states.read({"seed"})
        space, again = _run(chosen), _run(chosen)
        states.write(random_states)
        self.imported |= {name: space[name] for one in chosen for name in one.imports & space.keys()}
        others: set[str] = set()
        for name in needed & space.keys() - self.imported.keys() - self.written_by_functions():
            value = space[name]
            if type(value) is types.FunctionType:
                if value.__globals__.get("__name__") != "__main__":
                    continue
                # Like a function of a cell, it reads the names of the notebook, including the solution's.
                value = _within(value, self._namespace)
                self._reads[name] = {*names.of_code(value.__code__).free}
                others |= self._reads[name]
            elif value is None or value is ... or not plain.is_data(value):
                self.code |= {name} if _is_code(value) else set()
                continue
            elif digest.of(value) != digest.of(again.get(name)):
                # Random numbers, a folder with a new name.
                continue
            self.found[name] = self._namespace[name] = value
        return others - wanted

    def written_by_functions(self) -> set[str]:
        """Names that calls of the locked functions change: counters, logs, registries."""
        return set().union(*(one.writes for one in self._statements or ()))


def only_adds(mine: Any, changed: Any) -> bool:
    """Whether a table or dictionary of the notebook has all that it had: to fill it may be the task."""
    if type(mine) is not type(changed):
        return False
    if type(mine) is dict:
        return all(key in changed and digest.of(changed[key]) == digest.of(mine[key]) for key in mine)
    if type(mine).__name__ == "DataFrame":
        columns = list(mine.columns)
        return set(columns) <= {*changed.columns} and bool(mine.equals(changed[columns]))
    return False


def _run(statements: list[_Statement]) -> dict[str, Any]:
    """The names of those that could be run, with all that they need."""
    space: dict[str, Any] = {"__name__": "__main__", "__builtins__": builtins}
    lost: set[str] = set()
    for one in statements:
        try:
            if one.is_unstable:
                raise ValueError
            exec(compile(ast.Module([one.node], []), _FILE, "exec"), space)
            for made in map(space.get, one.makes):
                if type(made) is types.FunctionType and made.__code__.co_filename == _FILE:
                    code = made.__code__
                    made.__code__ = one.codes.get((code.co_name, code.co_firstlineno), code)
        except BaseException:
            # It needs what the solution defines, for example.
            lost |= one.makes
    return {name: value for name, value in space.items() if name not in lost}


def _codes(tree: ast.Module) -> dict[tuple[str, int], types.CodeType]:
    """Of a cell, by function: the code of `np.sum(x)` depends on whether the same cell imports np."""
    try:
        parts = compile(tree, _FILE, "exec").co_consts
    except (SyntaxError, ValueError):
        return {}
    return {(part.co_name, part.co_firstlineno): part for part in parts if isinstance(part, types.CodeType)}


def _read(node: ast.stmt, own: set[str], codes: dict[tuple[str, int], types.CodeType]) -> _Statement:
    """:param own: names that the locked cells bind."""
    is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    here: list[ast.AST] = [node] if is_function else [node, *names.own(node)]
    bound, imports = set[str]().union(*map(names.bound_here, here)), _imported(here)
    makes = (bound | _changed(here, own)) & own | imports
    outer = set(map(id, here))
    inner = [part for part in ast.walk(node) if id(part) not in outer]
    declared = {name for part in inner if isinstance(part, ast.Global) for name in part.names}
    words = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    words |= {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
    return _Statement(
        node,
        makes,
        names.named(node),
        imports - own,
        declared | _changed(inner, own) & own | _to_write(node),
        not _UNSTABLE.isdisjoint(words),
        codes,
    )


def _is_code(value: Any) -> bool:
    """Whether it is a class or function of the locked cells, or a table of such."""
    if type(value) in (list, tuple, dict):
        return any(map(_is_code, value.values() if type(value) is dict else value))
    if isinstance(value, type):
        return value.__module__ == "__main__"
    return type(value) in (types.FunctionType, functools.partial, _CACHED)


def _to_write(node: ast.stmt) -> set[str]:
    """The name of a function without a body (`def f(x): raise NotImplementedError`), or of its class."""
    parts = [node, *node.body] if isinstance(node, ast.ClassDef) else [node]
    return {node.name} if isinstance(node, _DEFINITIONS) and any(map(_is_open, parts)) else set()


def _is_open(node: ast.AST) -> bool:
    """Whether it is a definition without a body."""
    if not isinstance(node, _DEFINITIONS):
        return False
    parts = [part.value if isinstance(part, ast.Expr) else part for part in node.body]
    return all(isinstance(part, (ast.Constant, ast.Pass, ast.Raise)) for part in parts)


def _changed(parts: list[ast.AST], own: set[str]) -> set[str]:
    """Names whose values these parts may change in place."""
    found: set[str] = set()
    for part in parts:
        if isinstance(part, (ast.Attribute, ast.Subscript)) and isinstance(part.ctx, ast.Store):
            found |= first_name(part)
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            found |= first_name(part.func)
        elif isinstance(part, ast.Call) and first_name(part.func) <= own:
            found |= {name for argument in part.args for name in first_name(argument)}
        elif isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
            # `random.shuffle(data)`
            found |= {name for argument in part.value.args for name in first_name(argument)}
    return found


def _imported(here: list[ast.AST]) -> set[str]:
    found = [part for part in here if isinstance(part, (ast.Import, ast.ImportFrom))]
    return {(alias.asname or alias.name).split(".")[0] for part in found for alias in part.names}


def _within(function: types.FunctionType, namespace: dict[str, Any]) -> types.FunctionType:
    made = types.FunctionType(
        function.__code__, namespace, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__, made.__doc__, made.__module__ = function.__kwdefaults__, function.__doc__, "__main__"
    return made
