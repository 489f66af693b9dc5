"""Frames of polars and tables of pyarrow travel."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import pytest
from library_codec import Codec, trip

from jupyterlab_refine.kernel.judge.exchange import digest
from jupyterlab_refine.kernel.judge.libraries.library_data import (
    BadData,
    is_mutable,
    overwrite,
    pack,
    size,
    unpack,
)


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
        assert digest.of(value) is not None and digest.of(value) == digest.of(value.clone())
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
        assert digest.of(value) == digest.of(back) is not None
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


def test_frames_of_polars_change_in_place() -> None:
    pl = pytest.importorskip("polars")
    mine = pl.DataFrame({"a": [1]})
    new = pl.DataFrame({"b": ["x", "y"]})
    assert overwrite(mine, new) and mine.equals(new)
    series = pl.Series("a", [1])
    assert overwrite(series, pl.Series("b", ["x"])) and series.name == "b" and series.to_list() == ["x"]
