"""Containers, and types that travel by value without a pickle; :mod:`library_types` has the others.

To let one more type travel, add a line to :data:`FORMS`: what its value is made of, and how it is made again.
The parts are values that travel themselves.
"""

from __future__ import annotations

import collections
import dataclasses
import types
from collections.abc import Callable
from typing import Any, NamedTuple

SCALARS = (type(None), bool, int, float, str)
SCALAR_SET = frozenset(SCALARS)


class Unsendable(Exception):
    """A value has no form that could travel; the message is for the user."""


class BadData(Exception):
    """What arrived is not what a packer makes."""


class Unknown(Exception):
    """A value of a known type has no form: it stays, and the other side gets a stub."""


class Form(NamedTuple):
    """How the values of a type travel."""

    #: Of the node, short.
    tag: str
    #: ``value -> parts``. :raises Unknown:
    take: Callable[[Any], list[Any]]
    #: ``(*parts) -> value``; what it raises means that the parts are malformed.
    make: Callable[..., Any]


class Rest:
    """The items that an iterator over a plain container has not given yet."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items


def need(condition: Any) -> None:
    if not condition:
        raise BadData("malformed")


def _field(name: str) -> Any:
    """For ``dataclasses.fields`` and ``asdict`` of a candidate's class."""
    made: Any = dataclasses.field()
    made.name, made._field_type = name, dataclasses._FIELD  # type: ignore[attr-defined]
    return made


#: By exact type. Containers that may hold themselves are in :mod:`plain`.
FORMS: dict[type, Form] = {
    type(...): Form("...", lambda v: [], lambda: ...),
    type(NotImplemented): Form("ni", lambda v: [], lambda: NotImplemented),
    memoryview: Form("mv", lambda v: [v.tobytes()], memoryview),
    type({}.keys()): Form("vk", lambda v: [tuple(v)], lambda items: dict.fromkeys(items).keys()),
    type({}.values()): Form("vv", lambda v: [tuple(v)], lambda items: dict(enumerate(items)).values()),
    type({}.items()): Form("vi", lambda v: [dict(v)], lambda content: content.items()),
    Rest: Form("it", lambda v: [v.items], iter),
    dataclasses.Field: Form("df", lambda v: [v.name], _field),
    types.GenericAlias: Form("ga", lambda v: [v.__origin__, v.__args__], types.GenericAlias),
}
#: Containers: what they hold may refer to them.
CONTAINERS: dict[type, str] = {
    list: "l",
    tuple: "t",
    set: "s",
    frozenset: "f",
    dict: "d",
    collections.OrderedDict: "od",
    collections.Counter: "cn",
    collections.defaultdict: "dd",
    collections.deque: "dq",
    types.SimpleNamespace: "ns",
    bytearray: "ba",
    bytes: "b",
}
MUTABLE: frozenset[type] = frozenset({*CONTAINERS} - {tuple, frozenset, bytes})
