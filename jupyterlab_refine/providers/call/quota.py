"""Tokens used by this server process today."""

from __future__ import annotations

import datetime
from collections.abc import Callable

from ...errors import RefineError


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
