"""The small parts of the providers, by themselves."""

from __future__ import annotations

import datetime
import json
import time

import httpx
import pytest
from fake_provider import answer_status

from jupyterlab_refine.errors import RefineError
from jupyterlab_refine.policy import Policy, read_policy
from jupyterlab_refine.providers import error_body
from jupyterlab_refine.providers.answer import Timeouts
from jupyterlab_refine.providers.clients import Clients, is_loopback
from jupyterlab_refine.providers.faults import retry_after_ms
from jupyterlab_refine.providers.keys import KeyStore, PanelKey
from jupyterlab_refine.providers.ollama import ollama_url
from jupyterlab_refine.providers.preference import chat_models, preferred
from jupyterlab_refine.providers.profile import Profile, key_variables, read_profiles
from jupyterlab_refine.providers.quota import DailyTokens
from jupyterlab_refine.providers.secrets import mask
from jupyterlab_refine.providers.sse import EventTooLong, SseDecoder


class TestSse:
    BODY = (
        b': hi\r\ndata: {"a": 1}\r\n\r\nevent: x\r\ndata: one\r\ndata:two\n\n\n\n'
        b"data: \xe2\x80\xa8\xc2\x85\r\rdata: rest"
    )
    EVENTS = ['{"a": 1}', "one\ntwo", "\u2028\x85", "rest"]

    @pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
    def test_however_the_bytes_are_torn(self, size):
        decoder = SseDecoder()
        events = []
        for start in range(0, len(self.BODY), size):
            events += decoder.feed(self.BODY[start : start + size])
        assert events + decoder.end() == self.EVENTS

    def test_an_event_is_sent_as_soon_as_it_is_whole(self):
        decoder = SseDecoder()
        assert decoder.feed(b"data: a\n") == []
        assert decoder.feed(b"\n") == ["a"]
        assert decoder.end() == []

    @pytest.mark.parametrize(
        "line", [b"x" * 1_000_000, b"data: " + b"x" * 999_993 + b"\n", b"data:\n" * 300_000]
    )
    def test_something_endless_is_given_up(self, line):
        decoder = SseDecoder()
        with pytest.raises(EventTooLong):
            for _ in range(10):
                decoder.feed(line)

    def test_a_long_event_in_single_bytes_takes_no_time_of_its_square(self):
        decoder = SseDecoder()
        begin = time.process_time()
        for _ in range(500_000):
            decoder.feed(b"x")
        assert time.process_time() - begin < 5


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


class TestProfile:
    def test_a_query_of_the_base_url_stays(self):
        profile = Profile("azure", "https://x.example/openai/v1?api-version=2025-01-01")
        assert str(profile.url("chat/completions")) == (
            "https://x.example/openai/v1/chat/completions?api-version=2025-01-01"
        )

    def test_secrets_are_in_no_repr(self):
        profile = Profile(
            "a", "https://x.example", api_key="sk-0123456789", headers={"k": "header-0123456789"}
        )
        assert "0123456789" not in repr(profile)
        assert set(profile.secrets()) == {"sk-0123456789", "header-0123456789"}

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
            ({"name": "a", "api_key": 5}, "a: api_key must be a text"),
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


class TestMask:
    def test_the_longest_first_and_placeholders_not_at_all(self):
        text = mask(
            "sk-0123456789-more sk-0123456789 ollama", ["sk-0123456789", "sk-0123456789-more", "ollama"]
        )
        assert text == "[key] [key] ollama"

    def test_a_bearer_token_without_its_word(self):
        assert mask("it was 0123456789", ["Bearer 0123456789"]) == "it was [key]"


class TestDailyTokens:
    def test_the_day_starts_at_midnight(self):
        now = datetime.datetime(2026, 3, 1, 23, 0)
        tokens = DailyTokens(100, lambda: now)
        tokens.check()
        tokens.add(100)
        with pytest.raises(RefineError) as reached:
            tokens.check()
        assert reached.value.retry_after_ms == 3600 * 1000
        now += datetime.timedelta(hours=1)
        tokens.check()
        assert tokens.used == 0

    def test_without_a_limit_it_only_counts(self):
        tokens = DailyTokens(None)
        tokens.add(10**9)
        tokens.check()
        assert tokens.used == 10**9


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


