"""An answer that breaks off, turns into something else or falls silent after its start."""

from __future__ import annotations

import asyncio
import json

import pytest
from fake_provider import chunk


async def last_error(browser) -> dict:
    answer = await browser.chat()
    assert answer.status == 200
    assert "[DONE]" not in answer.text
    return json.loads(answer.events[-1])["error"]


async def test_a_stream_that_ends_too_early(browser, provider):
    async def chat(reply):
        await reply.head()
        await reply.delta("Hel")

    provider.chat = chat
    assert (await last_error(browser))["code"] == "stream-cut"


async def test_a_chunked_stream_that_is_torn(browser, provider):
    async def chat(reply):
        await reply.head(Transfer_Encoding="chunked")
        part = f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'content': 'Hel'}}]})}\n\n"
        await reply.raw(f"{len(part):x}\r\n{part}\r\nff\r\ndata: half")

    provider.chat = chat
    error = await last_error(browser)
    assert error["code"] == "stream-cut"
    assert "in the middle of its answer" in error["message"]


@pytest.mark.parametrize("event", ["<html>Bad Gateway", '{"choices": [{"del', "5"])
async def test_an_unreadable_event_in_mid_stream_is_a_cut(browser, provider, event):
    async def chat(reply):
        await reply.head()
        await reply.delta("Hel")
        await reply.event(event)
        await reply.finish()

    provider.chat = chat
    error = await last_error(browser)
    assert (error["code"], error["status"]) == ("stream-cut", 502)
    assert f"{provider.host} sent something unreadable" in error["message"]


MID_STREAM = [
    (
        {"message": "The server had an error", "type": "server_error"},
        "provider-error",
        "The server had an error",
    ),
    ({"message": "rate limit", "code": 429}, "rate-limited", "rate limit"),
    ({"message": "maximum context length is 8192"}, "context-too-long", "8192"),
    ("out of memory", "provider-error", "out of memory"),
]


@pytest.mark.parametrize(("error", "code", "part"), MID_STREAM)
async def test_an_error_in_mid_stream(browser, provider, error, code, part):
    async def chat(reply):
        await reply.head()
        await reply.delta("Hel")
        await reply.event({"error": error})

    provider.chat = chat
    reported = await last_error(browser)
    assert reported["code"] == code
    assert part in reported["message"]


class TestSilence:
    @pytest.fixture
    def refine_config(self, refine_config):
        return {**refine_config, "first_token_timeout": 1.0, "stall_timeout": 0.3}

    async def test_a_model_that_loads_slowly_is_no_stall(self, browser, provider):
        async def chat(reply):
            await reply.head()
            await asyncio.sleep(0.6)  # twice the limit of a stall
            await reply.delta("Hello")
            await reply.finish()

        provider.chat = chat
        assert (await browser.chat()).words == "Hello"

    async def test_a_stream_that_falls_silent(self, browser, provider):
        async def chat(reply):
            await reply.head()
            await reply.delta("Hel")
            await reply.left.wait()

        provider.chat = chat
        error = await last_error(browser)
        assert (error["code"], error["status"]) == ("stalled", 504)
        assert "0.3 s in the middle" in error["message"]
        await asyncio.wait_for(provider.departures.get(), 1)

    async def test_silence_before_the_first_text_is_no_stall(self, browser, provider):
        async def chat(reply):
            await reply.head()
            await reply.event(chunk({"role": "assistant", "content": ""}))
            for _ in range(2):
                await asyncio.sleep(0.4)  # more than the limit of a stall
                await reply.raw(": processing\n\n")
            await reply.delta("Hello")
            await reply.finish()

        provider.chat = chat
        assert (await browser.chat()).words == "Hello"

    async def test_an_event_that_comes_slowly_is_no_silence(self, browser, provider):
        async def chat(reply):
            await reply.head()
            await reply.delta("Hel")
            event = f"data: {json.dumps(chunk({'content': 'lo'}))}\n\n"
            for start in range(0, len(event), 20):
                await asyncio.sleep(0.1)
                await reply.raw(event[start : start + 20])
            await reply.finish()

        provider.chat = chat
        assert (await browser.chat()).words == "Hello"
