"""Data of libraries as plain nodes: what pack() makes in one process, unpack() makes again in another.

A node is a list ``[tag, ...]`` of JSON-able parts; tags start with ``lib:``. Large contents are binary
buffers beside it. Open this module to let one more type of numpy, pandas, polars, pyarrow, scipy.sparse,
torch, networkx, sympy or scikit-learn travel::

    node = pack(numpy.arange(3), packer)        # ["lib:ndarray", "<i8", [3], "C", True, 0]
    unpack(node, unpacker)                      # array([0, 1, 2])

Nodes that arrive are not trusted. Each part is checked before it reaches a library. No pickle is read, no
text is evaluated, and classes come from modules of the library that a pattern here allows.
"""

from __future__ import annotations

import array
import datetime
import decimal
import fractions
import importlib
import io
import itertools
import json
import marshal
import math
import re
import sys
import typing
import uuid
import zoneinfo
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Node = list[Any]


class BadData(Exception):
    """The received node is not one that pack() makes."""


class _Unknown(Exception):
    """A part of the value has no node."""


def pack(value: Any, packer: Any) -> Node | None:
    """Node of `value`; None when its exact type, or a part of it, is not known here.

    :param packer: ``node(value)`` returns a JSON-able node of any value, ``buffer(bytes_like)`` the index of
        a binary buffer. Both receive temporary objects: keep a reference to what is remembered by id().
        unpack() asks for inner values in the order in which they were given here. Neither function is
        called when the result is None.
    """
    try:
        if _root(type(value)) == "pandas":
            # A column may have no node: find out before inner values are numbered.
            _pack(value, _Trial())
        return _pack(value, packer)
    except (_Unknown, RecursionError):
        return None


def unpack(node: Any, unpacker: Any) -> Any:
    """The value of a node that pack() made; BadData for any other node.

    :param unpacker: ``value(node)`` returns the inner value, ``buffer(index)`` the bytes of a buffer.
    """
    try:
        _need(type(node) is list and node and type(node[0]) is str)
        return _MAKERS[node[0]](unpacker, *node[1:])
    except BadData:
        raise
    except Exception as error:
        raise BadData(f"{type(error).__name__}: {error}") from error
    except BaseException as error:
        # A panic of polars (Rust) is not an Exception.
        if type(error).__name__ == "PanicException":
            raise BadData(str(error)) from error
        raise


def is_mutable(value: Any) -> bool:
    """Whether a call can change `value` in place. False for types that pack() does not know."""
    root, kind = _root(type(value)), type(value).__name__
    if root == "sklearn":
        return hasattr(type(value), "get_params")
    return bool(root) and re.fullmatch(_MUTABLE.get(root, ""), kind) is not None


def overwrite(mine: Any, new: Any) -> bool:
    """Makes `mine` equal to `new`, of the same type, in place. False when that is impossible."""
    if type(mine) is not type(new) or not is_mutable(mine):
        return False
    try:
        return _OVERWRITERS[_root(type(mine))](mine, new)
    except Exception:
        return False


def size(value: Any) -> int | None:
    """Bytes of an array, a frame, a tensor or a sparse matrix, without what its elements refer to."""
    root = _root(type(value))
    if root == "pandas" and hasattr(value, "memory_usage"):
        used = value.memory_usage(deep=False)
        return int(used.sum()) if hasattr(used, "sum") else int(used)
    if root == "polars":
        return int(value.estimated_size()) if hasattr(value, "estimated_size") else None
    if root == "scipy":
        return sum(part.nbytes for part in vars(value).values() if hasattr(part, "nbytes"))
    if root == "torch":
        return value.numel() * value.element_size() if hasattr(value, "element_size") else None
    found = getattr(value, "nbytes", None) if root in ("numpy", "pandas", "pyarrow") else None
    return found if type(found) is int else None


def fingerprint(value: Any, add: Callable[[Any], Any]) -> bool:
    """Feeds all content of `value` to add(bytes_like). False when a part is not known here."""
    feeder = _Feeder(add)
    try:
        node = _pack(value, feeder)
    except (_Unknown, RecursionError):
        return False
    add(json.dumps(node).encode())
    return True


class _Trial:
    """A packer that takes nothing: shows whether a value has a node."""

    def node(self, value: Any) -> None:
        pass

    def buffer(self, data: Any) -> int:
        return 0


class _Feeder:
    """A packer that feeds contents to a function. It raises _Unknown for what is not plain data."""

    MARSHALLED = (type(None), bool, int, float, complex, str, bytes)
    REPEATABLE = (datetime.datetime, datetime.date, datetime.time, datetime.timedelta, decimal.Decimal,
                  fractions.Fraction, uuid.UUID, range, slice)  # fmt: skip

    def __init__(self, add: Callable[[Any], Any]) -> None:
        self.add = add

    def buffer(self, data: Any) -> int:
        self.add(data)
        return 0

    def node(self, value: Any) -> None:
        kind = type(value)
        if kind in self.MARSHALLED:
            # Version 0 does not depend on reference counts or interned strings.
            self.add(marshal.dumps(value, 0))
        elif kind in self.REPEATABLE:
            self.add(repr(value).encode())
        elif kind in (list, tuple, set, frozenset, dict):
            self.add(f"{kind.__name__} {len(value)}:".encode())
            for part in value.items() if kind is dict else value:
                self.node(part)
        else:
            self.add(json.dumps(_pack(value, self)).encode())


def _is_plain(value: Any) -> bool:
    """Whether `value` is data throughout: no function, no object of another kind."""
    try:
        _Feeder(len).node(value)
        return True
    except (_Unknown, RecursionError):
        return False


# -- Dispatch ---------------------------------------------------------------------------------------------


def _root(kind: type) -> str:
    """Top module of a class that is really found in a library known here, else an empty text."""
    name = kind.__module__
    if type(name) is not str or name.partition(".")[0] not in _PACKERS:
        return ""
    return name.partition(".")[0] if vars(sys.modules.get(name, sys)).get(kind.__name__) is kind else ""


def _pack(value: Any, packer: Any) -> Node:
    kind = type(value)
    if kind is type and _root(value) == "numpy" and issubclass(value, sys.modules["numpy"].generic):
        return ["lib:np.type", value.__name__]
    root = _root(kind) or _undefined_function(value)
    if not root:
        raise _Unknown
    return _PACKERS[root](value, packer)


