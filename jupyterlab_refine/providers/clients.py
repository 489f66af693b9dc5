"""HTTP clients, kept open between calls so that an attempt pays no new TLS handshake, and bounded reading."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import ssl
from collections.abc import AsyncIterator
from http.cookiejar import CookieJar, DefaultCookiePolicy

import anyio
import certifi
import httpx
import truststore

from ..errors import RefineError
from . import faults
from .profile import Profile

#: Of one client, and the seconds that a call beyond waits for one before it is refused.
MAX_CONNECTIONS = 100
PATIENCE = 10.0

#: Seconds to connect.
CONNECT = 10.0

#: Seconds for usage and the end of the body once an answer has ended, or for the body of an error.
CLOSING = 5.0

#: Bytes of a body that is no stream. The longest list of models of a gateway today has a quarter.
MAX_BODY = 4_000_000


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
        key = _is_loopback(url.host), url.scheme == "https", profile.ca_file
        if key not in self._clients:
            self._clients[key] = _client(*key)
        return self._clients[key]

    async def close(self) -> None:
        """Close every connection."""
        while self._clients:
            await self._clients.popitem()[1].aclose()


def _client(local: bool, secure: bool, ca_file: str) -> httpx.AsyncClient:
    try:
        # A redirect may name a host that is not configured: it is reported, not followed.
        return httpx.AsyncClient(
            verify=_certificates(ca_file) if secure else ssl.create_default_context(),
            trust_env=not local,
            follow_redirects=False,
            headers={"Accept-Encoding": "identity"},
            # A client serves several profiles: a cookie of one must not go out with another's call.
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            limits=httpx.Limits(max_connections=MAX_CONNECTIONS),
            timeout=httpx.Timeout(None, connect=CONNECT, pool=PATIENCE),
        )
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        # Not its value, which may hold a password.
        raise RefineError(
            "bad-option",
            "The proxy settings of the environment (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY) cannot be "
            f"used: {type(error).__name__}. A proxy starts with http://, https:// or socks5://; an IPv6 "
            "address in NO_PROXY has no brackets and no /64.",
            503,
        ) from None


def _certificates(ca_file: str) -> ssl.SSLContext:
    """What the system trusts, certifi's list, and the files that the user names."""
    context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for file in filter(None, (certifi.where(), os.environ.get("SSL_CERT_FILE"), ca_file)):
        try:
            context.load_verify_locations(file)
        except OSError:
            place = "SSL_CERT_FILE or ca_file of the profile"
            message = f"{place} names {file}, which is no file of certificates. Correct it, or remove it."
            raise RefineError("bad-option", message, 503) from None
    return context


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def request_headers(profile: Profile) -> dict[str, str]:
    """Key and headers of the profile, only ever sent to its own host."""
    bearer = {"Authorization": f"Bearer {profile.api_key}"} if profile.api_key else {}
    return {**bearer, **profile.headers}


async def chunks_of(profile: Profile, response: httpx.Response) -> AsyncIterator[bytes]:
    """The body as it comes, decoded from gzip or deflate.

    Raises
    ------
    RefineError
        For another encoding, as for several in a row, where a few bytes stand for many.
    """
    encoding = response.headers.get("content-encoding", "identity").lower()
    if encoding not in ("", "identity", "gzip", "deflate"):
        raise faults.not_an_api(profile, f"a body of Content-Encoding {encoding}")
    async for chunk in response.aiter_bytes():
        # Bytes that were received together come without a wait: others have their turn.
        await asyncio.sleep(0)
        yield chunk


async def text_of(profile: Profile, response: httpx.Response, seconds: float = CLOSING) -> str:
    """The body, at most ``MAX_BODY`` of it; with another status than 200, what can be read in ``seconds``."""
    body = bytearray()
    failed = response.status_code != 200
    ignored = (RefineError, *faults.FAILURES) if failed else ()
    with contextlib.suppress(*ignored), anyio.move_on_after(seconds if failed else None):
        async for chunk in chunks_of(profile, response):
            body += chunk
            if len(body) >= MAX_BODY:
                break
    return bytes(body[:MAX_BODY]).decode("utf-8", "replace")


async def get(client: httpx.AsyncClient, profile: Profile, url: httpx.URL, seconds: float) -> str:
    """The body of an answer.

    Raises
    ------
    RefineError
        For another status, and when it is not whole after ``seconds``, however steadily its bytes come.
    """
    try:
        with anyio.fail_after(seconds):
            async with client.stream("GET", url, headers=request_headers(profile)) as response:
                text = await text_of(profile, response, seconds / 2)
    except TimeoutError:
        message = f"{profile.host} did not answer within {seconds:g} s. Check that it runs."
        raise RefineError("unreachable", message, 502) from None
    except faults.FAILURES as error:
        raise faults.from_exception(profile, error, started=False) from None
    if response.status_code != 200:
        raise faults.from_response(profile, "", response.status_code, response.headers, text)
    return text
