"""The types of numpy, pandas and Arrow (pyarrow, polars) that travel by value; see :mod:`plain_types`.

To let one more type travel, add a line to :data:`FORMS`, by package and name of the class. What arrives is
not trusted: no pickle is read, no text is evaluated. Nothing here imports a library before a value of it is
there, or has arrived.
"""

from __future__ import annotations

import importlib
import io
import math
import re
import sys
from collections.abc import Callable
from typing import Any

from .plain_types import Form, Unknown, need

_ROOTS = ("numpy", "pandas", "polars", "pyarrow")
#: Of a numpy type without objects in it.
_DTYPE = re.compile(r"[<>|][biufcmMSUV]\d*(\[\w+\])?")
#: Of pandas: a type or a frequency by its text, such as ``Int64``, ``period[M]`` and ``-2h``.
_TEXT = re.compile(r"[A-Za-z0-9\[\], .:+\-/_]{1,80}")
_WITH_FREQUENCY = ("DatetimeIndex", "TimedeltaIndex")
_WRAPPERS = ("NumpyExtensionArray", "PandasArray")


def _library(name: str) -> Any:
    return importlib.import_module(name)


# -- numpy


def _take_array(value: Any) -> list[Any]:
    order = "F" if value.flags.fnc else "C"
    head = [list(value.shape), order, bool(value.flags.writeable)]
    if value.dtype.kind == "O" and not value.dtype.names:
        return [*head, None, tuple(value.ravel(order).tolist())]
    if value.dtype.names or not value.dtype.itemsize or not _DTYPE.fullmatch(value.dtype.str):
        raise Unknown
    return [*head, value.dtype.str, value.tobytes(order)]


def _array(shape: Any, order: Any, writeable: Any, dtype: Any, content: Any) -> Any:
    np = _library("numpy")
    need(order in ("C", "F") and all(type(size) is int and size >= 0 for size in shape))
    if dtype is None:
        made = np.empty(math.prod(shape), dtype=object)
        need(type(content) is tuple and len(content) == made.size)
        for place, item in enumerate(content):
            made[place] = item
    else:
        need(_DTYPE.fullmatch(dtype))
        made = np.frombuffer(bytearray(content), dtype)
    made = made.reshape(shape, order=order)
    made.flags.writeable = bool(writeable)
    return made


def _take_scalar(value: Any) -> list[Any]:
    if value.dtype.hasobject or value.dtype.names or not _DTYPE.fullmatch(value.dtype.str):
        raise Unknown
    return [value.dtype.str, value.tobytes()]


def _scalar(dtype: Any, content: Any) -> Any:
    np = _library("numpy")
    need(_DTYPE.fullmatch(dtype))
    # An empty text has no bytes.
    return np.frombuffer(content, dtype)[0] if np.dtype(dtype).itemsize else np.dtype(dtype).type()


def _take_generator(value: Any) -> list[Any]:
    bits = getattr(value, "bit_generator", None)
    return ["", value.get_state(legacy=False)] if bits is None else [type(bits).__name__, bits.state]


