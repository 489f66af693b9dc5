"""Nodes of torch: tensors on the CPU, their types and sizes."""

from __future__ import annotations

import math
import sys
from typing import Any

from .nodes import (
    MAKERS,
    Library,
    Node,
    Unknown,
    bool_of,
    buffer_of,
    ints_of,
    library,
    makes,
    need,
    register,
    text_of,
)

_TORCH_DTYPES = frozenset(
    "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()
)


def _pack_torch(value: Any, packer: Any) -> Node:
    torch, kind = sys.modules["torch"], type(value)
    if kind is torch.Size:
        return ["lib:torch.Size", list(value)]
    if kind is torch.dtype and str(value).removeprefix("torch.") in _TORCH_DTYPES:
        return ["lib:torch.dtype", str(value).removeprefix("torch.")]
    if kind not in (torch.Tensor, torch.nn.Parameter):
        raise Unknown
    dtype = str(value.dtype).removeprefix("torch.")
    if value.layout is not torch.strided or value.device.type != "cpu" or dtype not in _TORCH_DTYPES:
        raise Unknown
    flat = value.detach().resolve_conj().resolve_neg().contiguous().reshape(-1)
    data = packer.buffer(flat.view(torch.uint8).numpy() if flat.numel() else b"")
    return ["lib:torch", kind.__name__, dtype, list(value.shape), bool(value.requires_grad), data]


@makes("lib:torch")
def _tensor(unpacker: Any, kind: Any, dtype: Any, shape: Any, gradient: Any, index: Any) -> Any:
    torch, raw = library("torch"), buffer_of(unpacker, index)
    need(text_of(dtype) in _TORCH_DTYPES and kind in ("Tensor", "Parameter"))
    need(dtype != "bool" or not raw.strip(b"\0\1"))
    shape, dtype = tuple(ints_of(shape)), getattr(torch, dtype)
    tensor = torch.empty(0, dtype=dtype)
    need(len(raw) == math.prod(shape) * tensor.element_size())
    tensor = (torch.frombuffer(bytearray(raw), dtype=dtype) if raw else tensor).reshape(shape)
    if kind == "Parameter":
        return torch.nn.Parameter(tensor, requires_grad=bool_of(gradient))
    return tensor.requires_grad_(bool_of(gradient))


@makes("lib:torch.dtype")
def _torch_dtype(unpacker: Any, name: Any) -> Any:
    need(text_of(name) in _TORCH_DTYPES)
    return getattr(library("torch"), name)


MAKERS["lib:torch.Size"] = lambda unpacker, shape: library("torch").Size(ints_of(shape))


def _overwrite_torch(mine: Any, new: Any) -> bool:
    if mine.shape != new.shape or mine.dtype != new.dtype:
        return False
    mine.data.copy_(new.data)
    mine.requires_grad_(new.requires_grad)
    return True


register("torch", Library(_pack_torch, "Tensor|Parameter", _overwrite_torch))
