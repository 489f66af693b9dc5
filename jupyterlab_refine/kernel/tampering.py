"""Signs that a pass means nothing: a canary that holds, replaced machinery, values equal to everything."""

from __future__ import annotations

import ast
import builtins
import secrets
import types
from collections.abc import Iterable
from typing import Any

from .rewriting import Part, Recorder
from .statements import Statement, python_source, split
from .tracebacks import CANDIDATE


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
    for source in sources:
        try:
            tree = ast.parse(python_source(source))
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                found.setdefault(ast.unparse(node))
    return [chain for chain in found if all(part.isidentifier() for part in chain.split("."))]


def fingerprint(chain: str, namespace: dict[str, Any]) -> list[int] | None:
    """What a dotted name of a module means, as object ids; None when it is not one.

    A fork keeps addresses, so kernel and child agree on what neither has replaced.
    """
    first, *rest = chain.split(".")
    value = namespace.get(first)
    if not isinstance(value, types.ModuleType):
        return None
    for name in rest:
        value = value.__dict__.get(name) if isinstance(value, types.ModuleType) else None
        if value is None:
            return None
    ids = [id(value)]
    if isinstance(value, types.FunctionType):
        ids += [id(value.__code__), id(value.__defaults__), id(value.__kwdefaults__)]
    return ids


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


def equals_everything(recorder: Recorder) -> list[str]:
    """Operands of a passed comparison that are equal to, or contain, just anything."""
    root = recorder.current
    if root is None:
        return []
    found = []
    for part in _compares(root):
        for operand in part.parts:
            if operand not in recorder.values:
                continue
            value = recorder.values[operand]
            if type(value).__module__ == "__main__" and _is_anything(value):
                found.append(operand.source)
    return found


def _compares(part: Part) -> list[Part]:
    own = [part] if part.kind == "compare" else []
    return own + [inner for child in part.parts for inner in _compares(child)]


def _is_anything(value: Any) -> bool:
    strange = object()
    for test in (lambda: value == strange, lambda: strange in value, lambda: value < value and value > value):
        try:
            if test() is True:
                return True
        except Exception:
            continue
    return False
