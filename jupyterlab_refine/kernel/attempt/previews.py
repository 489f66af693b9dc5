"""Previews of a running attempt on IOPub: batched, masked, and without effect on the result."""

from __future__ import annotations

import time
from typing import Any

from ..secrecy import redact

MESSAGE_TYPE = "refine_event"
#: At most about 20 messages a second: a server drops them beyond 1,000.
_SECONDS = 0.05
#: Most attempts have ended by then, and their result has everything, so the first preview waits that long.
_FIRST_SECONDS = 0.02
_TEXT_LIMIT = 64 << 10


class Previews:
    """Sends the events of one attempt, parented to the request that started it; used by one thread alone."""

    def __init__(self, kernel: Any, attempt_id: str, parent: dict[str, Any]) -> None:
        self._kernel = kernel
        self._id = attempt_id
        self._parent = parent
        self._masker = redact.of_environment()
        self._waiting: list[dict[str, Any]] = []
        self._text: dict[str, str] = {}
        self._sent = time.monotonic() - _SECONDS + _FIRST_SECONDS
        self._left = _TEXT_LIMIT

    def publish(self, event: dict[str, Any]) -> None:
        """Queue an event for :meth:`flush_due`; of a text only the part that can be masked is sent."""
        if event["type"] == "output":
            self._text[event["stream"]] = self._text.get(event["stream"], "") + event["text"]
        else:
            self._waiting.append(event)

    def seconds_left(self) -> float | None:
        """Seconds until the queued events should be sent; None when the queue is empty."""
        held = self._waiting or any(map(self._masker.safe_length, self._text.values()))
        return max(0.0, self._sent + _SECONDS - time.monotonic()) if held else None

    def flush_due(self) -> None:
        """Send the events that have waited long enough, since the next event may come much later."""
        if self.seconds_left() == 0.0:
            self._flush(final=False)

    def finish(self) -> None:
        """Send what is left and the hint to collect."""
        self._waiting.append({"type": "finished"})
        self._flush(final=True)

    def _flush(self, final: bool) -> None:
        events = []
        for stream, text in self._text.items():
            length = len(text) if final else self._masker.safe_length(text)
            shown = text[: min(length, self._left)]
            self._left -= len(shown)
            self._text[stream] = text[length:]
            if shown:
                events.append({"type": "output", "stream": stream, "text": self._masker.text(shown)})
        events += [self._masker.value(event) for event in self._waiting]
        self._waiting = []
        self._sent = time.monotonic()
        if not events:
            return
        thread = getattr(self._kernel, "control_thread", None)
        if thread is None:
            self._send(events)
        else:
            # ipykernel keeps a socket for every thread that publishes: not one for every attempt.
            thread.io_loop.add_callback(self._send, events)

    def _send(self, events: list[dict[str, Any]]) -> None:
        session, socket = self._kernel.session, self._kernel.iopub_socket
        for event in events:
            session.send(socket, MESSAGE_TYPE, {"id": self._id, **event}, parent=self._parent)
