"""A small packer for the tests of library data, and round trips with it."""

from __future__ import annotations

import datetime
import decimal
import json
from typing import Any

from jupyterlab_refine.kernel.judge.exchange import plain
from jupyterlab_refine.kernel.judge.libraries.library_data import pack, unpack

PLAIN = {"date": datetime.date, "datetime": datetime.datetime, "Decimal": decimal.Decimal}


class Codec:
    """A packer and an unpacker of plain values, lists, tuples and dicts, and of what pack() knows."""

    def __init__(self) -> None:
        self.buffers: list[bytes] = []
        #: Nodes in the order in which they were made or read, inner ones first.
        self.order: list[Any] = []

    def buffer(self, data: Any) -> Any:
        if type(data) is int:
            return self.buffers[data]
        self.buffers.append(bytes(memoryview(data).cast("B")) if len(data) else b"")
        return len(self.buffers) - 1

    def is_data(self, value: Any) -> bool:
        return plain.is_data(value)

    def node(self, value: Any) -> Any:
        node = self._node(value)
        self.order.append(node)
        return node

    def value(self, node: Any) -> Any:
        value = self._value(node)
        self.order.append(node)
        return value

    def _node(self, value: Any) -> Any:
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if kind is float:
            return ["float", value.hex()]
        if kind is bytes:
            return ["bytes", value.hex()]
        if kind in (list, tuple):
            return [kind.__name__, *map(self.node, value)]
        if kind is dict:
            return ["dict", *([self.node(name), self.node(part)] for name, part in value.items())]
        if kind in (datetime.date, datetime.datetime):
            return [kind.__name__, value.isoformat()]
        if kind is decimal.Decimal:
            return ["Decimal", str(value)]
        return pack(value, self) or ["handle"]

    def _value(self, node: Any) -> Any:
        if type(node) is not list:
            return node
        tag, *parts = node
        if tag == "float":
            return float.fromhex(parts[0])
        if tag == "bytes":
            return bytes.fromhex(parts[0])
        if tag in ("list", "tuple"):
            return (list if tag == "list" else tuple)(map(self.value, parts))
        if tag == "dict":
            return {self.value(name): self.value(part) for name, part in parts}
        if tag in ("date", "datetime"):
            return PLAIN[tag].fromisoformat(parts[0])
        if tag == "Decimal":
            return decimal.Decimal(parts[0])
        if tag == "handle":
            return lambda *args: "a stub"
        return unpack(node, self)


def encode(value: Any) -> tuple[Any, Codec]:
    codec = Codec()
    node = pack(value, codec)
    assert node is not None, f"{type(value)} has no node"
    return json.loads(json.dumps(node)), codec


def trip(value: Any) -> Any:
    return unpack(*encode(value))


def trip_whole(value: Any) -> Any:
    """With the packer of the product, which knows parts that occur twice."""
    packer = plain.Packer(lambda *_: None)
    node = json.loads(json.dumps(packer.node(value)))
    return plain.Unpacker([bytearray(part) for part in packer.buffers], lambda *_: None).value(node)
