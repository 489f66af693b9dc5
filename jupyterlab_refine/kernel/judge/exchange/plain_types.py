"""The types of the standard library that travel by value, and how each is packed and made again.

To let one more type travel, add a line to both tables: :data:`PACK` by type, :data:`UNPACK` by tag.
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
import typing
import uuid
import zoneinfo
from collections.abc import Callable
from typing import Any

from ..libraries.library_data import BadData

if typing.TYPE_CHECKING:
    from .plain import Packer, Unpacker

SCALARS = (type(None), bool, int, float, str)
SCALAR_SET = frozenset(SCALARS)
_DICT_VIEWS = {type({}.keys()): "keys", type({}.values()): "values", type({}.items()): "items"}


class Unsendable(Exception):
    """A value has no form that could travel; the message is for the user."""


class Rest:
    """The items that an iterator over a plain container has not given yet."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items


def _text(part: Any) -> str:
    if type(part) is not str:
        raise BadData("no text")
    return part


def _number(part: Any) -> int:
    if type(part) is not int:
        raise BadData("no number")
    return part


def _pairs(value: Any, packer: Packer) -> list[Any]:
    return packer.items([part for pair in dict.items(value) for part in pair])


def _fill(target: Any, parts: list[Any], unpacker: Unpacker) -> Any:
    if type(parts) is not list or len(parts) % 2:
        raise BadData("no pairs")
    for index in range(0, len(parts), 2):
        key = unpacker.value(parts[index])
        dict.__setitem__(target, key, unpacker.value(parts[index + 1]))
    return target


def _unpack_list(node: list[Any], unpacker: Unpacker) -> Any:
    made = unpacker.begin([])
    made.extend(unpacker.items(node[1]))
    return made


def _unpack_set(node: list[Any], unpacker: Unpacker) -> Any:
    made = unpacker.begin(set())
    made.update(unpacker.items(node[1]))
    return made


def _unpack_dict(node: list[Any], unpacker: Unpacker) -> Any:
    return _fill(unpacker.begin({}), node[1], unpacker)


def _unpack_ordered(node: list[Any], unpacker: Unpacker) -> Any:
    made: Any = unpacker.begin(collections.OrderedDict())
    for key, value in _fill({}, node[1], unpacker).items():
        made[key] = value
    return made


def _unpack_counter(node: list[Any], unpacker: Unpacker) -> Any:
    return _fill(unpacker.begin(collections.Counter()), node[1], unpacker)


def _unpack_default(node: list[Any], unpacker: Unpacker) -> Any:
    made: Any = unpacker.begin(collections.defaultdict())
    factory = unpacker.value(node[2])
    if factory is not None and not callable(factory):
        raise BadData("no factory")
    made.default_factory = factory
    return _fill(made, node[1], unpacker)


def _unpack_deque(node: list[Any], unpacker: Unpacker) -> Any:
    most = node[2]
    made: Any = unpacker.begin(collections.deque(maxlen=None if most is None else _number(most)))
    made.extend(unpacker.items(node[1]))
    return made


def _unpack_namespace(node: list[Any], unpacker: Unpacker) -> Any:
    made = unpacker.begin(types.SimpleNamespace())
    vars(made).update({_text(key): value for key, value in _fill({}, node[1], unpacker).items()})
    return made


def _unpack_array(node: list[Any], unpacker: Unpacker) -> Any:
    made = unpacker.begin(array.array(_text(node[1])))
    made.frombytes(unpacker.buffer(node[2]))
    return made


def _unpack_bytearray(node: list[Any], unpacker: Unpacker) -> Any:
    return unpacker.begin(bytearray(unpacker.buffer(node[1])))


def _zone(value: Any, packer: Packer) -> Any:
    if value is None or type(value) in (datetime.timezone, zoneinfo.ZoneInfo):
        return packer.node(value)
    raise Unsendable(f"a time zone of type {type(value).__name__}")


