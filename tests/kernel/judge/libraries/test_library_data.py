"""What holds for the data of every library."""

from __future__ import annotations

import json
from typing import Any

import pytest
from library_codec import Codec, encode
from library_samples import samples

from jupyterlab_refine.kernel.judge.libraries.library_data import pack, unpack


def test_inner_values_are_read_in_the_order_of_packing() -> None:
    np = pytest.importorskip("numpy")
    masked = np.ma.array([(1,), "b", None], mask=[0, 1, 0], dtype=object, fill_value="f")
    for value in [*samples(), masked]:
        node, codec = encode(value)
        reader = Codec()
        reader.buffers = codec.buffers
        unpack(node, reader)
        assert reader.order == json.loads(json.dumps(codec.order))


def test_packing_imports_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> Any:
        raise AssertionError(name)

    monkeypatch.setattr("importlib.import_module", refuse)
    for value in samples():
        assert pack(value, Codec()) is not None
