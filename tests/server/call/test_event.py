"""Events are found in the bytes of a stream and rebuilt; answers end at their limits."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jupyterlab_refine.providers.call import event
from jupyterlab_refine.providers.call.chat import SseDecoder
from jupyterlab_refine.providers.call.event import EventReader, Received
from jupyterlab_refine.providers.foreign import token_count

KEY = "sk-canary-0123456789"


def reader() -> EventReader:
    return EventReader(Received(), (KEY,))


def delta(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": None}]}


def deltas(events: list[str | None]) -> list[dict[str, Any]]:
    return [json.loads(reported)["choices"][0]["delta"] for reported in events if reported]


def test_an_event_keeps_what_a_client_reads():
    reported = json.loads(
        reader().read(
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
            }
        )
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


def test_the_progress_of_a_prompt_is_passed_on():
    progress = {"total": 2100, "cache": 0, "processed": 1200, "time_ms": 47}
    reported = json.loads(reader().read({"choices": [], "prompt_progress": progress}))
    assert reported["prompt_progress"] == {"total": 2100, "processed": 1200}


def test_the_finish_reason_comes_with_all_of_the_text():
    rebuilt = reader()
    rebuilt.read(delta(content="thus"))
    last = json.loads(rebuilt.read({"choices": [{"delta": {}, "finish_reason": "stop"}]}))
    assert last["choices"][0] == {"index": 0, "delta": {"content": "s"}, "finish_reason": "stop"}
    assert rebuilt.rest() is None


def test_an_answer_without_a_finish_reason_gets_one():
    rebuilt = reader()
    rebuilt.read(delta(content="Fine. "))
    assert json.loads(rebuilt.rest())["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize("field", ["content", "reasoning_content"])
def test_an_answer_ends_at_its_limit_in_characters(monkeypatch, field):
    monkeypatch.setattr(event, "MAX_CHARACTERS", 100)
    rebuilt = reader()
    texts = []
    while not rebuilt.is_full:
        texts += [part.get(field, "") for part in deltas([rebuilt.read(delta(**{field: "x" * 30}))])]
    # Each event counts for one more.
    assert 90 < len("".join(texts)) <= 100
    last = json.loads(rebuilt.end_at_limit("Why."))
    assert last["choices"][0]["finish_reason"] == "length"
    assert last["refine"] == {"notice": "Why."}


@pytest.mark.parametrize(
    "value", [-1, 1.5, 1e30, float("nan"), float("inf"), True, "12", None, [5], 10_000_001]
)
def test_absurd_usage_is_not_believed(value):
    assert token_count(value) is None
    received = Received(prompt_tokens=7)
    reported = EventReader(received, ()).read({"usage": {"prompt_tokens": value, "completion_tokens": 3}})
    assert json.loads(reported)["usage"] == {"completion_tokens": 3}
    assert (received.prompt_tokens, received.completion_tokens) == (7, 3)


@pytest.mark.parametrize("value", [0, 12, 12.0, 10_000_000])
def test_usual_usage_is_believed(value):
    assert token_count(value) == value


class TestSse:
    BODY = (
        b': hi\r\ndata: {"a": 1}\r\n\r\nevent: x\r\ndata: one\r\ndata:two\n\n\n\n'
        b"data: \xe2\x80\xa8\xc2\x85\r\rdata: rest"
    )
    EVENTS = ['{"a": 1}', "one\ntwo", "\u2028\x85", "rest"]

    @pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
    def test_however_the_bytes_are_torn(self, size):
        decoder = SseDecoder()
        events = []
        for start in range(0, len(self.BODY), size):
            events += decoder.feed(self.BODY[start : start + size])
        assert events + decoder.end() == self.EVENTS

    @pytest.mark.parametrize(
        "line", [b"x" * 1_000_000, b"data: " + b"x" * 999_993 + b"\n", b"data:\n" * 300_000]
    )
    def test_something_endless_is_given_up(self, line):
        decoder = SseDecoder()
        for _ in range(10):
            decoder.feed(line)
        assert decoder.is_too_long
