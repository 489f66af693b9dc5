"""Descriptions of objects that stay in their process, and what of them may be read.

:func:`describe` is the form in which :func:`stubs.make` of the other side receives it.
"""

from __future__ import annotations

import copyreg
import types
from collections.abc import Callable
from typing import Any

from .plain_types import BadData

BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()


def dunder(*groups: str) -> frozenset[str]:
    return frozenset(f"__{name}__" for group in groups for name in group.split())


#: Operators of a class that a stub forwards.
OPERATORS = dunder(
    "eq ne lt le gt ge len bool contains iter next reversed length_hint getitem setitem delitem hash",
    "missing neg pos abs invert divmod rdivmod float int complex index round trunc floor ceil",
    "str repr format bytes call enter exit aenter aexit await aiter anext array fspath",
    " ".join(prefix + name for prefix in ("", "r", "i") for name in BINARY),
)
#: Operators with which the candidate's class decides a check: most receive the expected value.
DECIDING = dunder(
    "eq ne lt le gt ge len bool contains sub rsub truediv rtruediv mod rmod floordiv rfloordiv",
    "divmod rdivmod and rand or ror xor rxor",
)
ARITHMETIC = dunder(" ".join(prefix + name for prefix in ("", "r", "i") for name in BINARY))

FUNCTION_KINDS = {
    types.FunctionType: types.FunctionType,
    types.MethodType: types.MethodType,
    types.GeneratorType: types.GeneratorType,
    types.CoroutineType: types.CoroutineType,
    types.BuiltinFunctionType: types.BuiltinFunctionType,
}
_OBJECT_STATE = (object.__reduce_ex__, object.__reduce__)


def describe(value: Any, node: Callable[[Any], Any], with_class: bool) -> dict[str, Any]:
    """What a stub for it needs to know; read by :func:`make` of the other side.

    :param with_class: whether the other side gets the class as well, which it may call.
    """
    if isinstance(value, type):
        return _describe_class(value, node, with_class)
    kind = type(value)
    if kind in FUNCTION_KINDS or not with_class:
        shown = kind if kind in FUNCTION_KINDS else types.BuiltinFunctionType
        return {"name": kind.__name__, "operators": _operators(kind), "kind": shown.__name__}
    return {"name": kind.__name__, "operators": _operators(kind), "of": node(kind)}


def _describe_class(kind: type, node: Callable[[Any], Any], with_bases: bool) -> dict[str, Any]:
    description: dict[str, Any] = {
        "class": kind.__name__,
        "operators": _operators(kind),
        "bases": [
            node(base)
            for base in kind.__bases__
            if base is not object and _is_described(base) and (with_bases or base.__module__ == "builtins")
        ],
    }
    if kind.__module__ != "__main__":
        description["library"] = [kind.__module__, kind.__qualname__]
    plain = next(base for base in kind.__mro__ if base.__module__ == "builtins")
    own = [name for name in description["operators"] if getattr(kind, name) is not getattr(plain, name, None)]
    return {**description, "own": own}


def _operators(kind: type) -> list[str]:
    found = [name for name in OPERATORS if _has(kind, name)]
    if kind.__eq__ is object.__eq__:
        # By identity: a stub is the same one each time.
        found = [name for name in found if name not in ("__eq__", "__ne__", "__hash__")]
    return sorted(found)


def _is_described(base: type) -> bool:
    return issubclass(base, BaseException) or base.__module__ != "builtins"


def _has(kind: type, name: str) -> bool:
    found = getattr(kind, name, None)
    if found is None:
        return False
    return found is not getattr(object, name, None) or name in ("__str__", "__repr__", "__format__")


def is_of_users(kind: type) -> bool:
    """Whether a class statement in a cell made it, before the candidate."""
    return kind.__module__ == "__main__"


def is_simple(kind: type) -> bool:
    """Whether instances are determined by their attributes."""
    if kind.__reduce_ex__ not in _OBJECT_STATE and kind.__reduce_ex__ is not object.__reduce_ex__:
        return False
    own = [base for base in kind.__mro__ if base is not object]
    if kind.__reduce__ is not object.__reduce__ or any(base.__module__ == "builtins" for base in own):
        return False
    return not any("__getstate__" in vars(base) or "__setstate__" in vars(base) for base in own)


def state_of(value: Any) -> dict[str, Any]:
    """Attributes of an instance, slots included."""
    state = dict(getattr(value, "__dict__", {}))
    for name in copyreg._slotnames(type(value)):  # type: ignore[attr-defined]
        if hasattr(value, name):
            state[name] = getattr(value, name)
    return state


def fill(made: Any, state: dict[Any, Any]) -> None:
    """Give an instance these attributes; none may take the place of a method."""
    kind = type(made)
    for key, part in state.items():
        found = getattr(kind, key, None) if type(key) is str else None
        if type(key) is not str or key.startswith("__") or callable(found) or isinstance(found, property):
            raise BadData(f"an attribute {key!r}")
        object.__setattr__(made, key, part)


def assume(mine: Any, new: Any) -> None:
    """Give an instance the attributes of another one of its class."""
    state = state_of(new)
    for key in state_of(mine).keys() - state.keys():
        object.__delattr__(mine, key)
    for key, part in state.items():
        object.__setattr__(mine, key, part)


def is_exposed(name: Any) -> bool:
    """Whether the other side may read this attribute of an object that a check has passed in."""
    if type(name) is not str or (
        name.startswith("_")
        and name not in ("__name__", "__doc__", "__qualname__", "__module__", "__annotations__")
    ):
        return False
    return not name.startswith(("gi_", "cr_", "ag_", "f_", "tb_", "co_", "func_"))
