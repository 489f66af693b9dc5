"""Nodes of pandas: frames, Series, indexes and their scalars."""

from __future__ import annotations

import datetime
import itertools
import math
import re
import sys
import zoneinfo
from collections.abc import Callable, Iterator
from typing import Any

from .nodes import (
    MAKERS,
    Library,
    Node,
    Trial,
    Unknown,
    bool_of,
    inner,
    library,
    makes,
    need,
    pack_part,
    pack_texts,
    plain_value,
    register,
    text_of,
    texts_of,
)
from .numpy_data import pack_array, pack_numpy

_FREQUENCY = r"[-+]?[A-Za-z0-9.\-]{1,40}"
_ZONE = r"[A-Za-z0-9_+\-]+(/[A-Za-z0-9_+\-]+)*"
_VALUES = ("lib:ndarray", "lib:pd.times", "lib:pd.categorical", "lib:pd.masked", "lib:pd.strings",
           "lib:pd.items")  # fmt: skip
#: Text of a dtype whose arrays travel item by item.
_ITEMS = r"(period|interval|Sparse|[a-z0-9]+)\[[A-Za-z0-9\[\], .:+\-]{1,60}\]"
#: Arrays that only wrap one of numpy; the second name is of pandas before 2.1.
_WRAPPERS = ("NumpyExtensionArray", "PandasArray")
_INDEXES = ("lib:pd.range", "lib:pd.multi", "lib:pd.index")


def _pack_zone(zone: Any) -> Node | None:
    kind = type(zone)
    if zone is None:
        return None
    if kind is zoneinfo.ZoneInfo and zone.key:
        return ["zoneinfo", zone.key]
    if kind is datetime.timezone:
        offset = zone.utcoffset(None)
        return ["offset", offset.days * 86400 + offset.seconds, offset.microseconds]
    if kind.__module__.partition(".")[0] == "pytz" and getattr(zone, "zone", None):
        return ["pytz", zone.zone]
    raise Unknown


def _zone(node: Any) -> Any:
    need(type(node) is list and node)
    if node[0] == "offset":
        _, seconds, microseconds = node
        need(type(seconds) is int and type(microseconds) is int)
        offset = datetime.timedelta(seconds=seconds, microseconds=microseconds)
        return datetime.timezone(offset) if offset else datetime.timezone.utc
    kind, key = node
    need(kind in ("zoneinfo", "pytz") and re.fullmatch(_ZONE, text_of(key)))
    return zoneinfo.ZoneInfo(key) if kind == "zoneinfo" else library("pytz").timezone(key)


def _pack_offset(offset: Any, packer: Any = None) -> str | None:
    """Text of a frequency such as "2h"; Unknown when the text does not say all of it."""
    if offset is None:
        return None
    try:
        again = sys.modules["pandas"].tseries.frequencies.to_offset(offset.freqstr)
        same = type(again) is type(offset) and again == offset and re.fullmatch(_FREQUENCY, offset.freqstr)
    except Exception:
        same = False
    if not same:
        raise Unknown
    return offset.freqstr


def _offset(text: Any) -> Any:
    need(re.fullmatch(_FREQUENCY, text_of(text)))
    return library("pandas").tseries.frequencies.to_offset(text)


def _pack_values(values: Any, packer: Any) -> Node:
    """Node of the array of a Series, an Index or a column."""
    if type(values).__name__ in _WRAPPERS:
        # pandas 3 lends its arrays read-only.
        return pack_array(values.to_numpy(), packer, True)
    return pack_part(values, packer)


def _pack_common(value: Any, packer: Any) -> list[Any]:
    """Attributes and flags of a frame or a Series."""
    attributes = dict(value.attrs)
    return [packer.node(attributes) if attributes else None, bool(value.flags.allows_duplicate_labels)]


def _pack_frame(value: Any, packer: Any) -> Node:
    dtypes = list(value.dtypes)
    extensions = [kind.construct_array_type() for kind in set(dtypes) if not _is_numpy(kind)]
    if not all(kind.__name__ in _PANDAS for kind in extensions):
        raise Unknown
    head = ["lib:pd.DataFrame", pack_part(value.columns, packer), pack_part(value.index, packer)]
    return [*head, list(_pack_columns(value, dtypes, packer)), *_pack_common(value, packer)]


