"""The streaming proxy when all goes well: what passes, when it passes, and what ends it."""

from __future__ import annotations

import asyncio
import datetime
import json
import logging
from types import SimpleNamespace

import httpx
import pytest
from browser import CANARY, MESSAGES
from fake_provider import answer_status
from traitlets.config import Config

from jupyterlab_refine import services
from jupyterlab_refine.app import Refine
from jupyterlab_refine.errors import RefineError
from jupyterlab_refine.providers.answer import Answer
from jupyterlab_refine.providers.clients import Clients
from jupyterlab_refine.providers.demo import recording
from jupyterlab_refine.providers.profile import Profile
from jupyterlab_refine.services import DailyTokens


async def test_streams_an_answer_to_its_end(browser):
    answer = await browser.chat()
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.words == "Hello"
    assert answer.events[-1] == "[DONE]"


async def test_the_provider_gets_the_request_and_the_key(browser, provider):
    await browser.chat(temperature=0.5, max_tokens=20)
    (call,) = provider.chats()
    assert call.path == "/v1/chat/completions"
    assert call.headers["authorization"] == f"Bearer {CANARY}"
    assert call.json == {
        "messages": MESSAGES,
        "temperature": 0.5,
        "max_tokens": 20,
        "model": "m-one",
        "stream": True,
    }


async def test_no_header_of_the_client_reaches_the_provider(browser, provider):
    await browser.send(
        "POST",
        "chat/completions",
        {"messages": MESSAGES},
        X_Refine_Profile="main",
        X_Api_Key="mine",
        OpenAI_Organization="mine",
        Cookie="session=mine",
    )
    (call,) = provider.chats()
    assert "mine" not in json.dumps(call.headers)
    assert not [name for name in call.headers if name.startswith(("x-", "openai-", "cookie"))]


async def test_without_a_profile_the_default_is_used(browser, provider):
    assert (await browser.chat(profile=None)).words == "Hello"
    assert provider.chats()[0].json["model"] == "m-one"


async def test_an_unknown_profile_is_refused_with_the_known_ones(browser, provider):
    answer = await browser.chat(profile="other")
    assert answer.status == 400
    assert answer.error["code"] == "bad-request"
    assert "'other'" in answer.error["message"]
    assert "main, demo" in answer.error["message"]
    assert provider.calls == []


async def test_each_part_arrives_when_it_is_written(browser, provider):
    proceed = asyncio.Event()

    async def chat(reply):
        await reply.head()
        await reply.delta("first")
        await proceed.wait()
        await reply.delta("second")
        await reply.finish()

    provider.chat = chat
    async with browser.open("POST", "chat/completions", {"messages": MESSAGES}) as answer:
        parts = answer.aiter_text()
        assert "first" in await asyncio.wait_for(anext(parts), 5)
        proceed.set()
        rest = "".join([part async for part in parts])
    assert "second" in rest


class TestServerThatCompresses:
    @pytest.fixture
    def jp_server_config(self, jp_server_config):
        jp_server_config["ServerApp"]["tornado_settings"] = {"compress_response": True}
        return jp_server_config

    async def test_an_answer_is_left_as_it_is(self, browser):
        request = {"messages": MESSAGES}
        answer = await browser.send("POST", "chat/completions", request, Accept_Encoding="gzip")
        assert answer.headers["content-encoding"] == "identity"
        assert answer.words == "Hello"


async def test_an_event_torn_between_packets_stays_whole(browser, provider):
    async def chat(reply):
        await reply.head()
        # U+2028 is legal in JSON and no end of a line in an event stream.
        choice = {"index": 0, "delta": {"content": "a\u2028é"}, "finish_reason": "stop"}
        event = f"data: {json.dumps({'choices': [choice]}, ensure_ascii=False)}\r\n\r\n"
        for byte in event.encode():
            await reply.raw(bytes([byte]))
        await reply.raw("data: [DONE]\r\n\r\n")

    provider.chat = chat
    assert (await browser.chat()).words == "a\u2028é"


class TestKeepAlive:
    @pytest.fixture(autouse=True)
    def often(self, monkeypatch):
        monkeypatch.setattr(services, "KEEP_ALIVE", 0.1)

    async def test_comments_before_the_first_byte_and_between_parts(self, browser, provider):
        async def chat(reply):
            await asyncio.sleep(0.35)  # a model that loads: not even a status yet
            await reply.head()
            await reply.delta("Hel")
            await asyncio.sleep(0.35)
            await reply.delta("lo")
            await reply.finish()

        provider.chat = chat
        answer = await browser.chat()
        before, between = answer.text.split('"Hel"')
        assert before.count(": keep-alive\n\n") >= 2
        assert between.count(": keep-alive\n\n") >= 2
        assert answer.words == "Hello"

    async def test_an_error_after_a_comment_comes_as_an_event(self, browser, provider):
        async def chat(reply):
            await asyncio.sleep(0.3)
            await answer_status(429, {"error": {"message": "slow down"}}, Retry_After="7")(reply)

        provider.chat = chat
        answer = await browser.chat()
        assert answer.status == 200
        error = json.loads(answer.events[-1])["error"]
        assert (error["code"], error["status"], error["retryAfterMs"]) == ("rate-limited", 429, 7000)
        assert "[DONE]" not in answer.text


