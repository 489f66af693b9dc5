"""HTTP clients, kept open between calls so that an attempt pays no new TLS handshake."""

from __future__ import annotations

import ipaddress
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

from ..profiles.profile import Profile

#: Answers that are streamed at the same time; each holds a connection, and three descriptors with it.
MAX_STREAMS = 100

#: Connections besides, for lists of models.
MORE_CONNECTIONS = 20


class Clients:
    """One client for hosts of this machine, one for all others."""

    def __init__(self) -> None:
        self._clients: dict[bool, httpx.AsyncClient] = {}

    def of(self, profile: Profile) -> httpx.AsyncClient:
        """The client for a profile's host; a loopback host is reached through no proxy of the environment."""
        local = is_loopback(httpx.URL(profile.base_url).host)
        client = self._clients.get(local)
        if client is None:
            # A redirect may name a host that is not configured: it is reported, not followed.
            client = httpx.AsyncClient(
                trust_env=not local,
                follow_redirects=False,
                headers={"Accept-Encoding": "identity"},
                # A client serves several profiles: a cookie of one must not go out with another's call.
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
                limits=httpx.Limits(max_connections=MAX_STREAMS + MORE_CONNECTIONS),
            )
            self._clients[local] = client
        return client

    async def close(self) -> None:
        """Close every connection."""
        clients = list(self._clients.values())
        self._clients.clear()
        for client in clients:
            await client.aclose()


def is_loopback(host: str) -> bool:
    """True for ``localhost`` and loopback addresses."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
