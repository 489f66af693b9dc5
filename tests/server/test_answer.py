"""Events are found in the bytes of a stream and rebuilt; answers end at their limits."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from browser import CANARY
from fake_provider import Reply, Script, chunk

from jupyterlab_refine.providers import answer
from jupyterlab_refine.providers.clients import Clients
from jupyterlab_refine.providers.profile import Profile


def delta(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": None}]}


def sends(*events: Any, finish: bool = True) -> Script:
    async def script(reply: Reply) -> None:
        await reply.head()
        for event in events:
            await reply.event(event)
        if finish:
            await reply.event({"choices": [{"delta": {}, "finish_reason": "stop"}]})
        await reply.raw("data: [DONE]\n\n")

    return script


async def events_of(browser, provider, *events: Any, finish: bool = True) -> list[dict[str, Any]]:
    provider.chat = sends(*events, finish=finish)
    *given, done = (await browser.chat()).events
    assert done == "[DONE]"
    return [json.loads(event) for event in given]


async def test_an_event_keeps_what_a_client_reads(browser, provider):
    [reported] = await events_of(
        browser,
        provider,
        {
            "id": "x",
            "model": "m",
            "created": 5,
            "system_fingerprint": "y",
            "choices": [
                {
                    "index": 0,
                    "delta": {"role": "assistant", "content": "a", "reasoning": "b", "audio": "c"},
                    "finish_reason": "stop",
                    "logprobs": {},
                }
            ],
            "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7, "x": 1},
        },
        finish=False,
    )
    assert reported == {
        "object": "chat.completion.chunk",
        "choices": [
            {
                "index": 0,
                "delta": {"content": "a", "reasoning_content": "b"},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4},
    }


async def test_the_progress_of_a_prompt_is_passed_on(browser, provider):
    progress = {"total": 2100, "cache": 0, "processed": 1200, "time_ms": 47}
    first, *_ = await events_of(
        browser, provider, {"choices": [], "prompt_progress": progress}, delta(content="a")
    )
    assert first["prompt_progress"] == {"total": 2100, "processed": 1200}


async def test_the_finish_reason_comes_with_all_of_the_text(browser, provider):
    start = CANARY[0]
    first, last = await events_of(browser, provider, delta(content=f"thu{start}"))
    assert first["choices"][0]["delta"] == {"content": "thu"}
    assert last["choices"][0] == {"index": 0, "delta": {"content": start}, "finish_reason": "stop"}


async def test_a_key_in_pieces_is_masked_where_events_have_two_fields(browser, provider):
    pieces = [delta(content=piece, reasoning_content="so") for piece in (CANARY[:9], CANARY[9:])]
    events = await events_of(browser, provider, *pieces)
    deltas = [choice["delta"] for event in events for choice in event["choices"]]
    assert "".join(found.get("content", "") for found in deltas) == "[key]"


async def test_a_message_beside_each_delta_is_not_the_whole_answer(browser, provider):
    both = [{"choices": [{"message": {"content": text}, "delta": {"content": text}}]} for text in "ab"]
    events = await events_of(browser, provider, *both)
    assert [event["choices"][0]["finish_reason"] for event in events] == [None, None, "stop"]


async def test_an_end_that_is_said_again_and_again_is_one(browser, provider, monkeypatch):
    monkeypatch.setattr(answer, "CLOSING", 0.3)

    async def chat(reply):
        await reply.head()
        await reply.delta("Hello")
        while not reply.left.is_set():
            await reply.event(chunk({}, "stop"))
            await asyncio.sleep(0.05)

    provider.chat = chat
    given = await browser.chat()
    assert (given.words, given.events[-1]) == ("Hello", "[DONE]")


@pytest.mark.parametrize("reason", ["error", "abort", "insufficient_system_resource"])
async def test_a_finish_reason_may_say_that_the_answer_broke_off(browser, provider, reason):
    provider.chat = sends(delta(content="def"), {"choices": [{"delta": {}, "finish_reason": reason}]})
    assert (await last_error(browser))["code"] == "provider-error"


async def test_an_answer_without_a_finish_reason_gets_one(browser, provider):
    [_, last] = await events_of(browser, provider, delta(content="Fine. "), finish=False)
    assert last["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize("field", ["content", "reasoning_content"])
async def test_an_answer_without_end_is_given_up(browser, provider, monkeypatch, field):
    monkeypatch.setattr(answer, "MAX_CHARACTERS", 100)
    provider.chat = sends(*[delta(**{field: "x" * 30})] * 9)
    error = await last_error(browser)
    assert (error["code"], error["status"]) == ("other", 502)
    assert "more than 100 characters" in error["message"]


@pytest.mark.parametrize(
    "value", [-1, 1.5, 1e30, float("nan"), float("inf"), True, "12", None, [5], 10_000_001]
)
async def test_absurd_usage_is_not_believed(browser, provider, value):
    usage = {"prompt_tokens": value, "completion_tokens": 3}
    first, *_ = await events_of(browser, provider, {**delta(content="a"), "usage": usage})
    assert first["usage"] == {"completion_tokens": 3}


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
    ({"message": "rate limit", "code": "429"}, "rate-limited", "rate limit"),
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
    def refine_config(self, refine_config, monkeypatch):
        monkeypatch.setattr(answer, "STALL", 0.3)
        return {**refine_config, "first_token_timeout": 1.0}

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
        assert "0.3 s in the middle of its answer" in error["message"]
        await asyncio.wait_for(provider.departures.get(), 1)

    @pytest.mark.parametrize("idle", [5.0, 0.5])
    async def test_events_without_text_are_a_sign_of_life_for_a_while(
        self, browser, provider, monkeypatch, idle
    ):
        monkeypatch.setattr(answer, "IDLE", idle)

        async def chat(reply):
            await reply.head()
            await reply.delta("Hel")
            for _ in range(8):
                await asyncio.sleep(0.1)
                await reply.event(chunk({}))
            await reply.delta("lo")
            await reply.finish()

        provider.chat = chat
        if idle == 0.5:
            assert (await last_error(browser))["code"] == "stalled"
        else:
            assert (await browser.chat()).words == "Hello"

    async def test_a_slow_client_is_no_silent_provider(self, provider):
        given: list[str] = []

        async def send(text):
            await asyncio.sleep(0.5)  # more than the limit of a stall
            given.append(text)

        clients, profile = Clients(), Profile("x", provider.base_url)
        call = {"messages": [], "model": "m"}
        await answer.Answer(profile, 0.4, send).stream(clients.of(profile), call)
        assert given[-1] == "data: [DONE]\n\n"
        await clients.close()

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
