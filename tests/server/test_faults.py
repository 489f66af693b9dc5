"""Each way a provider fails is its own clear message, with a status a client can act upon."""

from __future__ import annotations

from typing import Any

import pytest
from browser import CANARY
from fake_provider import answer_status

from jupyterlab_refine.providers.faults import retry_after_ms
from jupyterlab_refine.providers.quirks import usual_delta, usual_error


def openai_error(message: str, code: str | None = None, param: str | None = None) -> dict:
    return {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}


STATUSES = [
    # provider's status, its body, its headers; our status, code, parts of the message
    (
        401,
        openai_error("Incorrect API key"),
        {},
        424,
        "unauthorized",
        ["refused the key of profile main (401)"],
    ),
    (403, openai_error("Country not supported"), {}, 424, "other", ["(403)", "Country not supported"]),
    (403, openai_error("Invalid API key"), {}, 424, "unauthorized", ["refused the key", "Invalid API key"]),
    (404, openai_error("no such model"), {}, 404, "model-not-found", ["m-one", "no such model"]),
    (429, openai_error("slow down"), {"Retry_After": "3"}, 429, "rate-limited", ["wait 3 s", "slow down"]),
    (429, openai_error("no money", "insufficient_quota"), {}, 402, "other", ["no credit left", "no money"]),
    (402, openai_error("no money"), {}, 402, "other", ["no credit left"]),
    (500, "Internal Server Error", {}, 502, "provider-error", ["failed (500)"]),
    (503, openai_error("overloaded"), {"Retry_After": "1"}, 502, "provider-error", ["(503)", "overloaded"]),
    (529, openai_error("overloaded"), {}, 502, "provider-error", ["(529)"]),
    (
        400,
        openai_error("bad value", "unsupported_value", "temperature"),
        {},
        400,
        "bad-request",
        ["bad value"],
    ),
    (422, {"detail": "max_tokens is too large"}, {}, 422, "bad-request", ["max_tokens is too large"]),
    (400, openai_error("too long", "context_length_exceeded"), {}, 400, "context-too-long", ["too long"]),
    (
        400,
        {"error": "the request exceeds the available context size"},
        {},
        400,
        "context-too-long",
        ["a shorter prompt", "available context size"],
    ),
    (413, "", {}, 413, "context-too-long", ["(413)"]),
    (
        302,
        "",
        {"Location": "https://login.example.org/"},
        502,
        "not-an-api",
        ["redirects to login.example.org"],
    ),
    (308, "", {"Location": "/v2/chat/completions"}, 502, "not-an-api", ["redirects"]),
]


@pytest.mark.parametrize(("status", "body", "headers", "ours", "code", "parts"), STATUSES)
async def test_a_status_of_the_provider(browser, provider, status, body, headers, ours, code, parts):
    provider.chat = answer_status(status, body, **headers)
    answer = await browser.chat()
    assert answer.status == ours
    assert answer.error["code"] == code
    assert answer.error["status"] == status
    assert provider.host in answer.error["message"] or code == "context-too-long"
    for part in parts:
        assert part in answer.error["message"]
    assert len(provider.chats()) == 1, "nothing is retried or redirected here"


class TestRefusedKey:
    @pytest.fixture
    def refine_config(self, provider, monkeypatch):
        monkeypatch.setenv("MY_KEY", CANARY)
        common = {"base_url": provider.base_url, "default_model": "m-one"}
        return {
            "profiles": [
                {"name": "written", "api_key": CANARY, **common},
                {"name": "named", "api_key_env": "MY_KEY", **common},
                {"name": "headed", "headers": {"x-key": CANARY}, **common},
            ]
        }

    @pytest.mark.parametrize("status", [401, 403])
    @pytest.mark.parametrize(
        ("profile", "way_out"),
        [
            ("written", "Set another api_key for written in c.Refine.profiles, then restart"),
            ("named", "Set a valid key in MY_KEY where the Jupyter server is started, then restart it."),
            ("headed", "Set other headers for headed in c.Refine.profiles, then restart"),
            ("panel", "Enter a valid key in the panel."),
        ],
    )
    async def test_the_way_out_names_the_place_of_the_key(self, browser, provider, status, profile, way_out):
        provider.chat = answer_status(status, openai_error("Incorrect API key"))
        await browser.send("POST", "key", {"key": "sk-typed-0123456789", "baseUrl": provider.base_url})
        answer = await browser.chat(profile=profile, model="m-one")
        assert (answer.status, answer.error["code"]) == (424, "unauthorized")
        # Before the provider's words: clients see by it that the way out is named already.
        assert way_out in answer.error["message"].split(" It said: ")[0]