def _generator(name: Any, state: Any) -> Any:
    random = _library("numpy").random
    if name == "":
        made = random.RandomState(0)
        made.set_state(state)
        return made
    need(name in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"))
    bits = getattr(random, name)(0)
    bits.state = state
    return random.Generator(bits)


# -- pandas


def _values(values: Any) -> Any:
    """The array of a column or an index, as numpy's where it only wraps one."""
    return _known(values.to_numpy() if type(values).__name__ in _WRAPPERS else values)


def _known(value: Any) -> Any:
    """A part that must travel. :raises Unknown:"""
    form = form_of(value)
    if form is None:
        raise Unknown
    if type(value).__module__ != "numpy":
        form.take(value)
    return value


def _take_frame(value: Any) -> list[Any]:
    kinds = set(value.dtypes)
    kind = next(iter(kinds), None)
    is_matrix = len(kinds) == 1 and isinstance(kind, sys.modules["numpy"].dtype) and kind.kind != "O"
    body: Any = (
        value.to_numpy()
        if is_matrix
        else tuple(_values(value.iloc[:, number].array) for number in range(value.shape[1]))
    )
    return [_known(value.columns), _known(value.index), body]


def _frame(columns: Any, index: Any, body: Any) -> Any:
    pd = _library("pandas")
    if type(body) is tuple:
        # A Series keeps object columns from becoming strings.
        series = [pd.Series(values, dtype=values.dtype, copy=False) for values in body]
        made = pd.DataFrame(dict(enumerate(series)), index=None if series else index)
    else:
        made = pd.DataFrame(body, copy=True)
    need(made.shape == (len(index), len(columns)))
    made.index, made.columns = index, columns
    return made


def _series(values: Any, index: Any, name: Any) -> Any:
    return _library("pandas").Series(values, index=index, name=name, dtype=values.dtype, copy=False)


def _take_index(value: Any) -> list[Any]:
    freq = value.freq if type(value).__name__ in _WITH_FREQUENCY else None
    if freq is not None and not _is_same(_offset, freq.freqstr, freq):
        raise Unknown
    return [type(value).__name__, _values(value.array), value.name, freq and freq.freqstr]


def _is_same(make: Callable[[str], Any], text: str, value: Any) -> bool:
    """Whether a text makes the value again."""
    try:
        return bool(make(text) == value)
    except Exception:
        return False


def _offset(text: Any) -> Any:
    need(_TEXT.fullmatch(text))
    return _library("pandas").tseries.frequencies.to_offset(text)


def _index(kind: Any, values: Any, name: Any, freq: Any) -> Any:
    made = _library("pandas").Index(values, dtype=values.dtype, name=name, copy=False)
    need(type(made).__name__ == kind)
    if kind in _WITH_FREQUENCY:
        made.freq = None if freq is None else _offset(freq)
    return made


def _multi(levels: Any, codes: Any, names: Any) -> Any:
    made = _library("pandas").MultiIndex(
        levels=list(levels), codes=list(codes), names=list(names), verify_integrity=True
    )
    return made


def _take_multi(value: Any) -> list[Any]:
    np = sys.modules["numpy"]
    return [tuple(map(_known, value.levels)), tuple(map(np.asarray, value.codes)), tuple(value.names)]


def _take_times(value: Any) -> list[Any]:
    letter = "m" if type(value).__name__ == "TimedeltaArray" else "M"
    return [value.asi8.view(f"{letter}8[{value.unit}]"), _zone(getattr(value, "tz", None))]


def _times(values: Any, zone: Any) -> Any:
    pd = _library("pandas")
    index = (pd.DatetimeIndex if values.dtype.kind == "M" else pd.TimedeltaIndex)(values, copy=True)
    return (index if zone is None else index.tz_localize("UTC").tz_convert(zone)).array


def _zone(zone: Any) -> Any:
    """A time zone that travels, or the name of one."""
    if zone is None or type(zone).__module__ in ("zoneinfo", "datetime"):
        return zone
    if getattr(zone, "zone", None) is None:
        raise Unknown
    return zone.zone


def _take_stamp(value: Any) -> list[Any]:
    return [value.asm8, _zone(getattr(value, "tzinfo", None))]


def _stamp(number: Any, zone: Any) -> Any:
    pd = _library("pandas")
    if number.dtype.kind == "m":
        return pd.Timedelta(number)
    stamp = pd.Timestamp(number)
    return stamp if zone is None else stamp.tz_localize("UTC").tz_convert(zone)


def _categorical(codes: Any, categories: Any, ordered: Any) -> Any:
    pd = _library("pandas")
    return pd.Categorical.from_codes(codes, dtype=pd.CategoricalDtype(categories, ordered=ordered))


def _take_dtype(dtype: Any) -> list[Any]:
    """An extension type, by its text."""
    text = str(dtype)
    if not _is_same(_dtype, text, dtype):
        raise Unknown
    return [text]


def _dtype(text: Any) -> Any:
    need(_TEXT.fullmatch(text))
    return _library("pandas").api.types.pandas_dtype(text)


def _items(text: Any, items: Any) -> Any:
    return _library("pandas").array(list(items), dtype=_dtype(text))


# -- Arrow


def _take_polars(value: Any) -> list[Any]:
    kind = type(value).__name__
    try:
        frame = value if kind == "DataFrame" else value.to_frame()
        if any("Object" in str(dtype) for dtype in frame.dtypes):
            raise Unknown
        return [kind, frame.write_ipc(None).getvalue()]
    except Exception:
        raise Unknown from None


def _polars(kind: Any, content: Any) -> Any:
    frame = _library("polars").read_ipc(io.BytesIO(content))
    need(kind == "DataFrame" or frame.width == 1)
    return frame if kind == "DataFrame" else frame.to_series()


def _take_arrow(value: Any) -> list[Any]:
    pa = sys.modules["pyarrow"]
    kind = next(kind for kind in ("Table", "ChunkedArray", "Array") if isinstance(value, getattr(pa, kind)))
    target = pa.BufferOutputStream()
    try:
        table = value if kind == "Table" else pa.table({"": value})
        with pa.ipc.new_stream(target, table.schema) as stream:
            stream.write_table(table)
    except Exception:
        raise Unknown from None
    return [kind, target.getvalue().to_pybytes()]


def _arrow(kind: Any, content: Any) -> Any:
    pa = _library("pyarrow")
    # Old releases read a pickle for these types.
    need(b"arrow.py_extension_type" not in content)
    table = pa.ipc.open_stream(content).read_all()
    table.validate(full=True)
    if kind == "Table":
        return table
    need(table.num_columns == 1)
    column = table.column(0)
    return column if kind == "ChunkedArray" else column.combine_chunks()


# -- the table


def _each(names: str, form: Form) -> dict[str, Form]:
    return dict.fromkeys(names.split(), form)


_GENERATOR, _STAMP = Form("np.random", _take_generator, _generator), Form("pd.stamp", _take_stamp, _stamp)
#: By package and name of the class.
FORMS: dict[str, Form] = {
    "numpy.ndarray": Form("np.array", _take_array, _array),
    **_each("numpy.Generator numpy.RandomState", _GENERATOR),
    "numpy.generic": Form("np.scalar", _take_scalar, _scalar),
    "numpy.dtype": Form(
        "np.dtype",
        lambda v: _take_array(sys.modules["numpy"].empty(0, v))[3:],
        lambda *parts: _array([0], "C", True, *parts).dtype,
    ),
    "pandas.DataFrame": Form("pd.frame", _take_frame, _frame),
    "pandas.Series": Form("pd.series", lambda v: [_values(v.array), _known(v.index), v.name], _series),
    "pandas.RangeIndex": Form(
        "pd.range",
        lambda v: [v.start, v.stop, v.step, v.name],
        lambda *parts: _library("pandas").RangeIndex(*parts[:3], name=parts[3]),
    ),
    "pandas.MultiIndex": Form("pd.multi", _take_multi, _multi),
    **_each(
        "pandas.Index pandas.DatetimeIndex pandas.TimedeltaIndex pandas.PeriodIndex pandas.IntervalIndex "
        "pandas.CategoricalIndex",
        Form("pd.index", _take_index, _index),
    ),
    **_each("pandas.DatetimeArray pandas.TimedeltaArray", Form("pd.times", _take_times, _times)),
    **_each(
        "pandas.PeriodArray pandas.IntervalArray pandas.SparseArray pandas.ArrowExtensionArray "
        "pandas.IntegerArray pandas.FloatingArray pandas.BooleanArray pandas.StringArray "
        "pandas.ArrowStringArray pandas.StringArrayNumpySemantics pandas.ArrowStringArrayNumpySemantics",
        Form("pd.items", lambda v: [*_take_dtype(v.dtype), tuple(v.tolist())], _items),
    ),
    "pandas.Categorical": Form(
        "pd.categorical", lambda v: [v.codes, _known(v.categories), bool(v.ordered)], _categorical
    ),
    **_each("pandas.Timestamp pandas.Timedelta", _STAMP),
    "pandas.Period": Form(
        "pd.period",
        lambda v: [v.ordinal, v.freqstr],
        lambda ordinal, freq: _library("pandas").Period(ordinal=ordinal, freq=freq),
    ),
    "pandas.Interval": Form(
        "pd.interval",
        lambda v: [v.left, v.right, v.closed],
        lambda left, right, closed: _library("pandas").Interval(left, right, closed=closed),
    ),
    "pandas.NaTType": Form("pd.NaT", lambda v: [], lambda: _library("pandas").NaT),
    "pandas.NAType": Form("pd.NA", lambda v: [], lambda: _library("pandas").NA),
    "pandas.CategoricalDtype": Form(
        "pd.categories",
        lambda v: [None if v.categories is None else _known(v.categories), v.ordered],
        lambda *parts: _library("pandas").CategoricalDtype(*parts),
    ),
    "pandas.ExtensionDtype": Form("pd.dtype", _take_dtype, _dtype),
    **_each("polars.DataFrame polars.Series", Form("pl", _take_polars, _polars)),
    **_each("pyarrow.Table pyarrow.ChunkedArray pyarrow.Array", Form("pa", _take_arrow, _arrow)),
}
#: Classes of which a subclass has the same form.
_BASES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "numpy": lambda np: {"numpy.generic": np.generic, "numpy.dtype": np.dtype},
    "pandas": lambda pd: {"pandas.ExtensionDtype": pd.api.extensions.ExtensionDtype},
    "pyarrow": lambda pa: {"pyarrow.Array": pa.Array},
}
_MUTABLE = re.compile(
    r"numpy\.(ndarray|Generator|RandomState)|(pandas|polars)\.(DataFrame|Series|Categorical)"
    r"|pandas\.[A-Z][A-Za-z]+Array"
)


