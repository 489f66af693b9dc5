"""Round trips of the data of libraries, malformed nodes, changes in place and fingerprints."""

from __future__ import annotations

import contextlib
import copy
import datetime
import decimal
import hashlib
import importlib
import json
import random
import zoneinfo
from collections.abc import Callable
from typing import Any

import pytest

from jupyterlab_refine.kernel.judge import library_data
from jupyterlab_refine.kernel.judge.library_data import (
    BadData,
    fingerprint,
    is_mutable,
    overwrite,
    pack,
    size,
    unpack,
)

PLAIN = {"date": datetime.date, "datetime": datetime.datetime, "Decimal": decimal.Decimal}


class Codec:
    """A packer and an unpacker of plain values, lists, tuples and dicts, and of what pack() knows."""

    def __init__(self) -> None:
        self.buffers: list[bytes] = []
        #: Nodes in the order in which they were made or read, inner ones first.
        self.order: list[Any] = []

    def buffer(self, data: Any) -> Any:
        if type(data) is int:
            return self.buffers[data]
        self.buffers.append(bytes(memoryview(data).cast("B")) if len(data) else b"")
        return len(self.buffers) - 1

    def node(self, value: Any) -> Any:
        node = self._node(value)
        self.order.append(node)
        return node

    def value(self, node: Any) -> Any:
        value = self._value(node)
        self.order.append(node)
        return value

    def _node(self, value: Any) -> Any:
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if kind is float:
            return ["float", value.hex()]
        if kind is bytes:
            return ["bytes", value.hex()]
        if kind in (list, tuple):
            return [kind.__name__, *map(self.node, value)]
        if kind is dict:
            return ["dict", *([self.node(name), self.node(part)] for name, part in value.items())]
        if kind in (datetime.date, datetime.datetime):
            return [kind.__name__, value.isoformat()]
        if kind is decimal.Decimal:
            return ["Decimal", str(value)]
        return pack(value, self) or ["handle"]

    def _value(self, node: Any) -> Any:
        if type(node) is not list:
            return node
        tag, *parts = node
        if tag == "float":
            return float.fromhex(parts[0])
        if tag == "bytes":
            return bytes.fromhex(parts[0])
        if tag in ("list", "tuple"):
            return (list if tag == "list" else tuple)(map(self.value, parts))
        if tag == "dict":
            return {self.value(name): self.value(part) for name, part in parts}
        if tag in ("date", "datetime"):
            return PLAIN[tag].fromisoformat(parts[0])
        if tag == "Decimal":
            return decimal.Decimal(parts[0])
        if tag == "handle":
            return lambda *args: "a stub"
        return unpack(node, self)


def encode(value: Any) -> tuple[Any, Codec]:
    codec = Codec()
    node = pack(value, codec)
    assert node is not None, f"{type(value)} has no node"
    return json.loads(json.dumps(node)), codec


def trip(value: Any) -> Any:
    return unpack(*encode(value))


def digest(value: Any) -> str | None:
    hashed = hashlib.blake2b()
    return hashed.hexdigest() if fingerprint(value, hashed.update) else None


# -- numpy ------------------------------------------------------------------------------------------------


def arrays() -> dict[str, Callable[[Any], Any]]:
    """Arrays by name, made from the module numpy."""
    fields = [("a", "<i4"), ("b", "S3"), ("c", "f8")]
    return {
        "bool": lambda np: np.array([True, False]),
        "int": lambda np: np.arange(6).reshape(2, 3),
        "big endian": lambda np: np.arange(6, dtype=">i4"),
        "uint8": lambda np: np.arange(6, dtype="u1"),
        "float16": lambda np: np.array([1, np.nan], "f2"),
        "float": lambda np: np.array([1.5, np.nan, -0.0, np.inf]),
        "longdouble": lambda np: np.array([1, 2], np.longdouble),
        "complex": lambda np: np.array([1 + 2j]),
        "datetime": lambda np: np.array(["2020-01-01", "NaT"], "M8[D]"),
        "datetime of 25 s": lambda np: np.array([1, 2], "M8[25s]"),
        "timedelta": lambda np: np.array([1, 2], "m8[us]"),
        "timedelta without unit": lambda np: np.array([1, 2], "m8"),
        "texts": lambda np: np.array(["a", "\U0001f600bc", ""]),
        "texts, big endian": lambda np: np.array(["a", "\U0001f600bc", ""], ">U3"),
        "bytes": lambda np: np.array([b"a", b"b\0c"]),
        "void": lambda np: np.array([b"ab", b"cd"], "V2"),
        "fields": lambda np: np.array([(1, b"x", 2), (2, b"y", 4)], fields),
        "aligned": lambda np: np.zeros(2, np.dtype([("a", "u1"), ("b", "f8")], align=True)),
        "nested fields": lambda np: np.zeros(2, [("a", [("b", "i4"), ("c", "M8[s]")]), ("d", "U2")]),
        "objects": lambda np: np.array([1, "a", None, (1, 2), [3], decimal.Decimal(1)], dtype=object),
        "object texts": lambda np: np.array([["a", None], ["\ud800", "bcd"]], dtype=object),
        "object arrays": lambda np: np.array([np.arange(2), np.arange(3), np.float64(2)], dtype=object),
        "no dimension": lambda np: np.array(5.0),
        "no dimension, object": lambda np: np.array(None, dtype=object),
        "empty": lambda np: np.zeros((0, 3), "f4"),
        "empty objects": lambda np: np.array([], dtype=object),
        "empty texts": lambda np: np.array([], dtype="U5"),
        "every second": lambda np: np.arange(20).reshape(4, 5)[::2, ::-2],
        "Fortran order": lambda np: np.asfortranarray(np.arange(6).reshape(2, 3)),
        "transposed objects": lambda np: np.array([["a", 1], [2.5, None]], dtype=object).T,
        "broadcast": lambda np: np.broadcast_to(np.arange(3), (2, 3)),
    }


@pytest.mark.parametrize("name", arrays())
def test_arrays_travel(name: str) -> None:
    np = pytest.importorskip("numpy")
    value = arrays()[name](np)
    back = trip(value)
    assert type(back) is type(value) and back.dtype == value.dtype and back.shape == value.shape
    assert back.dtype.str == value.dtype.str and back.dtype.type is value.dtype.type
    assert back.flags.writeable == value.flags.writeable
    if value.dtype.hasobject:
        assert repr(back) == repr(value)
    else:
        assert back.tobytes() == value.tobytes()
    assert digest(value) == digest(back) is not None


