"""Messages between judge and worker: a JSON tree and binary buffers, framed, over a socket."""

from __future__ import annotations

import json
import struct
from socket import socket
from typing import Any

#: Of one message, buffers included.
LIMIT = 1 << 30
_HEAD = struct.Struct("!II")
_SIZE = struct.Struct("!Q")
_MOST_BUFFERS = 100_000

# References of our own: code in the worker may replace the attributes of the modules.
_encode = json.JSONEncoder(separators=(",", ":")).encode
_decode = json.JSONDecoder().decode


class TooLarge(Exception):
    """A message is larger than :data:`LIMIT`."""


class Closed(Exception):
    """The other process has ended or closed its end."""


class Malformed(Exception):
    """The received bytes are no message."""


class Link:
    """One end of the socket; sends and receives whole messages.

    A message is ``[kind, number, ...]``; a question has the kind ``ask``, its answer the same number.
    Before the first question the worker reads commands from it, which are lines.
    """

    def __init__(self, end: socket) -> None:
        file = end.makefile("rb")
        self.recv, self._receive = file.readline, file.readinto
        self.setblocking, self._send = end.setblocking, end.sendall

    def next(self) -> tuple[list[Any], list[bytearray]]:
        """A question, or the answer to the last question.

        :raises Closed: at the end. :raises Malformed: for anything else than a message.
        """
        tree, buffers = self.receive()
        is_message = type(tree) is list and len(tree) > 4 and tree[0] in ("ask", "ok", "raise")
        if not is_message or type(tree[1]) is not int:
            raise Malformed
        return tree, buffers

    def send(self, tree: Any, buffers: list[Any]) -> None:
        """Send a tree and its buffers.

        :raises TooLarge: nothing was sent then.
        """
        text = _encode(tree).encode("ascii")
        views = [memoryview(buffer).cast("B") for buffer in buffers]
        if len(text) + sum(view.nbytes for view in views) > LIMIT:
            raise TooLarge("more than 1 GB")
        sizes = b"".join(_SIZE.pack(view.nbytes) for view in views)
        try:
            self._send(_HEAD.pack(len(text), len(views)) + sizes + text)
            for view in views:
                self._send(view)
        except OSError as error:
            raise Closed from error

    def receive(self) -> tuple[Any, list[bytearray]]:
        """The next tree with its buffers. :raises Closed: :raises Malformed:"""
        length, count = _HEAD.unpack(self._exactly(_HEAD.size))
        if count > _MOST_BUFFERS:
            raise Malformed
        sizes = [length, *(_SIZE.unpack(self._exactly(_SIZE.size))[0] for _ in range(count))]
        if sum(sizes) > LIMIT:
            raise Malformed
        text, *buffers = [self._exactly(size) for size in sizes]
        try:
            return _decode(text.decode("ascii")), buffers
        except (ValueError, RecursionError) as error:
            raise Malformed from error

    def _exactly(self, size: int) -> bytearray:
        data = bytearray(size)
        try:
            if self._receive(data) == size:
                return data
        except OSError as error:
            raise Closed from error
        raise Closed