def _path(kind: type) -> str:
    """Package and name of a class that is really found in one of these libraries, else an empty text."""
    module = kind.__module__
    root = module.partition(".")[0] if type(module) is str else ""
    if root not in _ROOTS or vars(sys.modules.get(module, sys)).get(kind.__name__) is not kind:
        return ""
    return f"{root}.{kind.__name__}"


def form_of(value: Any) -> Form | None:
    """How the value travels; None for one that does not."""
    kind: Any = type(value)
    path = _path(kind)
    found = FORMS.get(path)
    if found is None and path:
        root = path.partition(".")[0]
        bases = _BASES.get(root, lambda _: {})(sys.modules[root])
        found = next((FORMS[name] for name, base in bases.items() if isinstance(value, base)), None)
    return found


def is_mutable(value: Any) -> bool:
    """Whether a call can change the value in place."""
    return _MUTABLE.fullmatch(_path(type(value))) is not None


def overwrite(mine: Any, new: Any) -> bool:
    """Make `mine` equal to `new`, of the same type, in place. False when that is impossible."""
    if not is_mutable(mine):
        return False
    try:
        return _overwrite(mine, new)
    except Exception:
        return False


def _overwrite(mine: Any, new: Any) -> bool:
    if hasattr(mine, "bit_generator"):
        mine.bit_generator.state = new.bit_generator.state
    elif hasattr(mine, "set_state"):
        mine.set_state(new.get_state(legacy=False))
    elif hasattr(mine, "attrs") or type(mine).__module__.startswith("polars"):
        type(mine).__init__(mine, new)
    elif mine.shape != new.shape or mine.dtype != new.dtype:
        return False
    else:
        mine[...] = new
    return True


def size(value: Any) -> int | None:
    """Bytes of an array or a frame, without what its elements refer to."""
    root = _path(type(value)).partition(".")[0]
    if root == "pandas" and hasattr(value, "memory_usage"):
        used = value.memory_usage(deep=False)
        return int(used.sum()) if hasattr(used, "sum") else int(used)
    if root == "polars":
        return int(value.estimated_size()) if hasattr(value, "estimated_size") else None
    found = getattr(value, "nbytes", None) if root else None
    return found if type(found) is int else None
