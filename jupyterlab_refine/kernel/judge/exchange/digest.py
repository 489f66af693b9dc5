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
    seen: set[int] = set()

    def reference(packer: plain.Packer, inner: Any) -> Any:
        kind = type(inner)
        if id(inner) in seen or len(seen) > 10_000 or issubclass(kind, (stubs.Stub, stubs.StubType)):
            return ["#"]
        seen.add(id(inner))
        if kind is types.FunctionType:
            defaults = [packer.node(part) for part in (inner.__defaults__, inner.__kwdefaults__)]
            return ["function", *_code(inner.__code__), *defaults]
        if isinstance(inner, type) and inner.__module__ == "__main__":
            own = [*vars(inner).items()]
            members = [[str(key), packer.node(part)] for key, part in own if key not in _NOT_OWN]
            return ["class", inner.__qualname__, members]
        if isinstance(inner, (type, types.ModuleType)) or not stubs.is_of_users(kind):
            return ["#", id(inner)]
        state = [[str(key), packer.node(part)] for key, part in stubs.state_of(inner).items()]
        return ["instance", kind.__qualname__, state]

    digest = hashlib.blake2b(digest_size=16)
    try:
        packer = plain.Packer(reference, take=digest.update)
        digest.update(_encode(packer.node(value)).encode("ascii"))
    except (RecursionError, ValueError, TypeError, MemoryError):
        return None
    return digest.hexdigest()


#: What a class has beside what its statement binds.
_NOT_OWN = frozenset(
    "__dict__ __weakref__ __doc__ __module__ _abc_impl __slotnames__ __firstlineno__".split()
    + ["__static_attributes__"]
)


def _code(code: types.CodeType) -> list[Any]:
    constants = [
        _code(part) if isinstance(part, types.CodeType) else repr(part)[:500] for part in code.co_consts
    ]
    return [code.co_code.hex(), list(code.co_names), list(code.co_varnames), constants]