class FakeKeyring:
    """A keyring in memory; with ``broken`` every call fails as a locked one does."""

    def __init__(self, broken: bool = False) -> None:
        self.stored: dict[tuple[str, str], str] = {}
        self.broken = broken

    def _check(self) -> None:
        if self.broken:
            raise RuntimeError("locked")

    def get_password(self, service_name: str, username: str) -> str | None:
        self._check()
        return self.stored.get((service_name, username))

    def set_password(self, service_name: str, username: str, password: str) -> None:
        self._check()
        self.stored[service_name, username] = password

    def delete_password(self, service_name: str, username: str) -> None:
        self._check()
        del self.stored[service_name, username]


class TestKeyStore:
    KEY = PanelKey("sk-0123456789", "http://x/v1")

    def test_memory_only(self):
        store = KeyStore()
        store.set(self.KEY)
        assert (store.current, store.problem) == (self.KEY, None)
        assert KeyStore().current is None

    def test_a_keyring_outlives_the_server(self):
        keyring = FakeKeyring()
        KeyStore(keyring).set(self.KEY)
        assert KeyStore(keyring).current == self.KEY
        KeyStore(keyring).set(None)
        assert keyring.stored == {}
        assert KeyStore(keyring).current is None

    def test_a_locked_keyring_is_reported_and_the_key_works(self):
        store = KeyStore(FakeKeyring(broken=True))
        assert "could not be read (RuntimeError)" in (store.problem or "")
        store.set(self.KEY)
        assert store.current == self.KEY
        assert "did not take the key (RuntimeError)" in (store.problem or "")

    def test_an_entry_that_is_not_ours_is_no_key(self):
        keyring = FakeKeyring()
        keyring.stored["jupyterlab-refine", "panel"] = json.dumps(["x"])
        assert KeyStore(keyring).current is None

    @pytest.mark.parametrize(
        "entry",
        [
            {"key": "a\nb", "baseUrl": None},
            {"key": 5, "baseUrl": None},
            {"key": "sk-0123456789", "baseUrl": "http://xn--/"},
        ],
    )
    def test_an_entry_that_cannot_be_used_is_no_key(self, entry):
        keyring = FakeKeyring()
        keyring.stored["jupyterlab-refine", "panel"] = json.dumps(entry)
        store = KeyStore(keyring)
        assert store.current is None
        assert "could not be read" in (store.problem or "")


class TestPolicy:
    def test_the_defaults_allow_what_one_user_needs(self):
        assert read_policy({}) == Policy()
        assert Policy().as_json()["allowKeyFromPanel"] is True
        assert Policy().as_json()["refineGradedCells"] is False

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


class TestTimeouts:
    def test_a_silent_provider_is_named_before_the_time_of_a_session_is_over(self):
        assert Timeouts().loading < 600
        assert Timeouts().within(None) == Timeouts()
        assert Timeouts().within(100) == Timeouts(first_token=90, stall=60, loading=90)


class TestErrorBodies:
    @pytest.mark.parametrize("text", ["exceeds the ", "exceed the context", "max_tokens", "exceeds the   "])
    def test_a_long_message_takes_no_time(self, text):
        begin = time.process_time()
        error_body.is_context({"message": text * 200_000})
        assert time.process_time() - begin < 1

    def test_only_the_start_of_a_message_is_read(self):
        assert error_body.is_context({"message": "x " * 1000 + "maximum context"})
        assert not error_body.is_context({"message": "x " * 3000 + "maximum context"})


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

    async def test_a_loopback_host_is_reached_past_the_proxy_of_the_environment(self, provider, monkeypatch):
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
        clients = Clients()
        profile = Profile("x", provider.base_url)
        response = await clients.of(profile).get(profile.url("models"))
        assert response.status_code == 200
        with pytest.raises(httpx.TransportError):
            remote = Profile("y", "http://models.example.org/v1")
            await clients.of(remote).get(remote.url("models"))
        await clients.close()

    @pytest.mark.parametrize(
        ("host", "local"),
        [
            ("localhost", True),
            ("127.0.0.1", True),
            ("127.1.2.3", True),
            ("::1", True),
            ("app.localhost", True),
            ("10.0.0.1", False),
            ("localhost.example.org", False),
        ],
    )
    def test_what_is_loopback(self, host, local):
        assert is_loopback(host) is local
