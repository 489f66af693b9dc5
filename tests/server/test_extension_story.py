"""The extension in a server: how it is found, configured, and stopped."""

from __future__ import annotations

import json
import re

import pytest

import jupyterlab_refine
from jupyterlab_refine.app import Refine

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
        ]

    async def test_every_option_is_a_flag(self, browser):
        body = (await browser.send("GET", "profiles")).json
        assert body["default"] == {"profile": "mine", "model": "m"}
        assert body["policy"]["dailyTokenLimit"] == 1000
        assert body["policy"]["maxAttempts"] == 3
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
