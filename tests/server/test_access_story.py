"""Nobody gets in without a login, a permission and a page of ours; and the routes live under any base URL."""

from __future__ import annotations

import json
from http.cookies import SimpleCookie

import pytest
from browser import MESSAGES
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
