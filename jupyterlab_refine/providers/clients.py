"""HTTP clients, kept open between calls so that an attempt pays no new TLS handshake."""

from __future__ import annotations

import ipaddress
import os
import ssl
from http.cookiejar import CookieJar, DefaultCookiePolicy

import certifi
import httpx
import truststore

from ..errors import RefineError
from .profile import Profile

#: Of one client, and the seconds that a call beyond waits for one before it is refused.
MAX_CONNECTIONS = 100
PATIENCE = 10.0


class Clients:
    """A client for hosts of this machine, one for others, and more for profiles with a CA of their own."""

    def __init__(self) -> None:
        self._clients: dict[tuple[bool, bool, str], httpx.AsyncClient] = {}

    def of(self, profile: Profile) -> httpx.AsyncClient:
        """The client for a profile's host; a loopback host is reached through no proxy of the environment.

        Raises
        ------
        RefineError
            ``bad-option``, where a variable of the environment or the profile's ``ca_file`` cannot be used.
        """
        url = httpx.URL(profile.base_url)
        key = is_loopback(url.host), url.scheme == "https", profile.ca_file
        client = self._clients.get(key)
        if client is None:
            client = self._clients[key] = _client(*key)
        return client

    async def close(self) -> None:
        """Close every connection."""
        clients = list(self._clients.values())
        self._clients.clear()
        for client in clients:
            await client.aclose()


def _client(local: bool, secure: bool, ca_file: str) -> httpx.AsyncClient:
    try:
        # A redirect may name a host that is not configured: it is reported, not followed.
        return httpx.AsyncClient(
            # Without encryption to the host there may be some to a proxy.
            verify=_certificates(ca_file) if secure else not local and ssl.create_default_context(),
            trust_env=not local,
            follow_redirects=False,
            headers={"Accept-Encoding": "identity"},
            # A client serves several profiles: a cookie of one must not go out with another's call.
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            limits=httpx.Limits(max_connections=MAX_CONNECTIONS),
        )
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        # Not its value, which may hold a password.
        raise _unusable(
            f"The proxy settings of the environment ({' and '.join(proxy_variables())}) cannot be used: "
            f"{type(error).__name__}. A proxy starts with http://, https:// or socks5://; an IPv6 address in "
            "NO_PROXY has no brackets and no /64."
        ) from None


def _certificates(ca_file: str) -> ssl.SSLContext:
    """What the system trusts, certifi's list, and the files that the user names."""
    context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    named = {"SSL_CERT_FILE": os.environ.get("SSL_CERT_FILE"), "ca_file of the profile": ca_file}
    for place, file in {"certifi": certifi.where(), **named}.items():
        try:
            if file:
                context.load_verify_locations(file)
        except OSError:
            raise _unusable(
                f"{place} names {file}, which is no file of certificates. Correct it, or remove it."
            ) from None
    return context


def _unusable(message: str) -> RefineError:
    return RefineError("bad-option", message, 503)


_PROXIES = ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY")


def proxy_variables() -> list[str]:
    """The variables of the environment that a client reads for its proxy, as they are written there."""
    names = [spelled for name in _PROXIES for spelled in (name, name.lower())]
    return [name for name in names if os.environ.get(name)]


def is_loopback(host: str) -> bool:
    """True for ``localhost`` and loopback addresses."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
