"""Nobody gets in without a login, a permission and a page of ours; and the routes live under any base URL."""

from __future__ import annotations

import json
from http.cookies import SimpleCookie

import pytest
from browser import MESSAGES
from fake_provider import answer_models, answer_status
from jupyter_server.auth import Authorizer

ROUTES = [
    ("GET", "profiles", None),
    ("POST", "key", {"key": "sk-something", "baseUrl": None}),
    ("POST", "chat/completions", {"messages": MESSAGES}),
    ("POST", "demo", {}),
]


class NoRefine(Authorizer):
    """Allows everything but our resource; remembers what was asked."""

    asked: list[tuple[str, str]] = []

    def is_authorized(self, handler, user, action, resource):
        self.asked.append((action, resource))
        return resource != "jupyterlab-refine"


@pytest.mark.parametrize(("method", "route", "body"), ROUTES)
async def test_without_a_login_nothing_is_returned(browser, provider, method, route, body):
    answer = await browser.send(method, route, body, anonymous=True)
    assert answer.status == 403
    assert "main" not in answer.text
    assert provider.calls == []


@pytest.mark.parametrize(("method", "route", "body"), ROUTES)
async def test_a_wrong_token_is_no_login(browser, provider, method, route, body):
    answer = await browser.send(method, route, body, anonymous=True, Authorization="token wrong")
    assert answer.status == 403
    assert provider.calls == []


class TestAuthorisation:
    @pytest.fixture
    def jp_server_config(self, jp_server_config):
        NoRefine.asked.clear()
        jp_server_config["ServerApp"]["authorizer_class"] = NoRefine
        return jp_server_config

    @pytest.mark.parametrize(("method", "route", "body"), ROUTES)
    async def test_a_user_without_the_permission_is_refused(self, browser, provider, method, route, body):
        answer = await browser.send(method, route, body)
        assert answer.status == 403
        assert provider.calls == []
        action = "read" if method == "GET" else "write"
        assert NoRefine.asked == [(action, "jupyterlab-refine")]


async def login(browser) -> str:
    """The cookie of a user who is logged in, as a browser sends it."""
    answer = await browser.send("GET", "profiles")
    cookie = SimpleCookie(answer.headers["set-cookie"])
    return "; ".join(
        f"{name}={morsel.value}" for name, morsel in cookie.items() if name.startswith("username")
    )


class TestXsrf:
    @pytest.mark.parametrize(("method", "route", "body"), ROUTES)
    async def test_a_cookie_alone_is_not_enough(self, browser, provider, method, route, body):
        cookie = await login(browser)
        provider.calls.clear()
        answer = await browser.send(method, route, body, anonymous=True, Cookie=cookie)
        assert answer.status == 403
        assert provider.calls == []

    @pytest.mark.parametrize(("method", "route", "body"), ROUTES)
    async def test_a_page_of_another_origin_is_refused(self, browser, provider, method, route, body):
        cookie = f"{await login(browser)}; _xsrf=2|1|2|3"
        provider.calls.clear()
        answer = await browser.send(
            method,
            route,
            body,
            anonymous=True,
            Cookie=cookie,
            Origin="http://evil.example",
            Referer="http://evil.example/",
            X_XSRFToken="2|1|2|3",
        )
        assert answer.status in (403, 404)
        assert provider.calls == []

    @pytest.mark.parametrize(("method", "route", "body"), ROUTES)
    async def test_our_own_page_is_served(self, browser, method, route, body):
        token = "2|eef6e08e|27a2b4d9a2b3c4d5e6f708192a3b4c5d|1700000000"
        cookie = f"{await login(browser)}; _xsrf={token}"
        answer = await browser.send(method, route, body, anonymous=True, Cookie=cookie, X_XSRFToken=token)
        assert answer.status == 200


@pytest.mark.parametrize("jp_base_url", ["/", "/user/jovyan@example.org/"])
async def test_the_routes_live_under_any_base_url(browser, jp_base_url):
    assert f"{jp_base_url}jupyterlab-refine/v1/" in browser.root
    assert (await browser.chat()).words == "Hello"


@pytest.mark.parametrize("body", ["", "no json", "[1]", '"text"', "null", "[" * 100_000], ids=len)
@pytest.mark.parametrize("route", ["key", "chat/completions"])
async def test_a_body_that_is_no_request_is_refused(browser, route, body):
    answer = await browser.send("POST", route, body)
    assert answer.status == 400
    assert json.loads(answer.text)["error"]["code"] == "bad-request"


KEY = "sk-panel-0123456789"


