"""Whether libraries that a scorer goes through are what they were: by identities, which a fork keeps."""

from __future__ import annotations

import sys
import types
from collections.abc import Collection, Mapping
from itertools import chain
from typing import Any

#: Object ids by name, of one module; those of the module itself under the empty one.
Ids = dict[str, list[int]]

_OF_CLASSES = (types.FunctionType, staticmethod, classmethod, property)
#: A module that was loaded again has other functions throughout.
_MOST_TOLD = 20


def meant(packages: Collection[str]) -> dict[str, Ids]:
    """In the kernel: what the loaded modules of these packages mean by their names."""
    return {
        name: _ids(module)
        for name, module in list(sys.modules.items())
        if name.split(".")[0] in packages and isinstance(module, types.ModuleType)
    }


def digests(found: Mapping[str, Ids]) -> dict[str, int]:
    """Small enough to be sent; child and kernel hash alike."""
    return {name: _digest(ids) for name, ids in found.items()}


def differing(wanted: Mapping[str, int], loaded: Collection[str]) -> dict[str, Ids]:
    """In the child: modules that do not mean the same, with what they mean; nothing for those that are gone.

    :param loaded: modules that were there before the candidate: a spare lacks what the kernel loads later.
    """
    found: dict[str, Ids] = {}
    for name, digest in wanted.items():
        module = sys.modules.get(name)
        ids = _ids(module) if isinstance(module, types.ModuleType) else {}
        if (ids or name in loaded) and _digest(ids) != digest:
            found[name] = ids
    return found


def replaced(before: Mapping[str, Ids], after: Mapping[str, Ids]) -> list[str]:
    """Names that mean something else after the candidate; new ones, and lost ones, fake nothing."""
    found = [
        f"{module}.{name}".rstrip(".")
        for module, ids in after.items()
        for name, one in before[module].items()
        if ids.get(name, one) != one or not (ids or name)
    ]
    return found[:_MOST_TOLD]


def _ids(module: types.ModuleType) -> Ids:
    found = {"": [id(module)]}
    for name, value in list(vars(module).items()):
        if callable(value) or isinstance(value, types.ModuleType):
            found[name] = _of(value)
        if isinstance(value, type) and vars(value).get("__module__") == module.__name__:
            for member, inner in list(vars(value).items()):
                if type(inner) in _OF_CLASSES:
                    found[f"{name}.{member}"] = _of(inner)
    return found


def _of(value: Any) -> list[int]:
    if type(value) is not types.FunctionType:
        return [id(value)]
    return [id(value), id(value.__code__), id(value.__defaults__), id(value.__kwdefaults__)]


def _digest(ids: Ids) -> int:
    return hash((*ids, *chain.from_iterable(ids.values())))
