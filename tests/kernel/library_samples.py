"""Values of numpy, pandas and others, for round trips."""

from __future__ import annotations

import datetime
import decimal
import zoneinfo
from collections.abc import Callable
from typing import Any


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
        "float": lambda np: np.array([1.5, np.nan, -0.0, np.inf]),
        "complex": lambda np: np.array([1 + 2j]),
        "datetime": lambda np: np.array(["2020-01-01", "NaT"], "M8[D]"),
        "timedelta": lambda np: np.array([1, 2], "m8[us]"),
        "texts": lambda np: np.array(["a", "\U0001f600bc", ""]),
        "bytes": lambda np: np.array([b"a", b"b\0c"]),
        "void": lambda np: np.array([b"ab", b"cd"], "V2"),
        "objects": lambda np: np.array([1, "a", None, (1, 2), [3], decimal.Decimal(1)], dtype=object),
        "object texts": lambda np: np.array([["a", None], ["\ud800", "bcd"]], dtype=object),
        "no dimension": lambda np: np.array(5.0),
        "empty": lambda np: np.zeros((0, 3), "f4"),
        "every second": lambda np: np.arange(20).reshape(4, 5)[::2, ::-2],
    }


def indexes() -> dict[str, Callable[[Any], Any]]:
    """Indexes by name, made from the module pandas."""
    return {
        "range": lambda pd: pd.RangeIndex(2, 10, 3, name="r"),
        "ints": lambda pd: pd.Index([1, 5, 2], name="i"),
        "bools": lambda pd: pd.Index([True, False]),
        "texts": lambda pd: pd.Index(["a", "b", "a"], name=("x", 1)),
        "objects": lambda pd: pd.Index(["a", 1, None, (1, 2)], dtype=object),
        "days": lambda pd: pd.date_range("2020-01-01", periods=3, name="d"),
        "months": lambda pd: pd.date_range("2020-01-01", periods=3, freq="MS"),
        "weeks": lambda pd: pd.date_range("2020-01-01", periods=3, freq="W-WED", tz="Europe/Berlin"),
        "summer time": lambda pd: pd.date_range("2020-10-25", periods=5, freq="h", tz=zone("Europe/Berlin")),
        "seconds": lambda pd: pd.DatetimeIndex(["2020-01-01", None, "1000-01-01"], dtype="M8[s]"),
        "timedeltas": lambda pd: pd.timedelta_range("1h", periods=3, freq="h"),
        "periods": lambda pd: pd.period_range("2020", periods=3, freq="M", name="p"),
        "intervals": lambda pd: pd.interval_range(0, 3, closed="left"),
        "categories": lambda pd: pd.CategoricalIndex(["a", "b", None], categories=["b", "a"], ordered=True),
        "nullable": lambda pd: pd.Index([1, None], dtype="Int64"),
        "multi": lambda pd: pd.MultiIndex.from_product([["a", "b"], [1, 2]], names=["x", None]),
        "multi of times": lambda pd: pd.MultiIndex.from_tuples(
            [(pd.Timestamp("2020"), 1.5), (pd.NaT, 2.5)], names=["t", ("n", 1)]
        ),
    }


def columns(pd: Any) -> dict[str, Any]:
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


def same_frames(pd: Any, back: Any, value: Any) -> None:
    pd.testing.assert_frame_equal(
        back, value, check_exact=True, check_index_type="exact", check_column_type="exact", check_flags=False
    )
    assert list(map(str, back.dtypes)) == list(map(str, value.dtypes))
    assert back.columns.names == value.columns.names and back.index.names == value.index.names


def frames(pd: Any, np: Any) -> dict[str, Any]:
    every = pd.DataFrame({name: pd.Series(values) for name, values in columns(pd).items()})
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
