"""Pass an answer on the moment it comes, with comments in between that show it is not dead."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

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
