"""Nodes of numpy: arrays, scalars, types and random generators."""

from __future__ import annotations

import math
import re
import sys
from typing import Any

from .nodes import (
    Library,
    Node,
    Trial,
    Unknown,
    bool_of,
    buffer_of,
    inner,
    ints_of,
    library,
    makes,
    need,
    pack_texts,
    plain_value,
    register,
    text_of,
    texts_of,
)

_DTYPE = re.compile(
    r"[<>|](b1|[iu][1248]|f(2|4|8|12|16)|c(8|16|24|32)|[SUV][1-9]\d{0,9}"
    r"|[mM]8(\[[1-9]?\d{0,8}(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\])?)"
)


def pack_numpy(value: Any, packer: Any) -> Node:
    np, kind = sys.modules["numpy"], type(value)
    if kind is np.ndarray:
        return pack_array(value, packer)
    if kind is np.ma.MaskedArray:
        data = pack_array(np.asarray(value.data), packer)
        mask = None if value.mask is np.ma.nomask else pack_array(np.asarray(value.mask), packer)
        return ["lib:np.ma", data, mask, packer.node(value.fill_value), bool(value.hardmask)]
    if kind.__name__ == "Generator":
        bits = value.bit_generator
        return ["lib:np.random", type(bits).__name__, packer.node(bits.state)]
    if kind.__name__ == "RandomState":
        return ["lib:np.random", "", packer.node(value.get_state(legacy=False))]
    if value is np.ma.masked:
        return ["lib:np.masked"]
    if isinstance(value, np.dtype):
        return ["lib:np.dtype", _pack_dtype(value)]
    if isinstance(value, np.generic) and value.dtype.type is kind and not value.dtype.hasobject:
        if value.dtype.kind in "US":
            # Their arrays and str() drop null characters at the end.
            plain = str.__str__(value) if value.dtype.kind == "U" else b"".join((value, b""))
            return ["lib:np.text", packer.node(plain)]
        return ["lib:np.scalar", _pack_dtype(value.dtype), value.tobytes().hex()]
    raise Unknown


def _pack_dtype(dtype: Any) -> Any:
    np = sys.modules["numpy"]
    if dtype.names:
        fields = [dtype.fields[name] for name in dtype.names]
        if any(len(field) > 2 for field in fields) or dtype.type is not np.void or dtype.hasobject:
            raise Unknown
        parts = [_pack_dtype(field[0]) for field in fields]
        offsets = [field[1] for field in fields]
        return ["fields", list(dtype.names), parts, offsets, dtype.itemsize, dtype.isalignedstruct]
    if dtype.kind == "O":
        return "O"
    if dtype.subdtype is not None or not _DTYPE.fullmatch(dtype.str):
        raise Unknown
    return dtype.str


def _dtype(np: Any, node: Any) -> Any:
    if type(node) is str:
        need(node == "O" or _DTYPE.fullmatch(node))
        return np.dtype(node)
    need(type(node) is list and node)
    tag, names, formats, offsets, itemsize, aligned = node
    need(tag == "fields" and type(names) is list and type(formats) is list and type(itemsize) is int)
    need(len(names) == len(formats) == len(ints_of(offsets)) and 0 < itemsize < 1 << 31)
    made = [_dtype(np, part) for part in formats]
    need(not any(part.hasobject for part in made))
    parts = {"names": [text_of(name) for name in names], "formats": made, "offsets": offsets}
    return np.dtype({**parts, "itemsize": itemsize}, align=bool_of(aligned))


def pack_array(value: Any, packer: Any, writeable: bool | None = None) -> Node:
    np, dtype = sys.modules["numpy"], value.dtype
    if not dtype.itemsize:
        raise Unknown
    order = "F" if value.flags.fnc else "C"
    writeable = bool(value.flags.writeable) if writeable is None else writeable
    head = ["lib:ndarray", _pack_dtype(dtype), list(value.shape), order, writeable]
    if isinstance(packer, Trial):
        return head
    flat = np.ascontiguousarray(value.T if order == "F" else value).reshape(-1)
    if dtype.kind == "O":
        items = flat.tolist()
        if set(map(type, items)) <= {str, type(None)}:
            return [*head, ["texts", *pack_texts(items, packer)]]
        return [*head, ["nodes", *map(packer.node, items)]]
    return [*head, packer.buffer(flat.view("u1") if flat.size else b"")]


