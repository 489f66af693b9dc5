"""Data of numpy, pandas and Arrow travels, changes in place, and is refused where it is malformed."""

from __future__ import annotations

import datetime
import decimal
import json
import os
import pickle
import random
import sys
import zoneinfo
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from jupyterlab_refine.kernel.judge.exchange import library_types, plain


def zone(name: str) -> Any:
    return zoneinfo.ZoneInfo(name)


def offset(hours: int) -> Any:
    return datetime.timezone(datetime.timedelta(hours=hours))


ARRAYS = {
    "bool": np.array([True, False]),
    "int": np.arange(6).reshape(2, 3),
    "big endian": np.arange(6, dtype=">i4"),
    "float": np.array([1.5, np.nan, -0.0, np.inf]),
    "complex": np.array([1 + 2j]),
    "datetime": np.array(["2020-01-01", "NaT"], "M8[D]"),
    "timedelta": np.array([1, 2], "m8[us]"),
    "texts": np.array(["a", "\U0001f600bc", ""]),
    "bytes": np.array([b"a", b"b\0c"]),
    "void": np.array([b"ab", b"cd"], "V2"),
    "objects": np.array([1, "a", None, (1, 2), [3], decimal.Decimal(1)], dtype=object),
    "object texts": np.array([["a", None], ["\ud800", "bcd"]], dtype=object),
    "no dimension": np.array(5.0),
    "empty": np.zeros((0, 3), "f4"),
    "every second": np.arange(20).reshape(4, 5)[::2, ::-2],
}


INDEXES = {
    "range": pd.RangeIndex(2, 10, 3, name="r"),
    "ints": pd.Index([1, 5, 2], name="i"),
    "bools": pd.Index([True, False]),
    "texts": pd.Index(["a", "b", "a"], name=("x", 1)),
    "objects": pd.Index(["a", 1, None, (1, 2)], dtype=object),
    "days": pd.date_range("2020-01-01", periods=3, name="d"),
    "months": pd.date_range("2020-01-01", periods=3, freq="MS"),
    "weeks": pd.date_range("2020-01-01", periods=3, freq="W-WED", tz="Europe/Berlin"),
    "summer time": pd.date_range("2020-10-25", periods=5, freq="h", tz=zone("Europe/Berlin")),
    "seconds": pd.DatetimeIndex(["2020-01-01", None, "1000-01-01"], dtype="M8[s]"),
    "timedeltas": pd.timedelta_range("1h", periods=3, freq="h"),
    "periods": pd.period_range("2020", periods=3, freq="M", name="p"),
    "intervals": pd.interval_range(0, 3, closed="left"),
    "categories": pd.CategoricalIndex(["a", "b", None], categories=["b", "a"], ordered=True),
    "nullable": pd.Index([1, None], dtype="Int64"),
    "multi": pd.MultiIndex.from_product([["a", "b"], [1, 2]], names=["x", None]),
    "multi of times": pd.MultiIndex.from_tuples(
        [(pd.Timestamp("2020"), 1.5), (pd.NaT, 2.5)], names=["t", ("n", 1)]
    ),
}