def _pack_datetime(value: datetime.datetime, packer: Packer) -> Any:
    if value.tzinfo is not None and type(value.tzinfo) not in (datetime.timezone, zoneinfo.ZoneInfo):
        return packer.reference(packer, value)
    return ["dt", value.replace(tzinfo=None).isoformat(), _zone(value.tzinfo, packer), value.fold]


def _tzinfo(node: Any, unpacker: Unpacker) -> Any:
    zone = unpacker.value(node)
    if zone is not None and type(zone) not in (datetime.timezone, zoneinfo.ZoneInfo):
        raise BadData("no time zone")
    return zone


def _unpack_datetime(node: list[Any], unpacker: Unpacker) -> Any:
    made = datetime.datetime.fromisoformat(_text(node[1]))
    return made.replace(tzinfo=_tzinfo(node[2], unpacker), fold=_number(node[3]))


def _unpack_time(node: list[Any], unpacker: Unpacker) -> Any:
    made = datetime.time.fromisoformat(_text(node[1]))
    return made.replace(tzinfo=_tzinfo(node[2], unpacker), fold=_number(node[3]))


def _pack_zone(value: zoneinfo.ZoneInfo, packer: Packer) -> Any:
    return ["zi", value.key] if value.key else packer.reference(packer, value)


def _pack_pattern(value: re.Pattern[Any], packer: Packer) -> Any:
    return ["re", packer.node(value.pattern), value.flags]


def _unpack_pattern(node: list[Any], unpacker: Unpacker) -> Any:
    pattern = unpacker.value(node[1])
    if type(pattern) not in (str, bytes):
        raise BadData("no pattern")
    return re.compile(pattern, _number(node[2]))


def _pack_signature(value: inspect.Signature, packer: Packer) -> Any:
    missing = inspect.Parameter.empty
    parameters = [
        [p.name, int(p.kind), p.default is not missing, _or_text(p.default, packer), hint]
        for p in value.parameters.values()
        for hint in [_hint(p.annotation, packer)]
    ]
    return ["sig", parameters, _hint(value.return_annotation, packer)]


def _hint(value: Any, packer: Packer) -> Any:
    """An annotation in a list; an empty list for none."""
    return [] if value is inspect.Parameter.empty else [packer.node(value)]


def _or_text(value: Any, packer: Packer) -> Any:
    return packer.node(value) if type(value) in SCALARS else repr(value)[:200]


def _unpack_signature(node: list[Any], unpacker: Unpacker) -> Any:
    made = []
    missing = inspect.Parameter.empty
    for name, kind, has_default, default, hint in node[1]:
        given = {"default": unpacker.value(default)} if has_default else {}
        given["annotation"] = unpacker.value(hint[0]) if hint else missing
        made.append(inspect.Parameter(_text(name), list(_KINDS)[_number(kind)], **given))
    return inspect.Signature(made, return_annotation=unpacker.value(node[2][0]) if node[2] else missing)


def _pack_generic(value: Any, packer: Packer) -> Any:
    """``typing.Optional[int]``, ``typing.Callable[[int], str]``: by a name of the module."""
    origin = typing.get_origin(value)
    name = "Union" if origin in (typing.Union, types.UnionType) else value._name
    if name not in typing.__all__ or (name != "Union" and type(getattr(typing, name)) in _TYPING):
        return packer.reference(packer, value)
    return [
        "ty",
        name,
        packer.items([None if part is type(None) else part for part in typing.get_args(value)]),
    ]


def _unpack_generic(node: list[Any], unpacker: Unpacker) -> Any:
    if node[1] not in typing.__all__:
        raise BadData("no type")
    return getattr(typing, _text(node[1]))[tuple(unpacker.items(node[2]))]


def _unpack_alias(node: list[Any], unpacker: Unpacker) -> Any:
    origin = unpacker.value(node[1])
    if not isinstance(origin, type):
        raise BadData("no class")
    return types.GenericAlias(origin, tuple(unpacker.items(node[2])))


