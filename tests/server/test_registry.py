"""Which profiles and models there are, which are used, how much they read, and local servers."""

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
from jupyterlab_refine.providers.catalogue import Catalogue, chat_models, local_profiles, preferred
from jupyterlab_refine.providers.profile import Profile, key_variables, read_profiles
from jupyterlab_refine.providers.registry import Registry


async def profiles(browser, route: str = "profiles") -> dict:
    answer = await browser.send("GET", route)
    assert answer.status == 200
    return answer.json


def named(body: dict, name: str) -> dict:
    return next(profile for profile in body["profiles"] if profile["name"] == name)


class TestConfigured:
    @pytest.fixture
    def refine_config(self, provider, monkeypatch):
        monkeypatch.setenv("LAB_KEY", "sk-lab-0123456789")
        return {
            "profiles": [
                {"name": "listed", "base_url": provider.base_url, "api_key_env": "LAB_KEY"},
                {
                    "name": "fixed",
                    "base_url": "https://models.example.org:8443/v1/",
                    "api_key": "sk-fixed-0123456789",
                    "models": ["big", "small"],
                    "default_model": "small",
                    "prices": {"small": {"input": 0.15, "output": 0.6}},
                },
                {"name": "keyless", "base_url": "https://example.org/v1", "api_key_env": "NOT_SET"},
            ]
        }

    async def test_all_profiles_are_listed_without_keys(self, browser, provider):
        provider.models = answer_models("text-embedding-3-small", "gpt-4o", "gpt-4o-mini")
        body = await profiles(browser)
        assert [profile["name"] for profile in body["profiles"]] == ["listed", "fixed", "keyless", "demo"]
        assert named(body, "listed") == {
            "name": "listed",
            "host": provider.host,
            "models": ["gpt-4o", "gpt-4o-mini"],
            "defaultModel": "gpt-4o-mini",
            "demo": False,
            "error": None,
            "prices": None,
            "contexts": {},
        }
        fixed = named(body, "fixed")
        assert fixed["host"] == "models.example.org:8443"
        assert (fixed["models"], fixed["defaultModel"]) == (["big", "small"], "small")
        assert fixed["prices"] == {"small": {"input": 0.15, "output": 0.6}}
        assert "NOT_SET is not set" in named(body, "keyless")["error"]
        assert named(body, "demo")["demo"] is True
        assert body["default"] == {"profile": "listed", "model": "gpt-4o-mini"}
        [hint] = body["hints"]
        assert hint.startswith("Profile keyless: ") and "NOT_SET" in hint
        assert "sk-" not in str(body)
        assert body["policy"]["keyVariables"] == ["OPENAI_API_KEY", "LAB_KEY", "NOT_SET"]

    async def test_the_list_is_asked_for_with_the_key_and_remembered(self, browser, provider):
        await profiles(browser)
        await profiles(browser)
        (call,) = provider.calls
        assert (call.method, call.path) == ("GET", "/v1/models")
        assert call.headers["authorization"] == "Bearer sk-lab-0123456789"
        await profiles(browser, "profiles?refresh=1")
        assert len(provider.calls) == 2

    async def test_a_model_that_is_not_offered_is_refused(self, browser):
        answer = await browser.chat(profile="fixed", model="huge")
        assert (answer.status, answer.error["code"]) == (404, "model-not-found")
        assert "big, small" in answer.error["message"]

    async def test_a_profile_without_its_key_is_refused(self, browser):
        answer = await browser.chat(profile="keyless")
        assert (answer.status, answer.error["code"]) == (400, "no-model")
        assert "NOT_SET" in answer.error["message"]

    @pytest.mark.parametrize(
        ("script", "part"),
        [
            (answer_status(401), "refused the key"),
            (
                answer_status(401),
                "A model that is named needs no list: default_model, OPENAI_MODEL, or --model.",
            ),
            (answer_status(500), "failed (500)"),
            (answer_status(404), "does not know the path /v1/models (404)"),
            (answer_status(200, "<html>", "text/html"), "answered with <html> instead"),
            (answer_status(200, {"data": []}), "has no model"),
        ],
    )
    async def test_the_reason_of_an_unusable_profile_is_reported(self, browser, provider, script, part):
        provider.models = script
        body = await profiles(browser)
        assert part in named(body, "listed")["error"]
        assert body["default"] == {"profile": "fixed", "model": "small"}

    async def test_several_unknown_models_are_asked_about(self, browser, provider):
        provider.models = answer_models("mystery-1", "mystery-2")
        listed = named(await profiles(browser), "listed")
        assert (listed["models"], listed["defaultModel"], listed["error"]) == (
            ["mystery-1", "mystery-2"],
            None,
            None,
        )
        answer = await browser.chat(profile="listed")
        assert (answer.status, answer.error["code"]) == (400, "no-model")
        assert "Choose a model of profile listed" in answer.error["message"]