_MAKERS: dict[str, Callable[..., Any]] = {}


def _makes(*tags: str) -> Callable[[Any], Any]:
    """Registers a function ``(unpacker, *parts) -> value`` for tags."""

    def register(function: Any) -> Any:
        _MAKERS.update(dict.fromkeys(tags, function))
        return function

    return register


def _need(condition: Any) -> None:
    if not condition:
        raise BadData("malformed node")


def _inner(unpacker: Any, node: Any, *tags: str) -> Any:
    """Value of a node that must have one of the tags."""
    _need(type(node) is list and node and node[0] in tags)
    return unpack(node, unpacker)


def _plain(unpacker: Any, node: Any) -> Any:
    """An inner value that is no stub of an object elsewhere."""
    value = unpacker.value(node)
    _need(_is_plain(value))
    return value


def _ints(node: Any) -> list[int]:
    _need(type(node) is list and all(type(part) is int and part >= 0 for part in node))
    return node


def _text(node: Any) -> str:
    _need(type(node) is str)
    return node


def _bool(node: Any) -> bool:
    _need(type(node) is bool)
    return node


def _buffer(unpacker: Any, index: Any) -> Any:
    _need(type(index) is int)
    return unpacker.buffer(index)


def _library(name: str) -> Any:
    return importlib.import_module(name)


def _class(pattern: str, module: Any, name: Any, base: type) -> Any:
    """Subclass of `base` defined in a module of a library whose name matches `pattern`."""
    _need(re.fullmatch(pattern, _text(module)) and _text(name).isidentifier())
    found = vars(_library(module)).get(name)
    _need(isinstance(found, type) and issubclass(found, base) and found.__module__ == module)
    return found


def _pack_texts(texts: Iterable[str | None], packer: Any) -> list[int]:
    """Two buffers: the joined text in UTF-8, and the lengths in characters (-1 for None)."""
    if isinstance(packer, _Trial):
        return []
    texts = list(texts)
    lengths = array.array("q", [-1 if text is None else len(text) for text in texts])
    joined = "".join([text for text in texts if text is not None])
    return [packer.buffer(joined.encode("utf-8", "surrogatepass")), packer.buffer(lengths)]


def _texts(unpacker: Any, node: Any) -> list[str | None]:
    text_at, lengths_at = _ints(node)
    joined = bytes(_buffer(unpacker, text_at)).decode("utf-8", "surrogatepass")
    lengths = array.array("q", bytes(_buffer(unpacker, lengths_at)))
    _need(min(lengths, default=0) >= -1 and sum(lengths) + lengths.count(-1) == len(joined))
    texts: list[str | None] = []
    start = 0
    for length in lengths:
        texts.append(None if length < 0 else joined[start : start + length])
        start += max(length, 0)
    return texts


# -- numpy ------------------------------------------------------------------------------------------------

_DTYPE = re.compile(
    r"[<>|](b1|[iu][1248]|f(2|4|8|12|16)|c(8|16|24|32)|[SUV][1-9]\d{0,9}"
    r"|[mM]8(\[[1-9]?\d{0,8}(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\])?)"
)


def _pack_numpy(value: Any, packer: Any) -> Node:
    np, kind = sys.modules["numpy"], type(value)
    if kind is np.ndarray:
        return _pack_array(value, packer)
    if kind is np.ma.MaskedArray:
        data = _pack_array(np.asarray(value.data), packer)
        mask = None if value.mask is np.ma.nomask else _pack_array(np.asarray(value.mask), packer)
        return ["lib:np.ma", data, mask, packer.node(value.fill_value), bool(value.hardmask)]
    if kind.__name__ == "Generator":
        bits = value.bit_generator
        return ["lib:np.random", type(bits).__name__, packer.node(bits.state)]
    if kind.__name__ == "RandomState":
        return ["lib:np.random", "", packer.node(value.get_state(legacy=False))]
    if value is np.ma.masked:
        return ["lib:np.masked"]
    if isinstance(value, np.dtype):
        return ["lib:np.dtype", _pack_dtype(value)]
    if isinstance(value, np.generic) and value.dtype.type is kind and not value.dtype.hasobject:
        if value.dtype.kind in "US":
            # Their arrays and str() drop null characters at the end.
            plain = str.__str__(value) if value.dtype.kind == "U" else b"".join((value, b""))
            return ["lib:np.text", packer.node(plain)]
        return ["lib:np.scalar", _pack_dtype(value.dtype), value.tobytes().hex()]
    raise _Unknown


def _pack_dtype(dtype: Any) -> Any:
    np = sys.modules["numpy"]
    if dtype.names:
        fields = [dtype.fields[name] for name in dtype.names]
        if any(len(field) > 2 for field in fields) or dtype.type is not np.void or dtype.hasobject:
            raise _Unknown
        parts = [_pack_dtype(field[0]) for field in fields]
        offsets = [field[1] for field in fields]
        return ["fields", list(dtype.names), parts, offsets, dtype.itemsize, dtype.isalignedstruct]
    if dtype.kind == "O":
        return "O"
    if dtype.subdtype is not None or not _DTYPE.fullmatch(dtype.str):
        raise _Unknown
    return dtype.str


def _dtype(np: Any, node: Any) -> Any:
    if type(node) is str:
        _need(node == "O" or _DTYPE.fullmatch(node))
        return np.dtype(node)
    _need(type(node) is list and node)
    tag, names, formats, offsets, itemsize, aligned = node
    _need(tag == "fields" and type(names) is list and type(formats) is list and type(itemsize) is int)
    _need(len(names) == len(formats) == len(_ints(offsets)) and 0 < itemsize < 1 << 31)
    made = [_dtype(np, part) for part in formats]
    _need(not any(part.hasobject for part in made))
    parts = {"names": [_text(name) for name in names], "formats": made, "offsets": offsets}
    return np.dtype({**parts, "itemsize": itemsize}, align=_bool(aligned))


