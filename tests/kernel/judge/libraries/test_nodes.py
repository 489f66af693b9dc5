"""Malformed nodes are refused, whatever is wrong with them."""

from __future__ import annotations

import contextlib
import copy
import random
from typing import Any

import pytest
from library_codec import Codec, encode
from library_samples import samples

from jupyterlab_refine.kernel.judge.libraries.library_data import BadData, unpack


@pytest.mark.parametrize(
    "node",
    [
        None,
        5,
        "lib:ndarray",
        [],
        [5],
        [["lib:ndarray"]],
        ["lib:nothing"],
        ["lib:ndarray"],
        ["lib:ndarray", "<i8", [3], "C", True, 7],
        ["lib:ndarray", "<i8", [2], "C", True, 0],
        ["lib:ndarray", "<i8", [-3], "C", True, 0],
        ["lib:ndarray", "<i8", [True, 3], "C", True, 0],
        ["lib:ndarray", "<i8", [3], "K", True, 0],
        ["lib:ndarray", "<i8", [3], "C", 1, 0],
        ["lib:ndarray", "<i8", 3, "C", True, 0],
        ["lib:ndarray", "O", [3], "C", True, 0],
        ["lib:ndarray", "O", [3], "C", True, ["nodes", 1, 2]],
        ["lib:ndarray", "O,O", [3], "C", True, 0],
        ["lib:ndarray", "i8", [3], "C", True, 0],
        ["lib:ndarray", "object", [3], "C", True, 0],
        ["lib:ndarray", "|b1", [24], "C", True, 1],
        ["lib:ndarray", "<U1", [6], "C", True, 1],
        ["lib:ndarray", ["fields", ["a", "b"], ["O", "<i8"], [0, 0], 8, False], [3], "C", True, 0],
        ["lib:ndarray", ["fields", ["a"], ["O"], [0], 8, False], [3], "C", True, 0],
        ["lib:ndarray", ["fields", ["a"], ["<i8"], [4], 8, False], [3], "C", True, 0],
        ["lib:ndarray", ["fields", ["a", "a"], ["<i4", "<i4"], [0, 4], 8, False], [3], "C", True, 0],
        ["lib:np.dtype", ["fields", ["a", "b"], ["O", "<i8"], [0, 4], 16, False]],
        ["lib:np.dtype", ["sub", "<i8", [-1]]],
        ["lib:np.scalar", "O", "0000000000000000"],
        ["lib:np.scalar", "<i8", "00"],
        ["lib:np.scalar", "|b1", "02"],
        ["lib:np.type", "ndarray"],
        ["lib:np.type", "load"],
        ["lib:np.text", 5],
        ["lib:pd.range", "0", 1, 2, None],
        ["lib:pd.range", 0, 1, 0, None],
        ["lib:pd.offset", "<DateOffset: months=1>"],
        ["lib:pd.offset", "D" * 60],
        [
            "lib:pd.Timestamp",
            ["lib:np.scalar", "<M8[s]", "0000000000000000"],
            ["zoneinfo", "../../etc/passwd"],
        ],
        ["lib:pd.Timestamp", ["lib:np.scalar", "<i8", "0000000000000000"], None],
        ["lib:pd.Period", 5, "import os"],
        ["lib:pd.Period", 2**70, "M"],
        ["lib:pd.index", "Index", ["lib:pd.NaT"], None],
        ["lib:pl", "DataFrame", 0, 0],
        ["lib:pa", "Table", 0],
        ["lib:sy.basic", "os", "system", True],
        ["lib:sy.basic", "sympy.core.sympify", "sympify", True, ["lib:sy.text", "1"]],
        ["lib:sy.basic", "sympy.core.add", "Add", True, ["lib:np.type", "float64"]],
        ["lib:sy.basic", "sympy.core.add", "Add", True, "1"],
        ["lib:sy.symbol", 5, None, {}],
        ["lib:sy.symbol", "x", None, {"cls": True}],
        ["lib:sy.number", "__import__", "1"],
        ["lib:sy.float", 0, "1", 0, 1, 10**9],
        ["lib:state", "networkx.classes.graph", "Graph", [["_adj", ["handle"]]]],
        ["lib:state", "networkx.classes.graph", "Graph", [["nodes", ["dict"]]]],
        ["lib:state", "networkx.classes.graph", "Graph", [["add_edge", ["dict"]]]],
        ["lib:state", "networkx.classes.filters", "no_filter", []],
        ["lib:state", "networkx.classes.graph", "Other", []],
        ["lib:torch", "Tensor", "load", [0], False, 0],
    ],
    ids=lambda node: str(node)[:50],
)
def test_malformed_nodes_are_refused(node: Any) -> None:
    codec = Codec()
    codec.buffers = [bytes(24), b"\xff" * 24]
    with pytest.raises(BadData):
        unpack(node, codec)


ODD = [
    None,
    True,
    -1,
    0,
    3,
    2**70,
    1.5,
    "",
    "O",
    "<f8",
    "|b1",
    "lib:ndarray",
    "__class__",
    [],
    ["list"],
    {},
    "UTC",
]


def places(node: Any, path: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    found = [path] if path else []
    if type(node) is list:
        for at, part in enumerate(node):
            found += places(part, (*path, at))
    return found


def test_changed_nodes_raise_nothing_else(capfd: Any) -> None:
    chance = random.Random(1)
    values = samples()
    if not values:
        pytest.skip("No library is installed.")
    refused = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RUST_BACKTRACE", "0")
        for value in values:
            node, codec = encode(value)
            for _ in range(40):
                changed, inner = copy.deepcopy(node), Codec()
                inner.buffers = list(codec.buffers)
                if chance.random() < 0.3 and any(inner.buffers):
                    at = chance.choice([at for at, part in enumerate(inner.buffers) if part])
                    data = bytearray(inner.buffers[at])
                    data[chance.randrange(len(data))] = chance.randrange(256)
                    inner.buffers[at] = bytes(data[: chance.choice([len(data), len(data) // 2])])
                else:
                    *above, last = chance.choice(places(changed))
                    parent = changed
                    for at in above:
                        parent = parent[at]
                    action = chance.randrange(3)
                    if action == 0:
                        parent[last] = chance.choice(ODD)
                    elif action == 1:
                        del parent[last]
                    else:
                        parent[last] = copy.deepcopy(chance.choice(parent))
                try:
                    back = unpack(changed, inner)
                except BadData:
                    refused += 1
                    continue
                with contextlib.suppress(Exception):
                    # A date outside of the calendar has no text.
                    repr(back)
    capfd.readouterr()
    assert refused > len(values)


def test_a_deep_node_is_refused() -> None:
    node: Any = ["lib:np.view", "matrix", None]
    for _ in range(5000):
        node = ["lib:np.view", "matrix", node]
    with pytest.raises(BadData):
        unpack(node, Codec())