def _unpack_random(node: list[Any], unpacker: Unpacker) -> Any:
    made = unpacker.begin(random.Random())
    made.setstate((_number(node[1]), tuple(node[2]), node[3]))
    return made


#: Kinds of generic types of the module `typing`.
_TYPING = (type(typing.Optional[int]), type(typing.List[int]))  # noqa: UP006, UP045
_KINDS: Any = type(inspect.Parameter.POSITIONAL_ONLY)


def _view(kind: str) -> Callable[[list[Any], Unpacker], Any]:
    def unpack(node: list[Any], unpacker: Unpacker) -> Any:
        if kind == "items":
            return _fill({}, node[1], unpacker).items()
        values = unpacker.items(node[1])
        return dict.fromkeys(values).keys() if kind == "keys" else dict(enumerate(values)).values()

    return unpack


def _pack_view(kind: str) -> Callable[[Any, Packer], Any]:
    tag = f"v{kind[0]}"
    return lambda v, p: [tag, _pairs(dict(v), p) if kind == "items" else p.items(list(v))]


def _as_text(tag: str, number: int) -> Callable[[Any, Packer], Any]:
    return lambda v, p: [tag, number, str(v)]


_PATHS = (pathlib.PurePosixPath, pathlib.PureWindowsPath, pathlib.PosixPath)
_ADDRESSES = (
    *(ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network),
    *(ipaddress.IPv4Interface, ipaddress.IPv6Interface),
)
PACK: dict[type, Callable[[Any, Packer], Any]] = {
    list: lambda v, p: ["l", p.items(v)],
    tuple: lambda v, p: ["t", p.items(v)],
    set: lambda v, p: ["s", p.items(list(v))],
    frozenset: lambda v, p: ["f", p.items(list(v))],
    dict: lambda v, p: ["d", _pairs(v, p)],
    collections.OrderedDict: lambda v, p: ["od", p.items([part for pair in v.items() for part in pair])],
    collections.Counter: lambda v, p: ["cn", _pairs(v, p)],
    collections.defaultdict: lambda v, p: ["dd", _pairs(v, p), p.node(v.default_factory)],
    collections.deque: lambda v, p: ["dq", p.items(list(v)), v.maxlen],
    types.SimpleNamespace: lambda v, p: ["ns", _pairs(vars(v), p)],
    array.array: lambda v, p: ["ar", v.typecode, p.buffer(v.tobytes())],
    bytearray: lambda v, p: ["ba", p.buffer(bytes(v))],
    bytes: lambda v, p: ["b", p.buffer(v)],
    random.Random: lambda v, p: ["rn", (state := v.getstate())[0], list(state[1]), state[2]],
    types.GenericAlias: lambda v, p: ["ga", p.node(v.__origin__), p.items(list(v.__args__))],
    types.UnionType: _pack_generic,
    **dict.fromkeys(_TYPING, _pack_generic),
    memoryview: lambda v, p: ["mv", p.buffer(v.tobytes())],
    complex: lambda v, p: ["c", v.real, v.imag],
    range: lambda v, p: ["rg", p.node(v.start), p.node(v.stop), p.node(v.step)],
    slice: lambda v, p: ["sl", p.node(v.start), p.node(v.stop), p.node(v.step)],
    type(...): lambda v, p: ["..."],
    type(NotImplemented): lambda v, p: ["ni"],
    datetime.date: lambda v, p: ["da", v.isoformat()],
    datetime.datetime: _pack_datetime,
    datetime.time: lambda v, p: ["ti", v.replace(tzinfo=None).isoformat(), _zone(v.tzinfo, p), v.fold],
    datetime.timedelta: lambda v, p: ["td", v.days, v.seconds, v.microseconds],
    datetime.timezone: lambda v, p: ["tz", p.node(v.utcoffset(None)), v.tzname(None)],
    zoneinfo.ZoneInfo: _pack_zone,
    decimal.Decimal: lambda v, p: ["de", str(v)],
    fractions.Fraction: lambda v, p: ["fr", p.node(v.numerator), p.node(v.denominator)],
    uuid.UUID: lambda v, p: ["uu", v.hex],
    re.Pattern: _pack_pattern,
    dataclasses.Field: lambda v, p: ["df", v.name],
    Rest: lambda v, p: ["it", p.items(v.items)],
    inspect.Signature: _pack_signature,
    **{kind: _as_text("pa", tag) for tag, kind in enumerate(_PATHS)},
    **{kind: _as_text("ip", tag) for tag, kind in enumerate(_ADDRESSES)},
    **{kind: _pack_view(name) for kind, name in _DICT_VIEWS.items()},
}
MUTABLE: frozenset[type] = frozenset(
    (
        *(list, set, dict, collections.OrderedDict, collections.Counter, collections.defaultdict),
        *(collections.deque, types.SimpleNamespace, array.array, bytearray, random.Random),
    )
)