def _pack_array(value: Any, packer: Any, writeable: bool | None = None) -> Node:
    np, dtype = sys.modules["numpy"], value.dtype
    if not dtype.itemsize:
        raise _Unknown
    order = "F" if value.flags.fnc else "C"
    writeable = bool(value.flags.writeable) if writeable is None else writeable
    head = ["lib:ndarray", _pack_dtype(dtype), list(value.shape), order, writeable]
    if isinstance(packer, _Trial):
        return head
    flat = np.ascontiguousarray(value.T if order == "F" else value).reshape(-1)
    if dtype.kind == "O":
        items = flat.tolist()
        if set(map(type, items)) <= {str, type(None)}:
            return [*head, ["texts", *_pack_texts(items, packer)]]
        return [*head, ["nodes", *map(packer.node, items)]]
    return [*head, packer.buffer(flat.view("u1") if flat.size else b"")]


@_makes("lib:ndarray")
def _array(unpacker: Any, dtype_node: Any, shape: Any, order: Any, writeable: Any, data: Any) -> Any:
    np = _library("numpy")
    dtype, shape = _dtype(np, dtype_node), tuple(_ints(shape))
    _need(order in ("C", "F"))
    count = math.prod(shape)
    if dtype.kind == "O":
        _need(type(data) is list and data and data[0] in ("texts", "nodes"))
        items = _texts(unpacker, data[1:]) if data[0] == "texts" else map(unpacker.value, data[1:])
        items = list(items)
        _need(len(items) == count)
        flat = np.empty(count, dtype)
        for place, item in enumerate(items):
            flat[place] = item
        result = flat.reshape(shape, order=order)
    else:
        raw = _buffer(unpacker, data)
        _need(dtype.itemsize and len(raw) == count * dtype.itemsize)
        result = np.empty(shape, dtype, order=order)
        if count:
            content = np.frombuffer(raw, "u1")
            _need(dtype.kind != "b" or content.max() <= 1)
            _need(dtype.kind != "U" or content.view(dtype.str[0] + "u4").max() <= sys.maxunicode)
            (result.T if order == "F" else result).reshape(-1).view("u1")[:] = content
    result.flags.writeable = _bool(writeable)
    return result


@_makes("lib:np.ma")
def _masked_array(unpacker: Any, data: Any, mask: Any, fill: Any, hard: Any) -> Any:
    ma = _library("numpy").ma
    data = _inner(unpacker, data, "lib:ndarray")
    mask = ma.nomask if mask is None else _inner(unpacker, mask, "lib:ndarray")
    _need(mask is ma.nomask or mask.shape == data.shape)
    return ma.MaskedArray(data, mask=mask, fill_value=_plain(unpacker, fill), hard_mask=_bool(hard))


@_makes("lib:np.masked")
def _masked(unpacker: Any) -> Any:
    return _library("numpy").ma.masked


@_makes("lib:np.dtype")
def _dtype_value(unpacker: Any, node: Any) -> Any:
    return _dtype(_library("numpy"), node)


@_makes("lib:np.type")
def _scalar_type(unpacker: Any, name: Any) -> Any:
    np = _library("numpy")
    found = vars(np).get(_text(name))
    _need(isinstance(found, type) and issubclass(found, np.generic))
    return found


@_makes("lib:np.text")
def _text_scalar(unpacker: Any, node: Any) -> Any:
    np, value = _library("numpy"), unpacker.value(node)
    _need(type(value) in (str, bytes))
    return np.str_(value) if type(value) is str else np.bytes_(value)


@_makes("lib:np.scalar")
def _scalar(unpacker: Any, dtype: Any, content: Any) -> Any:
    np, raw = _library("numpy"), bytes.fromhex(_text(content))
    dtype = _dtype(np, dtype)
    _need(not dtype.hasobject and dtype.kind not in "US")
    _need(len(raw) == dtype.itemsize and (dtype.kind != "b" or raw in (b"\0", b"\1")))
    return np.frombuffer(bytearray(raw), dtype)[0]