def test_read_only_arrays_stay_read_only() -> None:
    np = pytest.importorskip("numpy")
    value = np.arange(3)
    value.flags.writeable = False
    assert not trip(value).flags.writeable
    assert trip(np.arange(3)).flags.writeable


def test_masked_arrays_travel() -> None:
    np = pytest.importorskip("numpy")
    values = [
        np.ma.array([1, 2, 3], mask=[0, 1, 0], fill_value=7),
        np.ma.array([1.5, 2.5]),
        np.ma.array([1, 2], mask=[1, 0], hard_mask=True),
        np.ma.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")], mask=[(True, False)]),
    ]
    for value in values:
        back = trip(value)
        assert type(back) is np.ma.MaskedArray and back.dtype == value.dtype
        assert (back.mask is np.ma.nomask) == (value.mask is np.ma.nomask)
        assert np.array_equal(np.ma.getmaskarray(back), np.ma.getmaskarray(value))
        assert back.data.tobytes() == value.data.tobytes()
        assert back.fill_value == value.fill_value and back.hardmask == value.hardmask
    assert trip(np.ma.masked) is np.ma.masked


def test_scalars_travel_as_scalars() -> None:
    np = pytest.importorskip("numpy")
    values = [np.float64(1.5), np.float32("nan"), np.bool_(True), np.int8(-1), np.uint64(2**64 - 1)]
    values += [np.datetime64("2020-01-01"), np.datetime64("NaT"), np.timedelta64(3, "h"), np.str_("a\0")]
    values += [np.str_(""), np.bytes_(b"b\0"), np.complex64(1j), np.longdouble(2), np.void(b"ab")]
    values += [np.zeros(1, [("a", "i4"), ("b", "U2")])[0]]
    for value in values:
        back = trip(value)
        assert type(back) is type(value) and back.dtype == value.dtype
        assert back.tobytes() == value.tobytes() and str(back) == str(value)
    for kind in (np.float64, np.int32, np.bool_, np.str_, np.datetime64):
        assert trip(kind) is kind


def test_dtypes_travel() -> None:
    np = pytest.importorskip("numpy")
    for text in ("<f8", ">i2", "|b1", "M8[ns]", "m8", "U5", "S3", "V7", "O", "i4,f8"):
        dtype = np.dtype(text)
        back = trip(dtype)
        assert back == dtype and type(back) is type(dtype) and back.str == dtype.str
    gaps = np.dtype({"names": ["a", "b"], "formats": ["i4", "u1"], "offsets": [4, 0], "itemsize": 16})
    assert trip(gaps) == gaps and trip(gaps).itemsize == 16


def test_other_types_have_no_node() -> None:
    np = pytest.importorskip("numpy")

    class Array(np.ndarray):
        pass

    class Liar:
        pass

    Liar.__module__, Liar.__name__ = "numpy", "ndarray"
    odd = Liar()
    values = [Array(2), odd, np.zeros(2, "V0"), np.random.PCG64(), np.sin, 5, "a", None, object]
    records = np.array([(1, "x")], [("a", "i4"), ("b", "O")])
    values += [np.matrix([[1]]), np.rec.array([(1, 2.5)]), records, np.zeros(1, [("a", "f8", (2,))])]
    for value in values:
        assert pack(value, Codec()) is None
        assert not fingerprint(value, len)
        assert not overwrite(value, 5) and size(odd) is None and not is_mutable(odd)
    Liar.__module__ = 5  # type: ignore[assignment]
    assert pack(odd, Codec()) is None


# -- pandas -----------------------------------------------------------------------------------------------


def zone(name: str) -> Any:
    return zoneinfo.ZoneInfo(name)


def offset(hours: int) -> Any:
    return datetime.timezone(datetime.timedelta(hours=hours))


def indexes() -> dict[str, Callable[[Any], Any]]:
    """Indexes by name, made from the module pandas."""
    return {
        "range": lambda pd: pd.RangeIndex(2, 10, 3, name="r"),
        "empty range": lambda pd: pd.RangeIndex(0),
        "ints": lambda pd: pd.Index([1, 5, 2], name="i"),
        "floats": lambda pd: pd.Index([1.5, None]),
        "bools": lambda pd: pd.Index([True, False]),
        "texts": lambda pd: pd.Index(["a", "b", "a"], name=("x", 1)),
        "object texts": lambda pd: pd.Index(["a", "b"], dtype=object),
        "objects": lambda pd: pd.Index(["a", 1, None, (1, 2)], dtype=object),
        "empty": lambda pd: pd.Index([]),
        "days": lambda pd: pd.date_range("2020-01-01", periods=3, name="d"),
        "months": lambda pd: pd.date_range("2020-01-01", periods=3, freq="MS"),
        "2 hours": lambda pd: pd.date_range("2020-01-01", periods=3, freq="2h", tz="UTC"),
        "weeks": lambda pd: pd.date_range("2020-01-01", periods=3, freq="W-WED", tz="Europe/Berlin"),
        "summer time": lambda pd: pd.date_range("2020-10-25", periods=5, freq="h", tz=zone("Europe/Berlin")),
        "offset": lambda pd: pd.date_range("2020-01-01", periods=3, tz=offset(-5)),
        "pytz": lambda pd: pd.date_range(
            "2020-01-01", periods=3, tz=pytest.importorskip("pytz").timezone("US/Eastern")
        ),
        "seconds": lambda pd: pd.DatetimeIndex(["2020-01-01", None, "1000-01-01"], dtype="M8[s]"),
        "timedeltas": lambda pd: pd.timedelta_range("1h", periods=3, freq="h"),
        "periods": lambda pd: pd.period_range("2020", periods=3, freq="M", name="p"),
        "quarters": lambda pd: pd.period_range("2020", periods=3, freq="Q-NOV"),
        "intervals": lambda pd: pd.interval_range(0, 3, closed="left"),
        "intervals of times": lambda pd: pd.interval_range(pd.Timestamp("2020"), periods=2, freq="D"),
        "categories": lambda pd: pd.CategoricalIndex(["a", "b", None], categories=["b", "a"], ordered=True),
        "nullable": lambda pd: pd.Index([1, None], dtype="Int64"),
        "multi": lambda pd: pd.MultiIndex.from_product([["a", "b"], [1, 2]], names=["x", None]),
        "multi of times": lambda pd: pd.MultiIndex.from_tuples(
            [(pd.Timestamp("2020"), 1.5), (pd.NaT, 2.5)], names=["t", ("n", 1)]
        ),
        "empty multi": lambda pd: pd.MultiIndex.from_arrays([[], []], names=["a", "b"]),
    }


