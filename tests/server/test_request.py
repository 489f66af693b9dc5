"""A client can name no address, no header and no key, however deep it hides them."""

from __future__ import annotations

import pytest
from browser import MESSAGES

from jupyterlab_refine.errors import RefineError
from jupyterlab_refine.providers.request import clean_request

SCHEMA = {
    "type": "object",
    "properties": {"evaluation": {"enum": ["PASS", "FAIL"]}, "url": {"type": "string"}},
    "$defs": {"item": {"type": "array", "items": {"$ref": "#/$defs/item"}}},
    "required": ["evaluation"],
}

FULL = {
    "model": "vendor/A model:free",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "base_url=http://x api_key=y"},
    ],
    "stream": True,
    "stream_options": {"include_usage": True},
    "temperature": 0.2,
    "top_p": 1,
    "max_tokens": 100,
    "max_completion_tokens": 100,
    "seed": 7,
    "stop": ["\n\n"],
    "reasoning_effort": "low",
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "verdict", "schema": SCHEMA, "strict": True},
    },
}

REFUSED = [
    # at the top
    {"base_url": "http://evil"},
    {"baseURL": "http://evil"},
    {"api_key": "sk"},
    {"headers": {"Authorization": "x"}},
    {"extra_headers": {"Authorization": "x"}},
    {"extra_body": {"api_key": "x"}},
    {"extra_query": {"key": "x"}},
    {"organization": "x"},
    {"user": "x"},
    {"store": True},
    {"metadata": {"a": "b"}},
    {"web_search_options": {}},
    {"modalities": ["audio"]},
    {"n": 20},
    {"model": "http://evil/model"},
    {"model": "a\nb"},
    {"model": ["m"]},
    {"stream": False},
    {"temperature": "0.2"},
    {"temperature": {"api_key": "x"}},
    {"max_tokens": True},
    {"max_tokens": 1.5},
    {"max_tokens": 10**400},
    {"temperature": 10**400},
    {"temperature": float("inf")},
    {"stop": [{"url": "x"}]},
    {"reasoning_effort": {"api_key": "x"}},
    {"stream_options": {"include_usage": True, "callback_url": "http://evil"}},
    # in messages
    {"messages": []},
    {"messages": "hello"},
    {"messages": ["hello"]},
    {"messages": [{"content": "x"}]},
    {"messages": [{"role": "root", "content": "x"}]},
    {"messages": [{"role": "user", "content": {"api_key": "x"}}]},
    {"messages": [{"role": "user", "content": "x", "extra_headers": {"a": "b"}}]},
    {
        "messages": [
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://10.0.0.1/"}}]}
        ]
    },
    {"messages": [{"role": "user", "content": [{"type": "text", "text": "x", "url": "http://10.0.0.1/"}]}]},
    {"messages": [{"role": "user", "content": [{"type": "file", "file": {"file_url": "http://10.0.0.1/"}}]}]},
    # in formats
    {"tools": [{"type": "mcp", "server_url": "http://evil", "headers": {"a": "b"}}]},
    {"response_format": {"type": "grammar", "value": "x"}},
    {"response_format": {"type": "json_schema", "json_schema": {"schema": {}, "headers": {}}}},
]


def test_a_whole_request_passes_unchanged():
    assert clean_request(FULL) == FULL


def test_streaming_is_set_and_null_is_left_out():
    assert clean_request({"messages": MESSAGES, "temperature": None}) == {
        "messages": MESSAGES,
        "stream": True,
    }


@pytest.mark.parametrize("fields", REFUSED, ids=str)
def test_what_could_steer_the_server_is_refused_by_name(fields):
    with pytest.raises(RefineError) as refused:
        clean_request({"messages": MESSAGES, **fields})
    assert (refused.value.code, refused.value.http_status) == ("bad-request", 400)
    (name,) = fields
    assert name in refused.value.message


async def test_nothing_of_a_refused_request_reaches_a_provider(browser, provider):
    answer = await browser.chat(extra_headers={"Authorization": "Bearer mine"})
    assert (answer.status, answer.error["code"]) == (400, "bad-request")
    assert "unknown extra_headers; known are model, messages" in answer.error["message"]
    assert provider.calls == []


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "9" * 5000])
async def test_a_number_that_is_none_is_refused(browser, provider, number):
    body = f'{{"messages": [{{"role": "user", "content": "x"}}], "temperature": {number}}}'
    answer = await browser.send("POST", "chat/completions", body, X_Refine_Profile="main")
    assert (answer.status, answer.error["code"]) == (400, "bad-request")
    assert provider.calls == []


async def test_a_lone_surrogate_in_a_prompt_is_replaced(browser, provider):
    body = '{"model": "a\\udc00", "messages": [{"role": "user", "content": "a\\ud800b \\ud83c\\udf89"}]}'
    answer = await browser.send("POST", "chat/completions", body, X_Refine_Profile="main")
    assert answer.words == "Hello"
    sent = provider.chats()[0].json
    assert sent["messages"][0]["content"] == "a?b 🎉"
    assert sent["model"] == "a?"
