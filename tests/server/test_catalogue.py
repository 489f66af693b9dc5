"""Which models a profile offers, which is used, how much they read, and which local servers are found."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from browser import CANARY
from fake_provider import FakeProvider, answer_models, answer_status

from jupyterlab_refine.providers import catalogue
from jupyterlab_refine.providers.catalogue import Catalogue, chat_models, preferred
from jupyterlab_refine.providers.ollama import LocalServers, ollama_url
from jupyterlab_refine.providers.profile import Profile
from jupyterlab_refine.providers.quirks import OLLAMA


@dataclass
class Slow(FakeProvider):
    #: Set: the lists that drip end.
    over: asyncio.Event = field(default_factory=asyncio.Event)


@pytest.fixture
def slow(jp_asyncio_loop):
    """A second provider, whose list drips and never ends."""

    async def drip(reply):
        await reply.head(content_type="application/json")
        while not (reply.left.is_set() or fake.over.is_set()):
            await reply.raw(" ")
            await asyncio.sleep(0.05)

    fake = Slow(models=drip)
    jp_asyncio_loop.run_until_complete(fake.start())
    yield fake
    fake.over.set()
    jp_asyncio_loop.run_until_complete(fake.stop())


async def listed(browser) -> list[dict]:
    return (await browser.send("GET", "profiles?refresh=1")).json["profiles"]


class TestSlowProfiles:
    @pytest.fixture
    def refine_config(self, refine_config, slow, monkeypatch):
        monkeypatch.setattr(catalogue, "LIST_TIMEOUT", 2)
        others = [{"name": f"slow-{index}", "base_url": slow.base_url} for index in range(5)]
        return {"profiles": [*others, *refine_config["profiles"]]}

    async def test_they_wait_together_and_the_others_are_listed(self, browser, slow):
        started_at = time.monotonic()
        *others, main, _ = await listed(browser)
        # One after the other they would take 10 s.
        assert time.monotonic() - started_at < 8
        assert main["models"] == ["m-one"]
        assert {other["error"] for other in others} == {
            f"{slow.host} did not answer within 2 s. Check that it runs."
        }

    async def test_a_call_to_another_profile_does_not_wait(self, browser, slow, monkeypatch):
        monkeypatch.setattr(catalogue, "LIST_TIMEOUT", 60)
        lists = asyncio.create_task(listed(browser))
        while not slow.calls:
            await asyncio.sleep(0.01)
        assert (await browser.chat(profile="main")).words == "Hello"
        assert not lists.done()
        slow.over.set()
        await lists


@pytest.mark.parametrize(
    ("body", "headers", "says"),
    [
        (" " * 5_000_000, {}, "more than 4,000,000 bytes of models"),
        ("[" * 100_000, {}, "a web page or text"),
        ("zipped", {"Content_Encoding": "br"}, "Content-Encoding: br"),
        ("zipped", {"Content_Encoding": "gzip"}, "The call to"),
    ],
    ids=["blanks", "deep", "br", "no gzip"],
)
async def test_a_list_beyond_its_limits_is_an_error_of_its_profile(browser, provider, body, headers, says):
    provider.models = answer_status(200, body, **headers)
    main, _ = await listed(browser)
    assert says in main["error"]


async def test_the_first_2000_models_are_listed_and_no_endless_names(browser, provider):
    provider.models = answer_models("x" * 201, *(f"m{index}" for index in range(5000)))
    main, _ = await listed(browser)
    assert main["models"] == ["m-one", *(f"m{index}" for index in range(1999))]


async def test_a_key_as_a_model_is_masked(browser, provider):
    escaped = "".join(f"\\u{ord(char):04x}" for char in CANARY)
    provider.models = answer_status(200, f'{{"data": [{{"id": "{CANARY}"}}, {{"id": "x-{escaped}"}}]}}')
    main, _ = await listed(browser)
    assert main["models"] == ["m-one", "[key]", "x-[key]"]
    assert CANARY not in json.dumps(main)


class Answering:
    """Clients of a server that knows the given paths."""

    def __init__(self, paths: dict[str, Any]) -> None:
        self._paths = paths

    def of(self, _: Profile) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.MockTransport(self._answer))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        found = self._paths.get(request.url.path)
        body = httpx.ByteStream(json.dumps(found).encode())
        return httpx.Response(404 if found is None else 200, stream=body)


def local(**parts: Any) -> Profile:
    return Profile(name="p", base_url=parts.pop("base_url", "http://localhost:1/v1"), **parts)


@pytest.mark.parametrize(
    ("models", "expected"),
    [
        ([{"id": "a", "meta": {"n_ctx": 8192, "n_ctx_train": 32768}}], {"a": 8192}),
        ([{"id": "a", "max_model_len": 16384}, {"id": "b"}], {"a": 16384}),
        ([{"id": "a", "loaded_context_length": 4096, "max_context_length": 9}], {"a": 4096}),
        ([{"id": "a", "max_model_len": "many"}, {"id": "c", "max_model_len": True}], {}),
    ],
)
async def test_the_list_of_models_names_their_windows(models, expected):
    offer = await Catalogue(Answering({"/v1/models": {"data": models}})).offer(local())
    assert offer.contexts == expected


async def test_ollama_cuts_at_4096_but_for_models_that_run():
    listed = {"/v1/models": {"data": [{"id": "q:1"}]}}
    running = {"/api/ps": {"models": [{"name": "q:1", "context_length": 32768}]}}
    offer = await Catalogue(Answering(listed | running)).offer(local(quirk=OLLAMA))
    assert offer.contexts == {"": 4096, "q:1": 32768}
    assert (await Catalogue(Answering(listed)).offer(local(quirk=OLLAMA))).contexts == {"": 4096}


@pytest.mark.parametrize(
    ("ollama", "paths", "names"),
    [
        ("http://localhost:1", {"/props": {"default_generation_settings": {}}}, ["llama.cpp"]),
        ("http://localhost:1", {"/api/v0/models": {"data": []}}, ["lm-studio"]),
        ("http://localhost:1", {"/props": {"other": 1}, "/api/version": {"version": "1"}}, ["ollama"]),
        ("", {"/props": {"default_generation_settings": {}}}, []),
    ],
)
async def test_servers_at_their_default_ports_are_found(ollama, paths, names):
    assert [found.name for found in await LocalServers(ollama, Answering(paths)).find()] == names


class TestPreference:
    @pytest.mark.parametrize(
        ("names", "chosen"),
        [
            (["only"], "only"),
            ([], None),
            (["a", "b"], None),
            (["gpt-4o", "gpt-4o-mini", "gpt-4o-mini-2024-07-18"], "gpt-4o-mini"),
            (["gpt-4o-mini", "gpt-4.1-mini"], "gpt-4.1-mini"),
            (["openai/gpt-4o-mini", "x"], "openai/gpt-4o-mini"),
            (["llama3.3:70b", "Qwen/Qwen2.5-Coder-32B-Instruct"], "Qwen/Qwen2.5-Coder-32B-Instruct"),
            (["qwen2.5-coder:7b", "qwen2.5-coder:32b"], "qwen2.5-coder:7b"),
        ],
    )
    def test_the_order_is_as_documented(self, names, chosen):
        assert preferred(names) == chosen

    def test_models_that_do_not_chat_are_left_out(self):
        names = [
            "gpt-4o",
            "text-embedding-3-small",
            "whisper-1",
            "tts-1",
            "dall-e-3",
            "omni-moderation-latest",
        ]
        assert chat_models(names) == ["gpt-4o"]


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("gpu-box", "http://gpu-box:11434"),
        ("gpu-box:1234", "http://gpu-box:1234"),
        ("http://gpu-box:1234/", "http://gpu-box:1234"),
        ("https://ollama.example.org", "https://ollama.example.org"),
        ("[::1]:1234", "http://[::1]:1234"),
    ],
)
def test_ollama_host_in_all_its_forms(value, url):
    assert ollama_url({"OLLAMA_HOST": value}) == url
