"""Bounds how many answers are streamed at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from ...errors import RefineError
from .clients import MAX_STREAMS

#: Seconds that a call waits for another to end before it is refused.
PATIENCE = 10.0


class Gate:
    """Lets ``size`` streams through at once; further ones wait, then are refused with the reason."""

    def __init__(self, size: int = MAX_STREAMS, patience: float = PATIENCE) -> None:
        self._size = size
        self._patience = patience
        self._free = asyncio.Semaphore(size)

    async def through(self, events: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
        """``events``, once there is room.

        Raises
        ------
        RefineError
            ``rate-limited``, when there was none for ``patience`` seconds.
        """
        try:
            await asyncio.wait_for(self._free.acquire(), self._patience)
        except asyncio.TimeoutError:
            raise RefineError(
                "rate-limited",
                f"This Jupyter server has {self._size} calls to models under way, its limit, and none ended "
                f"within {self._patience:g} s.",
                429,
                retry_after_ms=5000,
            ) from None
        try:
            async with aclosing(events):
                async for event in events:
                    yield event
        finally:
            self._free.release()
