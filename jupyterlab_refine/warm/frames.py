"""Requests and answers, as JSON over pipes: lengths before the requests, a line for each answer."""

from __future__ import annotations

import json
import os
import struct
import threading
from typing import Any

#: Descriptor of the answers. Standard output is not ours: what runs when Python starts may print.
ANSWERS = 3


class Frames:
    """One process at a time reads and writes: it takes no byte of the next frame."""

    def __init__(self, reader: int, writer: int) -> None:
        self.reader, self._writer = reader, writer
        self._lock = threading.Lock()

    def read(self) -> dict[str, Any] | None:
        """The next frame; None when the other side is gone."""
        head = self._exactly(4)
        body = None if head is None else self._exactly(struct.unpack(">I", head)[0])
        return None if body is None else json.loads(body)

    def write(self, frame: dict[str, Any]) -> None:
        """Also from the threads that supervise attempts."""
        left = memoryview(json.dumps(frame, default=str).encode() + b"\n")
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
