"""Tokens of this server in a day, and passing an answer on the moment it comes."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

from ...errors import RefineError
from .event import Received

Send = Callable[[str], Awaitable[None]]

#: Seconds after which a call that goes on although it was cancelled is cancelled again.
CANCEL_AGAIN = 0.1


async def relay(
    events: AsyncGenerator[str, None],
    send: Send,
    gone: asyncio.Future[None],
    keep_alive: float,
    host: str = "",
    received: Received | None = None,
) -> bool:
    """Send each event, and stop when ``gone`` is set: the client has gone. False then.

    Until the first text a comment names ``host`` and the seconds since the call: ``: waiting 15 s for
    api.example.com``. ``keep_alive``: seconds between two comments.
    """
    start = time.monotonic()
    pending: asyncio.Task[str | None] | None = None
    try:
        while True:
            pending = asyncio.ensure_future(_next(events))
            while not await _arrived(pending, gone, keep_alive):
                if gone.done():
                    return False
                waiting = received is not None and not received.speaking
                seconds = f"waiting {time.monotonic() - start:.0f} s for {host}"
                await send(f": {seconds if waiting else 'keep-alive'}\n\n")
            data = pending.result()
            if data is None:
                return True
            await send(f"data: {data}\n\n")
    finally:
        if pending is not None:
            await _stop(pending)
        await events.aclose()


async def _arrived(pending: asyncio.Task[str | None], gone: asyncio.Future[None], keep_alive: float) -> bool:
    """Wait for an event, for the client to go, or for a comment to be due; True for an event."""
    either: set[asyncio.Future[Any]] = {pending, gone}
    await asyncio.wait(either, timeout=keep_alive, return_when=asyncio.FIRST_COMPLETED)
    return pending.done() and not gone.done()


async def _stop(pending: asyncio.Task[str | None]) -> None:
    """Cancel until it has ended: ``wait_for`` of Python 3.10 and 3.11 swallows a cancel at its own end."""
    while not pending.done():
        pending.cancel()
        await asyncio.wait({pending}, timeout=CANCEL_AGAIN)
    with contextlib.suppress(asyncio.CancelledError, Exception):
        pending.result()


async def _next(events: AsyncGenerator[str, None]) -> str | None:
    return await anext(events, None)


class DailyTokens:
    """Counts prompt and answer tokens by day and says when no more may be used.

    An answer that is under way is let through to its end, so that the limit can be passed by the
    answers that were running when it was reached.
    """

    def __init__(
        self, limit: int | None, now: Callable[[], datetime.datetime] = datetime.datetime.now
    ) -> None:
        self.limit = limit
        self._now = now
        self._day = now().date()
        self._used = 0

    @property
    def used(self) -> int:
        """Tokens used since local midnight."""
        today = self._now().date()
        if today != self._day:
            self._day = today
            self._used = 0
        return self._used

    def add(self, tokens: int) -> None:
        """Count the tokens of one call."""
        self._used = self.used + tokens

    def check(self) -> None:
        """Raise when the limit is reached.

        Raises
        ------
        RefineError
            ``rate-limited`` with status 429 and the time until midnight.
        """
        if self.limit is None or self.used < self.limit:
            return
        now = self._now()
        midnight = datetime.datetime.combine(now.date() + datetime.timedelta(days=1), datetime.time.min)
        wait = midnight - now.replace(tzinfo=None)
        raise RefineError(
            "rate-limited",
            f"This Jupyter server's limit of {self.limit:,} tokens a day is reached ({self.used:,} used). "
            "It resets at midnight; the administrator sets it as c.Refine.daily_token_limit.",
            429,
            retry_after_ms=round(wait.total_seconds() * 1000),
            param="daily_token_limit",
        )