def _pack_columns(value: Any, dtypes: list[Any], packer: Any) -> Iterator[Node]:
    """A node for each column; a matrix for neighbours that are many, or that are stored row by row."""
    stop = 0
    for _, run in itertools.groupby(dtypes, str):
        start, stop = stop, stop + len(list(run))
        first = value.iloc[:, start].array
        if stop - start > 1 and _is_numpy(dtypes[start]) and dtypes[start].kind != "O":
            if stop - start > 64 or not first.to_numpy().flags.c_contiguous:
                yield pack_array(value.iloc[:, start:stop].to_numpy(), packer, True)
                continue
        for place in range(start, stop):
            yield _pack_values(value.iloc[:, place].array, packer)


def _is_numpy(dtype: Any) -> bool:
    return isinstance(dtype, sys.modules["numpy"].dtype)


def _pack_series(value: Any, packer: Any) -> Node:
    parts = [_pack_values(value.array, packer), pack_part(value.index, packer), packer.node(value.name)]
    return ["lib:pd.Series", *parts, *_pack_common(value, packer)]


def _pack_multi(value: Any, packer: Any) -> Node:
    levels = [pack_part(level, packer) for level in value.levels]
    codes = [pack_array(sys.modules["numpy"].asarray(part), packer) for part in value.codes]
    return ["lib:pd.multi", levels, codes, [packer.node(name) for name in value.names]]


def _pack_times(value: Any, packer: Any) -> Node:
    times = value.asi8.view(f"{'m' if type(value).__name__ == 'TimedeltaArray' else 'M'}8[{value.unit}]")
    zone = _pack_zone(getattr(value, "tz", None))
    return ["lib:pd.times", pack_array(times, packer, True), zone]


def _pack_strings(value: Any, packer: Any) -> Node:
    nan = type(getattr(value.dtype, "na_value", None)) is float
    items = [] if isinstance(packer, Trial) else sys.modules["numpy"].asarray(value, dtype=object).tolist()
    texts = [item if isinstance(item, str) else None for item in items]
    return ["lib:pd.strings", value.dtype.storage, nan, *pack_texts(texts, packer)]


def _pack_items(value: Any, packer: Any) -> Node:
    """Periods, intervals and arrays that are sparse or of Arrow."""
    text = str(value.dtype)
    if not re.fullmatch(_ITEMS, text) or sys.modules["pandas"].array([], dtype=text).dtype != value.dtype:
        raise Unknown
    items = [] if isinstance(packer, Trial) else list(value)
    return ["lib:pd.items", text, *map(packer.node, items)]


def _pack_extension_dtype(value: Any, packer: Any) -> Node:
    """A dtype of pandas is the dtype of an empty array."""
    try:
        empty = sys.modules["pandas"].array([], dtype=value)
        same = empty.dtype == value and str(empty.dtype) == str(value)
    except Exception:
        # A dtype of intervals of nothing, say.
        same = False
    if not same:
        raise Unknown
    return ["lib:pd.dtype", _pack_values(empty, packer)]


def _pack_categorical(value: Any, packer: Any) -> Node:
    codes, categories = pack_array(value.codes, packer), pack_part(value.categories, packer)
    return ["lib:pd.categorical", codes, categories, bool(value.ordered)]


def _pack_masked(value: Any, packer: Any) -> Node:
    return ["lib:pd.masked", pack_array(value._data, packer, True), pack_array(value._mask, packer, True)]


def _pack_stamp(value: Any, packer: Any) -> Node:
    zone = _pack_zone(getattr(value, "tzinfo", None))
    return [f"lib:pd.{type(value).__name__}", pack_numpy(value.asm8, packer), zone]


def _pack_index(value: Any, packer: Any) -> Node:
    kind, values = type(value).__name__, _pack_values(value.array, packer)
    freq = _pack_offset(value.freq) if kind in ("DatetimeIndex", "TimedeltaIndex") else None
    return ["lib:pd.index", kind, values, packer.node(value.name), freq]


_PANDAS: dict[str, Callable[[Any, Any], Node]] = {
    "DataFrame": _pack_frame,
    "Series": _pack_series,
    "RangeIndex": lambda v, p: ["lib:pd.range", v.start, v.stop, v.step, p.node(v.name)],
    "MultiIndex": _pack_multi,
    **dict.fromkeys(
        ("Index", "DatetimeIndex", "TimedeltaIndex", "PeriodIndex", "IntervalIndex", "CategoricalIndex"),
        _pack_index,
    ),
    **dict.fromkeys(("DatetimeArray", "TimedeltaArray"), _pack_times),
    **dict.fromkeys(("PeriodArray", "IntervalArray", "SparseArray", "ArrowExtensionArray"), _pack_items),
    "Categorical": _pack_categorical,
    **dict.fromkeys(("IntegerArray", "FloatingArray", "BooleanArray"), _pack_masked),
    **dict.fromkeys(
        ("StringArray", "ArrowStringArray", "StringArrayNumpySemantics", "ArrowStringArrayNumpySemantics"),
        _pack_strings,
    ),
    **dict.fromkeys(_WRAPPERS, lambda v, p: ["lib:pd.numpy", pack_array(v.to_numpy(), p)]),
    **dict.fromkeys(("Timestamp", "Timedelta"), _pack_stamp),
    "Period": lambda v, p: ["lib:pd.Period", v.ordinal, v.freqstr],
    "Interval": lambda v, p: ["lib:pd.Interval", p.node(v.left), p.node(v.right), v.closed],
    "NaTType": lambda v, p: ["lib:pd.NaT"],
    "NAType": lambda v, p: ["lib:pd.NA"],
}