class TestConfigurationMistakes:
    @pytest.fixture
    def refine_config(self, provider):
        return {
            "default_profile": "mian",
            "profiles": [
                {"name": "main", "base_url": provider.base_url, "models": ["m"]},
                {"name": "typo", "apikey": "sk-secret-0123456789"},
                {"name": "main", "base_url": provider.base_url},
                {"name": "ftp", "base_url": "ftp://example.org"},
                {"name": "basic", "base_url": "https://me:sk-secret@example.org/v1"},
            ],
        }

    async def test_each_is_a_hint_that_names_it(self, browser):
        body = await profiles(browser)
        wrong = [f"c.Refine.profiles[{index}]" for index in (1, 2, 3, 4)]
        assert [profile["name"] for profile in body["profiles"]] == ["main", *wrong, "demo"]
        assert body["default"] is None
        text = "\n".join(body["hints"])
        assert "Profile c.Refine.profiles[1]: unknown apikey; known are name, base_url" in text
        assert "The name 'main' is taken" in text
        assert "base_url 'ftp://example.org' is not a URL: it must start with http" in text
        assert "base_url for example.org must not contain a user name or password" in text
        assert "default_profile names 'mian'" in text
        assert "sk-secret" not in text


class TestPolicy:
    @pytest.mark.parametrize(
        "refine_config",
        [{"policy": {"max_attempts": 3, "refine_graded_cells": True, "allow_key_from_panel": False}}],
    )
    async def test_keys_are_in_camel_case(self, browser):
        policy = (await profiles(browser))["policy"]
        assert policy["maxAttempts"] == 3
        assert policy["refineGradedCells"] is True
        assert policy["allowKeyFromPanel"] is False
        assert policy["allowBaseUrlFromPanel"] is True


class TestEnvironment:
    @pytest.fixture
    def refine_config(self, provider, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", "sk-env-0123456789")
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url + "/")
        monkeypatch.setenv("OPENAI_MODEL", "mine")
        return {}

    async def test_it_makes_a_profile(self, browser, provider):
        body = await profiles(browser)
        assert body["default"] == {"profile": "openai", "model": "mine"}
        assert named(body, "openai")["models"] == ["mine", "m-one"]
        assert (await browser.chat(profile="openai")).words == "Hello"
        call = provider.chats()[0]
        assert call.headers["authorization"] == "Bearer sk-env-0123456789"
        assert call.json["model"] == "mine"

    @pytest.mark.parametrize("status", [403, 404])
    async def test_a_server_without_a_list_is_used_with_the_named_model(self, browser, provider, status):
        # OpenAI answers a key that is restricted to chats with 403.
        provider.models = answer_status(status)
        body = await profiles(browser)
        assert named(body, "openai")["error"] is None
        assert body["default"] == {"profile": "openai", "model": "mine"}


class TestOllama:
    @pytest.fixture
    def refine_config(self, provider, monkeypatch):
        monkeypatch.setenv("OLLAMA_HOST", provider.host)
        return {}

    async def test_one_that_answers_is_used_without_a_key(self, browser, provider):
        provider.models = answer_models("llama3.2:latest", "qwen2.5-coder:7b", "nomic-embed-text:latest")
        body = await profiles(browser)
        assert body["default"] == {"profile": "ollama", "model": "qwen2.5-coder:7b"}
        assert named(body, "ollama")["models"] == ["llama3.2:latest", "qwen2.5-coder:7b"]
        assert (await browser.chat(profile="ollama")).words == "Hello"
        assert "authorization" not in provider.chats()[0].headers

    async def test_an_ollama_without_models_gets_a_hint(self, browser, provider):
        provider.models = answer_status(200, {"object": "list", "data": None})
        body = await profiles(browser)
        assert body["default"] is None
        [hint] = body["hints"]
        # The panel sets as code what is in backticks.
        assert hint.startswith(f"Profile ollama: {provider.host} has no model.")
        assert hint.endswith("run `ollama pull qwen2.5-coder`.")

    async def test_something_else_on_its_port_is_no_ollama(self, browser, provider):
        provider.models = answer_status(200, "<html>", "text/html")
        assert [profile["name"] for profile in (await profiles(browser))["profiles"]] == ["demo"]


class TestNothing:
    @pytest.fixture
    def refine_config(self):
        return {}

    async def test_only_the_demo_and_what_to_do(self, browser):
        body = await profiles(browser)
        assert [profile["name"] for profile in body["profiles"]] == ["demo"]
        assert body["default"] is None
        assert "OPENAI_API_KEY" in body["hints"][0]
        assert "run `ollama pull qwen2.5-coder`." in body["hints"][1]

    async def test_a_call_says_the_same(self, browser):
        answer = await browser.chat(profile=None)
        assert (answer.status, answer.error["code"]) == (400, "no-model")
        assert "OPENAI_API_KEY" in answer.error["message"]


