"""Arrays, scalars and types of numpy travel, and change in place."""

from __future__ import annotations

import pytest
from library_codec import Codec, trip
from library_samples import arrays

from jupyterlab_refine.kernel.judge.exchange import digest
from jupyterlab_refine.kernel.judge.libraries.library_data import is_mutable, overwrite, pack, size


@pytest.mark.parametrize("name", arrays())
def test_arrays_travel(name: str) -> None:
    np = pytest.importorskip("numpy")
    value = arrays()[name](np)
    back = trip(value)
    assert type(back) is type(value) and back.dtype == value.dtype and back.shape == value.shape
    assert back.dtype.str == value.dtype.str and back.dtype.type is value.dtype.type
    assert back.flags.writeable == value.flags.writeable
    if value.dtype.hasobject:
        assert repr(back) == repr(value)
    else:
        assert back.tobytes() == value.tobytes()
    assert digest.of(value) == digest.of(back) is not None


def test_read_only_arrays_stay_read_only() -> None:
    np = pytest.importorskip("numpy")
    value = np.arange(3)
    value.flags.writeable = False
    assert not trip(value).flags.writeable
    assert trip(np.arange(3)).flags.writeable


def test_masked_arrays_travel() -> None:
    np = pytest.importorskip("numpy")
    values = [
        np.ma.array([1, 2, 3], mask=[0, 1, 0], fill_value=7),
        np.ma.array([1.5, 2.5]),
        np.ma.array([1, 2], mask=[1, 0], hard_mask=True),
        np.ma.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")], mask=[(True, False)]),
    ]
    for value in values:
        back = trip(value)
        assert type(back) is np.ma.MaskedArray and back.dtype == value.dtype
        assert (back.mask is np.ma.nomask) == (value.mask is np.ma.nomask)
        assert np.array_equal(np.ma.getmaskarray(back), np.ma.getmaskarray(value))
        assert back.data.tobytes() == value.data.tobytes()
        assert back.fill_value == value.fill_value and back.hardmask == value.hardmask
    assert trip(np.ma.masked) is np.ma.masked


def test_scalars_travel_as_scalars() -> None:
    np = pytest.importorskip("numpy")
    values = [np.float64(1.5), np.float32("nan"), np.bool_(True), np.int8(-1), np.uint64(2**64 - 1)]
    values += [np.datetime64("2020-01-01"), np.datetime64("NaT"), np.timedelta64(3, "h"), np.str_("a\0")]
    values += [np.str_(""), np.bytes_(b"b\0"), np.complex64(1j), np.longdouble(2), np.void(b"ab")]
    values += [np.zeros(1, [("a", "i4"), ("b", "U2")])[0]]
    for value in values:
        back = trip(value)
        assert type(back) is type(value) and back.dtype == value.dtype
        assert back.tobytes() == value.tobytes() and str(back) == str(value)
    for kind in (np.float64, np.int32, np.bool_, np.str_, np.datetime64):
        assert trip(kind) is kind


def test_dtypes_travel() -> None:
    np = pytest.importorskip("numpy")
    for text in ("<f8", ">i2", "|b1", "M8[ns]", "m8", "U5", "S3", "V7", "O", "i4,f8"):
        dtype = np.dtype(text)
        back = trip(dtype)
        assert back == dtype and type(back) is type(dtype) and back.str == dtype.str
    gaps = np.dtype({"names": ["a", "b"], "formats": ["i4", "u1"], "offsets": [4, 0], "itemsize": 16})
    assert trip(gaps) == gaps and trip(gaps).itemsize == 16


def test_other_types_have_no_node() -> None:
    np = pytest.importorskip("numpy")

    class Array(np.ndarray):
        pass

    class Liar:
        pass

    Liar.__module__, Liar.__name__ = "numpy", "ndarray"
    odd = Liar()
    values = [Array(2), odd, np.zeros(2, "V0"), np.random.PCG64(), np.sin, 5, "a", None, object]
    records = np.array([(1, "x")], [("a", "i4"), ("b", "O")])
    values += [np.matrix([[1]]), np.rec.array([(1, 2.5)]), records, np.zeros(1, [("a", "f8", (2,))])]
    for value in values:
        assert pack(value, Codec()) is None
        assert not overwrite(value, 5) and size(odd) is None and not is_mutable(odd)
    Liar.__module__ = 5  # type: ignore[assignment]
    assert pack(odd, Codec()) is None


def test_arrays_change_in_place() -> None:
    np = pytest.importorskip("numpy")
    mine = np.arange(6).reshape(2, 3)
    view = mine[1]
    assert overwrite(mine, trip(mine * 2)) and view.tolist() == [6, 8, 10]
    for other in (np.zeros((2, 3)), np.zeros((3, 2), int), np.ma.array([1])):
        assert not overwrite(mine, other)
    mine.flags.writeable = False
    assert not overwrite(mine, np.zeros((2, 3), int))
    objects = np.array([1, None], dtype=object)
    assert overwrite(objects, np.array([[1], "x"], dtype=object)) and objects[0] == [1]
    masked = np.ma.array([1, 2], mask=[1, 0], hard_mask=True)
    new = np.ma.array([3, 4], mask=[0, 1], fill_value=9)
    assert overwrite(masked, new) and masked.data.tolist() == [3, 4]
    assert masked.mask.tolist() == [False, True] and masked.fill_value == 9
