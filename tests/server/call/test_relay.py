"""Bounds: tokens in a day, and the time that a provider may take."""

from __future__ import annotations

import datetime

import pytest

from jupyterlab_refine.errors import RefineError
from jupyterlab_refine.providers.call.answer import Timeouts
from jupyterlab_refine.providers.call.relay import DailyTokens


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


class TestTimeouts:
    def test_limits_fit_into_the_time_of_a_session(self):
        assert Timeouts().first_token < 600
        assert Timeouts().within(None) == Timeouts()
        assert Timeouts().within(100) == Timeouts(first_token=90, stall=60)
