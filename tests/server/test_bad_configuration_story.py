"""Configuration that is wrong, and the administrator's policy."""

from __future__ import annotations

import pytest
from browser import CANARY, MESSAGES
from fake_provider import answer_models

from jupyterlab_refine.policy import read_policy
from jupyterlab_refine.providers.profiles.profile import key_problem


async def profiles(browser) -> dict:
    answer = await browser.send("GET", "profiles")
    assert answer.status == 200, answer.text
    return answer.json


class TestBadProfiles:
    BAD = [
        ({"api_key": "sk-клюb-0123456789"}, "api_key of bad contains the character U+043A at position 4"),
        ({"api_key": "sk-0123456789\n"}, "api_key of bad contains a line break at position 14"),
        ({"api_key": "sk-01\r\nX-Y: z"}, "api_key of bad contains a line break at position 6"),
        ({"api_key": "…"}, "api_key of bad contains a placeholder"),
        ({"api_key": "..."}, "api_key of bad contains a placeholder"),
        ({"api_key_env": "BAD_KEY"}, "The environment variable BAD_KEY contains a line break"),
        (
            {"headers": {"X-Key": "клюb"}},
            "the value of X-Key contains an invalid character",
        ),
        (
            {"headers": {"X-Key": "a\nb"}},
            "the value of X-Key contains an invalid character",
        ),
        ({"headers": {"X Key": "a"}}, "'X Key' is not a header name"),
    ]

    @pytest.fixture
    def refine_config(self, refine_config, request, provider, monkeypatch):
        monkeypatch.setenv("BAD_KEY", "sk-0123456789\n")
        entry = {"name": "bad", "base_url": provider.base_url, "models": ["m"], **request.param}
        return {"profiles": [entry, *refine_config["profiles"]]}

    @pytest.mark.parametrize(("refine_config", "says"), BAD, indirect=["refine_config"])
    async def test_it_alone_cannot_be_used_and_says_why(self, browser, provider, says):
        body = await profiles(browser)
        bad, main = body["profiles"][:2]
        assert says in bad["error"]
        assert main["error"] is None
        assert body["default"] == {"profile": "main", "model": "m-one"}
        answer = await browser.chat(profile="bad", model="m")
        assert (answer.status, answer.error["code"]) == (400, "no-model")
        assert says in answer.error["message"]
        assert "0123456789" not in answer.text
        assert (await browser.chat()).words == "Hello"

    ENTRIES = [
        ({"base_url": "http://xn--/"}, "base_url 'http://xn--/' is not a URL"),
        ({"base_url": "http://localhost:99999/v1"}, "base_url 'http://localhost:99999/v1' is not a URL"),
        ({"models": 5}, "models must be a list"),
        ({"prices": {"m": {"input": "nan", "output": 1}}}, "prices must be written"),
        ({"prices": {"m": {"input": -1, "output": 1}}}, "prices must be written"),
        ({"name": "a\nb"}, "name must be a string without"),
        ({"apiKey": "x"}, "unknown key apiKey (did you mean api_key?)"),
    ]

    @pytest.mark.parametrize(("refine_config", "says"), ENTRIES, indirect=["refine_config"])
    async def test_one_that_is_no_profile_is_a_hint(self, browser, says):
        body = await profiles(browser)
        assert [profile["name"] for profile in body["profiles"]] == ["main", "demo"]
        assert says in body["hints"][0]
        assert (await browser.chat()).words == "Hello"

    @pytest.mark.parametrize("refine_config", [{"name": "研究"}], indirect=True)
    async def test_a_profile_may_have_a_name_in_any_script(self, browser):
        body = await profiles(browser)
        assert body["profiles"][0]["name"] == "研究"
        request = {"messages": MESSAGES, "model": "m"}
        name = "%E7%A0%94%E7%A9%B6"
        answer = await browser.send("POST", "chat/completions", request, X_Refine_Profile=name)
        assert answer.words == "Hello"


class TestPlaceholderInTheEnvironment:
    @pytest.fixture
    def refine_config(self, provider, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", "…")
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        return {}

    async def test_it_is_named_and_a_key_of_the_panel_helps(self, browser, provider):
        says = "The environment variable OPENAI_API_KEY contains a placeholder"
        body = await profiles(browser)
        assert says in body["profiles"][0]["error"]
        assert any(says in hint for hint in body["hints"])
        assert provider.calls == []
        await browser.send("POST", "key", {"key": CANARY, "baseUrl": None})
        assert (await browser.chat(profile="panel", model="m-one")).words == "Hello"


class TestOllamaHost:
    @pytest.fixture
    def refine_config(self, refine_config, request, monkeypatch):
        monkeypatch.setenv("OLLAMA_HOST", request.param)
        return refine_config

    @pytest.mark.parametrize("refine_config", ["0.0.0.0:99999", "http://xn--/"], indirect=True)
    async def test_one_that_is_no_address_is_named(self, browser, refine_config, request):
        value = request.node.callspec.params["refine_config"]
        hints = (await profiles(browser))["hints"]
        assert any(hint.startswith(f"OLLAMA_HOST={value}: ") and "is not a URL" in hint for hint in hints), (
            hints
        )
        assert (await browser.chat()).words == "Hello"


@pytest.mark.parametrize(
    ("refine_config", "says"),
    [
        ({"policy": {"max_atempts": 3}}, "unknown max_atempts (did you mean max_attempts?)"),
        ({"policy": {"maxTokens": 3}}, "unknown maxTokens (did you mean max_tokens?)"),
        ({"policy": {"max_attempts": "many"}}, "max_attempts must be a positive whole number"),
        ({"daily_token_limit": "much"}, "daily_token_limit"),
    ],
)
async def test_a_refused_configuration_says_why_on_every_route(browser, says):
    for answer in (
        await browser.send("GET", "profiles"),
        await browser.send("POST", "key", {"key": CANARY}),
        await browser.chat(),
    ):
        assert (answer.status, answer.error["code"]) == (503, "bad-option")
        assert says in answer.error["message"]
        assert "restart the Jupyter server" in answer.error["message"]


@pytest.mark.parametrize("key", [None, "", "sk-0123456789", "a b", "..x"])
def test_usual_keys_have_no_problem(key):
    assert key_problem(key, "It") is None


async def test_models_of_a_profile_may_have_any_name(browser, provider):
    provider.models = answer_models("模型", "a b")
    assert (await profiles(browser))["profiles"][0]["models"] == ["m-one", "模型", "a b"]


class TestPolicy:
    @pytest.mark.parametrize(
        ("value", "part"),
        [
            ({"max_attempt": 3}, "unknown max_attempt"),
            ({"allow_key_from_panel": "no"}, "must be True or False, not 'no'"),
            ({"allow_key_from_panel": 0}, "must be True or False"),
            ({"max_attempts": 0}, "positive whole number"),
            ({"max_attempts": True}, "positive whole number"),
            ({"max_tokens": "many"}, "positive whole number"),
        ],
    )
    def test_a_value_that_says_nothing_is_refused(self, value, part):
        with pytest.raises(ValueError, match=part):
            read_policy(value)
