"""A key of the server is searched for in everything that leaves it: answers, logs, errors, reprs."""

from __future__ import annotations

import asyncio
import logging
import os

import pytest
from browser import CANARY, MESSAGES
from fake_provider import Reply, Script, answer_status

PANEL = "sk-canary-panel-0123456789"
HEADER = "canary-header-0123456789"


@pytest.fixture
def refine_config(provider, monkeypatch):
    monkeypatch.setenv("CANARY_KEY", CANARY)
    return {
        "profiles": [
            {
                "name": "main",
                "base_url": provider.base_url,
                "api_key_env": "CANARY_KEY",
                "headers": {"X-Key": HEADER},
            }
        ]
    }


def quoted(reply: Reply) -> str:
    """What a careless provider quotes: everything secret that it was sent."""
    headers = reply.call.headers
    return f"{headers['authorization'].removeprefix('Bearer ')} {headers.get('x-key', '')}"


def quoting(status: int) -> Script:
    async def script(reply: Reply) -> None:
        text = quoted(reply)
        error = {"message": text, "code": text, "param": text, "type": text}
        await answer_status(status, {"error": error}, Location="http://login.example/")(reply)

    return script


async def page(reply: Reply) -> None:
    await answer_status(200, f"<html>{quoted(reply)}", "text/html")(reply)


async def plain_text(reply: Reply) -> None:
    await answer_status(200, quoted(reply), "text/plain")(reply)


async def in_stream(reply: Reply) -> None:
    await reply.head()
    await reply.delta(quoted(reply))
    await reply.event({"error": {"message": quoted(reply)}})


async def cut(reply: Reply) -> None:
    await reply.head()
    await reply.delta("Hel")
    reply.writer.transport.abort()


async def endless(reply: Reply) -> None:
    await reply.head()
    await reply.delta("Hel")
    await reply.left.wait()


async def test_it_is_in_no_answer_and_in_no_log(browser, provider, caplog, capfd, jp_serverapp):
    caplog.set_level(logging.DEBUG)
    # Jupyter itself logs its configuration as it starts; the header is part of it.
    caplog.clear()
    reported = []
    answer = await browser.send("POST", "key", {"key": PANEL, "baseUrl": provider.base_url})
    reported.append(answer.text)
    statuses = [quoting(status) for status in (302, 400, 401, 402, 403, 404, 413, 422, 429, 500, 503)]
    for profile in ("main", "panel"):
        for script in (*statuses, page, plain_text, in_stream, cut):
            provider.chat = script
            answer = await browser.chat(profile=profile, model="m")
            reported.append(answer.text + str(answer.headers))
        provider.chat = endless
        async with browser.open(
            "POST", "chat/completions", {"messages": MESSAGES, "model": "m"}, X_Refine_Profile=profile
        ) as response:
            reported.append(await anext(response.aiter_text()))
        await asyncio.wait_for(provider.departures.get(), 5)
    for script in (*statuses, page, plain_text):
        provider.models = script
        reported.append((await browser.send("GET", "profiles?refresh=1")).text)
    # A key in a place where none belongs: refused, and not repeated either.
    reported.append((await browser.send("POST", "key", '{"key": "' + PANEL)).text)
    reported.append((await browser.send("POST", "key", {"key": PANEL, "baseUrl": "nonsense"})).text)
    reported.append((await browser.send("POST", "key", {"key": PANEL, "api_key": PANEL})).text)
    reported.append(repr(jp_serverapp.web_app.settings["jupyterlab_refine_services"]))
    reported.append(
        repr(await jp_serverapp.web_app.settings["jupyterlab_refine_services"].registry.profiles())
    )

    used = {call.headers.get("authorization") for call in provider.calls}
    assert {f"Bearer {CANARY}", f"Bearer {PANEL}"} <= used, "the keys were in use"
    out, err = capfd.readouterr()
    logged = [record.getMessage() + str(record.exc_info) for record in caplog.records]
    assert len(logged) > 100, "the log was looked at"
    for name, texts in {
        "answers": reported,
        "log": logged,
        "output": [out, err],
    }.items():
        for text in texts:
            for secret in (CANARY, HEADER, PANEL):
                assert secret not in text, f"{secret} in {name}: {text[:500]}"


class TestHiddenFromKernels:
    @pytest.fixture
    def refine_config(self, refine_config):
        return {**refine_config, "hide_keys_from_kernels": True}

    async def test_the_key_is_removed_from_the_environment(self, browser, provider, monkeypatch):
        assert "CANARY_KEY" not in os.environ
        assert (await browser.chat(model="m")).words == "Hello"
        assert provider.chats()[0].headers["authorization"] == f"Bearer {CANARY}"


async def test_by_default_the_environment_of_kernels_is_left_alone(browser):
    assert os.environ["CANARY_KEY"] == CANARY
