"""Values that would satisfy any check: equal to everything, containing everything, of patched types."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from .rewriting import Part, Recorder
from .tracebacks import CANDIDATE

_MAX_ITEMS = 2000
_MAX_DEPTH = 4
#: Of what may never end.
_FIRST = 100
#: What a comparison or a call of a check goes through.
_SPECIAL = (
    *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__", "__len__", "__bool__"),
    *("__iter__", "__getitem__", "__getattribute__", "__hash__"),
)
_flags = type.__dict__["__flags__"].__get__
#: ``Py_TPFLAGS_HEAPTYPE``
_HEAP_TYPE = 1 << 9


def impostors(recorder: Recorder) -> list[str]:
    """In words: the operands of the last check that prove nothing."""
    if recorder.current is None:
        return []
    found: list[str] = []
    for part in _walk(recorder.current):
        if part not in recorder.values:
            continue
        value = recorder.values[part]
        told = [f"{type(value).__name__}.{name} was replaced" for name in _patched(type(value))]
        if any(is_anything(item) for item in _items(value, 0)):
            told.insert(0, f"{part.source} is equal to anything")
        if told and "ANY" not in part.source:
            found += told
    return list(dict.fromkeys(found))


def patched_methods(chains: list[str], namespace: dict[str, Any]) -> list[str]:
    """In words: methods of library types that the checks call and that the candidate replaced."""
    found = []
    for chain in chains:
        first, *rest = chain.split(".")
        kind = type(namespace.get(first))
        for name in rest[:1]:
            if _own_function(kind, name):
                found.append(f"{kind.__name__}.{name} was replaced")
    return found


def _walk(part: Part) -> list[Part]:
    return [part] + [inner for child in part.parts for inner in _walk(child)]


def _items(value: Any, depth: int) -> Iterator[Any]:
    """The value and what plain containers hold of it."""
    yield value
    kind = type(value)
    if depth >= _MAX_DEPTH or kind not in (list, tuple, set, frozenset, dict):
        return
    items = list(value.values()) if kind is dict else list(value)
    for item in items[:_MAX_ITEMS]:
        yield from _items(item, depth + 1)


def is_made_in_c(kind: type) -> bool:
    """Whether no class statement made it, whatever its name and metaclass say."""
    return not _flags(kind) & _HEAP_TYPE


def is_anything(value: Any) -> bool:
    """Whether it is equal to, or contains, or is both below and above just anything."""
    if is_made_in_c(type(value)):
        return False
    strange = object()
    tests = (
        lambda: value == strange,
        lambda: strange == value,
        lambda: not (value != strange),
        # By its own word only: `in` would go through an iterator, to its end.
        lambda: hasattr(type(value), "__contains__") and strange in value,
        lambda: not hasattr(type(value), "__next__") and strange in islice(iter(value), _FIRST),
        lambda: value < strange and value > strange,
    )
    for test in tests:
        try:
            if test() is True:
                return True
        except Exception:
            continue
    return False


def _patched(kind: type) -> list[str]:
    return [name for name in _SPECIAL if _own_function(kind, name)]


def _own_function(kind: type, name: str) -> bool:
    """Whether a type that is not the candidate's answers with a function that is."""
    for base in kind.__mro__:
        if name in vars(base):
            code = getattr(vars(base)[name], "__code__", None)
            return getattr(code, "co_filename", "") == CANDIDATE and base.__module__ != "__main__"
    return False
