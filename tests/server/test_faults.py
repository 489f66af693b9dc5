"""Each way a provider fails is its own clear message, with a status a client can act upon."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from browser import CANARY
from fake_provider import answer_status

from jupyterlab_refine.errors import RefineError
from jupyterlab_refine.providers.clients import Clients, get
from jupyterlab_refine.providers.faults import from_exception, from_response, retry_after_ms
from jupyterlab_refine.providers.profile import Profile

MAIN = Profile("main", "https://models.example.org/v1", CANARY)


def openai_error(message: str, code: str | None = None, param: str | None = None) -> dict:
    return {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}


def fault(status: int, body: Any = "", **headers: str) -> RefineError:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return from_response(MAIN, "m-one", status, sent, body)


STATUSES = [
    # provider's status, its body; our status, code, parts of the message
    (
        401,
        openai_error("Incorrect API key"),
        424,
        "unauthorized",
        ["the key of profile main, if it has one (401)"],
    ),
    (403, openai_error("Country not supported"), 424, "unauthorized", ["(403)", "Country not supported"]),
    (404, openai_error("no such model"), 404, "model-not-found", ["m-one", "server URL", "no such model"]),
    (405, "", 405, "model-not-found", ["the path /v1/chat/completions (405)"]),
    (429, openai_error("slow down"), 429, "rate-limited", ["(429)", "slow down"]),
    (402, openai_error("no money"), 402, "other", ["no credit left"]),
    (408, "", 408, "provider-error", ["failed (408)"]),
    (500, "Internal Server Error", 502, "provider-error", ["failed (500)", "It said: Internal Server Error"]),
    (502, "<html><h1>Bad Gateway</h1>", 502, "provider-error", ["failed (502)."]),
    (
        400,
        "<html>\n<title>Plain HTTP to HTTPS port</title>x",
        400,
        "bad-request",
        ["It said: Plain HTTP to HTTPS port"],
    ),
    (503, openai_error("overloaded"), 502, "provider-error", ["(503)", "overloaded"]),
    (400, openai_error("bad value", "unsupported_value", "temperature"), 400, "bad-request", ["bad value"]),
    (422, {"detail": "max_tokens is too large"}, 422, "bad-request", ["max_tokens is too large"]),
    (400, openai_error("too long", "context_length_exceeded"), 400, "context-too-long", ["too long"]),
    (400, {"error": "exceeds the available context size"}, 400, "context-too-long", ["a shorter prompt"]),
    (413, "", 413, "context-too-long", ["(413)"]),
    *(
        (400, openai_error(said), 400, "context-too-long", [said])
        for said in (
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
            "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
            "Your request exceeded model token limit: 262144 (requested: 300000)",
            "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]",
            "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens",
        )
    ),
    *(
        (
            400,
            [openai_error(said)],
            400,
            "unauthorized",
            ["the key of profile main, if it has one (400)", said],
        )
        for said in ("API key not valid. Please pass a valid API key.", "Incorrect API key provided: x.")
    ),
    (204, "", 502, "not-an-api", ["status 204"]),
]


@pytest.mark.parametrize(("status", "body", "ours", "code", "parts"), STATUSES)
def test_a_status_of_the_provider(status, body, ours, code, parts):
    error = fault(status, body)
    assert (error.http_status, error.code) == (ours, code)
    assert error.provider_status == (None if status == 204 else status)
    for part in ["models.example.org", *parts]:
        assert part in error.message


def test_a_redirect_is_named_and_not_followed():
    error = fault(302, location="https://login.example.org/")
    assert error.code == "not-an-api"
    assert "a redirect to https://login.example.org/" in error.message
    assert "A login page does not work" in error.message


async def test_an_error_reaches_the_client_and_nothing_is_asked_again(browser, provider):
    provider.chat = answer_status(429, openai_error("slow down", param="seed"), Retry_After="3")
    answer = await browser.chat()
    assert answer.status == 429
    error = answer.error
    assert (error["code"], error["status"], error["retryAfterMs"]) == ("rate-limited", 429, 3000)
    assert error["param"] == "seed"
    assert len(provider.chats()) == 1


EXTRA = {
    "type": "extra_forbidden",
    "loc": ["body", "stream_options"],
    "msg": "Extra inputs are not permitted",
}


@pytest.mark.parametrize(
    "body",
    [
        {"detail": [EXTRA]},
        {"object": "error", "message": {"detail": [EXTRA]}, "type": "invalid_request_error", "param": None},
        [{"error": {"message": "Extra inputs are not permitted: stream_options"}}],
        json.dumps({"error": {"message": "Failed", "metadata": {"raw": json.dumps({"detail": [EXTRA]})}}}),
    ],
)
def test_the_words_of_a_provider_come_through_however_deep(body):
    error = fault(422, str(body).replace("None", "null").replace("'", '"'))
    assert error.code == "bad-request"
    # The client finds in them the parameter that was refused.
    assert "Extra inputs are not permitted" in error.message and "stream_options" in error.message
    assert "extra_forbidden" not in error.message


def test_a_validation_error_is_quoted_without_the_prompt():
    asked = {**EXTRA, "loc": ["body", "messages", 1], "input": "Why do streams have a context window?"}
    error = fault(422, json.dumps({"detail": [asked, 5, {"msg": 5}, {"msg": "No", "loc": 7}]}))
    assert error.code == "bad-request"
    assert error.message.endswith(" It said: body.messages.1: Extra inputs are not permitted; No")


async def test_the_status_counts_where_the_body_cannot_be_read(browser, provider):
    provider.chat = answer_status(429, "abc", Content_Encoding="br", Retry_After="3")
    error = (await browser.chat()).error
    assert (error["code"], error["status"], error["retryAfterMs"]) == ("rate-limited", 429, 3000)


async def test_the_words_of_an_error_are_read_where_its_body_stays_open(provider):
    async def stays_open(reply):
        await answer_status(400, openai_error("no such list"))(reply)
        await reply.left.wait()

    provider.models = stays_open
    clients, profile = Clients(), Profile("x", provider.base_url)
    with pytest.raises(RefineError, match="refused the request .400.*no such list"):
        await get(clients.of(profile), profile, profile.url("models"), 1.0)
    await clients.close()


@pytest.mark.parametrize("cause", ["CERTIFICATE_VERIFY_FAILED", "“x” certificate is not trusted"])
def test_a_certificate_is_named_however_the_system_says_it(cause):
    assert "set SSL_CERT_FILE" in from_exception(MAIN, httpx.ConnectError(cause), started=False).message


@pytest.mark.parametrize("body", ["", "{}", '{"detail": []}', '{"error": {"message": 5}}', "[5]"])
def test_a_body_that_says_nothing(body):
    error = fault(422, body)
    assert error.code == "bad-request"
    assert error.message.startswith("models.example.org refused the request (422).")


def test_a_refused_output_limit_is_not_a_prompt_too_long():
    said = "'max_tokens' is too large: 8192. This model's maximum context length is 4096 tokens."
    error = fault(400, {"message": said, "param": None, "code": 400})
    assert error.code == "bad-request"
    assert "'max_tokens' is too large" in error.message


PAGES = [
    ("text/html", "<!doctype html><title>Sign in</title>", "Sign in"),
    ("application/json", '{"status": "ok"}', '{"status": "ok"}'),
    ("application/json", '{"choices": [', '{"choices": ['),
    ("text/event-stream", "data: hello\n\n", "hello"),
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
        return {"profiles": [*refine_config["profiles"], refused]}

    async def test_a_refused_connection_names_the_host(self, browser, closed_port):
        answer = await browser.chat(profile="refused")
        assert (answer.status, answer.error["code"]) == (502, "unreachable")
        assert f"Cannot reach 127.0.0.1:{closed_port}: " in answer.error["message"]


async def test_a_connection_closed_without_an_answer(browser, provider):
    async def chat(reply):
        reply.writer.close()

    provider.chat = chat
    answer = await browser.chat()
    assert (answer.status, answer.error["code"]) == (502, "provider-error")
    assert f"The call to {provider.host} failed: " in answer.error["message"]


@pytest.mark.parametrize(
    ("headers", "milliseconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2000),
        ({"retry-after": "0.5"}, 500),
        ({"retry-after": "-1"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, 0),
        ({"retry-after": "1e300"}, 7 * 24 * 3600 * 1000),
        ({"retry-after": "²"}, None),
        ({"retry-after": "2", "retry-after-ms": "²"}, 2000),
        ({"retry-after": "2", "retry-after-ms": "1500"}, 1500),
    ],
)
def test_retry_after(headers, milliseconds):
    assert retry_after_ms(headers) == milliseconds