@pytest.mark.parametrize("name", indexes())
def test_indexes_travel(name: str) -> None:
    pd = pytest.importorskip("pandas")
    value = indexes()[name](pd)
    back = trip(value)
    pd.testing.assert_index_equal(back, value, exact=True, check_names=True)
    assert type(back) is type(value) and back.dtype == value.dtype and back.names == value.names
    assert getattr(back, "freq", None) == getattr(value, "freq", None)
    assert type(getattr(back, "tz", None)) is type(getattr(value, "tz", None))
    assert digest(value) == digest(back) is not None
    assert not is_mutable(value)


def columns(pd: Any) -> dict[str, Any]:
    """Arrays of three values for the columns of a frame."""
    stamps = ["2020-01-01", None, "2021-06-01"]
    found = {
        "int": [1, 2, 3],
        "int8": pd.array([1, 2, 3], dtype="int8").to_numpy(),
        "float": [1.5, float("nan"), 2.0],
        "bool": [True, False, True],
        "complex": [1j, 2.0, 3],
        "object": pd.Series(["a", None, (1, 2)], dtype=object).array,
        "object texts": pd.Series(["a", "b", None], dtype=object).array,
        "object of floats": pd.Series([1.5, None, 2.5], dtype=object).array,
        "text": pd.Series(["a", "b\U0001f600", None]).array,
        "string": pd.array(["a", None, "c"], dtype=pd.StringDtype("python")),
        "category": pd.Categorical(["a", None, "b"], categories=["b", "a", "c"]),
        "ordered": pd.Categorical([1, 2, 1], categories=[2, 1], ordered=True),
        "times": pd.to_datetime(stamps),
        "seconds": pd.DatetimeIndex(stamps, dtype="M8[s]").array,
        "zone": pd.DatetimeIndex(stamps, tz="Europe/Berlin").array,
        "milliseconds in a zone": pd.DatetimeIndex(stamps, tz="UTC").as_unit("ms").array,
        "timedelta": pd.to_timedelta([1, None, 3], unit="h"),
        "Int64": pd.array([1, None, 3], dtype="Int64"),
        "UInt8": pd.array([1, None, 3], dtype="UInt8"),
        "Float32": pd.array([1.5, None, 3], dtype="Float32"),
        "boolean": pd.array([True, None, False], dtype="boolean"),
        "period": pd.PeriodIndex(["2020-01", "2020-02", None], freq="M").array,
        "interval": pd.arrays.IntervalArray.from_breaks([0.0, 1, 2, 3]),
        "interval of ints": pd.arrays.IntervalArray.from_breaks([0, 1, 2, 3], closed="both"),
        "sparse": pd.arrays.SparseArray([0, 0, 5]),
        "sparse floats": pd.arrays.SparseArray([1.5, None, None]),
        "sparse blocks": pd.arrays.SparseArray([False, True, False], kind="block", fill_value=False),
    }
    try:
        import pyarrow
    except ImportError:
        return found
    for storage in ("pyarrow", "pyarrow_numpy"):
        try:
            found[f"string of {storage}"] = pd.array(["a", None, "c"], dtype=f"string[{storage}]")
        except (TypeError, ValueError):
            continue
    found["arrow"] = pd.array([1, None, 3], dtype=pd.ArrowDtype(pyarrow.int32()))
    found["arrow lists"] = pd.array([[1], None, [2, 3]], dtype=pd.ArrowDtype(pyarrow.list_(pyarrow.int64())))
    return found


def test_columns_travel(subtests: Any) -> None:
    pd = pytest.importorskip("pandas")
    for name, values in columns(pd).items():
        with subtests.test(name):
            value = pd.Series(values, index=["x", "y", "x"], name=("s", name))
            back = trip(value)
            pd.testing.assert_series_equal(back, value, check_exact=True, check_index_type="exact")
            assert back.dtype == value.dtype and type(back.dtype) is type(value.dtype)
            assert type(back.array) is type(value.array)
            assert list(map(type, back)) == list(map(type, value))
            assert digest(value) == digest(back) is not None
            assert size(value) > 0 and is_mutable(value)
            array_back = trip(value.array)
            assert type(array_back) is type(value.array)
            pd.testing.assert_extension_array_equal(array_back, value.array, check_exact=True)
            dtype = value.dtype
            assert trip(dtype) == dtype and type(trip(dtype)) is type(dtype)


def same_frames(pd: Any, back: Any, value: Any) -> None:
    pd.testing.assert_frame_equal(
        back, value, check_exact=True, check_index_type="exact", check_column_type="exact", check_flags=True
    )
    assert list(map(str, back.dtypes)) == list(map(str, value.dtypes))
    assert back.attrs == value.attrs and back.flags == value.flags
    assert back.columns.names == value.columns.names and back.index.names == value.index.names


def frames(pd: Any, np: Any) -> dict[str, Any]:
    every = pd.DataFrame({name: pd.Series(values) for name, values in columns(pd).items()})
    every.attrs["unit"] = {"m": [1, 2]}
    twice = pd.DataFrame([[1, "a", 2.5], [2, "b", 3.5]], columns=["x", "x", "y"])
    named = pd.DataFrame(np.arange(6.0).reshape(2, 3), columns=pd.Index(list("abc"), name="letters"))
    strict = pd.DataFrame({"a": [1]}).set_flags(allows_duplicate_labels=False)
    pivot = pd.DataFrame({"k": ["a", "b"], "l": [1, 2], "v": [1.0, 2.0]}).pivot_table(
        index="k", columns="l", values="v", aggfunc=["mean", "sum"]
    )
    return {
        "every dtype": every,
        "duplicate columns": twice,
        "duplicate index": every.set_axis([1, 1, 2]),
        "name of columns": named,
        "no duplicates": strict,
        "pivot": pivot,
        "times": pd.DataFrame({"a": pd.date_range("2020", periods=3), "b": pd.date_range("2021", periods=3)}),
        "time index": named.set_axis(pd.date_range("2020", periods=2, freq="D")),
        "C order": pd.DataFrame(np.arange(12).reshape(4, 3)),
        "Fortran order": pd.DataFrame(np.asfortranarray(np.arange(12).reshape(4, 3))),
        "objects": pd.DataFrame([["a", "b"], ["c", None]], dtype=object),
        "empty": pd.DataFrame(),
        "no rows": every.iloc[:0],
        "no columns": every[[]],
        "columns only": pd.DataFrame(columns=["a", "b"]),
        "index only": pd.DataFrame(index=pd.date_range("2020", periods=2)),
        "all numbers of columns": pd.DataFrame({2: [1], 0: [2]}),
        "slice": every.iloc[::2, ::3],
        "rows and a text": pd.DataFrame(np.arange(12).reshape(4, 3)).assign(t="a", u=2),
        "wide": pd.DataFrame({number: [1.0, number] for number in range(70)}).assign(t="a"),
        "many blocks": pd.concat([named, named + 1], axis=1),
    }