@_makes("lib:np.random")
def _random(unpacker: Any, name: Any, state: Any) -> Any:
    np = _library("numpy")
    if not name:
        made = np.random.RandomState(0)
        made.set_state(_plain(unpacker, state))
        return made
    _need(name in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"))
    bits = getattr(np.random, name)(0)
    bits.state = _plain(unpacker, state)
    return np.random.Generator(bits)


def _overwrite_numpy(mine: Any, new: Any) -> bool:
    if hasattr(mine, "bit_generator"):
        mine.bit_generator.state = new.bit_generator.state
        return True
    if hasattr(mine, "set_state"):
        mine.set_state(new.get_state(legacy=False))
        return True
    if mine.shape != new.shape or mine.dtype != new.dtype:
        return False
    if not hasattr(mine, "mask"):
        mine[...] = new
        return True
    mine.data[...] = new.data
    mine.soften_mask()
    mine.mask = new.mask
    mine.fill_value = new.fill_value
    if new.hardmask:
        mine.harden_mask()
    return True


# -- pandas -----------------------------------------------------------------------------------------------

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
    raise _Unknown


def _zone(node: Any) -> Any:
    _need(type(node) is list and node)
    if node[0] == "offset":
        _, seconds, microseconds = node
        _need(type(seconds) is int and type(microseconds) is int)
        offset = datetime.timedelta(seconds=seconds, microseconds=microseconds)
        return datetime.timezone(offset) if offset else datetime.timezone.utc
    kind, key = node
    _need(kind in ("zoneinfo", "pytz") and re.fullmatch(_ZONE, _text(key)))
    return zoneinfo.ZoneInfo(key) if kind == "zoneinfo" else _library("pytz").timezone(key)


def _pack_offset(offset: Any, packer: Any = None) -> str | None:
    """Text of a frequency such as "2h"; _Unknown when the text does not say all of it."""
    if offset is None:
        return None
    try:
        again = sys.modules["pandas"].tseries.frequencies.to_offset(offset.freqstr)
        same = type(again) is type(offset) and again == offset and re.fullmatch(_FREQUENCY, offset.freqstr)
    except Exception:
        same = False
    if not same:
        raise _Unknown
    return offset.freqstr


def _offset(text: Any) -> Any:
    _need(re.fullmatch(_FREQUENCY, _text(text)))
    return _library("pandas").tseries.frequencies.to_offset(text)


def _pack_values(values: Any, packer: Any) -> Node:
    """Node of the array of a Series, an Index or a column."""
    if type(values).__name__ in _WRAPPERS:
        # pandas 3 lends its arrays read-only.
        return _pack_array(values.to_numpy(), packer, True)
    return _pack(values, packer)


def _pack_common(value: Any, packer: Any) -> list[Any]:
    """Attributes and flags of a frame or a Series."""
    attributes = dict(value.attrs)
    return [packer.node(attributes) if attributes else None, bool(value.flags.allows_duplicate_labels)]


def _pack_frame(value: Any, packer: Any) -> Node:
    dtypes = list(value.dtypes)
    extensions = [kind.construct_array_type() for kind in set(dtypes) if not _is_numpy(kind)]
    if not all(kind.__name__ in _PANDAS for kind in extensions):
        raise _Unknown
    head = ["lib:pd.DataFrame", _pack(value.columns, packer), _pack(value.index, packer)]
    return [*head, list(_pack_columns(value, dtypes, packer)), *_pack_common(value, packer)]


def _pack_columns(value: Any, dtypes: list[Any], packer: Any) -> Iterator[Node]:
    """A node for each column; a matrix for neighbours that are many, or that are stored row by row."""
    stop = 0
    for _, run in itertools.groupby(dtypes, str):
        start, stop = stop, stop + len(list(run))
        first = value.iloc[:, start].array
        if stop - start > 1 and _is_numpy(dtypes[start]) and dtypes[start].kind != "O":
            if stop - start > 64 or not first.to_numpy().flags.c_contiguous:
                yield _pack_array(value.iloc[:, start:stop].to_numpy(), packer, True)
                continue
        for place in range(start, stop):
            yield _pack_values(value.iloc[:, place].array, packer)


def _is_numpy(dtype: Any) -> bool:
    return isinstance(dtype, sys.modules["numpy"].dtype)


def _pack_series(value: Any, packer: Any) -> Node:
    parts = [_pack_values(value.array, packer), _pack(value.index, packer), packer.node(value.name)]
    return ["lib:pd.Series", *parts, *_pack_common(value, packer)]


def _pack_multi(value: Any, packer: Any) -> Node:
    levels = [_pack(level, packer) for level in value.levels]
    codes = [_pack_array(sys.modules["numpy"].asarray(part), packer) for part in value.codes]
    return ["lib:pd.multi", levels, codes, [packer.node(name) for name in value.names]]


def _pack_times(value: Any, packer: Any) -> Node:
    times = value.asi8.view(f"{'m' if type(value).__name__ == 'TimedeltaArray' else 'M'}8[{value.unit}]")
    zone = _pack_zone(getattr(value, "tz", None))
    return ["lib:pd.times", _pack_array(times, packer, True), zone]


def _pack_strings(value: Any, packer: Any) -> Node:
    nan = type(getattr(value.dtype, "na_value", None)) is float
    items = [] if isinstance(packer, _Trial) else sys.modules["numpy"].asarray(value, dtype=object).tolist()
    texts = [item if isinstance(item, str) else None for item in items]
    return ["lib:pd.strings", value.dtype.storage, nan, *_pack_texts(texts, packer)]


def _pack_items(value: Any, packer: Any) -> Node:
    """Periods, intervals and arrays that are sparse or of Arrow."""
    text = str(value.dtype)
    if not re.fullmatch(_ITEMS, text) or sys.modules["pandas"].array([], dtype=text).dtype != value.dtype:
        raise _Unknown
    items = [] if isinstance(packer, _Trial) else list(value)
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
        raise _Unknown
    return ["lib:pd.dtype", _pack_values(empty, packer)]


def _pack_categorical(value: Any, packer: Any) -> Node:
    codes, categories = _pack_array(value.codes, packer), _pack(value.categories, packer)
    return ["lib:pd.categorical", codes, categories, bool(value.ordered)]


def _pack_masked(value: Any, packer: Any) -> Node:
    return ["lib:pd.masked", _pack_array(value._data, packer, True), _pack_array(value._mask, packer, True)]


def _pack_stamp(value: Any, packer: Any) -> Node:
    zone = _pack_zone(getattr(value, "tzinfo", None))
    return [f"lib:pd.{type(value).__name__}", _pack_numpy(value.asm8, packer), zone]


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
    **dict.fromkeys(_WRAPPERS, lambda v, p: ["lib:pd.numpy", _pack_array(v.to_numpy(), p)]),
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
        raise _Unknown
    return found(value, packer)


@_makes("lib:pd.DataFrame")
def _frame(unpacker: Any, columns: Any, index: Any, body: Any, attributes: Any, duplicates: Any) -> Any:
    pd = _library("pandas")
    columns, index = _inner(unpacker, columns, *_INDEXES), _inner(unpacker, index, *_INDEXES)
    _need(type(body) is list)
    parts = [_values(unpacker, node) for node in body]
    _need(all(part.ndim in (1, 2) and len(part) == len(index) for part in parts))
    if len(parts) == 1 and parts[0].ndim == 2:
        frame = pd.DataFrame(parts[0], copy=False)
    else:
        values = [column for part in parts for column in (part.T if part.ndim == 2 else [part])]
        # A Series keeps object columns from becoming strings.
        series = [pd.Series(column, dtype=column.dtype, copy=False) for column in values]
        frame = pd.DataFrame(dict(enumerate(series)), index=None if series else index)
    _need(frame.shape == (len(index), len(columns)))
    frame.index, frame.columns = index, columns
    return _with_common(unpacker, frame, attributes, duplicates)


@_makes("lib:pd.Series")
def _series(unpacker: Any, values: Any, index: Any, name: Any, attributes: Any, duplicates: Any) -> Any:
    values, index = _values(unpacker, values), _inner(unpacker, index, *_INDEXES)
    _need(values.ndim == 1)
    name = unpacker.value(name)
    series = _library("pandas").Series(values, index=index, name=name, dtype=values.dtype, copy=False)
    return _with_common(unpacker, series, attributes, duplicates)


def _with_common(unpacker: Any, value: Any, attributes: Any, duplicates: Any) -> Any:
    if attributes is not None:
        value.attrs = unpacker.value(attributes)
        _need(type(value.attrs) is dict)
    if not _bool(duplicates):
        value.flags.allows_duplicate_labels = False
    return value


def _values(unpacker: Any, node: Any) -> Any:
    return _inner(unpacker, node, *_VALUES)


@_makes("lib:pd.range")
def _range_index(unpacker: Any, start: Any, stop: Any, step: Any, name: Any) -> Any:
    _need(type(start) is type(stop) is type(step) is int)
    return _library("pandas").RangeIndex(start, stop, step, name=unpacker.value(name))


@_makes("lib:pd.multi")
def _multi_index(unpacker: Any, levels: Any, codes: Any, names: Any) -> Any:
    _need(type(levels) is type(codes) is type(names) is list)
    levels = [_inner(unpacker, level, *_INDEXES) for level in levels]
    codes = [_inner(unpacker, part, "lib:ndarray") for part in codes]
    names = [unpacker.value(name) for name in names]
    return _library("pandas").MultiIndex(levels=levels, codes=codes, names=names, verify_integrity=True)


@_makes("lib:pd.index")
def _index(unpacker: Any, kind: Any, values: Any, name: Any, freq: Any) -> Any:
    values = _values(unpacker, values)
    index = _library("pandas").Index(values, dtype=values.dtype, name=unpacker.value(name), copy=False)
    _need(type(index).__name__ == kind)
    if kind in ("DatetimeIndex", "TimedeltaIndex"):
        index.freq = None if freq is None else _offset(freq)
    return index


@_makes("lib:pd.times")
def _times(unpacker: Any, values: Any, zone: Any) -> Any:
    pd, values = _library("pandas"), _inner(unpacker, values, "lib:ndarray")
    _need(values.dtype.kind in "mM" and (zone is None or values.dtype.kind == "M"))
    index = (pd.DatetimeIndex if values.dtype.kind == "M" else pd.TimedeltaIndex)(values, copy=False)
    if zone is not None:
        index = index.tz_localize("UTC").tz_convert(_zone(zone))
    return index.array


@_makes("lib:pd.items")
def _items(unpacker: Any, text: Any, *items: Any) -> Any:
    _need(re.fullmatch(_ITEMS, _text(text)))
    return _library("pandas").array([_plain(unpacker, item) for item in items], dtype=text)


@_makes("lib:pd.categorical")
def _categorical(unpacker: Any, codes: Any, categories: Any, ordered: Any) -> Any:
    pd, codes = _library("pandas"), _inner(unpacker, codes, "lib:ndarray")
    dtype = pd.CategoricalDtype(_inner(unpacker, categories, *_INDEXES), ordered=_bool(ordered))
    _need(codes.ndim == 1 and codes.dtype.kind == "i")
    return pd.Categorical.from_codes(codes, dtype=dtype)


@_makes("lib:pd.masked")
def _masked_values(unpacker: Any, data: Any, mask: Any) -> Any:
    arrays = _library("pandas").arrays
    data, mask = _inner(unpacker, data, "lib:ndarray"), _inner(unpacker, mask, "lib:ndarray")
    kinds = {"b": "BooleanArray", "i": "IntegerArray", "u": "IntegerArray", "f": "FloatingArray"}
    _need(data.ndim == 1 and data.shape == mask.shape and data.dtype.isnative)
    return getattr(arrays, kinds[data.dtype.kind])(data, mask)


@_makes("lib:pd.strings")
def _strings(unpacker: Any, storage: Any, nan: Any, *texts: Any) -> Any:
    pd = _library("pandas")
    _need(storage in ("python", "pyarrow", "pyarrow_numpy"))
    try:
        dtype = pd.StringDtype(storage, **({"na_value": math.nan} if _bool(nan) else {}))
    except TypeError:
        # pandas before 2.3: the storage says it.
        dtype = pd.StringDtype(storage)
    return pd.array(_texts(unpacker, list(texts)), dtype=dtype)


@_makes("lib:pd.numpy")
def _numpy_values(unpacker: Any, node: Any) -> Any:
    arrays = _library("pandas").arrays
    kind = getattr(arrays, "NumpyExtensionArray", None) or arrays.PandasArray
    return kind(_inner(unpacker, node, "lib:ndarray"))


@_makes("lib:pd.Timestamp")
def _timestamp(unpacker: Any, node: Any, zone: Any) -> Any:
    value = _inner(unpacker, node, "lib:np.scalar")
    _need(value.dtype.kind == "M")
    stamp = _library("pandas").Timestamp(value)
    return stamp if zone is None else stamp.tz_localize("UTC").tz_convert(_zone(zone))


@_makes("lib:pd.Timedelta")
def _timedelta(unpacker: Any, node: Any, zone: Any) -> Any:
    value = _inner(unpacker, node, "lib:np.scalar")
    _need(value.dtype.kind == "m" and zone is None)
    return _library("pandas").Timedelta(value)


@_makes("lib:pd.Period")
def _period(unpacker: Any, ordinal: Any, freq: Any) -> Any:
    _need(type(ordinal) is int and re.fullmatch(_FREQUENCY, _text(freq)))
    return _library("pandas").Period(ordinal=ordinal, freq=freq)


@_makes("lib:pd.Interval")
def _interval(unpacker: Any, left: Any, right: Any, closed: Any) -> Any:
    left, right = _plain(unpacker, left), _plain(unpacker, right)
    return _library("pandas").Interval(left, right, closed=_text(closed))


_MAKERS["lib:pd.NaT"] = lambda unpacker: _library("pandas").NaT
_MAKERS["lib:pd.NA"] = lambda unpacker: _library("pandas").NA
_MAKERS["lib:pd.offset"] = lambda unpacker, text: _offset(text)
_MAKERS["lib:pd.dtype"] = lambda unpacker, node: _values(unpacker, node).dtype


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


# -- polars and pyarrow: Arrow IPC ------------------------------------------------------------------------


def _pack_polars(value: Any, packer: Any) -> Node:
    pl = sys.modules["polars"]
    kind = next((k for k in ("DataFrame", "Series", "DataType") if isinstance(value, getattr(pl, k))), "")
    try:
        series = pl.Series("", [], dtype=value) if kind == "DataType" else value
        frame = series if kind == "DataFrame" else series.to_frame()
        if kind and not any("Object" in str(dtype) for dtype in frame.dtypes):
            return ["lib:pl", kind, frame.height, packer.buffer(frame.write_ipc(None).getbuffer())]
    except Exception:
        raise _Unknown from None
    raise _Unknown


@_makes("lib:pl")
def _polars(unpacker: Any, kind: Any, height: Any, index: Any) -> Any:
    frame = _library("polars").read_ipc(io.BytesIO(_buffer(unpacker, index)))
    _need(frame.height == height and (kind == "DataFrame" or frame.width == 1))
    made = {"DataFrame": lambda: frame, "Series": frame.to_series, "DataType": lambda: frame.dtypes[0]}
    return made[kind]()


def _overwrite_polars(mine: Any, new: Any) -> bool:
    type(mine).__init__(mine, new)
    return True


def _pack_arrow(value: Any, packer: Any) -> Node:
    pa = sys.modules["pyarrow"]
    kind = next(
        (kind for kind in ("Table", "ChunkedArray", "Array") if isinstance(value, getattr(pa, kind))), ""
    )
    if not kind:
        raise _Unknown
    if isinstance(packer, _Trial):
        return []
    try:
        table, target = value if kind == "Table" else pa.table({"": value}), pa.BufferOutputStream()
        with pa.ipc.new_stream(target, table.schema) as stream:
            stream.write_table(table)
    except Exception:
        raise _Unknown from None
    return ["lib:pa", kind, packer.buffer(target.getvalue())]


@_makes("lib:pa")
def _arrow(unpacker: Any, kind: Any, index: Any) -> Any:
    pa, raw = _library("pyarrow"), _buffer(unpacker, index)
    # Old releases read a pickle for these types.
    _need(b"arrow.py_extension_type" not in raw)
    table = pa.ipc.open_stream(raw).read_all()
    table.validate(full=True)
    if kind == "Table":
        return table
    _need(kind in ("ChunkedArray", "Array") and table.num_columns == 1)
    column = table.column(0)
    if kind == "ChunkedArray":
        return column
    whole = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    _need(isinstance(whole, pa.Array))
    return whole


# -- scipy.sparse and torch -------------------------------------------------------------------------------

_SPARSE = re.compile(r"(csr|csc|coo)_(matrix|array)")
_TORCH_DTYPES = frozenset(
    "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()
)


def _pack_scipy(value: Any, packer: Any) -> Node:
    kind = type(value).__name__
    match = _SPARSE.fullmatch(kind)
    if match is None or "scipy.sparse" not in sys.modules:
        raise _Unknown
    coordinates = (
        value.coords if hasattr(value, "coords") else [getattr(value, name, None) for name in ("row", "col")]
    )
    parts = [value.data, *(coordinates if match[1] == "coo" else (value.indices, value.indptr))]
    return ["lib:sparse", kind, list(map(int, value.shape)), [_pack_array(part, packer) for part in parts]]


@_makes("lib:sparse")
def _sparse(unpacker: Any, kind: Any, shape: Any, parts: Any) -> Any:
    sparse, match = _library("scipy.sparse"), _SPARSE.fullmatch(_text(kind))
    if match is None or type(parts) is not list:
        raise BadData("malformed node")
    shape, parts = tuple(_ints(shape)), [_inner(unpacker, part, "lib:ndarray") for part in parts]
    _need(all(part.dtype.kind in "biufc" for part in parts[:1]))
    _need(all(part.dtype.kind == "i" and part.dtype.isnative for part in parts[1:]))
    cls = getattr(sparse, kind)
    # An index outside of the shape would reach memory of something else.
    data, *others = parts
    if match[1] == "coo":
        return cls((data, tuple(others)), shape=shape)
    # scipy does not check the starts of a matrix without elements.
    _need((others[1][1:] >= others[1][:-1]).all())
    result = cls(tuple(parts), shape=shape)
    result.check_format(full_check=True)
    return result


def _overwrite_variables(mine: Any, new: Any) -> bool:
    variables = dict(vars(new))
    vars(mine).clear()
    vars(mine).update(variables)
    return True


def _pack_torch(value: Any, packer: Any) -> Node:
    torch, kind = sys.modules["torch"], type(value)
    if kind is torch.Size:
        return ["lib:torch.Size", list(value)]
    if kind is torch.dtype and str(value).removeprefix("torch.") in _TORCH_DTYPES:
        return ["lib:torch.dtype", str(value).removeprefix("torch.")]
    if kind not in (torch.Tensor, torch.nn.Parameter):
        raise _Unknown
    dtype = str(value.dtype).removeprefix("torch.")
    if value.layout is not torch.strided or value.device.type != "cpu" or dtype not in _TORCH_DTYPES:
        raise _Unknown
    flat = value.detach().resolve_conj().resolve_neg().contiguous().reshape(-1)
    data = packer.buffer(flat.view(torch.uint8).numpy() if flat.numel() else b"")
    return ["lib:torch", kind.__name__, dtype, list(value.shape), bool(value.requires_grad), data]


@_makes("lib:torch")
def _tensor(unpacker: Any, kind: Any, dtype: Any, shape: Any, gradient: Any, index: Any) -> Any:
    torch, raw = _library("torch"), _buffer(unpacker, index)
    _need(_text(dtype) in _TORCH_DTYPES and kind in ("Tensor", "Parameter"))
    _need(dtype != "bool" or not raw.strip(b"\0\1"))
    shape, dtype = tuple(_ints(shape)), getattr(torch, dtype)
    tensor = torch.empty(0, dtype=dtype)
    _need(len(raw) == math.prod(shape) * tensor.element_size())
    tensor = (torch.frombuffer(bytearray(raw), dtype=dtype) if raw else tensor).reshape(shape)
    if kind == "Parameter":
        return torch.nn.Parameter(tensor, requires_grad=_bool(gradient))
    return tensor.requires_grad_(_bool(gradient))


@_makes("lib:torch.dtype")
def _torch_dtype(unpacker: Any, name: Any) -> Any:
    _need(_text(name) in _TORCH_DTYPES)
    return getattr(_library("torch"), name)


_MAKERS["lib:torch.Size"] = lambda unpacker, shape: _library("torch").Size(_ints(shape))


def _overwrite_torch(mine: Any, new: Any) -> bool:
    if mine.shape != new.shape or mine.dtype != new.dtype:
        return False
    mine.data.copy_(new.data)
    mine.requires_grad_(new.requires_grad)
    return True


# -- networkx ---------------------------------------------------------------------------------------------

_GRAPHS = ("Graph", "DiGraph", "MultiGraph", "MultiDiGraph")


def _pack_networkx(value: Any, packer: Any) -> Node:
    if type(value).__name__ not in _GRAPHS:
        raise _Unknown
    nodes, node = list(value.nodes), packer.node
    place = {name: number for number, name in enumerate(nodes)}
    attributes = node(value.graph)
    packed = [[node(name), node(value.nodes[name])] for name in nodes]
    options = {"data": True, "keys": True} if value.is_multigraph() else {"data": True}
    edges = [[place[u], place[v], *map(node, rest)] for u, v, *rest in value.edges(**options)]
    tables = [value.adj, value.pred] if value.is_directed() else [value.adj]
    orders = [[[place[other] for other in table[name]] for name in nodes] for table in tables]
    return ["lib:nx", type(value).__name__, attributes, packed, edges, orders]


@_makes("lib:nx")
def _graph(unpacker: Any, kind: Any, attributes: Any, nodes: Any, edges: Any, orders: Any) -> Any:
    _need(kind in _GRAPHS)
    graph, value = getattr(_library("networkx"), kind)(), unpacker.value

    def plain(node: Any) -> dict[Any, Any]:
        found = value(node)
        _need(type(found) is dict)
        return found

    graph.graph.update(plain(attributes))
    names = []
    for name, attrs in nodes:
        names.append(value(name))
        graph.add_nodes_from([(names[-1], plain(attrs))])
    for u, v, *key, attrs in edges:
        u, v = (names[at] for at in _ints([u, v]))
        if graph.is_multigraph():
            key = [value(part) for part in key]
            _need(len(key) == 1 and not graph.has_edge(u, v, key[0]))
            graph.add_edge(u, v, key=key[0])
            graph[u][v][key[0]].update(plain(attrs))
        else:
            _need(not key and not graph.has_edge(u, v))
            graph.add_edge(u, v)
            graph[u][v].update(plain(attrs))
    _need(len(graph) == len(names))
    # The order of neighbours decides what a search visits first.
    tables = [graph._adj, graph._pred] if graph.is_directed() else [graph._adj]
    for table, order in zip(tables, orders, strict=True):
        for name, others in zip(names, order, strict=True):
            entries = dict(table[name])
            table[name].clear()
            table[name].update((names[at], entries.pop(names[at])) for at in _ints(others))
            _need(not entries)
    return graph


def _overwrite_graph(mine: Any, new: Any) -> bool:
    for name in ("graph", "_node", "_adj", *(["_pred"] if mine.is_directed() else [])):
        content = dict(getattr(new, name))
        getattr(mine, name).clear()
        getattr(mine, name).update(content)
    vars(mine).get("__networkx_cache__", {}).clear()
    return True


# -- sympy ------------------------------------------------------------------------------------------------

_SYMPY = (
    r"sympy\.(core|functions|logic|sets|matrices|series|integrals|concrete|tensor|geometry|calculus|polys"
    r"|ntheory|combinatorics|vector|physics\.units)(\.(?!tests)[a-z_0-9]+)*"
)
_SYMPY_MATRICES = ("MutableDenseMatrix", "MutableSparseMatrix")


def _undefined_function(value: Any) -> str:
    """The text "sympy" for f and f(x) where f = Function("f"): no module holds their classes."""
    sympy = sys.modules.get("sympy")
    function = getattr(getattr(sympy, "core", None), "function", None)
    if function is None:
        return ""
    return "sympy" if isinstance(value, (function.AppliedUndef, function.UndefinedFunction)) else ""


def _pack_sympy(value: Any, packer: Any) -> Node:
    sympy, kind = sys.modules["sympy"], type(value)

    def parts() -> Iterator[Node]:
        if not all(isinstance(part, sympy.Basic) for part in value.args):
            raise _Unknown
        return (_pack(part, packer) for part in value.args)

    if isinstance(value, sympy.core.function.UndefinedFunction):
        return ["lib:sy.function", str(value), _assumptions(value._kwargs)]
    if isinstance(value, sympy.core.function.AppliedUndef):
        return ["lib:sy.applied", _pack_sympy(value.func, packer), *parts()]
    if kind.__name__ in _SYMPY_MATRICES:
        cells = [_pack(cell, packer) for cell in value]
        return ["lib:sy.matrix", kind.__name__, value.rows, value.cols, *cells]
    if not isinstance(value, sympy.Basic) or not re.fullmatch(_SYMPY, kind.__module__):
        raise _Unknown
    if kind in (sympy.Symbol, sympy.Dummy):
        number = value.dummy_index if kind is sympy.Dummy else None
        return [
            "lib:sy.symbol",
            value.name,
            number,
            _assumptions(getattr(value, "_assumptions_orig", value.assumptions0)),
        ]
    if kind in (sympy.Integer, sympy.Rational):
        return ["lib:sy.number", f"{int(value.p):x}", f"{int(value.q):x}"]
    if kind is sympy.Float:
        sign, mantissa, exponent, bits = map(int, value._mpf_)
        return ["lib:sy.float", sign, f"{mantissa:x}", exponent, bits, value._prec]
    if kind is sympy.core.symbol.Str:
        return ["lib:sy.text", value.name]
    for options in ({}, {"evaluate": False}):
        try:
            again = kind(*value.args, **options)
            if type(again) is kind and again == value:
                return ["lib:sy.basic", kind.__module__, kind.__name__, not options, *parts()]
        except Exception:
            continue
    raise _Unknown


def _assumptions(found: Any) -> dict[str, bool]:
    if not all(type(name) is str and type(value) is bool for name, value in found.items()):
        raise _Unknown
    return dict(found)


def _sympies(unpacker: Any, nodes: Any) -> list[Any]:
    _need(all(type(node) is list and node and _text(node[0]).startswith("lib:sy.") for node in nodes))
    values = [unpack(node, unpacker) for node in nodes]
    _need(all(isinstance(value, _library("sympy").Basic) for value in values))
    return values


def _known(assumptions: Any) -> dict[str, bool]:
    defined = _library("sympy.core.assumptions")._assume_defined
    _need(type(assumptions) is dict and all(name in defined for name in assumptions))
    return {name: _bool(value) for name, value in assumptions.items()}


def _hex(text: Any) -> int:
    _need(re.fullmatch(r"-?[0-9a-f]+", _text(text)))
    return int(text, 16)


@_makes("lib:sy.symbol")
def _symbol(unpacker: Any, name: Any, number: Any, assumptions: Any) -> Any:
    sympy = _library("sympy")
    if number is None:
        return sympy.Symbol(_text(name), **_known(assumptions))
    _need(type(number) is int)
    return sympy.Dummy(_text(name), dummy_index=number, **_known(assumptions))


@_makes("lib:sy.number")
def _number(unpacker: Any, numerator: Any, denominator: Any) -> Any:
    return _library("sympy").Rational(_hex(numerator), _hex(denominator))


@_makes("lib:sy.float")
def _float(unpacker: Any, sign: Any, mantissa: Any, exponent: Any, bits: Any, precision: Any) -> Any:
    mantissa = _hex(mantissa)
    _need(all(type(part) is int for part in (sign, exponent, bits, precision)) and sign in (0, 1))
    _need(bits == mantissa.bit_length() and 0 < precision < 1 << 24)
    # A tuple of zero would become an Integer.
    number = (sign, mantissa, exponent, bits) if mantissa else 0
    return _library("sympy").Float(number, precision=precision)


@_makes("lib:sy.basic")
def _basic(unpacker: Any, module: Any, name: Any, evaluate: Any, *parts: Any) -> Any:
    kind = _class(_SYMPY, module, name, _library("sympy").Basic)
    value = kind(*_sympies(unpacker, parts), **({} if _bool(evaluate) else {"evaluate": False}))
    _need(type(value) is kind)
    return value


@_makes("lib:sy.matrix")
def _matrix(unpacker: Any, kind: Any, rows: Any, columns: Any, *cells: Any) -> Any:
    _need(kind in _SYMPY_MATRICES and len(cells) == math.prod(_ints([rows, columns])))
    return getattr(_library("sympy"), kind)(rows, columns, _sympies(unpacker, cells))


@_makes("lib:sy.applied")
def _applied(unpacker: Any, function: Any, *parts: Any) -> Any:
    return _inner(unpacker, function, "lib:sy.function")(*_sympies(unpacker, parts))


_MAKERS["lib:sy.function"] = lambda unpacker, name, assumptions: _library("sympy").Function(
    _text(name), **_known(assumptions)
)
_MAKERS["lib:sy.text"] = lambda unpacker, text: _library("sympy").core.symbol.Str(_text(text))


def _overwrite_sympy(mine: Any, new: Any) -> bool:
    if mine.shape != new.shape:
        return False
    mine[:, :] = new
    return True


# -- scikit-learn -----------------------------------------------------------------------------------------

_SKLEARN = r"sklearn(\.(?!tests|externals|conftest)[a-z_0-9]+)+"


def _pack_sklearn(value: Any, packer: Any) -> Node:
    kind, base = type(value), sys.modules["sklearn"].base.BaseEstimator
    if not isinstance(value, base) or not re.fullmatch(_SKLEARN, kind.__module__):
        raise _Unknown
    attributes = vars(value)
    if not all(_may_set(kind, name) for name in attributes):
        raise _Unknown
    if not isinstance(packer, _Feeder) and not all(map(_is_plain, attributes.values())):
        raise _Unknown
    nodes = [[name, packer.node(part)] for name, part in attributes.items()]
    return ["lib:sklearn", kind.__module__, kind.__name__, nodes]


@_makes("lib:sklearn")
def _estimator(unpacker: Any, module: Any, name: Any, attributes: Any) -> Any:
    kind = _class(_SKLEARN, module, name, _library("sklearn.base").BaseEstimator)
    values = {}
    for attribute, node in attributes:
        _need(_may_set(kind, _text(attribute)))
        values[attribute] = _plain(unpacker, node)
    estimator = object.__new__(kind)
    vars(estimator).update(values)
    return estimator


def _may_set(kind: Any, name: str) -> bool:
    """Whether an instance may have this attribute: it hides no method, property or other descriptor.

    Of support vector machines only parameters travel: libsvm trusts the sizes of its fitted arrays.
    """
    if kind.__module__.startswith("sklearn.svm") and not kind.__name__.startswith("Linear"):
        if name.startswith("_") or name.endswith("_"):
            return False
    found = [vars(base)[name] for base in kind.__mro__ if name in vars(base)]
    hides = any(callable(part) or hasattr(type(part), "__get__") for part in found)
    return name.isidentifier() and not name.startswith("__") and not hides


# -- pydantic -----------------------------------------------------------------------------------------------


def validation_error(kind: Any, title: Any, errors: Any) -> Any:
    """A ``ValidationError`` with these errors, as ``errors()`` lists them."""
    lines = []
    for error in errors:
        context = error.get("ctx") or {}
        if error["type"] in ("value_error", "assertion_error"):
            context = {"error": str(context.get("error", ""))}
        known = error["type"] in typing.get_args(_library("pydantic_core.core_schema").ErrorType)
        custom = _library("pydantic_core").PydanticCustomError
        shown = error["type"] if known else custom(error["type"], error["msg"].replace("{", "{{"), context)
        line = {"type": shown, "loc": tuple(error["loc"]), "input": error["input"]}
        lines.append({**line, "ctx": context} if known and context else line)
    return kind.from_exception_data(_text(title), lines)


# -- Tables -----------------------------------------------------------------------------------------------

_PACKERS: dict[str, Callable[[Any, Any], Node]] = {
    "numpy": _pack_numpy,
    "pandas": _pack_pandas,
    "polars": _pack_polars,
    "pyarrow": _pack_arrow,
    "scipy": _pack_scipy,
    "torch": _pack_torch,
    "networkx": _pack_networkx,
    "sympy": _pack_sympy,
    "sklearn": _pack_sklearn,
}
#: Patterns of the names of classes whose instances change in place.
_MUTABLE = {
    "numpy": "ndarray|MaskedArray|Generator|RandomState",
    "pandas": "DataFrame|Series|Categorical|[A-Z][A-Za-z]+Array",
    "polars": "DataFrame|Series",
    "scipy": _SPARSE.pattern,
    "torch": "Tensor|Parameter",
    "networkx": "|".join(_GRAPHS),
    "sympy": "|".join(_SYMPY_MATRICES),
}
_OVERWRITERS: dict[str, Callable[[Any, Any], bool]] = {
    "numpy": _overwrite_numpy,
    "pandas": _overwrite_pandas,
    "polars": _overwrite_polars,
    "scipy": _overwrite_variables,
    "torch": _overwrite_torch,
    "networkx": _overwrite_graph,
    "sympy": _overwrite_sympy,
    "sklearn": _overwrite_variables,
}
