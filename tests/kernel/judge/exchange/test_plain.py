"""Plain data as trees: round trips, what is shared within a message, and forged trees."""

from __future__ import annotations

import array
import collections
import copy
import datetime as dt
import decimal
import fractions
import ipaddress
import json
import pathlib
import random
import re
import types
import uuid
import zoneinfo
from typing import Any

import numpy as np
import pandas as pd
import pytest

from jupyterlab_refine.kernel.judge.exchange import plain


def refused(_: Any, value: Any) -> Any:
    raise TypeError(type(value).__name__)


def unknown(_: Any, node: list[Any]) -> Any:
    raise plain.BadData(f"no such node {node[0]}")


def packed(value: Any) -> tuple[Any, list[bytearray]]:
    packer = plain.Packer(refused)
    tree = packer.node(value)
    return json.loads(json.dumps(tree)), [bytearray(part) for part in packer.buffers]


def again(value: Any) -> Any:
    tree, buffers = packed(value)
    return plain.Unpacker(buffers, unknown).value(tree)


NAN = float("nan")
VALUES = [
    *(None, True, False, 0, -1, 2**64, -(2**9000), 1.5, -0.0, float("inf"), "", "a\x00\ud800\U0001f389"),
    *(b"\x00\xff", bytearray(b"ab"), complex(-0.0, NAN), range(5, -5, -2), ..., NotImplemented),
    *(slice(None), slice(1, None, -2), slice("a", (1,), None)),
    *([], [1, [2, [3]]], (), (1,), (1, (2, [3])), {1, 2}, frozenset({1, (2, 3)}), set()),
    *({}, {"a": 1, 1: "a", None: (), (1, 2): [3]}, {1.5: {"x": {}}}),
    *(collections.OrderedDict(b=1, a=2), collections.Counter("hello"), collections.deque([1, 2], 3)),
    *(collections.defaultdict(None, a=1), types.SimpleNamespace(a=1, b=[2])),
    *(array.array("d", [1.5, 2.5]), array.array("u", "ab"), array.array("q", [])),
    *(dt.date(2024, 2, 29), dt.datetime(1, 1, 1), dt.datetime(2024, 3, 31, 2, 30, 0, 7, fold=1)),
    dt.datetime(2024, 1, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")),
    *(dt.time(1, tzinfo=dt.timezone(dt.timedelta(hours=-3), "X")), dt.timedelta(-5, 3, 7), dt.timezone.utc),
    *(
        decimal.Decimal("1.10"),
        decimal.Decimal("-0"),
        fractions.Fraction(-22, 7),
    ),
    *(uuid.UUID(int=5), re.compile("a+", re.I), re.compile(rb"\d", re.S)),
    *(pathlib.PurePosixPath("/a/b"), pathlib.PureWindowsPath("c:\\a"), pathlib.Path("x")),
    *(ipaddress.ip_network("2001:db8::/32"), ipaddress.ip_interface("10.0.0.1/8")),
]


def same(one: Any, other: Any) -> bool:
    """Of the same type and content, down to the order of keys and the sign of zero."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return same(list(one.items()), list(other.items()))
    if isinstance(one, (list, tuple, collections.deque)):
        return len(one) == len(other) and all(map(same, one, other))
    return repr(one) == repr(other) or one == other


@pytest.mark.parametrize("value", VALUES, ids=lambda v: f"{type(v).__name__}-{str(v)[:12]}")
def test_a_value_arrives_as_it_was(value: Any) -> None:
    before = copy.deepcopy(value) if type(value) is not types.NotImplementedType else value
    assert same(again(value), value)
    assert same(again([value, {"k": (value,)}]), [value, {"k": (value,)}])
    assert same(before, value)


# Trees that no packer makes


def walked(node: Any, chance: random.Random) -> Any:
    """A tree with one of its parts replaced, dropped, doubled or moved."""
    if type(node) is not list or not node or chance.random() < 0.3:
        junk = [
            *(None, -1, 10**9, 2**70, 1e308, "x", "l", True, [], ["l"], ["d", [1]], {}, ["r", 0], ["r", -1]),
            *(["a", 9], ["s", [["l", []]]], ["d", [["l", []], 1]], ["b", 0], ["b", "x"], ["dq", [], "x"]),
            *(["dd", [], 5], ["ns", [1, 2]], ["e", 1], ["h", 1], ["pk", 0], ["pk"]),
        ]
        return chance.choice(junk)
    place = chance.randrange(len(node))
    change = chance.randrange(4)
    if change == 0:
        return [*node[:place], *node[place + 1 :]]
    if change == 1:
        return [*node, node[place]]
    return [*node[:place], walked(node[place], chance), *node[place + 1 :]]


@pytest.mark.parametrize("seed", range(8))
def test_a_forged_tree_is_bad_data_or_plain(seed: int) -> None:
    """It raises nothing else, and makes nothing but plain values."""
    chance = random.Random(seed)
    trees = [packed([value, {"k": value}]) for value in VALUES if not isinstance(value, int) or value < 2**70]
    for _ in range(1500):
        tree, buffers = chance.choice(trees)
        for _ in range(chance.randrange(1, 4)):
            tree = walked(tree, chance)
        unpacker = plain.Unpacker([bytearray(part) for part in buffers], unknown)
        try:
            made = unpacker.value(json.loads(json.dumps(tree)))
        except plain.BadData:
            continue
        assert plain.is_plain(made) or type(made).__module__ in ("builtins", "inspect", "numpy"), made


FORGED: dict[str, Any] = {
    **{"no node": {}, "an empty node": [], "a node without a tag": [1], "an unknown tag": ["nope", 1]},
    **{"a list without items": ["l"], "items that are none": ["l", 5], "odd pairs": ["d", [1]]},
    **{"a key that cannot be one": ["d", [["l", []], 1]], "a member that cannot be one": ["s", [["d", []]]]},
    **{"a value before it is there": ["r", 5], "a negative place": ["r", -1], "no argument": ["a", 0]},
    **{"no such buffer": ["b", 3], "a negative buffer": ["b", -1], "a buffer by name": ["b", "0"]},
    **{"a factory that is none": ["dd", [], 5], "a tuple with itself": ["t", [["r", 0]]]},
}


@pytest.mark.parametrize("name", FORGED)
def test_a_tree_that_no_packer_makes_is_bad_data(name: str) -> None:
    with pytest.raises(plain.BadData):
        plain.Unpacker([bytearray(b"ab")], unknown).value(FORGED[name])


def test_a_deep_forged_tree_ends() -> None:
    tree: Any = ["l", []]
    for _ in range(5000):
        tree = ["l", [tree]]
    with pytest.raises((plain.BadData, RecursionError)):
        plain.Unpacker([], unknown).value(tree)


MUCH: dict[str, Any] = {
    "a list": [{"a": [n]} for n in range(60_000)],
    "lists in a dictionary": {n: [*range(400)] for n in range(200)},
    "an array": np.arange(400_000.0).reshape(2, -1),
    "a frame": pd.DataFrame({"a": range(400_000), "b": "x"}),
    "a series": pd.Series(range(400_000)),
    "an index": pd.Index(np.arange(400_000) * 3),
}


@pytest.mark.parametrize("name", MUCH)
def test_of_much_data_items_from_all_over_it_are_looked_at(name: str) -> None:
    value = MUCH[name]
    other = copy.deepcopy(value)
    before = plain.digest(value)
    assert plain.is_large(value) and before is not None and plain.digest(other) == before
    if isinstance(other, dict):
        other[199] = other[199][:-1]
    elif isinstance(other, list):
        other.pop(5)
    else:
        other = other * 2
    assert plain.digest(other) != before


def test_a_change_of_builtin_data_is_seen_as_in_any_other() -> None:
    """Also where old and new are equal, in a list that holds itself, and beside an array."""
    circle: list[Any] = [1]
    circle.append(circle)
    for value in ([1, {2: (3.0, "a")}], [1, {0j: []}], circle, [1, np.zeros(2, int)]):
        before = plain.mark(value)
        assert before is not None and plain.mark(value) == before
        value[0] = True
        assert plain.mark(value) != before
    zeros = [np.zeros(2, int)]
    before = plain.mark(zeros)
    zeros[0] = np.zeros(2)
    assert plain.mark(zeros) != before
