"""The types of the standard library that travel by value.

To let one more type travel, add a line to :data:`FORMS`: what its value is made of, and how it is made again.
The parts are values that travel themselves. :mod:`library_types` has those of numpy, pandas and Arrow.
"""

from __future__ import annotations

import array
import collections
import dataclasses
import datetime
import decimal
import fractions
import inspect
import ipaddress
import pathlib
import random
import re
import types
import uuid
import zoneinfo
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


def _take_time(value: Any) -> list[Any]:
    zone = value.tzinfo
    if zone is not None and type(zone) not in (datetime.timezone, zoneinfo.ZoneInfo):
        raise Unknown
    return [value.replace(tzinfo=None).isoformat(), zone, value.fold]


def _time(kind: Any) -> Callable[..., Any]:
    return lambda text, zone, fold: kind.fromisoformat(text).replace(tzinfo=zone, fold=fold)


def _take_zone(value: zoneinfo.ZoneInfo) -> list[Any]:
    if not value.key:
        raise Unknown
    return [value.key]


def _timezone(offset: datetime.timedelta, name: str) -> datetime.timezone:
    made = datetime.timezone(offset)
    return made if made.tzname(None) == name else datetime.timezone(offset, name)


def _take_signature(value: inspect.Signature) -> list[Any]:
    missing = inspect.Parameter.empty
    return [
        tuple(
            (p.name, int(p.kind), *_optional(p.default, missing), *_optional(p.annotation, missing))
            for p in value.parameters.values()
        ),
        *_optional(value.return_annotation, missing),
    ]


def _optional(value: Any, missing: Any) -> list[Any]:
    """Whether there is one, and a value that travels."""
    kept = value if type(value) in SCALARS or isinstance(value, type) else repr(value)[:200]
    return [False, None] if value is missing else [True, kept]


def _signature(parameters: Any, has_hint: Any, hint: Any) -> inspect.Signature:
    missing, kinds = inspect.Parameter.empty, list[Any](_KINDS)
    made = [
        inspect.Parameter(
            name,
            kinds[kind],
            default=default if has_default else missing,
            annotation=annotation if has_annotation else missing,
        )
        for name, kind, has_default, default, has_annotation, annotation in parameters
    ]
    return inspect.Signature(made, return_annotation=hint if has_hint else missing)


_KINDS: Any = type(inspect.Parameter.POSITIONAL_ONLY)


def _random(*state: Any) -> random.Random:
    made = random.Random()
    made.setstate(state)
    return made


def _field(name: str) -> Any:
    """For ``dataclasses.fields`` and ``asdict`` of a candidate's class."""
    made: Any = dataclasses.field()
    made.name, made._field_type = name, dataclasses._FIELD  # type: ignore[attr-defined]
    return made


def _texts(tag: str, *kinds: type) -> dict[type, Form]:
    """Types that are made from their own text."""
    return {kind: Form(f"{tag}{number}", lambda v: [str(v)], kind) for number, kind in enumerate(kinds)}


#: By exact type. Containers that may hold themselves are in :mod:`plain`.
FORMS: dict[type, Form] = {
    complex: Form("c", lambda v: [v.real, v.imag], complex),
    range: Form("rg", lambda v: [v.start, v.stop, v.step], range),
    slice: Form("sl", lambda v: [v.start, v.stop, v.step], slice),
    type(...): Form("...", lambda v: [], lambda: ...),
    type(NotImplemented): Form("ni", lambda v: [], lambda: NotImplemented),
    memoryview: Form("mv", lambda v: [v.tobytes()], memoryview),
    type({}.keys()): Form("vk", lambda v: [tuple(v)], lambda items: dict.fromkeys(items).keys()),
    type({}.values()): Form("vv", lambda v: [tuple(v)], lambda items: dict(enumerate(items)).values()),
    type({}.items()): Form("vi", lambda v: [dict(v)], lambda content: content.items()),
    Rest: Form("it", lambda v: [v.items], iter),
    array.array: Form("ar", lambda v: [v.typecode, v.tobytes()], array.array),
    random.Random: Form("rn", lambda v: list(v.getstate()), _random),
    datetime.date: Form("da", lambda v: [v.isoformat()], datetime.date.fromisoformat),
    datetime.datetime: Form("dt", _take_time, _time(datetime.datetime)),
    datetime.time: Form("ti", _take_time, _time(datetime.time)),
    datetime.timedelta: Form("td", lambda v: [v.days, v.seconds, v.microseconds], datetime.timedelta),
    datetime.timezone: Form("tz", lambda v: [v.utcoffset(None), v.tzname(None)], _timezone),
    zoneinfo.ZoneInfo: Form("zi", _take_zone, zoneinfo.ZoneInfo),
    fractions.Fraction: Form("fr", lambda v: [v.numerator, v.denominator], fractions.Fraction),
    re.Pattern: Form("re", lambda v: [v.pattern, v.flags], re.compile),
    dataclasses.Field: Form("df", lambda v: [v.name], _field),
    inspect.Signature: Form("sg", _take_signature, _signature),
    types.GenericAlias: Form("ga", lambda v: [v.__origin__, v.__args__], types.GenericAlias),
    **_texts("de", decimal.Decimal),
    **_texts("uu", uuid.UUID),
    **_texts("pa", pathlib.PurePosixPath, pathlib.PureWindowsPath, pathlib.PosixPath),
    **_texts("ip", ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network),
    **_texts("in", ipaddress.IPv6Network, ipaddress.IPv4Interface, ipaddress.IPv6Interface),
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
MUTABLE: frozenset[type] = frozenset({*CONTAINERS, array.array, random.Random} - {tuple, frozenset, bytes})