@pytest.mark.parametrize("refine_config", [{"default_profile": "demo"}])
async def test_the_demo_can_be_the_default(browser):
    assert (await profiles(browser))["default"] == {"profile": "demo", "model": "demo"}


class TestProfile:
    def test_a_query_of_the_base_url_stays(self):
        profile = Profile("azure", "https://x.example/openai/v1?api-version=2025-01-01")
        assert str(profile.url("chat/completions")) == (
            "https://x.example/openai/v1/chat/completions?api-version=2025-01-01"
        )

    def test_headers_that_everybody_sends_are_no_secrets(self):
        headers = {"Anthropic-Version": "2023-06-01", "X-Title": "notebooks", "X-Key": "0123456789"}
        assert Profile("a", "https://x.example", headers=headers).secrets() == ("0123456789",)

    def test_openai_is_the_default_and_a_tuple_is_a_list(self):
        [profile] = read_profiles([{"name": "a", "models": ("m",)}], {})
        assert (profile.base_url, profile.models) == ("https://api.openai.com/v1", ("m",))

    @pytest.mark.parametrize(
        ("entry", "part"),
        [
            ("text", "must have type object"),
            ({"base_url": "http://x"}, "must have required ['name']"),
            ({"name": "a/b"}, "name: must have pattern"),
            ({"name": "demo"}, "name: must have pattern"),
            ({"name": "a", "models": "m"}, "models: must have type array"),
            ({"name": "a", "headers": {"x": 1}}, "headers.x: must have type string"),
            ({"name": "a", "headers": {"My Key": "123456789"}}, "headers: 'My Key' must have pattern"),
            ({"name": "a", "headers": {"X-Schlüssel": "1"}}, "headers: 'X-Schlüssel' must have pattern"),
            ({"name": "a", "prices": {"m": 1}}, "prices.m: must have type object"),
            ({"name": "a", "prices": {"m": {"input": float("nan"), "output": 1}}}, "m.input: must have type"),
            ({"name": "a", "api_key": 123456789}, "api_key: must have type string"),
            ({"name": "a", "base_url": None}, "base_url: must have type string"),
            ({"name": "a", "base_url": "localhost:8000"}, "must start with http"),
        ],
    )
    def test_a_mistake_names_its_key_and_not_its_value(self, entry, part):
        [profile] = read_profiles([entry], {})
        assert part in (profile.problem or "")
        assert "123456789" not in (profile.problem or "")

    def test_the_variables_that_hold_keys(self):
        assert key_variables([{"api_key_env": "A"}, {"name": "x"}, "bad"]) == ("OPENAI_API_KEY", "A")


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
        (" " * 5_000_000, {}, "an empty body"),
        ("[" * 100_000, {}, "answered with [[[["),
        ("zipped", {"Content_Encoding": "br"}, "Content-Encoding br"),
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
    offer = await Catalogue(Answering({"/v1/models": {"data": models}})).offer(
        Profile("p", "http://localhost:1/v1")
    )
    assert offer.contexts == expected


async def test_ollama_cuts_at_4096_but_for_models_that_run():
    ollama = Profile("ollama", "http://localhost:1/v1")
    listed = {"/v1/models": {"data": [{"id": "q:1"}]}}
    running = {"/api/ps": {"models": [{"name": "q:1", "context_length": 32768}]}}
    offer = await Catalogue(Answering(listed | running)).offer(ollama)
    assert offer.contexts == {"": 4096, "q:1": 32768}
    assert (await Catalogue(Answering(listed)).offer(ollama)).contexts == {"": 4096}


@pytest.mark.parametrize(
    ("ports", "names"),
    [
        ([8080], ["llama.cpp"]),
        ([1234], ["lm-studio"]),
        ([1, 8080], ["ollama", "llama.cpp"]),
        ([], []),
    ],
)
async def test_servers_at_their_default_ports_are_found(ports, names):
    class AtPorts(Answering):
        def _answer(self, request: httpx.Request) -> httpx.Response:
            return super()._answer(request) if request.url.port in ports else httpx.Response(404)

    catalogue = Catalogue(AtPorts({"/v1/models": {"data": [{"id": "m"}]}}))
    registry = Registry([], {"OLLAMA_HOST": "localhost:1"}, catalogue)
    assert [found.name for found in await registry.profiles()] == [*names, "demo"]


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
        (":8080", "http://127.0.0.1:8080"),
        ("http://0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("gpu-box", "http://gpu-box:11434"),
        ("gpu-box:1234", "http://gpu-box:1234"),
        ("http://gpu-box:1234/", "http://gpu-box:1234"),
        ("https://ollama.example.org", "https://ollama.example.org"),
        ("[::1]:1234", "http://[::1]:1234"),
    ],
)
def test_ollama_host_in_all_its_forms(value, url):
    assert local_profiles({"OLLAMA_HOST": value})[0].base_url == f"{url}/v1"
