"""Messages over a socket: whole ones arrive, anything else is named as what it is."""

from __future__ import annotations

import array
import mmap
import random
import socket
import struct
import threading
from collections.abc import Iterator

import pytest

from jupyterlab_refine.kernel.judge.exchange import wire

HEAD = struct.Struct("!II")


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    left, right = socket.socketpair()
    for end in (left, right):
        end.settimeout(10)
    yield left, right
    left.close()
    right.close()


def sent(left: socket.socket, tree: object, buffers: list[object]) -> None:
    wire.Link(left).send(wire.encoded(tree), buffers)


TREES = [None, True, -7, 1.5, "", "caf\xe9 \u65e5 \U0001f389 \ud800", [], [1, [2, ["x", None]]], {"a": [1]}]


@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_a_tree_arrives_as_it_was(ends: tuple[socket.socket, socket.socket], tree: object) -> None:
    sent(ends[0], tree, [])
    assert wire.Link(ends[1]).receive() == (tree, [])


def test_buffers_of_any_kind_arrive_as_bytes(ends: tuple[socket.socket, socket.socket]) -> None:
    sent(ends[0], 1, [b"", b"abc", bytearray(b"xy"), memoryview(b"12"), array.array("i", [1, 2])])
    _, buffers = wire.Link(ends[1]).receive()
    assert [bytes(part) for part in buffers] == [
        b"",
        b"abc",
        b"xy",
        b"12",
        array.array("i", [1, 2]).tobytes(),
    ]
    assert all(type(part) is bytearray for part in buffers)


def test_messages_larger_than_a_socket_holds_arrive(ends: tuple[socket.socket, socket.socket]) -> None:
    data = random.Random(1).randbytes(5 << 20)
    sender = threading.Thread(target=sent, args=(ends[0], ["x" * (1 << 20)], [data, data[:9]]))
    sender.start()
    tree, buffers = wire.Link(ends[1]).receive()
    sender.join()
    assert (len(tree[0]), buffers) == (1 << 20, [data, data[:9]])


def test_messages_keep_their_order_and_bounds(ends: tuple[socket.socket, socket.socket]) -> None:
    link = wire.Link(ends[1])
    messages = [(number, [bytearray([number])] * (number % 3)) for number in range(50)]
    sender = threading.Thread(target=lambda: [sent(ends[0], *message) for message in messages])
    sender.start()
    assert [link.receive() for _ in range(50)] == messages
    sender.join()


@pytest.mark.parametrize("cut", [0, 3, 8, 15, 20])
def test_an_end_within_a_message_is_the_end(ends: tuple[socket.socket, socket.socket], cut: int) -> None:
    ends[0].sendall((HEAD.pack(4, 1) + struct.pack("!Q", 2) + b"[10]ab")[:cut])
    ends[0].close()
    with pytest.raises(wire.Closed):
        wire.Link(ends[1]).receive()


def test_sending_to_an_end_that_is_closed_is_the_end(ends: tuple[socket.socket, socket.socket]) -> None:
    ends[1].close()
    with pytest.raises(wire.Closed):
        for _ in range(3):
            sent(ends[0], 1, [b"x"])


MALFORMED = {
    "a tree that is too large": HEAD.pack(wire.LIMIT + 1, 0),
    "too many buffers": HEAD.pack(2, 1 << 31),
    "a buffer that is too large": HEAD.pack(2, 1) + struct.pack("!Q", wire.LIMIT),
    "buffers that are too large together": HEAD.pack(2, 3) + struct.pack("!Q", wire.LIMIT // 2) * 3,
    "no JSON": HEAD.pack(3, 0) + b"[1,",
    "no text": HEAD.pack(2, 0) + b"\xff\xfe",
    "nested a million deep": HEAD.pack(1 << 20, 0) + b"[" * (1 << 20),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_no_message_is_malformed(ends: tuple[socket.socket, socket.socket], name: str) -> None:
    sender = threading.Thread(target=ends[0].sendall, args=(MALFORMED[name],))
    sender.start()
    with pytest.raises(wire.Malformed):
        wire.Link(ends[1]).receive()
    sender.join()


def test_a_message_that_is_too_large_is_not_sent(ends: tuple[socket.socket, socket.socket]) -> None:
    with pytest.raises(wire.TooLarge):
        sent(ends[0], 1, [mmap.mmap(-1, wire.LIMIT, prot=mmap.PROT_READ)])
    sent(ends[0], "next", [])
    assert wire.Link(ends[1]).receive() == ("next", [])


def test_noise_is_a_message_malformed_or_the_end(ends: tuple[socket.socket, socket.socket]) -> None:
    """Any bytes end in one of three ways, and take no memory that they did not send."""
    chance = random.Random(5)
    for _ in range(300):
        left, right = socket.socketpair()
        head = HEAD.pack(chance.choice([0, 1, 5, 1 << 20, chance.getrandbits(32)]), chance.choice([0, 1, 3]))
        left.sendall(chance.choice([head, b""]) + chance.randbytes(chance.randrange(60)))
        left.close()
        try:
            wire.Link(right).receive()
        except (wire.Closed, wire.Malformed):
            continue
        finally:
            right.close()
