"""Nodes of polars and pyarrow: the format of Arrow IPC."""

from __future__ import annotations

import io
import sys
from typing import Any

from .nodes import Library, Node, Trial, Unknown, buffer_of, library, makes, need, register


def _pack_polars(value: Any, packer: Any) -> Node:
    pl = sys.modules["polars"]
    kind = next((k for k in ("DataFrame", "Series", "DataType") if isinstance(value, getattr(pl, k))), "")
    try:
        series = pl.Series("", [], dtype=value) if kind == "DataType" else value
        frame = series if kind == "DataFrame" else series.to_frame()
        if kind and not any("Object" in str(dtype) for dtype in frame.dtypes):
            return ["lib:pl", kind, frame.height, packer.buffer(frame.write_ipc(None).getbuffer())]
    except Exception:
        raise Unknown from None
    raise Unknown


@makes("lib:pl")
def _polars(unpacker: Any, kind: Any, height: Any, index: Any) -> Any:
    frame = library("polars").read_ipc(io.BytesIO(buffer_of(unpacker, index)))
    need(frame.height == height and (kind == "DataFrame" or frame.width == 1))
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
        raise Unknown
    if isinstance(packer, Trial):
        return []
    try:
        table, target = value if kind == "Table" else pa.table({"": value}), pa.BufferOutputStream()
        with pa.ipc.new_stream(target, table.schema) as stream:
            stream.write_table(table)
    except Exception:
        raise Unknown from None
    return ["lib:pa", kind, packer.buffer(target.getvalue())]


@makes("lib:pa")
def _arrow(unpacker: Any, kind: Any, index: Any) -> Any:
    pa, raw = library("pyarrow"), buffer_of(unpacker, index)
    # Old releases read a pickle for these types.
    need(b"arrow.py_extension_type" not in raw)
    table = pa.ipc.open_stream(raw).read_all()
    table.validate(full=True)
    if kind == "Table":
        return table
    need(kind in ("ChunkedArray", "Array") and table.num_columns == 1)
    column = table.column(0)
    if kind == "ChunkedArray":
        return column
    whole = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    need(isinstance(whole, pa.Array))
    return whole


register("polars", Library(_pack_polars, "DataFrame|Series", _overwrite_polars))
register("pyarrow", Library(_pack_arrow))
