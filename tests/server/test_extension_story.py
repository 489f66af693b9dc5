"""The extension in a server: how it is found, configured, and stopped."""

from __future__ import annotations

import asyncio
import json
import re
import socket

import pytest
from browser import CANARY, MESSAGES
from fake_provider import answer_models
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application
from tornado.websocket import WebSocketHandler, websocket_connect
from traitlets.config import Config

import jupyterlab_refine
from jupyterlab_refine.app import Refine, with_nodelay

NODELAY_SETTING = "kernel_websocket_connection_class"


def test_jupyter_finds_both_parts():
    (point,) = jupyterlab_refine._jupyter_server_extension_points()
    assert (point["module"], point["app"]) == ("jupyterlab_refine", Refine)
    (lab,) = jupyterlab_refine._jupyter_labextension_paths()
    assert lab == {"src": "labextension", "dest": "jupyterlab-refine"}


async def test_the_version_is_reported(browser):
    version = (await browser.send("GET", "profiles")).json["version"]
    assert version == jupyterlab_refine.__version__
    assert re.match(r"\d+", version)


def test_kernel_websockets_are_fixed(jp_serverapp):
    chosen = jp_serverapp.web_app.settings[NODELAY_SETTING]
    assert issubclass(chosen, jp_serverapp.kernel_websocket_connection_class)
    assert chosen is not jp_serverapp.kernel_websocket_connection_class


def test_control_messages_do_not_make_a_busy_kernel_idle(jp_serverapp):
    assert not jp_serverapp.kernel_manager.track_message_type("refine_request")


class TestCommandLine:
    @pytest.fixture
    def refine_config(self):
        return {}

    @pytest.fixture
    def jp_argv(self, provider):
        profiles = [{"name": "mine", "base_url": provider.base_url, "models": ["m"]}]
        return [
            f"--Refine.profiles={json.dumps(profiles)}",
            "--Refine.daily_token_limit=1000",
            "--Refine.policy",
            "max_attempts=3",
            "--Refine.policy=allow_key_from_panel=False",
        ]

    async def test_every_option_is_a_flag(self, browser):
        body = (await browser.send("GET", "profiles")).json
        assert body["default"] == {"profile": "mine", "model": "m"}
        assert body["policy"]["dailyTokenLimit"] == 1000
        assert body["policy"]["maxAttempts"] == 3
        assert body["policy"]["allowKeyFromPanel"] is False
        assert (await browser.chat(profile="mine")).words == "Hello"


class TestStopping:
    async def test_connections_to_providers_are_closed(self, browser, jp_serverapp):
        await browser.chat()
        clients = jp_serverapp.web_app.settings["jupyterlab_refine_services"].clients
        (client,) = clients._clients.values()
        assert not client.is_closed
        await jp_serverapp.extension_manager.stop_all_extensions()
        assert client.is_closed

    @pytest.mark.parametrize("refine_config", [{"policy": {"typo": True}}])
    async def test_the_server_stops_after_a_refused_configuration(self, jp_serverapp):
        await jp_serverapp.extension_manager.stop_all_extensions()


async def profiles(browser) -> dict:
    answer = await browser.send("GET", "profiles")
    assert answer.status == 200, answer.text
    return answer.json


