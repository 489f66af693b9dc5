"""Data of libraries as plain nodes: what pack() makes in one process, unpack() makes again in another.

A node is a list ``[tag, ...]`` of JSON-able parts; tags start with ``lib:``. Large contents are binary
buffers beside it. One module of this folder holds the types of a library;
:mod:`nodes` has what they share. To let one more type travel, open the module of its library::

    node = pack(numpy.arange(3), packer)        # ["lib:ndarray", "<i8", [3], "C", True, 0]
    unpack(node, unpacker)                      # array([0, 1, 2])

Nodes that arrive are not trusted. Each part is checked before it reaches a library. No pickle is read, no
text is evaluated, and classes come from modules of the library that a pattern here allows.
"""

from __future__ import annotations

import re
from typing import Any

from . import arrow_data, numpy_data, pandas_data, scipy_data, state_data, sympy_data, torch_data  # noqa: F401
from .nodes import LIBRARIES, Node, Trial, Unknown, pack_part, root_of
from .nodes import BadData as BadData
from .nodes import unpack as unpack


def pack(value: Any, packer: Any) -> Node | None:
    """Node of `value`; None when its exact type, or a part of it, is not known here.

    :param packer: ``node(value)`` returns a JSON-able node of any value, ``buffer(bytes_like)`` the index of
        a binary buffer. Both receive temporary objects: keep a reference to what is remembered by id().
        unpack() asks for inner values in the order in which they were given here. Neither function is
        called when the result is None. ``is_data(value)`` says whether nothing of a value stays here.
    """
    try:
        if root_of(type(value)) == "pandas":
            # A column may have no node: find out before inner values are numbered.
            pack_part(value, Trial())
        return pack_part(value, packer)
    except (Unknown, RecursionError):
        return None


def is_mutable(value: Any) -> bool:
    """Whether a call can change `value` in place. False for types that pack() does not know."""
    root, kind = root_of(type(value)), type(value).__name__
    if root == "sklearn":
        return hasattr(type(value), "get_params")
    return bool(root) and re.fullmatch(LIBRARIES[root].mutable, kind) is not None


def overwrite(mine: Any, new: Any) -> bool:
    """Makes `mine` equal to `new`, of the same type, in place. False when that is impossible."""
    if type(mine) is not type(new) or not is_mutable(mine):
        return False
    try:
        return LIBRARIES[root_of(type(mine))].overwrite(mine, new)
    except Exception:
        return False


def size(value: Any) -> int | None:
    """Bytes of an array, a frame, a tensor or a sparse matrix, without what its elements refer to."""
    root = root_of(type(value))
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