def test_frames_travel(subtests: Any) -> None:
    pd, np = pytest.importorskip("pandas"), pytest.importorskip("numpy")
    for name, value in frames(pd, np).items():
        with subtests.test(name):
            back = trip(value)
            same_frames(pd, back, value)
            assert digest(value) == digest(value) is not None and digest(back) is not None
            assert size(value) is not None and is_mutable(value)
            if len(value) and len(value.columns):
                back.iloc[0, 0] = value.iloc[0, 0]


def test_scalars_of_pandas_travel(subtests: Any) -> None:
    pd = pytest.importorskip("pandas")
    values = [
        pd.Timestamp("2020-01-01 01:02:03.000004005"),
        pd.Timestamp("2020-01-01").as_unit("s"),
        pd.Timestamp("2020-10-26 02:30", tz="Europe/Berlin"),
        pd.Timestamp("2020-10-25 00:30", tz="UTC").tz_convert(zone("Europe/Berlin")),
        pd.Timestamp("2020-10-25 01:30", tz="UTC").tz_convert(zone("Europe/Berlin")),
        pd.Timestamp("2020-01-01", tz=offset(3)),
        pd.Timedelta("1 days 2 hours"),
        pd.Timedelta(5, unit="s").as_unit("ms"),
        pd.Period("2020-03", freq="M"),
        pd.Period("2020-03-01 05:00", freq="h"),
        pd.Interval(0, 1.5, closed="neither"),
        pd.Interval(pd.Timestamp("2020"), pd.Timestamp("2021")),
        pd.offsets.MonthEnd(2),
        pd.offsets.Hour(3),
        pd.offsets.Week(weekday=2),
    ]
    for value in values:
        with subtests.test(repr(value)):
            back = trip(value)
            assert type(back) is type(value) and back == value and repr(back) == repr(value)
            assert getattr(back, "unit", None) == getattr(value, "unit", None)
            assert type(getattr(back, "tzinfo", None)) is type(getattr(value, "tzinfo", None))
            assert getattr(back, "fold", None) == getattr(value, "fold", None)
    assert trip(pd.NaT) is pd.NaT and trip(pd.NA) is pd.NA


def test_other_values_of_pandas_have_no_node() -> None:
    pd = pytest.importorskip("pandas")

    class Frame(pd.DataFrame):
        pass

    holiday = pd.offsets.CustomBusinessDay(holidays=["2020-01-01"])
    frame = pd.DataFrame({"a": [1]})
    values = [
        Frame(),
        frame.groupby("a"),
        frame.rolling(1),
        frame.iloc,
        pd.CategoricalDtype(),
        pd.IntervalDtype(),
        holiday,
    ]
    values += [pd.date_range("2020-01-02", periods=3, freq=holiday), pd.DateOffset(months=1)]
    for value in values:
        assert pack(value, Codec()) is None and not fingerprint(value, len)


# -- polars and pyarrow -----------------------------------------------------------------------------------


def test_polars_travels(subtests: Any) -> None:
    pl = pytest.importorskip("polars")
    day = datetime.date(2020, 1, 1)
    frame = pl.DataFrame(
        {
            "i": [1, None, 3],
            "t": ["a", "b", None],
            "f": [1.5, float("nan"), None],
            "d": [day, None, day],
            "l": [[1], [], None],
            "s": [{"x": 1}, {"x": None}, {"x": 3}],
            "c": pl.Series(["a", "b", "a"], dtype=pl.Categorical),
            "e": pl.Series(["a", "b", "a"], dtype=pl.Enum(["b", "a"])),
            "z": pl.Series([datetime.datetime(2020, 1, 1)] * 3, dtype=pl.Datetime("ms", "Europe/Berlin")),
            "n": pl.Series([decimal.Decimal("1.50")] * 3),
            "b": [b"x", b"", None],
            "nil": [None] * 3,
        }
    )
    for value in (
        frame,
        frame[:0],
        frame.select("i"),
        pl.DataFrame(),
        pl.concat([frame, frame], rechunk=False),
    ):
        back = trip(value)
        assert type(back) is pl.DataFrame and back.schema == value.schema
        assert back.equals(value, null_equal=True) and back.shape == value.shape
        assert digest(value) is not None and digest(value) == digest(value.clone())
    for column in frame.iter_columns():
        with subtests.test(column.name):
            back = trip(column)
            assert type(back) is pl.Series and back.name == column.name and back.dtype == column.dtype
            assert back.equals(column, null_equal=True, check_names=True, check_dtypes=True)
            assert trip(column.dtype) == column.dtype
    assert is_mutable(frame) and size(frame) > 0
    assert pack(pl.DataFrame({"o": [object()]}), Codec()) is None
    assert pack(frame.lazy(), Codec()) is None and pack(pl.col("a"), Codec()) is None


def test_pyarrow_travels() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"a": [1, None, 3], "b": ["x", "y", None], "c": [[1], [], None], "d": [b"", b"1", None]})
    table = table.append_column("e", table["b"].dictionary_encode())
    table = table.replace_schema_metadata({"k": "v"})
    for value in (table, table[:0], table.slice(1), pa.concat_tables([table, table])):
        back = trip(value)
        assert type(back) is pa.Table and back.equals(value, check_metadata=True)
        assert digest(value) == digest(back) is not None
    columns = [*table.columns, pa.chunked_array([[1], [2]]), pa.chunked_array([], pa.int8())]
    for column in columns:
        back = trip(column)
        assert type(back) is pa.ChunkedArray and back.equals(column) and back.type == column.type
        array = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
        back = trip(array)
        assert type(back) is type(array) and back.equals(array)
    assert not is_mutable(table) and size(table) > 0
    assert all(pack(value, Codec()) is None for value in (pa.scalar(1), table.schema, pa.int8()))


def test_pickles_in_arrow_data_are_refused() -> None:
    pa = pytest.importorskip("pyarrow")
    field = pa.field("a", pa.int64(), metadata={"ARROW:extension:name": "arrow.py_extension_type"})
    codec = Codec()
    node = pack(pa.table([pa.array([1])], schema=pa.schema([field])), codec)
    with pytest.raises(BadData):
        unpack(node, codec)


# -- scipy.sparse, torch, networkx ------------------------------------------------------------------------


