"""Events are found in the bytes of a stream and rebuilt; answers end at their limits."""

from __future__ import annotations

import json
from typing import Any

import pytest
from browser import CANARY
from fake_provider import Reply, Script

from jupyterlab_refine.providers import answer
from jupyterlab_refine.providers.answer import SseDecoder
from jupyterlab_refine.providers.foreign import token_count


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
        "model": "m",
        "choices": [
            {
                "index": 0,
                "delta": {"role": "assistant", "content": "a", "reasoning_content": "b"},
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


async def test_what_is_held_back_comes_before_another_field(browser, provider):
    start = CANARY[0]
    thought, text, _ = await events_of(
        browser, provider, delta(reasoning_content=f"a{start}"), delta(content="b")
    )
    assert thought["choices"][0]["delta"] == {"reasoning_content": "a"}
    assert text["choices"][0]["delta"] == {"reasoning_content": start, "content": "b"}


async def test_an_answer_without_a_finish_reason_gets_one(browser, provider):
    [_, last] = await events_of(browser, provider, delta(content="Fine. "), finish=False)
    assert last["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize("field", ["content", "reasoning_content"])
async def test_an_answer_ends_at_its_limit_in_characters(browser, provider, monkeypatch, field):
    monkeypatch.setattr(answer, "MAX_CHARACTERS", 100)
    *given, last = await events_of(browser, provider, *[delta(**{field: "x" * 30})] * 9)
    assert [event["choices"][0]["delta"] for event in given] == [{field: "x" * 30}] * 4
    assert last["choices"][0]["finish_reason"] == "length"
    assert "more than 100 characters" in last["refine"]["notice"]


@pytest.mark.parametrize(
    "value", [-1, 1.5, 1e30, float("nan"), float("inf"), True, "12", None, [5], 10_000_001]
)
async def test_absurd_usage_is_not_believed(browser, provider, value):
    assert token_count(value) is None
    usage = {"prompt_tokens": value, "completion_tokens": 3}
    first, *_ = await events_of(browser, provider, {**delta(content="a"), "usage": usage})
    assert first["usage"] == {"completion_tokens": 3}


@pytest.mark.parametrize("value", [0, 12, 12.0, 10_000_000])
def test_usual_usage_is_believed(value):
    assert token_count(value) == value


class TestSse:
    BODY = (
        b': hi\r\n:\r\ndata: {"a": 1}\r\n\r\nevent: x\r\ndata: one\r\ndata:two\n\n\n\n'
        b"data: \xe2\x80\xa8\xc2\x85\n\ndata: rest"
    )
    EVENTS = [("", '{"a": 1}'), ("x", "one\ntwo"), ("", "\u2028\x85"), ("", "rest")]

    @pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
    def test_however_the_bytes_are_torn(self, size):
        decoder = SseDecoder()
        events = []
        for start in range(0, len(self.BODY), size):
            events += decoder.feed(self.BODY[start : start + size])
        assert events + decoder.feed(b"\n\n") == self.EVENTS

    @pytest.mark.parametrize(
        "line", [b"x" * 1_000_000, b"data: " + b"x" * 999_993 + b"\n", b"data:\n" * 300_000]
    )
    def test_something_endless_is_given_up(self, line):
        decoder = SseDecoder()
        for _ in range(10):
            decoder.feed(line)
        assert decoder.is_too_long