def _pack_pandas(value: Any, packer: Any) -> Node:
    pd = sys.modules["pandas"]
    if isinstance(value, pd.offsets.BaseOffset):
        return ["lib:pd.offset", _pack_offset(value)]
    if isinstance(value, pd.api.extensions.ExtensionDtype):
        return _pack_extension_dtype(value, packer)
    found = _PANDAS.get(type(value).__name__)
    if found is None:
        raise Unknown
    return found(value, packer)


@makes("lib:pd.DataFrame")
def _frame(unpacker: Any, columns: Any, index: Any, body: Any, attributes: Any, duplicates: Any) -> Any:
    pd = library("pandas")
    columns, index = inner(unpacker, columns, *_INDEXES), inner(unpacker, index, *_INDEXES)
    need(type(body) is list)
    parts = [_values(unpacker, node) for node in body]
    need(all(part.ndim in (1, 2) and len(part) == len(index) for part in parts))
    if len(parts) == 1 and parts[0].ndim == 2:
        frame = pd.DataFrame(parts[0], copy=False)
    else:
        values = [column for part in parts for column in (part.T if part.ndim == 2 else [part])]
        # A Series keeps object columns from becoming strings.
        series = [pd.Series(column, dtype=column.dtype, copy=False) for column in values]
        frame = pd.DataFrame(dict(enumerate(series)), index=None if series else index)
    need(frame.shape == (len(index), len(columns)))
    frame.index, frame.columns = index, columns
    return _with_common(unpacker, frame, attributes, duplicates)


@makes("lib:pd.Series")
def _series(unpacker: Any, values: Any, index: Any, name: Any, attributes: Any, duplicates: Any) -> Any:
    values, index = _values(unpacker, values), inner(unpacker, index, *_INDEXES)
    need(values.ndim == 1)
    name = unpacker.value(name)
    series = library("pandas").Series(values, index=index, name=name, dtype=values.dtype, copy=False)
    return _with_common(unpacker, series, attributes, duplicates)


def _with_common(unpacker: Any, value: Any, attributes: Any, duplicates: Any) -> Any:
    if attributes is not None:
        value.attrs = unpacker.value(attributes)
        need(type(value.attrs) is dict)
    if not bool_of(duplicates):
        value.flags.allows_duplicate_labels = False
    return value


def _values(unpacker: Any, node: Any) -> Any:
    return inner(unpacker, node, *_VALUES)


@makes("lib:pd.range")
def _range_index(unpacker: Any, start: Any, stop: Any, step: Any, name: Any) -> Any:
    need(type(start) is type(stop) is type(step) is int)
    return library("pandas").RangeIndex(start, stop, step, name=unpacker.value(name))


@makes("lib:pd.multi")
def _multi_index(unpacker: Any, levels: Any, codes: Any, names: Any) -> Any:
    need(type(levels) is type(codes) is type(names) is list)
    levels = [inner(unpacker, level, *_INDEXES) for level in levels]
    codes = [inner(unpacker, part, "lib:ndarray") for part in codes]
    names = [unpacker.value(name) for name in names]
    return library("pandas").MultiIndex(levels=levels, codes=codes, names=names, verify_integrity=True)


@makes("lib:pd.index")
def _index(unpacker: Any, kind: Any, values: Any, name: Any, freq: Any) -> Any:
    values = _values(unpacker, values)
    index = library("pandas").Index(values, dtype=values.dtype, name=unpacker.value(name), copy=False)
    need(type(index).__name__ == kind)
    if kind in ("DatetimeIndex", "TimedeltaIndex"):
        index.freq = None if freq is None else _offset(freq)
    return index