def test_sparse_matrices_travel(subtests: Any) -> None:
    np, sparse = pytest.importorskip("numpy"), pytest.importorskip("scipy.sparse")
    dense = np.array([[0, 1.5, 0, 0], [2, 0, 0, 3]])
    for kind in ("csr", "csc", "coo"):
        for family in ("matrix", "array"):
            if not hasattr(sparse, f"{kind}_{family}"):
                continue
            for content in (dense, dense.astype("i2"), dense > 1, np.zeros((3, 2)), np.zeros((0, 2))):
                with subtests.test(f"{kind}_{family} {content.dtype} {content.shape}"):
                    value = getattr(sparse, f"{kind}_{family}")(content)
                    back = trip(value)
                    assert type(back) is type(value) and back.dtype == value.dtype
                    assert np.array_equal(back.toarray(), content) and is_mutable(value)
                    assert digest(value) == digest(back) is not None
                    assert size(value) is not None


def test_sparse_indexes_outside_the_shape_are_refused() -> None:
    np, sparse = pytest.importorskip("numpy"), pytest.importorskip("scipy.sparse")
    bad = [("csr", 1, [9, 0]), ("csr", 1, [-1, 0]), ("csr", 2, [0, 9, 2]), ("csc", 2, [0, 9, 0])]
    bad += [("coo", 1, [0, 5]), ("coo", 2, [0, -3]), ("csc", 2, [0, 2**30, 0])]
    for kind, part, content in bad:
        codec = Codec()
        node = pack(getattr(sparse, f"{kind}_matrix")([[0, 1], [2, 0]]), codec)
        codec.buffers[node[3][part][-1]] = np.array(content, node[3][part][1]).tobytes()
        with pytest.raises(BadData):
            unpack(node, codec)


def test_tensors_travel() -> None:
    torch = pytest.importorskip("torch")
    values = [
        torch.arange(6).reshape(2, 3),
        torch.tensor(1.5),
        torch.tensor([True, False]),
        torch.empty(0, 2),
    ]
    values += [torch.tensor([1.5, float("nan")], dtype=torch.bfloat16), torch.tensor([1 + 2j]).conj()]
    values += [torch.arange(6).reshape(2, 3).T, torch.rand(2, requires_grad=True), torch.rand(4).half()]
    values += [torch.nn.Parameter(torch.rand(2)), torch.rand(2, requires_grad=True) * 2]
    for value in values:
        back = trip(value)
        assert type(back) is type(value) and back.dtype == value.dtype and back.shape == value.shape
        assert str(back.tolist()) == str(value.tolist())
        assert back.requires_grad == value.requires_grad
        assert digest(value) == digest(back) is not None and is_mutable(value) and size(value) is not None
    assert trip(torch.float32) is torch.float32 and trip(torch.Size([2, 3])) == torch.Size([2, 3])
    mine, new = torch.zeros(2), torch.ones(2)
    view = mine[1:]
    assert overwrite(mine, new) and view[0] == 1 and not overwrite(mine, torch.ones(3))
    assert pack(torch.zeros(2).to_sparse(), Codec()) is None


def same_graphs(back: Any, value: Any) -> bool:
    def content(graph: Any) -> list[Any]:
        return [
            type(graph),
            graph.graph,
            list(graph.nodes(data=True)),
            [(name, list(others.items())) for name, others in graph.adj.items()],
            [(n, list(p.items())) for n, p in graph.pred.items()] if graph.is_directed() else None,
        ]

    return content(back) == content(value)


def test_graphs_travel() -> None:
    nx = pytest.importorskip("networkx")
    for kind in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph):
        value = kind(name="n", year=2020)
        value.add_node((1, 2), color="red")
        value.add_edge("c", "a", weight=2.5)
        value.add_edge("b", "a", weight=1)
        value.add_edge("a", "b", tags=["x"])
        value.add_edge("a", "a")
        value.add_edge((1, 2), 3, 7) if value.is_multigraph() else value.add_edge((1, 2), 3)
        value.add_edge("b", "c")
        back = trip(value)
        assert same_graphs(back, value) and is_mutable(value)
        assert list(nx.dfs_edges(back, "b")) == list(nx.dfs_edges(value, "b"))
        assert digest(value) == digest(back) is not None
        if not value.is_directed():
            edge = next(iter(back.edges(data=True)))
            edge[2]["new"] = 1
            assert "new" in str(back.get_edge_data(edge[1], edge[0]))
        mine = kind([(1, 2)])
        nodes = mine.nodes
        assert overwrite(mine, trip(value)) and same_graphs(mine, value) and list(nodes) == list(value)
    assert same_graphs(trip(nx.Graph()), nx.Graph())

    class Other(nx.Graph):
        pass

    assert pack(Other(), Codec()) is None


# -- sympy and scikit-learn -------------------------------------------------------------------------------


def test_expressions_travel(subtests: Any) -> None:
    sympy = pytest.importorskip("sympy")
    x, y, n = sympy.Symbol("x"), sympy.Symbol("y", positive=True), sympy.Symbol("n", integer=True)
    f, big = sympy.Function("f"), sympy.Integer(10) ** 6000
    values = [
        x,
        y,
        n,
        sympy.Dummy("d", real=True),
        big,
        sympy.Rational(-3, 7),
        sympy.Float("1.25"),
        sympy.Float("0.1", 50),
        sympy.Float(0),
        sympy.Float(-2.5e-300),
        sympy.pi,
        sympy.oo,
        sympy.nan,
        sympy.I,
        sympy.zoo,
        sympy.true,
        sympy.S.Reals,
        sympy.S.EmptySet,
        sympy.S.Half,
        (x + 1) ** 2 / sympy.sin(y) - sympy.exp(-(x**2)) * n,
        sympy.Add(x, x, evaluate=False),
        sympy.Mul(2, sympy.Add(1, 2, evaluate=False), evaluate=False),
        sympy.Integral(sympy.exp(-(x**2)), (x, -sympy.oo, sympy.oo)),
        sympy.Derivative(f(x), x, 2),
        sympy.Eq(f(x).diff(x), f(x)),
        f(x, y),
        f,
        sympy.Function("g", real=True)(x),
        sympy.Piecewise((x, x > 0), (-x, True)),
        sympy.And(x > 0, x <= 5),
        sympy.Interval(0, 1, True, False),
        sympy.FiniteSet(1, x),
        sympy.Union(sympy.Interval(0, 1), sympy.FiniteSet(5)),
        sympy.Sum(n**2, (n, 1, 10)),
        sympy.Lambda(x, x**2),
        sympy.Matrix([[x, 1], [2, y]]),
        sympy.ImmutableMatrix([[x, 1], [2, y]]),
        sympy.SparseMatrix(2, 2, {(0, 1): x}),
        sympy.MatrixSymbol("A", 2, n),
        sympy.zeros(0, 3),
        sympy.Tuple(x, 1),
        sympy.Dict({x: 1}),
        sympy.Point(1, 2),
        sympy.Poly(x**2 + 1, x),
        sympy.Abs(x),
        sympy.factorial(n),
        sympy.Limit(sympy.sin(x) / x, x, 0),
        sympy.Order(x**2),
    ]
    for value in values:
        with subtests.test(type(value).__name__):
            back = trip(value)
            assert type(back) is type(value) or isinstance(value, sympy.core.function.AppliedUndef)
            assert back == value and (value in (f, big) or sympy.srepr(back) == sympy.srepr(value))
            assert isinstance(value, sympy.MutableDenseMatrix | sympy.MutableSparseMatrix) or hash(
                back
            ) == hash(value)
    matrix = sympy.Matrix([[1, 2]])
    assert is_mutable(matrix) and not is_mutable(x)
    assert overwrite(matrix, sympy.Matrix([[x, y]])) and matrix[0] == x
    assert not overwrite(matrix, sympy.zeros(2, 2))

    class Mine(sympy.Expr):
        pass

    assert pack(Mine(x), Codec()) is None and pack(x + Mine(x), Codec()) is None