class TestLeaving:
    async def test_the_provider_is_stopped_when_the_page_closes_in_mid_stream(self, browser, provider):
        async def chat(reply):
            await reply.head()
            await reply.delta("Hel")
            await reply.left.wait()

        provider.chat = chat
        async with browser.open("POST", "chat/completions", {"messages": MESSAGES}) as answer:
            await anext(answer.aiter_text())
        left = asyncio.get_running_loop().time()
        stopped = await asyncio.wait_for(provider.departures.get(), 5)
        assert stopped - left < 4

    async def test_the_provider_is_stopped_when_the_page_closes_early(self, browser, provider):
        called = asyncio.Event()

        async def chat(reply):
            called.set()
            await reply.left.wait()

        provider.chat = chat
        request = asyncio.create_task(browser.chat())
        await asyncio.wait_for(called.wait(), 5)
        request.cancel()
        left = asyncio.get_running_loop().time()
        stopped = await asyncio.wait_for(provider.departures.get(), 5)
        assert stopped - left < 4


class TestDailyLimit:
    @pytest.fixture
    def refine_config(self, refine_config):
        return {**refine_config, "daily_token_limit": 10}

    async def test_tokens_are_counted_and_the_limit_is_reported(self, browser, provider):
        assert (await browser.chat()).status == 200  # 9 tokens
        assert (await browser.send("GET", "profiles")).json["policy"]["dailyTokensUsed"] == 9
        assert (await browser.chat()).status == 200  # 18
        answer = await browser.chat()
        assert answer.status == 429
        assert answer.error["code"] == "other"
        assert "10 tokens a day" in answer.error["message"] and "18 used" in answer.error["message"]
        assert len(provider.chats()) == 2

    async def test_a_refused_call_counts_nothing(self, browser, provider):
        provider.chat = answer_status(401)
        await browser.chat()
        assert (await browser.send("GET", "profiles")).json["policy"]["dailyTokensUsed"] == 0

    async def test_an_answer_without_usage_is_estimated(self, browser, provider):
        async def chat(reply):
            await reply.head()
            await reply.delta("x" * 390)
            await reply.finish()

        provider.chat = chat
        await browser.chat()
        # 390 characters and the ten of "Say hello."
        assert (await browser.send("GET", "profiles")).json["policy"]["dailyTokensUsed"] == 100

    async def test_the_demo_is_free(self, browser):
        messages = [{"role": "user", "content": recording()["prompt"]}]
        for _ in range(3):
            assert (await browser.chat(profile="demo", messages=messages)).status == 200
        assert (await browser.send("GET", "profiles")).json["policy"]["dailyTokensUsed"] == 0


class TestDefectOfOurs:
    """An exception that nothing foresees is named by kind and place; its text could hold a key."""

    @pytest.fixture(params=[False, True])
    def streaming(self, request, monkeypatch):
        async def stream(answer, *_):
            if request.param:
                await answer._send("data: {}\n\n")
            raise RuntimeError(CANARY)

        monkeypatch.setattr(Answer, "stream", stream)
        return request.param

    async def test_it_is_an_error_without_its_text(self, browser, streaming, caplog):
        answer = await browser.chat()
        error = json.loads(answer.events[-1])["error"] if streaming else answer.error
        assert answer.status == (200 if streaming else 500)
        assert error["code"] == "other"
        # The last place that is ours, not the one in a library.
        assert "failed (RuntimeError, answer, line " in error["message"] and "report" in error["message"]
        assert CANARY not in answer.text + caplog.text


class TestDailyTokens:
    def test_the_day_starts_at_midnight(self, monkeypatch):
        tokens = DailyTokens(100)
        tokens.check()
        tokens.add(100)
        with pytest.raises(RefineError):
            tokens.check()
        tomorrow = SimpleNamespace(today=lambda: datetime.date(9999, 1, 1))
        monkeypatch.setattr(services, "datetime", SimpleNamespace(date=tomorrow))
        tokens.check()
        assert tokens.used == 0


def test_a_silent_provider_is_named_within_the_time_of_a_session():
    def patience(**policy: int) -> float:
        return Refine(config=Config({"Refine": {"policy": policy}})).build().patience

    assert (patience(), patience(session_timeout=100)) == (540, 90)


def test_a_profile_that_cannot_be_used_is_in_the_log(monkeypatch, caplog):
    app = Refine(config=Config({"Refine": {"profiles": [{"name": "a/b"}]}}), log=logging.getLogger("refine"))
    app.build()
    app.profiles = []
    monkeypatch.setenv("OLLAMA_HOST", "::1")
    app.build()
    assert "Profile c.Refine.profiles[0]: name: must have" in caplog.text
    assert "Profile ollama: OLLAMA_HOST: base_url" in caplog.text


class TestClients:
    async def test_no_cookie_of_a_provider_goes_out_again(self, provider):
        async def with_cookie(reply):
            await answer_status(200, {"data": []}, Set_Cookie="a=b")(reply)

        provider.models = with_cookie
        clients, profile = Clients(), Profile("x", provider.base_url)
        for _ in range(2):
            await clients.of(profile).get(profile.url("models"))
        assert [call.headers.get("cookie") for call in provider.calls] == [None, None]
        await clients.close()

    async def test_a_loopback_host_is_reached_without_the_proxy(self, provider, monkeypatch):
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
        clients = Clients()
        profile = Profile("x", provider.base_url)
        response = await clients.of(profile).get(profile.url("models"))
        assert response.status_code == 200
        with pytest.raises(httpx.TransportError):
            remote = Profile("y", "http://models.example.org/v1")
            await clients.of(remote).get(remote.url("models"))
        await clients.close()
