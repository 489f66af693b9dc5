"""What a description of an object holds, and what of an object may be read."""

from __future__ import annotations

import collections

import pytest

from jupyterlab_refine.kernel.judge.exchange import plain, stubs


def test_a_structure_of_the_notebook_gets_no_methods() -> None:
    class Config:
        def check(self) -> bool:
            return True

        limit = property(lambda self: 5)

    made = Config()
    stubs.fill(made, {"tol": 1})
    assert made.tol == 1 and made.check()
    for key in ("check", "limit", "__class__", "__dict__", 5):
        with pytest.raises(plain.BadData):
            stubs.fill(made, {key: lambda: False})


def test_what_a_check_may_read_is_public() -> None:
    assert stubs.is_exposed("items") and stubs.is_exposed("__name__")
    for name in (
        "_x",
        "__class__",
        "gi_frame",
        "cr_code",
        "f_back",
        "tb_next",
        "co_code",
        "func_globals",
        5,
        None,
    ):
        assert not stubs.is_exposed(name)


def test_state_includes_slots() -> None:
    class Slots:
        __slots__ = ("a", "b", "__dict__")

    made = Slots()
    made.a, made.c = 1, 2
    assert stubs.state_of(made) == {"a": 1, "c": 2}
    assert stubs.is_simple(Slots) and not stubs.is_simple(collections.OrderedDict)