def models() -> list[str]:
    return [
        "linear_model.LinearRegression",
        "linear_model.LogisticRegression",
        "linear_model.Ridge",
        "linear_model.Lasso",
        "linear_model.Perceptron",
        "preprocessing.StandardScaler",
        "preprocessing.MinMaxScaler",
        "preprocessing.OneHotEncoder",
        "preprocessing.PolynomialFeatures",
        "impute.SimpleImputer",
        "decomposition.PCA",
        "cluster.KMeans",
        "naive_bayes.GaussianNB",
        "svm.LinearSVC",
        "dummy.DummyClassifier",
        "discriminant_analysis.LinearDiscriminantAnalysis",
    ]


@pytest.mark.parametrize("name", models())
def test_fitted_models_travel(name: str) -> None:
    np = pytest.importorskip("numpy")
    pytest.importorskip("sklearn")
    module, _, kind = name.partition(".")
    model = getattr(importlib.import_module(f"sklearn.{module}"), kind)()
    random_numbers = np.random.default_rng(0)
    points = random_numbers.normal(size=(40, 3)).round(1)
    labels = (points[:, 0] > 0).astype(int)
    model.fit(points, labels)
    if pack(model, Codec()) is None and name == "linear_model.Perceptron":
        pytest.skip("It holds a compiled loss function.")
    back = trip(model)
    assert type(back) is type(model) and repr(back.get_params()) == repr(model.get_params())
    for method in ("predict", "transform", "predict_proba"):
        if hasattr(model, method):
            mine, other = getattr(model, method)(points), getattr(back, method)(points)
            dense = [part.toarray() if hasattr(part, "toarray") else part for part in (mine, other)]
            assert np.array_equal(*dense)
    assert digest(model) == digest(back) is not None and is_mutable(model)
    empty = type(model)()
    assert overwrite(empty, back) and vars(empty).keys() == vars(model).keys()


def test_pipelines_travel_and_trees_do_not() -> None:
    np = pytest.importorskip("numpy")
    pytest.importorskip("sklearn")
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, StandardScaler
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    points = np.arange(20.0).reshape(10, 2)
    labels = np.arange(10) > 4
    pipeline = make_pipeline(StandardScaler(), LogisticRegression(C=2.0)).fit(points, labels)
    back = trip(pipeline)
    assert np.array_equal(back.predict_proba(points), pipeline.predict_proba(points))
    assert trip(RandomForestClassifier(n_estimators=3)).n_estimators == 3
    assert trip(SVC(C=3.0)).C == 3.0
    trees = [RandomForestClassifier(n_estimators=2), DecisionTreeClassifier(), SVC()]
    for value in (*(tree.fit(points, labels) for tree in trees), FunctionTransformer(np.log)):
        assert pack(value, Codec()) is None and pack(make_pipeline(value), Codec()) is None

    class Mine(LogisticRegression):
        pass

    assert pack(Mine(), Codec()) is None


def test_attributes_that_hide_methods_are_refused() -> None:
    pytest.importorskip("sklearn.linear_model")
    head = ["lib:sklearn", "sklearn.linear_model._base", "LinearRegression"]
    assert unpack([*head, [["coef_", 5]]], Codec()).coef_ == 5
    bad = ["predict", "score", "__class__", "__dict__", "__sklearn_tags__", "get_params", "not a name", 5]
    for name in bad:
        with pytest.raises(BadData):
            unpack([*head, [[name, 5]]], Codec())
    with pytest.raises(BadData):
        unpack([*head, [["coef_", ["handle"]]]], Codec())
    with pytest.raises(BadData):
        unpack([*head, [["coef_", ["list", ["dict", ["a", ["handle"]]]]]]], Codec())
    for module, kind in (
        ("os", "system"),
        ("sklearn.linear_model", "LinearRegression"),
        ("sklearn.base", "BaseEstimator.fit"),
        ("sklearn.linear_model._base", "sp"),
        ("sklearn.utils", "Bunch"),
        ("sklearn.tests.test_base", "MyEstimator"),
        ("sklearn..os", "x"),
    ):
        with pytest.raises(BadData):
            unpack(["lib:sklearn", module, kind, []], Codec())