@makes("lib:pd.times")
def _times(unpacker: Any, values: Any, zone: Any) -> Any:
    pd, values = library("pandas"), inner(unpacker, values, "lib:ndarray")
    need(values.dtype.kind in "mM" and (zone is None or values.dtype.kind == "M"))
    index = (pd.DatetimeIndex if values.dtype.kind == "M" else pd.TimedeltaIndex)(values, copy=False)
    if zone is not None:
        index = index.tz_localize("UTC").tz_convert(_zone(zone))
    return index.array


@makes("lib:pd.items")
def _items(unpacker: Any, text: Any, *items: Any) -> Any:
    need(re.fullmatch(_ITEMS, text_of(text)))
    return library("pandas").array([plain_value(unpacker, item) for item in items], dtype=text)


@makes("lib:pd.categorical")
def _categorical(unpacker: Any, codes: Any, categories: Any, ordered: Any) -> Any:
    pd, codes = library("pandas"), inner(unpacker, codes, "lib:ndarray")
    dtype = pd.CategoricalDtype(inner(unpacker, categories, *_INDEXES), ordered=bool_of(ordered))
    need(codes.ndim == 1 and codes.dtype.kind == "i")
    return pd.Categorical.from_codes(codes, dtype=dtype)


@makes("lib:pd.masked")
def _masked_values(unpacker: Any, data: Any, mask: Any) -> Any:
    arrays = library("pandas").arrays
    data, mask = inner(unpacker, data, "lib:ndarray"), inner(unpacker, mask, "lib:ndarray")
    kinds = {"b": "BooleanArray", "i": "IntegerArray", "u": "IntegerArray", "f": "FloatingArray"}
    need(data.ndim == 1 and data.shape == mask.shape and data.dtype.isnative)
    return getattr(arrays, kinds[data.dtype.kind])(data, mask)


@makes("lib:pd.strings")
def _strings(unpacker: Any, storage: Any, nan: Any, *texts: Any) -> Any:
    pd = library("pandas")
    need(storage in ("python", "pyarrow", "pyarrow_numpy"))
    try:
        dtype = pd.StringDtype(storage, **({"na_value": math.nan} if bool_of(nan) else {}))
    except TypeError:
        # pandas before 2.3: the storage says it.
        dtype = pd.StringDtype(storage)
    return pd.array(texts_of(unpacker, list(texts)), dtype=dtype)


@makes("lib:pd.numpy")
def _numpy_values(unpacker: Any, node: Any) -> Any:
    arrays = library("pandas").arrays
    kind = getattr(arrays, "NumpyExtensionArray", None) or arrays.PandasArray
    return kind(inner(unpacker, node, "lib:ndarray"))


@makes("lib:pd.Timestamp")
def _timestamp(unpacker: Any, node: Any, zone: Any) -> Any:
    value = inner(unpacker, node, "lib:np.scalar")
    need(value.dtype.kind == "M")
    stamp = library("pandas").Timestamp(value)
    return stamp if zone is None else stamp.tz_localize("UTC").tz_convert(_zone(zone))


@makes("lib:pd.Timedelta")
def _timedelta(unpacker: Any, node: Any, zone: Any) -> Any:
    value = inner(unpacker, node, "lib:np.scalar")
    need(value.dtype.kind == "m" and zone is None)
    return library("pandas").Timedelta(value)


@makes("lib:pd.Period")
def _period(unpacker: Any, ordinal: Any, freq: Any) -> Any:
    need(type(ordinal) is int and re.fullmatch(_FREQUENCY, text_of(freq)))
    return library("pandas").Period(ordinal=ordinal, freq=freq)


@makes("lib:pd.Interval")
def _interval(unpacker: Any, left: Any, right: Any, closed: Any) -> Any:
    left, right = plain_value(unpacker, left), plain_value(unpacker, right)
    return library("pandas").Interval(left, right, closed=text_of(closed))


MAKERS["lib:pd.NaT"] = lambda unpacker: library("pandas").NaT
MAKERS["lib:pd.NA"] = lambda unpacker: library("pandas").NA
MAKERS["lib:pd.offset"] = lambda unpacker, text: _offset(text)
MAKERS["lib:pd.dtype"] = lambda unpacker, node: _values(unpacker, node).dtype


def _overwrite_pandas(mine: Any, new: Any) -> bool:
    if hasattr(mine, "attrs"):
        type(mine).__init__(mine, new)
        mine.attrs = new.attrs
        mine.flags.allows_duplicate_labels = new.flags.allows_duplicate_labels
        return True
    if len(mine) != len(new) or mine.dtype != new.dtype:
        return False
    mine[:] = new
    return True


register(
    "pandas", Library(_pack_pandas, "DataFrame|Series|Categorical|[A-Z][A-Za-z]+Array", _overwrite_pandas)
)