class TestBadProfiles:
    BAD = [
        ({"api_key": "sk-клюb-0123456789"}, "api_key contains a character"),
        ({"api_key": "sk-01\r\nX-Y: 0123456789"}, "api_key contains a character, or a line break"),
        ({"api_key": "…"}, "api_key contains a character"),
        ({"api_key_env": "BAD_KEY"}, "The environment variable BAD_KEY contains a character"),
        ({"headers": {"X-Key": "клюb"}}, "X-Key contains a character"),
        ({"headers": {"X-Key": "a\nb"}}, "X-Key contains a character, or a line break"),
    ]

    @pytest.fixture
    def refine_config(self, refine_config, request, provider, monkeypatch):
        monkeypatch.setenv("BAD_KEY", "sk-\n0123456789")
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

    @pytest.mark.parametrize(
        ("refine_config", "says"),
        [
            ({"base_url": "http://xn--/"}, "base_url 'http://xn--/' is not a URL"),
            ({"base_url": "http://localhost:99999/v1"}, "base_url 'http://localhost:99999/v1' is not a URL"),
            ({"name": "a\nb"}, "name: must have pattern"),
        ],
        indirect=["refine_config"],
    )
    async def test_one_that_is_no_profile_is_named_by_its_place(self, browser, says):
        body = await profiles(browser)
        assert [profile["name"] for profile in body["profiles"]] == ["c.Refine.profiles[0]", "main", "demo"]
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
        says = "The environment variable OPENAI_API_KEY contains a character"
        body = await profiles(browser)
        assert says in body["profiles"][0]["error"]
        assert any(says in hint for hint in body["hints"])
        assert provider.calls == []
        await browser.send("POST", "key", {"key": CANARY, "baseUrl": None})
        assert (await browser.chat(profile="panel", model="m-one")).words == "Hello"


class TestOllamaHost:
    @pytest.fixture
    def refine_config(self, request, monkeypatch):
        monkeypatch.setenv("OLLAMA_HOST", request.param)
        return {}

    @pytest.mark.parametrize("refine_config", ["0.0.0.0:99999", "http://xn--/"], indirect=True)
    async def test_one_that_is_no_address_is_named(self, browser):
        [hint] = (await profiles(browser))["hints"]
        assert "OLLAMA_HOST" in hint and "is not a URL" in hint


@pytest.mark.parametrize(
    ("refine_config", "says"),
    [
        ({"policy": {"max_atempts": 3}}, "max_atempts"),
        ({"policy": {"max_attempts": "many"}}, "policy"),
        ({"policy": {"max_attempts": 0}}, "policy"),
        ({"policy": {"allow_key_from_panel": "no"}}, "policy"),
        ({"daily_token_limit": "much"}, "daily_token_limit"),
        ({"profiles": {"main": {"api_key": CANARY}}}, "c.Refine.profiles must be a list."),
    ],
)
async def test_a_refused_configuration_says_why_on_every_route(browser, says):
    for answer in (
        await browser.send("GET", "profiles"),
        await browser.send("POST", "key", {"key": CANARY}),
        await browser.chat(),
    ):
        assert (answer.status, answer.error["code"]) == (503, "bad-option")
        assert says in answer.error["message"] and CANARY not in answer.text
        assert "restart the Jupyter server" in answer.error["message"]


async def test_models_of_a_profile_may_have_any_name(browser, provider):
    provider.models = answer_models("模型", "a b")
    assert (await profiles(browser))["profiles"][0]["models"] == ["m-one", "模型", "a b"]


class Plain:
    """The least a connection class has to be."""

    def __init__(self, handler):
        self.websocket_handler = handler
        self.connected_with = None

    def connect(self, *args, **kwargs):
        self.connected_with = (args, kwargs)
        return "connected"


def test_keeps_configuration():
    wrapped = with_nodelay(ZMQChannelsWebsocketConnection)
    config = Config()
    config.ZMQChannelsWebsocketConnection.iopub_msg_rate_limit = 7
    assert wrapped(config=config).iopub_msg_rate_limit == 7
    config = Config()
    config.ZMQChannelsWebsocketConnection.limit_rate = False
    assert wrapped(config=config).limit_rate is False


@pytest.mark.parametrize("fixed", [True, False])
async def test_option_on_a_real_socket(fixed):
    opened = asyncio.get_running_loop().create_future()

    class Connecting(WebSocketHandler):
        def open(self):
            made = with_nodelay(Plain) if fixed else Plain
            made(self).connect()
            stream = self.ws_connection.stream
            opened.set_result(stream.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    server = HTTPServer(Application([("/", Connecting)]))
    listening = bind_sockets(0, "127.0.0.1")
    server.add_sockets(listening)
    port = listening[0].getsockname()[1]
    client = await websocket_connect(f"ws://127.0.0.1:{port}/")
    assert bool(await opened) is fixed
    client.close()
    server.stop()