@makes("lib:ndarray")
def _array(unpacker: Any, dtype_node: Any, shape: Any, order: Any, writeable: Any, data: Any) -> Any:
    np = library("numpy")
    dtype, shape = _dtype(np, dtype_node), tuple(ints_of(shape))
    need(order in ("C", "F"))
    count = math.prod(shape)
    if dtype.kind == "O":
        need(type(data) is list and data and data[0] in ("texts", "nodes"))
        items = texts_of(unpacker, data[1:]) if data[0] == "texts" else map(unpacker.value, data[1:])
        items = list(items)
        need(len(items) == count)
        flat = np.empty(count, dtype)
        for place, item in enumerate(items):
            flat[place] = item
        result = flat.reshape(shape, order=order)
    else:
        raw = buffer_of(unpacker, data)
        need(dtype.itemsize and len(raw) == count * dtype.itemsize)
        result = np.empty(shape, dtype, order=order)
        if count:
            content = np.frombuffer(raw, "u1")
            need(dtype.kind != "b" or content.max() <= 1)
            need(dtype.kind != "U" or content.view(dtype.str[0] + "u4").max() <= sys.maxunicode)
            (result.T if order == "F" else result).reshape(-1).view("u1")[:] = content
    result.flags.writeable = bool_of(writeable)
    return result


@makes("lib:np.ma")
def _masked_array(unpacker: Any, data: Any, mask: Any, fill: Any, hard: Any) -> Any:
    ma = library("numpy").ma
    data = inner(unpacker, data, "lib:ndarray")
    mask = ma.nomask if mask is None else inner(unpacker, mask, "lib:ndarray")
    need(mask is ma.nomask or mask.shape == data.shape)
    return ma.MaskedArray(data, mask=mask, fill_value=plain_value(unpacker, fill), hard_mask=bool_of(hard))


@makes("lib:np.masked")
def _masked(unpacker: Any) -> Any:
    return library("numpy").ma.masked


@makes("lib:np.dtype")
def _dtype_value(unpacker: Any, node: Any) -> Any:
    return _dtype(library("numpy"), node)


@makes("lib:np.type")
def _scalar_type(unpacker: Any, name: Any) -> Any:
    np = library("numpy")
    found = vars(np).get(text_of(name))
    need(isinstance(found, type) and issubclass(found, np.generic))
    return found


@makes("lib:np.text")
def _text_scalar(unpacker: Any, node: Any) -> Any:
    np, value = library("numpy"), unpacker.value(node)
    need(type(value) in (str, bytes))
    return np.str_(value) if type(value) is str else np.bytes_(value)


@makes("lib:np.scalar")
def _scalar(unpacker: Any, dtype: Any, content: Any) -> Any:
    np, raw = library("numpy"), bytes.fromhex(text_of(content))
    dtype = _dtype(np, dtype)
    need(not dtype.hasobject and dtype.kind not in "US")
    need(len(raw) == dtype.itemsize and (dtype.kind != "b" or raw in (b"\0", b"\1")))
    return np.frombuffer(bytearray(raw), dtype)[0]


@makes("lib:np.random")
def _random(unpacker: Any, name: Any, state: Any) -> Any:
    np = library("numpy")
    if not name:
        made = np.random.RandomState(0)
        made.set_state(plain_value(unpacker, state))
        return made
    need(name in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"))
    bits = getattr(np.random, name)(0)
    bits.state = plain_value(unpacker, state)
    return np.random.Generator(bits)


def _overwrite_numpy(mine: Any, new: Any) -> bool:
    if hasattr(mine, "bit_generator"):
        mine.bit_generator.state = new.bit_generator.state
        return True
    if hasattr(mine, "set_state"):
        mine.set_state(new.get_state(legacy=False))
        return True
    if mine.shape != new.shape or mine.dtype != new.dtype:
        return False
    if not hasattr(mine, "mask"):
        mine[...] = new
        return True
    mine.data[...] = new.data
    mine.soften_mask()
    mine.mask = new.mask
    mine.fill_value = new.fill_value
    if new.hardmask:
        mine.harden_mask()
    return True


register("numpy", Library(pack_numpy, "ndarray|MaskedArray|Generator|RandomState", _overwrite_numpy))
