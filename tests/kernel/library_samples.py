"""Values of numpy, pandas and others, for round trips."""

from __future__ import annotations

import datetime
import decimal
import zoneinfo
from collections.abc import Callable
from typing import Any

import pytest


def zone(name: str) -> Any:
    return zoneinfo.ZoneInfo(name)


def offset(hours: int) -> Any:
    return datetime.timezone(datetime.timedelta(hours=hours))


def arrays() -> dict[str, Callable[[Any], Any]]:
    """Arrays by name, made from the module numpy."""
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
    return found


def same_frames(pd: Any, back: Any, value: Any) -> None:
    pd.testing.assert_frame_equal(
        back, value, check_exact=True, check_index_type="exact", check_column_type="exact", check_flags=False
    )
    assert list(map(str, back.dtypes)) == list(map(str, value.dtypes))
    assert back.columns.names == value.columns.names and back.index.names == value.index.names


def frames(pd: Any, np: Any) -> dict[str, Any]:
    every = pd.DataFrame({name: pd.Series(values) for name, values in columns(pd).items()})
    twice = pd.DataFrame([[1, "a", 2.5], [2, "b", 3.5]], columns=["x", "x", "y"])
    named = pd.DataFrame(np.arange(6.0).reshape(2, 3), columns=pd.Index(list("abc"), name="letters"))
    pivot = pd.DataFrame({"k": ["a", "b"], "l": [1, 2], "v": [1.0, 2.0]}).pivot_table(
        index="k", columns="l", values="v", aggfunc=["mean", "sum"]
    )
    return {
        "every dtype": every,
        "duplicate columns": twice,
        "duplicate index": every.set_axis([1, 1, 2]),
        "name of columns": named,
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
