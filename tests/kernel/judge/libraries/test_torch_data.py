"""Tensors travel."""

from __future__ import annotations

import pytest
from library_codec import Codec, trip

from jupyterlab_refine.kernel.judge.exchange import digest
from jupyterlab_refine.kernel.judge.libraries.library_data import is_mutable, overwrite, pack, size


def test_tensors_travel() -> None:
    torch = pytest.importorskip("torch")
    values = [
        torch.arange(6).reshape(2, 3),
        torch.tensor(1.5),
        torch.tensor([True, False]),
        torch.empty(0, 2),
    ]
    values += [torch.tensor([1.5, float("nan")], dtype=torch.bfloat16), torch.tensor([1 + 2j]).conj()]
    values += [torch.arange(6).reshape(2, 3).T, torch.rand(2, requires_grad=True), torch.rand(4).half()]
    values += [torch.nn.Parameter(torch.rand(2)), torch.rand(2, requires_grad=True) * 2]
    for value in values:
        back = trip(value)
        assert type(back) is type(value) and back.dtype == value.dtype and back.shape == value.shape
        assert str(back.tolist()) == str(value.tolist())
        assert back.requires_grad == value.requires_grad
        assert digest.of(value) == digest.of(back) is not None
        assert is_mutable(value) and size(value) is not None
    assert trip(torch.float32) is torch.float32 and trip(torch.Size([2, 3])) == torch.Size([2, 3])
    mine, new = torch.zeros(2), torch.ones(2)
    view = mine[1:]
    assert overwrite(mine, new) and view[0] == 1 and not overwrite(mine, torch.ones(3))
    assert pack(torch.zeros(2).to_sparse(), Codec()) is None