class TestKey:
    @pytest.fixture
    def refine_config(self):
        return {}

    async def test_an_endpoint_and_a_key_make_the_default_profile(self, browser, provider):
        answer = await browser.send("POST", "key", {"key": f" {KEY}\n", "baseUrl": provider.base_url})
        assert answer.status == 200
        assert answer.json["default"] == {"profile": "panel", "model": "m-one"}
        assert KEY not in answer.text
        assert (await browser.chat(profile=None)).words == "Hello"
        assert provider.chats()[0].headers["authorization"] == f"Bearer {KEY}"

    async def test_an_endpoint_alone_is_called_without_a_key(self, browser, provider):
        await browser.send("POST", "key", {"key": "", "baseUrl": provider.base_url})
        assert (await browser.chat(profile="panel")).words == "Hello"
        assert "authorization" not in provider.chats()[0].headers

    async def test_a_key_alone_is_for_openai(self, browser):
        answer = await browser.send("POST", "key", {"key": KEY, "baseUrl": None})
        assert answer.json["profiles"][0]["host"] == "api.openai.com"

    async def test_two_empty_values_forget_it(self, browser, provider):
        await browser.send("POST", "key", {"key": KEY, "baseUrl": provider.base_url})
        answer = await browser.send("POST", "key", {"key": "", "baseUrl": ""})
        assert [profile["name"] for profile in answer.json["profiles"]] == ["demo"]

    async def test_a_new_key_is_tried_at_once(self, browser, provider):
        await browser.send("POST", "key", {"key": "sk-old-0123456789", "baseUrl": provider.base_url})
        provider.models = answer_models("m-two")
        answer = await browser.send("POST", "key", {"key": KEY, "baseUrl": provider.base_url})
        assert answer.json["default"]["model"] == "m-two"

    @pytest.mark.parametrize(
        ("body", "part"),
        [
            ({"key": 5}, "key: must have type"),
            ({"key": KEY, "headers": {"x": "y"}}, "unknown headers; known are key, baseUrl"),
            ({"key": "sk-\u200bhidden", "baseUrl": None}, "The key contains a character"),
            ({"key": KEY, "baseUrl": "file:///etc/passwd"}, "must start with http"),
            ({"key": KEY, "baseUrl": "not a url"}, "base_url"),
        ],
    )
    async def test_what_is_no_key_is_refused(self, browser, body, part):
        answer = await browser.send("POST", "key", body)
        assert (answer.status, answer.error["code"]) == (400, "bad-request")
        assert part in answer.error["message"]
        assert KEY not in answer.text


class TestBesideAnotherProfile:
    @pytest.fixture
    def refine_config(self, provider):
        return {"profiles": [{"name": "main", "base_url": "http://localhost:9/v1", "models": ["m"]}]}

    async def test_a_refused_key_is_reported_beside_a_usable_profile(self, browser, provider):
        provider.models = answer_status(401, {"error": {"message": "no"}})
        answer = await browser.send("POST", "key", {"key": KEY, "baseUrl": provider.base_url})
        assert answer.json["default"] == {"profile": "main", "model": "m"}
        [hint] = answer.json["hints"]
        assert hint.startswith(f"Profile panel: {provider.host} refused the key")

    async def test_a_list_without_a_default_asks_for_a_choice(self, browser, provider):
        provider.models = answer_models("one", "two")
        answer = await browser.send("POST", "key", {"key": KEY, "baseUrl": provider.base_url})
        assert answer.json["default"] == {"profile": "main", "model": "m"}
        assert answer.json["hints"] == [f"Choose one of the models of panel ({provider.host})."]


class TestOwnEndpoint:
    @pytest.fixture
    def refine_config(self, provider, monkeypatch):
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-server-0123456789")
        monkeypatch.setenv("OPENAI_MODEL", "mine")
        return {}

    async def test_a_key_alone_goes_to_the_endpoint_of_the_environment(self, browser, provider):
        answer = await browser.send("POST", "key", {"key": KEY, "baseUrl": None})
        assert answer.json["default"] == {"profile": "panel", "model": "mine"}
        await browser.chat(profile="panel")
        assert provider.chats()[0].headers["authorization"] == f"Bearer {KEY}"

    async def test_an_address_of_the_panel_never_gets_the_servers_key(self, browser, provider):
        await browser.send("POST", "key", {"key": "", "baseUrl": provider.base_url})
        await browser.chat(profile="panel")
        assert "authorization" not in provider.chats()[0].headers


class TestPolicy:
    @pytest.mark.parametrize("refine_config", [{"policy": {"allow_key_from_panel": False}}])
    async def test_no_key(self, browser):
        answer = await browser.send("POST", "key", {"key": KEY, "baseUrl": None})
        assert answer.status == 403
        assert "does not accept a key from the panel" in answer.error["message"]

    @pytest.mark.parametrize("refine_config", [{"policy": {"allow_base_url_from_panel": False}}])
    async def test_no_address(self, browser, provider):
        answer = await browser.send("POST", "key", {"key": KEY, "baseUrl": provider.base_url})
        assert answer.status == 403
        assert "does not accept a base_url from the panel" in answer.error["message"]
