"""Profiles as the configuration writes them."""

from __future__ import annotations

import pytest

from jupyterlab_refine.providers.profiles.profile import Profile, key_variables, read_profiles


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
