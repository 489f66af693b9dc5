"""The limit of tokens for a day."""

from __future__ import annotations

import datetime

import pytest

from jupyterlab_refine.errors import RefineError
from jupyterlab_refine.providers.call.quota import DailyTokens


class TestDailyTokens:
    def test_the_day_starts_at_midnight(self):
        now = datetime.datetime(2026, 3, 1, 23, 0)
        tokens = DailyTokens(100, lambda: now)
        tokens.check()
        tokens.add(100)
        with pytest.raises(RefineError) as reached:
            tokens.check()
        assert reached.value.retry_after_ms == 3600 * 1000
        now += datetime.timedelta(hours=1)
        tokens.check()
        assert tokens.used == 0

    def test_without_a_limit_it_only_counts(self):
        tokens = DailyTokens(None)
        tokens.add(10**9)
        tokens.check()
        assert tokens.used == 10**9
