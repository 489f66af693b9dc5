"""Sparse matrices travel."""

from __future__ import annotations

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


def test_sparse_matrices_travel(subtests: Any) -> None:
    np, sparse = pytest.importorskip("numpy"), pytest.importorskip("scipy.sparse")
    dense = np.array([[0, 1.5, 0, 0], [2, 0, 0, 3]])
    for kind in ("csr", "csc", "coo"):
        for family in ("matrix", "array"):
            if not hasattr(sparse, f"{kind}_{family}"):
                continue
            for content in (dense, dense.astype("i2"), dense > 1, np.zeros((3, 2)), np.zeros((0, 2))):
                with subtests.test(f"{kind}_{family} {content.dtype} {content.shape}"):
                    value = getattr(sparse, f"{kind}_{family}")(content)
                    back = trip(value)
                    assert type(back) is type(value) and back.dtype == value.dtype
                    assert np.array_equal(back.toarray(), content) and is_mutable(value)
                    assert digest.of(value) == digest.of(back) is not None
                    assert size(value) is not None


def test_sparse_indexes_outside_the_shape_are_refused() -> None:
    np, sparse = pytest.importorskip("numpy"), pytest.importorskip("scipy.sparse")
    bad = [("csr", 1, [9, 0]), ("csr", 1, [-1, 0]), ("csr", 2, [0, 9, 2]), ("csc", 2, [0, 9, 0])]
    bad += [("coo", 1, [0, 5]), ("coo", 2, [0, -3]), ("csc", 2, [0, 2**30, 0])]
    for kind, part, content in bad:
        codec = Codec()
        node = pack(getattr(sparse, f"{kind}_matrix")([[0, 1], [2, 0]]), codec)
        codec.buffers[node[3][part][-1]] = np.array(content, node[3][part][1]).tobytes()
        with pytest.raises(BadData):
            unpack(node, codec)


def test_sparse_matrices_change_in_place() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    for kind in ("csr_matrix", "coo_array"):
        value = getattr(sparse, kind)([[0, 1], [2, 0]])
        assert overwrite(value, getattr(sparse, kind)([[5, 0], [0, 6]]))
        assert value.toarray().tolist() == [[5, 0], [0, 6]]
