"""Frames of JSON over a pipe: four bytes with the length of the rest, most significant first."""

from __future__ import annotations

import json
import os
import struct
import threading
from typing import Any

#: Descriptor of the answers. Standard output is not ours: what runs when Python starts may print.
ANSWERS = 3

# References of our own: an accepted cell runs in this process, and may replace those of the module.
_decode = json.JSONDecoder().decode
_encode = json.JSONEncoder(default=str).encode


class Frames:
    """One process at a time reads and writes: it takes no byte of the next frame."""

    def __init__(self, reader: int, writer: int) -> None:
        self.reader, self._writer = reader, writer
        self._lock = threading.Lock()

    def leave(self) -> None:
        """In a process that shall neither read nor write: the numbers lead nowhere."""
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        for descriptor in (self.reader, self._writer):
            os.dup2(null, descriptor, inheritable=False)
        os.close(null)

    def read(self) -> dict[str, Any] | None:
        """The next frame; None when the other side is gone."""
        head = self._exactly(4)
        body = None if head is None else self._exactly(struct.unpack(">I", head)[0])
        return None if body is None else _decode(body.decode("utf-8", "surrogatepass"))

    def write(self, frame: dict[str, Any]) -> None:
        """Also from the threads that supervise attempts."""
        body = _encode(frame).encode("utf-8", "backslashreplace")
        left = memoryview(struct.pack(">I", len(body)) + body)
        with self._lock:
            while left:
                left = left[os.write(self._writer, left) :]

    def _exactly(self, size: int) -> bytes | None:
        parts: list[bytes] = []
        while size:
            part = os.read(self.reader, min(size, 1 << 20))
            if not part:
                return None
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
