"""A Jupyter server with the extension, before a provider that the tests control."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from browser import CANARY, ROUTES, Browser
from fake_provider import FakeProvider

from jupyterlab_refine.providers import demo


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, closed_port: int) -> None:
    """No key, no proxy and no Ollama of the machine that runs the tests."""
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "OPENAI_MODEL",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
    ):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{closed_port}")
    monkeypatch.setattr(demo, "TOKENS_PER_SECOND", 10_000.0)


@pytest.fixture
def closed_port() -> int:
    """A port of this machine on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def provider(jp_asyncio_loop: asyncio.AbstractEventLoop) -> Iterator[FakeProvider]:
    async def start() -> FakeProvider:
        fake = FakeProvider()
        await fake.start()
        return fake

    fake = jp_asyncio_loop.run_until_complete(start())
    yield fake
    jp_asyncio_loop.run_until_complete(fake.stop())


@pytest.fixture
def refine_config(provider: FakeProvider) -> dict[str, Any]:
    """``c.Refine``; tests override it."""
    return {
        "profiles": [
            {"name": "main", "base_url": provider.base_url, "api_key": CANARY, "default_model": "m-one"}
        ]
    }


@pytest.fixture
def jp_server_config(refine_config: dict[str, Any]) -> dict[str, Any]:
    return {
        "ServerApp": {
            "jpserver_extensions": {"jupyterlab_refine": True, "jupyter_server_terminals": False},
            "allow_unauthenticated_access": False,
        },
        "Refine": refine_config,
    }


@pytest.fixture
def browser(http_server_client: Any, jp_base_url: str, jp_auth_header: dict[str, str]) -> Browser:
    return Browser(http_server_client.get_url(f"{jp_base_url}{ROUTES}/"), jp_auth_header)