def columns() -> dict[str, Any]:
    """Arrays of three values for the columns of a frame."""
    stamps = ["2020-01-01", None, "2021-06-01"]
    found = {
        "int": [1, 2, 3],
        "float": [1.5, float("nan"), 2.0],
        "bool": [True, False, True],
        "complex": [1j, 2.0, 3],
        "object": pd.Series(["a", None, (1, 2)], dtype=object).array,
        "object texts": pd.Series(["a", "b", None], dtype=object).array,
        "text": pd.Series(["a", "b\U0001f600", None]).array,
        "string": pd.array(["a", None, "c"], dtype=pd.StringDtype("python")),
        "category": pd.Categorical(["a", None, "b"], categories=["b", "a", "c"]),
        "ordered": pd.Categorical([1, 2, 1], categories=[2, 1], ordered=True),
        "times": pd.to_datetime(stamps),
        "seconds": pd.DatetimeIndex(stamps, dtype="M8[s]").array,
        "zone": pd.DatetimeIndex(stamps, tz="Europe/Berlin").array,
        "timedelta": pd.to_timedelta([1, None, 3], unit="h"),
        "Int64": pd.array([1, None, 3], dtype="Int64"),
        "Float32": pd.array([1.5, None, 3], dtype="Float32"),
        "boolean": pd.array([True, None, False], dtype="boolean"),
        "period": pd.PeriodIndex(["2020-01", "2020-02", None], freq="M").array,
        "interval": pd.arrays.IntervalArray.from_breaks([0.0, 1, 2, 3]),
        "sparse": pd.arrays.SparseArray([0, 0, 5]),
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
    return found


def same_frames(back: Any, value: Any) -> None:
    pd.testing.assert_frame_equal(
        back, value, check_exact=True, check_index_type="exact", check_column_type="exact", check_flags=False
    )
    assert list(map(str, back.dtypes)) == list(map(str, value.dtypes))
    assert back.columns.names == value.columns.names and back.index.names == value.index.names


def frames() -> dict[str, Any]:
    every = pd.DataFrame({name: pd.Series(values) for name, values in columns().items()})
    twice = pd.DataFrame([[1, "a", 2.5], [2, "b", 3.5]], columns=["x", "x", "y"])
    pivot = pd.DataFrame({"k": ["a", "b"], "l": [1, 2], "v": [1.0, 2.0]}).pivot_table(
        index="k", columns="l", values="v", aggfunc=["mean", "sum"]
    )
    return {
        "every dtype": every,
        "duplicate columns": twice,
        "pivot": pivot,
        "times": pd.DataFrame({"a": pd.date_range("2020", periods=3), "b": pd.date_range("2021", periods=3)}),
        "Fortran order": pd.DataFrame(np.asfortranarray(np.arange(12).reshape(4, 3))),
        "objects": pd.DataFrame([["a", "b"], ["c", None]], dtype=object),
        "empty": pd.DataFrame(),
        "no rows": every.iloc[:0],
        "no columns": every[[]],
        "rows and a text": pd.DataFrame(np.arange(12).reshape(4, 3)).assign(t="a", u=2),
    }


def stub(_: Any, value: Any) -> Any:
    return ["stub"]


def packed(value: Any) -> tuple[Any, list[Any]]:
    packer = plain.Packer(stub)
    return json.loads(json.dumps(packer.node(value))), packer.buffers


def unpacked(node: Any, buffers: list[Any]) -> Any:
    def missing(*_: Any) -> Any:
        raise plain.BadData("a stub")

    return plain.Unpacker([bytearray(part) for part in buffers], missing).value(node)


def trip(value: Any) -> Any:
    return unpacked(*packed(value))


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_travel(name: str) -> None:
    value = ARRAYS[name]
    back = trip(value)
    assert type(back) is type(value) and back.dtype == value.dtype and back.shape == value.shape
    assert repr(back) == repr(value)


SCALARS = [
    *(np.float64(1.5), np.float32("nan"), np.bool_(True), np.int8(-1), np.uint64(2**64 - 1), np.str_("")),
    *(np.datetime64("2020-01-01"), np.timedelta64(3, "h"), np.str_("ab"), np.bytes_(b"b"), np.complex64(1j)),
    *(np.dtype("<f8"), np.dtype("O")),
    *(pd.Timestamp("2020-01-01 01:02:03.000004005"), pd.Timestamp("2020-01-01").as_unit("s"), pd.NaT, pd.NA),
    pd.Timestamp("2020-10-25 00:30", tz="UTC").tz_convert(zone("Europe/Berlin")),
    *(pd.Timestamp("2020-01-01", tz=offset(3)), pd.Timedelta("1 days 2 hours")),
    *(pd.Period("2020-03", freq="M"), pd.Interval(pd.Timestamp("2020"), pd.Timestamp("2021"))),
]


@pytest.mark.parametrize("value", SCALARS, ids=repr)
def test_scalars_and_types_travel(value: Any) -> None:
    back = trip(value)
    assert type(back) is type(value) and repr(back) == repr(value)


def test_generators_travel() -> None:
    for make in (np.random.default_rng, np.random.RandomState):
        made: Any = make(5)
        assert trip(made).normal() == made.normal()


@pytest.mark.parametrize("name", INDEXES)
def test_indexes_travel(name: str) -> None:
    value = INDEXES[name]
    back = trip(value)
    pd.testing.assert_index_equal(back, value, exact=True, check_names=True)
    assert getattr(back, "freq", None) == getattr(value, "freq", None)
    assert not plain.is_mutable(value)


def test_frames_travel(subtests: Any) -> None:
    for name, value in frames().items():
        with subtests.test(name):
            back = trip(value)
            same_frames(back, value)
            assert library_types.size(value) >= 0
            if len(value) and len(value.columns):
                back.iloc[0, 0] = value.iloc[0, 0]


def test_values_change_in_place() -> None:
    for value in frames().values():
        mine = pd.DataFrame({"a": [1, 2], "b": [3, 4]})
        assert plain.overwrite(mine, trip(value))
        same_frames(mine, value)
    array = np.arange(6).reshape(2, 3)
    view = array[1]
    assert plain.overwrite(array, trip(array * 2)) and view.tolist() == [6, 8, 10]
    assert not plain.overwrite(array, np.zeros((2, 3))) and not plain.overwrite(array, np.zeros((3, 2), int))
    generator, other = np.random.default_rng(1), np.random.default_rng(2)
    assert plain.overwrite(generator, other) and generator.random() == np.random.default_rng(2).random()
    assert not plain.overwrite(pd.Index([1]), pd.Index([2]))


class Frame(pd.DataFrame):
    pass


def test_what_is_no_data_stays() -> None:
    class Liar:
        pass

    Liar.__module__, Liar.__name__ = "numpy", "ndarray"
    frame = pd.DataFrame({"a": [1]})
    others: list[Any] = [Liar(), Frame(), frame.iloc, np.sin, np.matrix([[1]]), np.ma.array([1], mask=[1])]
    others += [np.array([Liar()]), pd.Series([Liar])]
    for value in others:
        assert packed([value])[0] == ["l", [["stub"]]]


def test_a_frame_with_an_odd_part_stays_whole() -> None:
    zones = pytest.importorskip("dateutil.tz")
    times = pd.date_range("2020", periods=2, tz=zones.tzlocal())
    assert packed([pd.DataFrame({"a": ["x", "y"], "b": times}), 5])[0] == ["l", [["stub"], 5]]


def test_arrow_travels() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"a": [1, None, 3], "b": ["x", "y", None], "c": [[1], [], None]})
    for value in (table, table[:0], table["b"], pa.array([1, None])):
        assert type(trip(value)) is type(value) and trip(value).equals(value)