def _field(name: str) -> Any:
    """For ``dataclasses.fields`` and ``asdict`` of a candidate's class."""
    made: Any = dataclasses.field()
    made.name, made._field_type = name, dataclasses._FIELD  # type: ignore[attr-defined]
    return made


def _unpack_timezone(node: list[Any], unpacker: Unpacker) -> Any:
    offset = unpacker.value(node[1])
    if type(offset) is not datetime.timedelta:
        raise BadData("no offset")
    made = datetime.timezone(offset)
    return made if made.tzname(None) == node[2] else datetime.timezone(offset, _text(node[2]))


UNPACK: dict[str, Callable[[list[Any], Unpacker], Any]] = {
    "i": lambda n, u: int(_text(n[1]), 16),
    "l": _unpack_list,
    "t": lambda n, u: tuple(u.items(n[1])),
    "s": _unpack_set,
    "f": lambda n, u: frozenset(u.items(n[1])),
    "d": _unpack_dict,
    "od": _unpack_ordered,
    "cn": _unpack_counter,
    "dd": _unpack_default,
    "dq": _unpack_deque,
    "ns": _unpack_namespace,
    "ar": _unpack_array,
    "ba": _unpack_bytearray,
    "rn": _unpack_random,
    "ga": _unpack_alias,
    "ty": _unpack_generic,
    "b": lambda n, u: bytes(u.buffer(n[1])),
    "mv": lambda n, u: memoryview(bytes(u.buffer(n[1]))),
    "c": lambda n, u: complex(float(n[1]), float(n[2])),
    "rg": lambda n, u: range(*[_number(u.value(part)) for part in n[1:4]]),
    "sl": lambda n, u: slice(*[u.value(part) for part in n[1:4]]),
    "...": lambda n, u: ...,
    "ni": lambda n, u: NotImplemented,
    "da": lambda n, u: datetime.date.fromisoformat(_text(n[1])),
    "dt": _unpack_datetime,
    "ti": _unpack_time,
    "td": lambda n, u: datetime.timedelta(_number(n[1]), _number(n[2]), _number(n[3])),
    "tz": _unpack_timezone,
    "zi": lambda n, u: zoneinfo.ZoneInfo(_text(n[1])),
    "de": lambda n, u: decimal.Decimal(_text(n[1])),
    "fr": lambda n, u: fractions.Fraction(_number(u.value(n[1])), _number(u.value(n[2]))),
    "uu": lambda n, u: uuid.UUID(_text(n[1])),
    "re": _unpack_pattern,
    "df": lambda n, u: _field(_text(n[1])),
    "it": lambda n, u: iter(u.items(n[1])),
    "sig": _unpack_signature,
    "pa": lambda n, u: _PATHS[_number(n[1])](_text(n[2])),
    "ip": lambda n, u: _ADDRESSES[_number(n[1])](_text(n[2])),
    "vk": _view("keys"),
    "vv": _view("values"),
    "vi": _view("items"),
}
MUTABLE_TAGS = frozenset(("l", "s", "d", "od", "cn", "dd", "dq", "ns", "ar", "ba", "rn"))