class TestRefusedKeyOfTheEnvironment:
    @pytest.fixture
    def refine_config(self, provider, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", CANARY)
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        return {}

    async def test_the_way_out_names_the_variable(self, browser, provider):
        provider.chat = answer_status(401, openai_error("Incorrect API key"))
        answer = await browser.chat(profile="openai")
        assert "Set a valid key in OPENAI_API_KEY where" in answer.error["message"]


async def test_a_400_names_its_parameter(browser, provider):
    provider.chat = answer_status(400, openai_error("not supported", param="temperature"))
    assert (await browser.chat()).error["param"] == "temperature"


EXTRA = {
    "type": "extra_forbidden",
    "loc": ["body", "stream_options"],
    "msg": "Extra inputs are not permitted",
    "input": {"of": "the prompt"},
}


@pytest.mark.parametrize(
    "body",
    [
        {"detail": [EXTRA]},
        {"object": "error", "message": {"detail": [EXTRA]}, "type": "invalid_request_error", "param": None},
        {"detail": [{"msg": "Two fields are wrong"}, EXTRA]},
        {"error": {"message": [EXTRA]}},
        [{"error": {"message": "Extra inputs are not permitted", "param": "stream_options"}}],
    ],
)
async def test_a_list_of_validation_errors_names_its_parameter(browser, provider, body):
    provider.chat = answer_status(422, body)
    answer = await browser.chat()
    assert (answer.status, answer.error["code"]) == (422, "bad-request")
    assert answer.error["param"] == "stream_options"
    assert "Extra inputs are not permitted" in answer.error["message"]
    assert "the prompt" not in answer.text


@pytest.mark.parametrize("detail", [[], [5], [{"loc": "x"}], {}, {"detail": 5}, 5])
async def test_a_detail_that_says_nothing(browser, provider, detail):
    provider.chat = answer_status(422, {"detail": detail})
    error = (await browser.chat()).error
    assert error["code"] == "bad-request"
    assert error["message"] == f"{provider.host} refused the request (422)."
    assert "param" not in error


async def test_a_refused_output_limit_is_not_a_prompt_too_long(browser, provider):
    said = "'max_tokens' is too large: 8192. This model's maximum context length is 4096 tokens."
    provider.chat = answer_status(400, {"message": said, "param": None, "code": 400})
    error = (await browser.chat()).error
    assert error["code"] == "bad-request"
    assert "'max_tokens' is too large" in error["message"]


PAGES = [
    ("text/html", "<!doctype html><title>Sign in</title>", "a web page"),
    ("text/event-stream", "  \n<html>", "a web page"),
    ("application/json", '{"status": "ok"}', "JSON without an answer"),
    ("application/json", '{"choices": [', "neither JSON nor an event stream"),
    ("text/event-stream", "data: hello\n\n", "events that are not JSON objects"),
    ("text/plain", "It works", "an empty body"),
    ("text/event-stream", "", "an empty body"),
    ("text/event-stream", ": comment\n\n", "an empty body"),
]


@pytest.mark.parametrize(("content_type", "body", "what"), PAGES)
async def test_a_200_that_no_model_wrote(browser, provider, content_type, body, what):
    provider.chat = answer_status(200, body, content_type)
    answer = await browser.chat()
    assert (answer.status, answer.error["code"]) == (502, "not-an-api")
    assert what in answer.error["message"]
    assert provider.host in answer.error["message"]


class TestUnreachable:
    @pytest.fixture
    def refine_config(self, refine_config, closed_port):
        refused = {"name": "refused", "base_url": f"http://127.0.0.1:{closed_port}/v1", "default_model": "m"}
        unknown = {"name": "unknown", "base_url": "http://no-such-host.invalid/v1", "default_model": "m"}
        return {"profiles": [*refine_config["profiles"], refused, unknown]}

    async def test_a_refused_connection_names_the_host(self, browser, closed_port):
        answer = await browser.chat(profile="refused")
        assert (answer.status, answer.error["code"]) == (502, "unreachable")
        address = f"127.0.0.1:{closed_port}"
        assert answer.error["message"] == f"Cannot reach {address}. Check the server URL and your network."


async def test_a_connection_closed_without_an_answer(browser, provider):
    async def chat(reply):
        reply.writer.close()

    provider.chat = chat
    answer = await browser.chat()
    assert (answer.status, answer.error["code"]) == (502, "provider-error")
    assert "closed the connection without an answer" in answer.error["message"]


@pytest.mark.parametrize(
    ("headers", "milliseconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2000),
        ({"retry-after": "0.5"}, 500),
        ({"retry-after": "-1"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e300"}, 7 * 24 * 3600 * 1000),
        ({"retry-after": "²"}, None),
        ({"retry-after": "Wed, 21 Oct 99999 07:28:00 GMT"}, None),
        ({"retry-after": "2", "retry-after-ms": "²"}, 2000),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"retry-after": "2", "retry-after-ms": "1500"}, 1500),
    ],
)
def test_retry_after(headers, milliseconds):
    assert retry_after_ms(headers) == milliseconds


DELTAS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "openai": ({"content": "a"}, {"content": "a"}),
    "mistral": (
        {
            "content": [
                {"type": "thinking", "thinking": [{"text": "b"}, {"text": 5}, "c"]},
                {"text": "a"},
                "d",
                {"text": "e"},
            ]
        },
        {"content": "ae", "reasoning_content": "b"},
    ),
    "openrouter": ({"content": "", "reasoning": "b"}, {"content": "", "reasoning_content": "b"}),
}


@pytest.mark.parametrize("provider", DELTAS)
def test_a_delta_is_as_openai_writes_it(provider):
    sent, usual = DELTAS[provider]
    found = usual_delta(sent)
    assert {name: found.get(name) for name in usual} == usual


REFUSED = {"loc": ["body", "seed"], "msg": "Extra inputs are not permitted", "input": "the prompt"}
USUAL = {"message": "seed: Extra inputs are not permitted", "param": "seed"}

ERRORS: dict[str, tuple[Any, dict[str, Any]]] = {
    "openai": ({"message": "no", "param": "seed"}, {"message": "no", "param": "seed"}),
    "gemini": ([{"error": {"code": 400}}], {"error": {"code": 400}}),
    "mistral": ({"message": {"detail": [REFUSED]}, "param": None}, USUAL),
    "fastapi": ({"detail": [REFUSED]}, USUAL),
}


@pytest.mark.parametrize("provider", ERRORS)
def test_an_error_is_as_openai_writes_it(provider):
    sent, usual = ERRORS[provider]
    found = usual_error(sent)
    assert {name: found.get(name) for name in usual} == usual
    assert "the prompt" not in str(found)
