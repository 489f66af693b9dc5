"""Which models there are: configured, of the environment, of an Ollama, or none but the demo."""

from __future__ import annotations

import pytest
from fake_provider import answer_models, answer_status

from jupyterlab_refine.providers.profile import Profile, key_variables, read_profiles


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
            (answer_status(500), "failed (500)"),
            (answer_status(404), "lists no models (404)"),
            (answer_status(200, "<html>", "text/html"), "a web page"),
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


class TestNamedModel:
    @pytest.fixture
    def refine_config(self, provider):
        return {"profiles": [{"name": "main", "base_url": provider.base_url, "default_model": "qwen"}]}

    @pytest.mark.parametrize(
        ("listed", "problem"),
        [
            (["qwen"], None),
            (["qwen:latest"], None),
            (["gwen", "llama"], "does not list the model qwen. It lists: gwen, llama."),
        ],
    )
    async def test_one_that_its_server_does_not_list_is_named(self, browser, provider, listed, problem):
        provider.models = answer_models(*listed)
        body = await profiles(browser)
        found = named(body, "main")
        assert found["error"] == (problem and f"{provider.host} {problem}")
        # It may be there all the same.
        assert body["default"] == {"profile": "main", "model": "qwen"}


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
        assert [profile["name"] for profile in body["profiles"]] == ["main", "demo"]
        assert body["default"] is None
        text = "\n".join(body["hints"])
        assert "entry 2: unknown key apikey (did you mean api_key?); known names: name, base_url" in text
        assert "entry 3: the name 'main' is taken" in text
        assert "entry 4: base_url 'ftp://example.org' must start with http" in text
        assert "entry 5: base_url for example.org must not contain a user name or password" in text
        assert "default_profile names 'mian'" in text
        assert "sk-secret" not in text


class TestPolicy:
    @pytest.mark.parametrize(
        "refine_config",
        [{"policy": {"max_attempts": "3", "refine_graded_cells": True, "allow_key_from_panel": "False"}}],
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

    async def test_a_server_without_a_list_is_used_with_the_named_model(self, browser, provider):
        provider.models = answer_status(404)
        body = await profiles(browser)
        assert named(body, "openai")["error"] is None
        assert body["default"] == {"profile": "openai", "model": "mine"}


class TestOllama:
    @pytest.fixture
    def refine_config(self, provider, monkeypatch):
        monkeypatch.setenv("OLLAMA_HOST", provider.host)
        provider.version = answer_status(200, {"version": "0.12.0"})
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
        # The panel sets as code what is in backticks, and a whole line that begins like a command.
        assert body["hints"] == [
            f"Profile ollama: {provider.host} has no model. Run `ollama pull qwen2.5-coder`."
        ]

    async def test_a_missing_model_gets_a_hint(self, browser, provider):
        provider.chat = answer_status(404, {"error": {"message": "model 'x' not found"}})
        answer = await browser.chat(profile="ollama", model="x")
        assert "ollama pull x" in answer.error["message"]

    async def test_something_else_on_its_port_is_no_ollama(self, browser, provider):
        provider.version = answer_status(200, "<html>", "text/html")
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

    def test_a_dict_by_name_is_taken_too(self):
        profiles, problems = read_profiles({"a": {"base_url": "http://x/v1/"}, "b": {}}, {})
        assert [(profile.name, profile.base_url) for profile in profiles] == [
            ("a", "http://x/v1"),
            ("b", "https://api.openai.com/v1"),
        ]
        assert problems == []

    @pytest.mark.parametrize(
        ("entry", "part"),
        [
            ("text", "must be a dict"),
            ({"base_url": "http://x"}, "name must be"),
            ({"name": "a/b"}, "without '/'"),
            ({"name": "demo"}, "'demo' is taken"),
            ({"name": "a", "models": "m"}, "a: models must be a list"),
            ({"name": "a", "headers": {"x": 1}}, "a: headers must be a dict"),
            ({"name": "a", "prices": {"m": 1}}, "a: prices must be written"),
            ({"name": "a", "api_key": 5}, "a: api_key must be a string"),
            ({"name": "a", "base_url": "localhost:8000"}, "must start with http"),
        ],
    )
    def test_a_mistake_names_its_key(self, entry, part):
        profiles, (problem,) = read_profiles([entry], {})
        assert profiles == []
        assert part in problem

    def test_the_variables_that_hold_keys(self):
        assert key_variables([{"api_key_env": "A"}, {"name": "x"}, "bad"]) == ("OPENAI_API_KEY", "A")
        assert key_variables({"x": {"api_key_env": "A"}}) == ("OPENAI_API_KEY", "A")
