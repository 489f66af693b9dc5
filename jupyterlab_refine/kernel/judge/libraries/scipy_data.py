"""Nodes of sparse matrices of scipy."""

from __future__ import annotations

import re
import sys
from typing import Any

from .nodes import (
    BadData,
    Library,
    Node,
    Unknown,
    inner,
    ints_of,
    library,
    makes,
    need,
    overwrite_variables,
    register,
    text_of,
)
from .numpy_data import pack_array

_SPARSE = re.compile(r"(csr|csc|coo)_(matrix|array)")


def _pack_scipy(value: Any, packer: Any) -> Node:
    kind = type(value).__name__
    match = _SPARSE.fullmatch(kind)
    if match is None or "scipy.sparse" not in sys.modules:
        raise Unknown
    coordinates = (
        value.coords if hasattr(value, "coords") else [getattr(value, name, None) for name in ("row", "col")]
    )
    parts = [value.data, *(coordinates if match[1] == "coo" else (value.indices, value.indptr))]
    return ["lib:sparse", kind, list(map(int, value.shape)), [pack_array(part, packer) for part in parts]]


@makes("lib:sparse")
def _sparse(unpacker: Any, kind: Any, shape: Any, parts: Any) -> Any:
    sparse, match = library("scipy.sparse"), _SPARSE.fullmatch(text_of(kind))
    if match is None or type(parts) is not list:
        raise BadData("malformed node")
    shape, parts = tuple(ints_of(shape)), [inner(unpacker, part, "lib:ndarray") for part in parts]
    need(all(part.dtype.kind in "biufc" for part in parts[:1]))
    need(all(part.dtype.kind == "i" and part.dtype.isnative for part in parts[1:]))
    cls = getattr(sparse, kind)
    # An index outside of the shape would reach memory of something else.
    data, *others = parts
    if match[1] == "coo":
        return cls((data, tuple(others)), shape=shape)
    # scipy does not check the starts of a matrix without elements.
    need((others[1][1:] >= others[1][:-1]).all())
    result = cls(tuple(parts), shape=shape)
    result.check_format(full_check=True)
    return result


register("scipy", Library(_pack_scipy, _SPARSE.pattern, overwrite_variables))
