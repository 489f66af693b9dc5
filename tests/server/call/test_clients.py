"""HTTP clients keep no cookie and use no proxy for this machine."""

from __future__ import annotations

import httpx
import pytest
from fake_provider import answer_status

from jupyterlab_refine.providers.call.clients import Clients, is_loopback
from jupyterlab_refine.providers.profiles.profile import Profile


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

    async def test_a_loopback_host_is_reached_without_the_proxy(self, provider, monkeypatch):
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
