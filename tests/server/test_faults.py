"""Each way a provider fails is its own clear message, with a status a client can act upon."""

from __future__ import annotations

import asyncio
import json

import pytest
from browser import CANARY
from fake_provider import answer_status, chunk


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
    (403, openai_error("Country not supported"), {}, 424, "unauthorized", ["(403)", "Country not supported"]),
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
        ["contextBudget", "available context size"],
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


async def test_an_output_limit_beyond_the_context_is_no_prompt_that_is_too_long(browser, provider):
    said = "'max_tokens' is too large: 8192. This model's maximum context length is 4096 tokens."
    provider.chat = answer_status(400, {"message": said, "param": None, "code": 400})
    error = (await browser.chat()).error
    assert error["code"] == "bad-request"
    assert "'max_tokens' is too large" in error["message"]


async def test_retry_after_is_forwarded(browser, provider):
    provider.chat = answer_status(429, openai_error("slow down"), Retry_After="3")
    answer = await browser.chat()
    assert answer.headers["retry-after"] == "3"
    assert answer.error["retryAfterMs"] == 3000


PAGES = [
    ("text/html", "<!doctype html><title>Sign in</title>", "a web page"),
    ("text/event-stream", "  \n<html>", "a web page"),
    ("application/json", '{"status": "ok"}', "JSON that holds no answer"),
    ("application/json", '{"choices": [', "neither JSON nor an event stream"),
    ("text/event-stream", "data: hello\n\n", "events that are no JSON objects"),
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
        assert f"127.0.0.1:{closed_port} cannot be reached" in answer.error["message"]

    async def test_an_unknown_host_is_named(self, browser):
        answer = await browser.chat(profile="unknown")
        assert (answer.status, answer.error["code"]) == (502, "unreachable")
        assert "no-such-host.invalid" in answer.error["message"]


async def test_a_connection_closed_without_an_answer(browser, provider):
    async def chat(reply):
        reply.writer.close()

    provider.chat = chat
    answer = await browser.chat()
    assert (answer.status, answer.error["code"]) == (502, "provider-error")
    assert "closed the connection without an answer" in answer.error["message"]


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
    told = await last_error(browser)
    assert told["code"] == code
    assert part in told["message"]


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

    async def test_a_provider_that_never_begins(self, browser, provider):
        async def chat(reply):
            await reply.left.wait()

        provider.chat = chat
        answer = await browser.chat()
        assert (answer.status, answer.error["code"]) == (504, "stalled")
        assert "did not begin to answer within 1 s" in answer.error["message"]

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

    async def test_comments_before_the_first_text_are_signs_of_life(self, browser, provider):
        async def chat(reply):
            await reply.head()
            await reply.event(chunk({"role": "assistant", "content": ""}))
            for _ in range(3):
                await asyncio.sleep(0.6)  # more than the limit of a stall, and in all than that of the first
                await reply.raw(": processing\n\n")
            await reply.delta("Hello")
            await reply.finish()

        provider.chat = chat
        assert (await browser.chat()).words == "Hello"

    async def test_comments_in_the_middle_are_silence(self, browser, provider):
        async def chat(reply):
            await reply.head()
            await reply.delta("Hel")
            for _ in range(30):
                await asyncio.sleep(0.1)
                await reply.raw(": processing\n\n")
            await reply.delta("lo")
            await reply.finish()

        provider.chat = chat
        assert (await last_error(browser))["code"] == "stalled"

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


async def test_a_key_echoed_by_the_provider_is_masked(browser, provider):
    provider.chat = answer_status(401, openai_error(f"Incorrect API key provided: {CANARY}."))
    answer = await browser.chat()
    assert CANARY not in answer.text
    assert "Incorrect API key provided: [key]." in answer.error["message"]