# -- Malformed nodes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "node",
    [
        None,
        5,
        "lib:ndarray",
        [],
        [5],
        [["lib:ndarray"]],
        ["lib:nothing"],
        ["lib:ndarray"],
        ["lib:ndarray", "<i8", [3], "C", True, 7],
        ["lib:ndarray", "<i8", [2], "C", True, 0],
        ["lib:ndarray", "<i8", [-3], "C", True, 0],
        ["lib:ndarray", "<i8", [True, 3], "C", True, 0],
        ["lib:ndarray", "<i8", [3], "K", True, 0],
        ["lib:ndarray", "<i8", [3], "C", 1, 0],
        ["lib:ndarray", "<i8", 3, "C", True, 0],
        ["lib:ndarray", "O", [3], "C", True, 0],
        ["lib:ndarray", "O", [3], "C", True, ["nodes", 1, 2]],
        ["lib:ndarray", "O,O", [3], "C", True, 0],
        ["lib:ndarray", "i8", [3], "C", True, 0],
        ["lib:ndarray", "object", [3], "C", True, 0],
        ["lib:ndarray", "|b1", [24], "C", True, 1],
        ["lib:ndarray", "<U1", [6], "C", True, 1],
        ["lib:ndarray", ["fields", ["a", "b"], ["O", "<i8"], [0, 0], 8, False], [3], "C", True, 0],
        ["lib:ndarray", ["fields", ["a"], ["O"], [0], 8, False], [3], "C", True, 0],
        ["lib:ndarray", ["fields", ["a"], ["<i8"], [4], 8, False], [3], "C", True, 0],
        ["lib:ndarray", ["fields", ["a", "a"], ["<i4", "<i4"], [0, 4], 8, False], [3], "C", True, 0],
        ["lib:np.dtype", ["fields", ["a", "b"], ["O", "<i8"], [0, 4], 16, False]],
        ["lib:np.dtype", ["sub", "<i8", [-1]]],
        ["lib:np.scalar", "O", "0000000000000000"],
        ["lib:np.scalar", "<i8", "00"],
        ["lib:np.scalar", "|b1", "02"],
        ["lib:np.type", "ndarray"],
        ["lib:np.type", "load"],
        ["lib:np.text", 5],
        ["lib:pd.range", "0", 1, 2, None],
        ["lib:pd.range", 0, 1, 0, None],
        ["lib:pd.offset", "<DateOffset: months=1>"],
        ["lib:pd.offset", "D" * 60],
        [
            "lib:pd.Timestamp",
            ["lib:np.scalar", "<M8[s]", "0000000000000000"],
            ["zoneinfo", "../../etc/passwd"],
        ],
        ["lib:pd.Timestamp", ["lib:np.scalar", "<i8", "0000000000000000"], None],
        ["lib:pd.Period", 5, "import os"],
        ["lib:pd.Period", 2**70, "M"],
        ["lib:pd.index", "Index", ["lib:pd.NaT"], None],
        ["lib:pl", "DataFrame", 0, 0],
        ["lib:pa", "Table", 0],
        ["lib:sy.basic", "os", "system", True],
        ["lib:sy.basic", "sympy.core.sympify", "sympify", True, ["lib:sy.text", "1"]],
        ["lib:sy.basic", "sympy.core.add", "Add", True, ["lib:np.type", "float64"]],
        ["lib:sy.basic", "sympy.core.add", "Add", True, "1"],
        ["lib:sy.symbol", 5, None, {}],
        ["lib:sy.symbol", "x", None, {"cls": True}],
        ["lib:sy.number", "__import__", "1"],
        ["lib:sy.float", 0, "1", 0, 1, 10**9],
        ["lib:nx", "Graph", ["dict"], [["a", ["dict"]]], [[0, 1, ["dict"]]], [[[]]]],
        ["lib:nx", "Graph", ["dict"], [["a", ["dict"]]], [[-1, 0, ["dict"]]], [[[0]]]],
        ["lib:nx", "Other", ["dict"], [], [], [[]]],
        ["lib:torch", "Tensor", "load", [0], False, 0],
    ],
    ids=lambda node: str(node)[:50],
)
def test_malformed_nodes_are_refused(node: Any) -> None:
    codec = Codec()
    codec.buffers = [bytes(24), b"\xff" * 24]
    with pytest.raises(BadData):
        unpack(node, codec)


def samples() -> list[Any]:
    """One value of each kind that can be made here."""
    values: list[Any] = []
    try:
        import numpy as np
        import pandas as pd

        values += [make(np) for make in arrays().values()] + [np.ma.array([1, 2], mask=[0, 1]), np.float64(1)]
        values += [make(pd) for name, make in indexes().items() if name != "pytz"]
        values += frames(pd, np).values()
        values += [pd.Timestamp("2020", tz="UTC"), pd.Interval(0, 1), pd.Period("2020", freq="M")]
    except ImportError:
        pass
    try:
        import networkx as nx

        values += [nx.path_graph(4, kind) for kind in (nx.Graph, nx.DiGraph, nx.MultiGraph)]
    except ImportError:
        pass
    try:
        import sympy

        x = sympy.Symbol("x")
        values += [sympy.sin(x) + sympy.Float(2.5) * x**2, sympy.Matrix([[x]]), sympy.Function("f")(x)]
    except ImportError:
        pass
    try:
        from scipy import sparse

        values += [kind([[0, 1], [2, 0]]) for kind in (sparse.csr_matrix, sparse.coo_array)]
    except ImportError:
        pass
    try:
        import pyarrow as pa

        values += [pa.table({"a": [1, 2], "b": ["x", None]}), pa.array([1, None])]
    except ImportError:
        pass
    try:
        import polars as pl

        values += [pl.DataFrame({"a": [1, 2], "b": ["x", None]}), pl.Series("s", [1.5])]
    except ImportError:
        pass
    try:
        from sklearn.preprocessing import StandardScaler

        values.append(StandardScaler().fit([[1.0], [2.0]]))
    except ImportError:
        pass
    return values


ODD = [
    None,
    True,
    -1,
    0,
    3,
    2**70,
    1.5,
    "",
    "O",
    "<f8",
    "|b1",
    "lib:ndarray",
    "__class__",
    [],
    ["list"],
    {},
    "UTC",
]


