"""Messages over a socket: whole ones arrive, anything else is named as what it is."""

from __future__ import annotations

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
    wire.Link(left).send(tree, buffers)


@pytest.mark.parametrize("cut", [0, 3, 8, 15, 20])
def test_an_end_within_a_message_is_the_end(ends: tuple[socket.socket, socket.socket], cut: int) -> None:
    ends[0].sendall((HEAD.pack(4, 1) + struct.pack("!Q", 2) + b"[10]ab")[:cut])
    ends[0].close()
    with pytest.raises(wire.Closed):
        wire.Link(ends[1]).receive()


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
