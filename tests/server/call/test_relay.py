"""Bounds: calls at once, tokens in a day; what is sent while a provider is silent."""

from __future__ import annotations

import asyncio
import datetime

import pytest

from jupyterlab_refine.errors import RefineError
from jupyterlab_refine.providers.call.answer import Timeouts
from jupyterlab_refine.providers.call.relay import DailyTokens, Gate


async def read(gate: Gate, until: asyncio.Event) -> str:
    async with gate:
        await until.wait()
        return "text"


async def test_a_stream_beyond_the_limit_waits_for_its_turn():
    gate, until = Gate(2), asyncio.Event()
    tasks = [asyncio.create_task(read(gate, until)) for _ in range(5)]
    await asyncio.sleep(0.05)
    until.set()
    assert await asyncio.gather(*tasks) == ["text"] * 5


async def test_one_that_waits_too_long_is_refused_with_the_reason():
    gate, until = Gate(1, patience=0.1), asyncio.Event()
    first = asyncio.create_task(read(gate, until))
    await asyncio.sleep(0.05)
    with pytest.raises(RefineError, match="has 1 calls to models under way, its limit") as refused:
        await read(gate, until)
    assert (refused.value.code, refused.value.http_status) == ("rate-limited", 429)
    until.set()
    assert await first == "text"


async def test_a_stream_that_is_stopped_makes_room():
    gate, until = Gate(1, patience=0.1), asyncio.Event()
    for _ in range(3):
        stopped = asyncio.create_task(read(gate, until))
        await asyncio.sleep(0.01)
        stopped.cancel()
        await asyncio.wait({stopped})
    until.set()
    assert await read(gate, until) == "text"


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
        assert Timeouts().loading < 600
        assert Timeouts().within(None) == Timeouts()
        assert Timeouts().within(100) == Timeouts(first_token=90, stall=60, loading=90)