def test_polars_travels() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"i": [1, None], "t": ["a", None], "l": [[1], []]})
    assert trip(frame).equals(frame, null_equal=True) and trip(frame["t"]).equals(frame["t"], null_equal=True)
    mine = pl.DataFrame({"x": [1.5]})
    assert plain.overwrite(mine, frame) and mine.equals(frame, null_equal=True)


class Forged:
    """Is pickled as a call, by default one of ours, with a state."""

    def __init__(self, *arguments: Any, call: Any = library_types._make) -> None:
        self.reduced = call, arguments

    def __reduce__(self) -> Any:
        return self.reduced


def forged_array(dtype: Forged) -> Forged:
    return Forged("numpy._core.numeric", "_frombuffer", False, (b"A" * 8, dtype, (1,), "C"))


def field(dtype: Forged, offset: int) -> Forged:
    state = (3, "|", None, ("a",), {"a": (dtype, offset)}, 8, 1, 0)
    return Forged("numpy", "dtype", False, ("V8", False, True), state)


OBJECTS = Forged("numpy", "dtype", False, ("O", False, True), (3, "|", None, None, None, -1, -1, 0))
NUMBERS = Forged("numpy", "dtype", False, ("u8", False, True))
#: One whose state is set by pickle's own instruction.
STATED = Forged("fractions", "Fraction", False, (1, 2))
STATED.reduced = (*STATED.reduced, {"_numerator": 5})
FORGED = {
    "a state": STATED,
    "a state with a method": Forged("pandas", "Index", False, ([1],), {"equals": 5}),
    "a function": Forged("exit 1", call=os.system),
    "a class": Forged(1, 2, call=Fraction),
    "a function of a library, by name": Forged("os", "system", False, ("exit 1",)),
    "a reader of files": Forged("pandas", "read_csv", False, ("/etc/passwd",)),
    "a class of the notebook": Forged("__main__", "Frame", False, ()),
    "a module of the harness": Forged(library_types.__name__, "_Pickler", False, ()),
    "no name": Forged("numpy", ["ndarray"], False, ()),
    "a part of a name": Forged("numpy", "ndarray.dump", False, ()),
    "a class that opens a scope": Forged("pandas.core.computation.scope", "Scope", False, (0,)),
    "a program": Forged("numpy.f2py.__main__", "main", None, ()),
    "an array of no memory": Forged("numpy", "ndarray", True, ((4096,), "u1")),
    "addresses as objects": forged_array(OBJECTS),
    "addresses in a field": forged_array(field(OBJECTS, 0)),
    "a field beyond the end": forged_array(field(NUMBERS, 4096)),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_pickle_is_bad_data(name: str) -> None:
    with pytest.raises((plain.BadData, ValueError)):
        unpacked(["pk", 0], [pickle.dumps(FORGED[name], 5)])


def test_a_changed_pickle_is_bad_data_or_a_value() -> None:
    chance, refused = random.Random(1), 0
    for value in [Fraction(1, 2), *map(np.dtype, ["f8", "M8[ns]"]), np.float64(1.5), pd.Timestamp("2020")]:
        node, (content, *buffers) = packed(value)
        for _ in range(20):
            changed = bytearray(content)
            changed[chance.randrange(len(changed))] = chance.randrange(256)
            try:
                unpacked(node, [changed, *buffers])
            except plain.BadData:
                refused += 1
    assert refused > 20


def test_no_type_is_worth_the_import_of_numpys_random_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "numpy.random")
    monkeypatch.delattr(np, "random")
    assert library_types.is_open_class(np.float32) and not library_types.is_open_class(np.vectorize)
    assert "numpy.random" not in sys.modules