def places(node: Any, path: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    found = [path] if path else []
    if type(node) is list:
        for at, part in enumerate(node):
            found += places(part, (*path, at))
    return found


def test_changed_nodes_raise_nothing_else(capfd: Any) -> None:
    chance = random.Random(1)
    values = samples()
    if not values:
        pytest.skip("No library is installed.")
    refused = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RUST_BACKTRACE", "0")
        for value in values:
            node, codec = encode(value)
            for _ in range(40):
                changed, inner = copy.deepcopy(node), Codec()
                inner.buffers = list(codec.buffers)
                if chance.random() < 0.3 and any(inner.buffers):
                    at = chance.choice([at for at, part in enumerate(inner.buffers) if part])
                    data = bytearray(inner.buffers[at])
                    data[chance.randrange(len(data))] = chance.randrange(256)
                    inner.buffers[at] = bytes(data[: chance.choice([len(data), len(data) // 2])])
                else:
                    *above, last = chance.choice(places(changed))
                    parent = changed
                    for at in above:
                        parent = parent[at]
                    action = chance.randrange(3)
                    if action == 0:
                        parent[last] = chance.choice(ODD)
                    elif action == 1:
                        del parent[last]
                    else:
                        parent[last] = copy.deepcopy(chance.choice(parent))
                try:
                    back = unpack(changed, inner)
                except BadData:
                    refused += 1
                    continue
                with contextlib.suppress(Exception):
                    # A date outside of the calendar has no text.
                    repr(back)
    capfd.readouterr()
    assert refused > len(values)


def test_a_deep_node_is_refused() -> None:
    node: Any = ["lib:np.view", "matrix", None]
    for _ in range(5000):
        node = ["lib:np.view", "matrix", node]
    with pytest.raises(BadData):
        unpack(node, Codec())


# -- Changes in place -------------------------------------------------------------------------------------


def test_arrays_change_in_place() -> None:
    np = pytest.importorskip("numpy")
    mine = np.arange(6).reshape(2, 3)
    view = mine[1]
    assert overwrite(mine, trip(mine * 2)) and view.tolist() == [6, 8, 10]
    for other in (np.zeros((2, 3)), np.zeros((3, 2), int), np.ma.array([1])):
        assert not overwrite(mine, other)
    mine.flags.writeable = False
    assert not overwrite(mine, np.zeros((2, 3), int))
    objects = np.array([1, None], dtype=object)
    assert overwrite(objects, np.array([[1], "x"], dtype=object)) and objects[0] == [1]
    masked = np.ma.array([1, 2], mask=[1, 0], hard_mask=True)
    new = np.ma.array([3, 4], mask=[0, 1], fill_value=9)
    assert overwrite(masked, new) and masked.data.tolist() == [3, 4]
    assert masked.mask.tolist() == [False, True] and masked.fill_value == 9


def test_frames_change_in_place() -> None:
    pd, np = pytest.importorskip("pandas"), pytest.importorskip("numpy")
    for value in frames(pd, np).values():
        mine = pd.DataFrame({"a": [1, 2], "b": [3, 4]})
        mine.attrs["old"] = 1
        same, new = mine, trip(value)
        assert overwrite(mine, new) and same is mine
        same_frames(pd, mine, value)
        if len(mine):
            mine["added"] = 1
            assert "added" not in new.columns and mine["added"].iloc[0] == 1
    series, new = pd.Series([1, 2], name="x"), pd.Series(["a"], index=[5], name="y")
    assert overwrite(series, new)
    pd.testing.assert_series_equal(series, pd.Series(["a"], index=[5], name="y"))
    numbers = pd.array([1, None, 3])
    assert overwrite(numbers, pd.array([4, 5, None])) and numbers[1] == 5 and numbers[2] is pd.NA
    assert not overwrite(numbers, pd.array([1])) and not overwrite(numbers, pd.array([1, 2, 3], dtype="Int8"))
    assert not overwrite(pd.Index([1]), pd.Index([2])) and not overwrite(series, 5)


def test_other_containers_change_in_place() -> None:
    pl = pytest.importorskip("polars")
    mine = pl.DataFrame({"a": [1]})
    new = pl.DataFrame({"b": ["x", "y"]})
    assert overwrite(mine, new) and mine.equals(new)
    series = pl.Series("a", [1])
    assert overwrite(series, pl.Series("b", ["x"])) and series.name == "b" and series.to_list() == ["x"]
    sparse = pytest.importorskip("scipy.sparse")
    for kind in ("csr_matrix", "coo_array", "lil_matrix", "dok_array"):
        value = getattr(sparse, kind)([[0, 1], [2, 0]])
        assert overwrite(value, getattr(sparse, kind)([[5, 0], [0, 6]]))
        assert value.toarray().tolist() == [[5, 0], [0, 6]]


# -- Fingerprints -----------------------------------------------------------------------------------------


def test_fingerprints_differ_after_changes() -> None:
    pd, np = pytest.importorskip("pandas"), pytest.importorskip("numpy")
    value = np.arange(1000.0)
    before = digest(value)
    value[500] += 1e-9
    assert digest(value) != before
    assert digest(np.zeros(4)) != digest(np.zeros((2, 2))) != digest(np.zeros((2, 2), "i8"))
    objects = np.array(["a", 1, [1]], dtype=object)
    before = digest(objects)
    objects[2].append(2)
    assert digest(objects) != before
    frame = frames(pd, np)["every dtype"]
    seen = {digest(frame)}
    for change in (
        lambda f: f.__setitem__("int", [1, 2, 4]),
        lambda f: f.__setitem__("text", ["a", "b", "c"]),
        lambda f: f.rename(columns={"int": "other"}, inplace=True),
        lambda f: f.set_axis([5, 6, 7]),
        lambda f: f.attrs.update(unit="s"),
        lambda f: f["category"].cat.rename_categories(["x", "y", "z"]),
    ):
        changed = frame.copy()
        result = change(changed)
        changed = result if isinstance(result, pd.DataFrame) else changed
        if isinstance(result, pd.Series):
            changed["category"] = result
        seen.add(digest(changed))
    assert len(seen) == 7 and None not in seen
    assert digest(frame) == digest(frame.copy())
    assert digest(pd.Series([object()], dtype=object)) is None


@pytest.mark.parametrize("layout", ["C", "F", "mixed"])
def test_a_fingerprint_reads_every_byte_of_a_frame(layout: str) -> None:
    pd, np = pytest.importorskip("pandas"), pytest.importorskip("numpy")
    values = np.ones((100_000, 25))
    frame = pd.DataFrame(values if layout != "F" else np.asfortranarray(values))
    if layout == "mixed":
        frame["i"] = np.arange(len(frame))
    added = []
    assert fingerprint(frame, lambda data: added.append(memoryview(data).nbytes))
    assert sum(added) >= 20_000_000


def test_inner_values_are_read_in_the_order_of_packing() -> None:
    np = pytest.importorskip("numpy")
    masked = np.ma.array([(1,), "b", None], mask=[0, 1, 0], dtype=object, fill_value="f")
    for value in [*samples(), masked]:
        node, codec = encode(value)
        reader = Codec()
        reader.buffers = codec.buffers
        unpack(node, reader)
        assert reader.order == json.loads(json.dumps(codec.order))


def test_a_value_without_node_leaves_no_parts() -> None:
    pd, zones = pytest.importorskip("pandas"), pytest.importorskip("dateutil.tz")
    times = pd.date_range("2020", periods=2, tz=zones.tzlocal())
    labels = pd.Index([(1, 2), "a"], dtype=object, name=("x", "y"))
    for value in (pd.DataFrame({"a": ["x", "y"], "b": times}, index=labels), pd.Series(times, index=labels)):
        codec = Codec()
        assert pack(value, codec) is None
        assert codec.order == [] and codec.buffers == []


def test_packing_imports_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> Any:
        raise AssertionError(name)

    monkeypatch.setattr(library_data.importlib, "import_module", refuse)
    for value in samples():
        assert pack(value, Codec()) is not None
