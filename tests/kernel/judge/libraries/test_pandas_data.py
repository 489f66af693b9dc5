"""Frames, Series, indexes and scalars of pandas travel, and change in place."""

from __future__ import annotations

from typing import Any

import pytest
from library_codec import Codec, trip
from library_samples import columns, frames, indexes, offset, same_frames, zone

from jupyterlab_refine.kernel.judge.exchange import digest
from jupyterlab_refine.kernel.judge.libraries.library_data import is_mutable, overwrite, pack, size


@pytest.mark.parametrize("name", indexes())
def test_indexes_travel(name: str) -> None:
    pd = pytest.importorskip("pandas")
    value = indexes()[name](pd)
    back = trip(value)
    pd.testing.assert_index_equal(back, value, exact=True, check_names=True)
    assert type(back) is type(value) and back.dtype == value.dtype and back.names == value.names
    assert getattr(back, "freq", None) == getattr(value, "freq", None)
    assert type(getattr(back, "tz", None)) is type(getattr(value, "tz", None))
    assert digest.of(value) == digest.of(back) is not None
    assert not is_mutable(value)


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
            assert digest.of(value) == digest.of(back) is not None
            assert size(value) > 0 and is_mutable(value)
            array_back = trip(value.array)
            assert type(array_back) is type(value.array)
            pd.testing.assert_extension_array_equal(array_back, value.array, check_exact=True)
            dtype = value.dtype
            assert trip(dtype) == dtype and type(trip(dtype)) is type(dtype)


def test_frames_travel(subtests: Any) -> None:
    pd, np = pytest.importorskip("pandas"), pytest.importorskip("numpy")
    for name, value in frames(pd, np).items():
        with subtests.test(name):
            back = trip(value)
            same_frames(pd, back, value)
            assert digest.of(value) == digest.of(value) is not None and digest.of(back) is not None
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
        assert pack(value, Codec()) is None


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


def test_a_value_without_node_leaves_no_parts() -> None:
    pd, zones = pytest.importorskip("pandas"), pytest.importorskip("dateutil.tz")
    times = pd.date_range("2020", periods=2, tz=zones.tzlocal())
    labels = pd.Index([(1, 2), "a"], dtype=object, name=("x", "y"))
    for value in (pd.DataFrame({"a": ["x", "y"], "b": times}, index=labels), pd.Series(times, index=labels)):
        codec = Codec()
        assert pack(value, codec) is None
        assert codec.order == [] and codec.buffers == []
