"""Server-sent events, as bytes arrive.

``httpx``'s own line iterator splits at every Unicode line break, and JSON text may hold U+2028 or
U+0085 unescaped: an event would be torn. Here only LF, CR LF and CR end a line.
"""

from __future__ import annotations

import json
import re

from ..foreign import parse_json

#: Bytes one event may have before it is taken for something else.
MAX_EVENT_BYTES = 2_000_000

_LINE_END = re.compile(rb"\r\n|\n|\r(?!\Z)")


class EventTooLong(ValueError):
    """An event beyond ``MAX_EVENT_BYTES``."""


class SseDecoder:
    """Turns chunks of a body into the ``data`` of its events; comments are left out."""

    def __init__(self) -> None:
        #: Of a line that has not ended.
        self._rest = bytearray()
        self._data: list[str] = []
        self._size = 0
        self._is_error = False

    @property
    def unfinished(self) -> bool:
        """True in the middle of an event; comments are none."""
        return bool(self._data) or (bool(self._rest) and not self._rest.startswith(b":"))

    def feed(self, chunk: bytes) -> list[str]:
        """The events that ``chunk`` completes."""
        events: list[str] = []
        after_cr = self._rest.endswith(b"\r")
        self._rest += chunk
        if after_cr or b"\n" in chunk or b"\r" in chunk:
            *lines, rest = _LINE_END.split(bytes(self._rest))
            self._rest = bytearray(rest)
            for line in lines:
                self._line(line, events)
        if len(self._rest) + self._size > MAX_EVENT_BYTES:
            raise EventTooLong(f"an event is longer than {MAX_EVENT_BYTES:,} bytes")
        return events

    def end(self) -> list[str]:
        """What a body that ends without its last blank line still holds."""
        events = self.feed(b"\n\n") if self._rest or self._data else []
        self._line(b"", events)
        return events

    def _line(self, line: bytes, events: list[str]) -> None:
        if not line:
            if self._data:
                data = "\n".join(self._data)
                events.append(_as_error(data) if self._is_error else data)
                self._data = []
                self._size = 0
            self._is_error = False
            return
        name, _, value = line.partition(b":")
        if name == b"event":
            self._is_error = value.strip() == b"error"
        if name == b"data":
            # A line counts for itself as well: a million empty ones are no event either.
            self._size += len(value) + 1
            self._data.append(value.removeprefix(b" ").decode("utf-8", "replace"))


def _as_error(data: str) -> str:
    """The data of an event named ``error``, as that of others which hold one."""
    try:
        parse_json(data)
    except ValueError:
        data = json.dumps(data)
    return f'{{"error": {data}}}'
