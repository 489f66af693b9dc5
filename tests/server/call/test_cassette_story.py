"""Calls that were recorded on the command line, played by the profile `demo`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jupyterlab_refine.errors import RefineError
from jupyterlab_refine.providers.call.cassette import UnreadableCassette, read_cassette

ASKED = [
    {"role": "system", "content": "You write one cell."},
    {"role": "user", "content": "# Task\n\nWrite x."},
]
ATTEMPT = {
    "role": "generator",
    "model": "scripted-model",
    "messages": ASKED,
    "reasoning": "Hm, a name.",
    "text": "```python\nx = 3\n```\n",
    "finishReason": "stop",
    "promptTokens": 30,
    "completionTokens": 7,
}


def written(folder: Path, *calls: object) -> str:
    path = folder / "calls.jsonl"
    path.write_text("".join(json.dumps(call) + "\n" for call in calls))
    return str(path)


def test_calls_with_the_same_messages_answer_in_turn(tmp_path):
    cassette = read_cassette(written(tmp_path, {**ATTEMPT, "text": "a"}, {**ATTEMPT, "text": "b"}))
    assert [cassette.answer(ASKED).text for _ in range(3)] == ["a", "b", "a"]


def test_another_prompt_is_refused_with_the_difference(tmp_path):
    other = {**ATTEMPT, "messages": [{"role": "user", "content": "Sum up."}]}
    cassette = read_cassette(written(tmp_path, other, ATTEMPT))
    changed = [ASKED[0], {"role": "user", "content": "# Task\n\nWrite x well."}]
    with pytest.raises(RefineError) as raised:
        cassette.answer(changed)
    assert raised.value.code == "demo-only"
    said = 'in calls.jsonl: "Write x." was recorded, now it is "Write x well.".'
    assert said in str(raised.value)


def test_a_longer_prompt_is_refused_too(tmp_path):
    cassette = read_cassette(written(tmp_path, ATTEMPT))
    with pytest.raises(RefineError, match=r"\(end\) was recorded, now it is \"\[user\]\"\."):
        cassette.answer([*ASKED, {"role": "user", "content": "Again."}])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "it has no calls"),
        ('{"role": "generator"}\n', "line 1 is no recorded call"),
        (json.dumps(ATTEMPT) + "\n[]\n", "line 2 is no recorded call"),
        (json.dumps({**ATTEMPT, "text": 3}), "line 1 is no recorded call"),
    ],
)
def test_another_file_is_refused(tmp_path, content, reason):
    path = tmp_path / "calls.jsonl"
    path.write_text(content)
    with pytest.raises(UnreadableCassette, match=reason):
        read_cassette(str(path))


class TestServer:
    @pytest.fixture
    def refine_config(self, tmp_path):
        return {"recording": written(tmp_path, ATTEMPT), "demo_tokens_per_second": 10_000.0}

    async def test_it_is_the_default_and_labelled_recorded(self, browser):
        answer = await browser.send("GET", "profiles")
        assert answer.json["default"] == {"profile": "demo", "model": "demo"}
        chat = await browser.chat(profile=None, messages=ASKED)
        events = [json.loads(event) for event in chat.events[:-1]]
        assert chat.words == ATTEMPT["text"]
        assert all(event["recorded"] is True for event in events)
        deltas = [event["choices"][0]["delta"] for event in events if event["choices"]]
        assert "".join(delta.get("reasoning_content", "") for delta in deltas) == ATTEMPT["reasoning"]
        assert events[-1]["usage"] == {"prompt_tokens": 30, "completion_tokens": 7, "total_tokens": 37}

    async def test_a_changed_prompt_is_an_error(self, browser):
        answer = await browser.chat(profile=None, messages=[{"role": "user", "content": "Write y."}])
        assert (answer.status, answer.error["code"]) == (400, "demo-only")


class TestMissingFile:
    @pytest.fixture
    def refine_config(self, tmp_path):
        return {"recording": str(tmp_path / "none.jsonl")}

    async def test_it_is_a_hint(self, browser):
        answer = await browser.send("GET", "profiles")
        assert "c.Refine.recording cannot be played: No such file or directory." in answer.json["hints"]
