"""Digests of values: equal digests in two forks of one kernel mean that the value is the same."""

from __future__ import annotations

import hashlib
import json
import types
from typing import Any

from . import plain, stubs

_encode = json.JSONEncoder(separators=(",", ":")).encode


def of(value: Any) -> str | None:
    """Of content: data, code of functions, attributes of instances. None for values without a digest."""
    digest = hashlib.blake2b(digest_size=16)
    try:
        _add(digest, value)
    except (RecursionError, ValueError, TypeError, MemoryError):
        return None
    return digest.hexdigest()


def _add(digest: Any, value: Any) -> None:
    seen: set[int] = set()

    def reference(packer: plain.Packer, inner: Any) -> Any:
        kind = type(inner)
        if id(inner) in seen or len(seen) > 10_000 or issubclass(kind, (stubs.Stub, stubs.StubType)):
            return ["#"]
        seen.add(id(inner))
        if kind is types.FunctionType:
            return [
                "function",
                *_code(inner.__code__),
                packer.node(inner.__defaults__),
                packer.node(inner.__kwdefaults__),
            ]
        if isinstance(inner, type):
            if inner.__module__ != "__main__":
                return ["#", id(inner)]
            members = [
                [str(key), packer.node(part)] for key, part in [*vars(inner).items()] if key not in _NOT_OWN
            ]
            return ["class", inner.__qualname__, members]
        if kind is types.ModuleType or not stubs.is_of_users(kind):
            return ["#", id(inner)]
        return [
            "instance",
            kind.__qualname__,
            [[str(key), packer.node(part)] for key, part in stubs.state_of(inner).items()],
        ]

    packer = plain.Packer(reference, take=digest.update)
    digest.update(_encode(packer.node(value)).encode("ascii"))


#: What a class has beside what its statement binds.
_NOT_OWN = frozenset(
    "__dict__ __weakref__ __doc__ __module__ _abc_impl __slotnames__ __firstlineno__".split()
    + ["__static_attributes__"]
)


def _code(code: types.CodeType) -> list[Any]:
    constants: list[Any] = []
    for constant in code.co_consts:
        constants.append(_code(constant) if isinstance(constant, types.CodeType) else repr(constant)[:500])
    return [code.co_code.hex(), list(code.co_names), list(code.co_varnames), constants]
