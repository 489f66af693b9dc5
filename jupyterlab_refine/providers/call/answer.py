"""Bodies of a provider, read under limits: an answer as a model writes it, and small ones as a whole."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
import zlib
from codecs import BOM_UTF8
from collections.abc import AsyncIterator, Awaitable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx

from ...errors import RefineError
from .. import faults
from ..foreign import well_formed
from ..profiles.profile import Profile
from .clients import PATIENCE
from .event import Received

#: Bytes of an answer that is no stream.
MAX_BODY = 4_000_000

#: Bytes of a stream, comments and blanks included.
MAX_STREAM = 256_000_000

#: Bytes and seconds that the body of an error may take: its status alone says enough.
MAX_ERROR_BODY = 1_000_000
ERROR_BODY_SECONDS = 5.0

#: Bytes that are decoded at a time.
MAX_PIECE = 1_000_000

#: A header of gzip or zlib, whichever comes.
ANY_ZLIB = 32 + zlib.MAX_WBITS

T = TypeVar("T")


@dataclass(frozen=True)
class Timeouts:
    """Seconds. There is no total: an answer may take as long as its text flows."""

    connect: float = 10.0
    #: Before the first text: covers the loading of a model.
    first_token: float = 540.0
    #: Without data after it; comments do not count.
    stall: float = 60.0
    #: For usage, and the end of the body, once the answer has ended.
    closing: float = 5.0

    def within(self, session: float | None) -> Timeouts:
        """The same, such that a provider which never answers is named before a session's time is over."""
        if session is None:
            return self
        most = 0.9 * session
        return Timeouts(self.connect, min(self.first_token, most), min(self.stall, most))


class Answer:
    """An open answer. Its reader reports what the bytes were: in ``received``, and by ``data_came``."""

    def __init__(self, profile: Profile, model: str, timeouts: Timeouts, received: Received) -> None:
        self._received = received
        #: When the next sign of life is due; None: counted from the next wait, without a slow client's time.
        self._due: float | None = None
        self._size = 0
        self._profile = profile
        self._model = model
        self._timeouts = timeouts
        self._response: httpx.Response | None = None
        self._chunks: AsyncIterator[bytes] | None = None

    async def open(self, client: httpx.AsyncClient, request: Mapping[str, Any]) -> None:
        """Send the request; returns when the provider has answered with status 200."""
        profile, connect = self._profile, self._timeouts.connect
        outgoing = client.build_request(
            "POST",
            profile.url("chat/completions"),
            content=encoded(request),
            headers={
                "Content-Type": "application/json",
                "Accept": "text/event-stream" if request.get("stream") else "application/json",
                **request_headers(profile),
            },
            timeout=httpx.Timeout(None, connect=connect, pool=PATIENCE),
        )
        response = await self._bounded(client.send(outgoing, stream=True))
        self._response = response
        encoding = content_encoding(response)
        self._chunks = plain_chunks(response)
        if response.status_code != 200:
            body = b"" if encoding else await self._error_body()
            raise faults.from_response(profile, self._model, response.status_code, response.headers, body)
        if encoding:
            raise faults.encoded(profile, encoding)

    async def first_chunk(self) -> bytes:
        """The first bytes that are not blank; refuses a web page."""
        chunk: bytes | None = b""
        while chunk is not None and not chunk.strip():
            chunk = await self.next_chunk()
        if chunk is None:
            raise faults.not_an_api(self._profile, "an empty body")
        chunk = chunk.removeprefix(BOM_UTF8)
        if chunk.lstrip()[:1] == b"<":
            raise faults.not_an_api(self._profile, "a web page")
        return chunk

    async def next_chunk(self) -> bytes | None:
        """The next bytes as they come; None at the end."""
        assert self._chunks is not None
        coming = anext(self._chunks, None)
        try:
            chunk = await (
                asyncio.wait_for(coming, self._timeouts.closing)
                if self._received.finished
                else self._bounded(coming)
            )
        except (asyncio.TimeoutError, httpx.HTTPError, httpx.StreamError, OSError):
            return None
        self._size += len(chunk or b"")
        if self._size > MAX_STREAM:
            raise faults.too_large(self._profile, MAX_STREAM)
        return chunk

    def data_came(self) -> None:
        """The last chunk held more than comments."""
        if self._received.speaking:
            self._due = None

    async def rest(self, body: bytearray, limit: int = MAX_BODY) -> None:
        """Add all that follows to ``body``, at most about ``limit`` bytes."""
        while len(body) < limit and (chunk := await self.next_chunk()) is not None:
            body += chunk

    async def close(self) -> None:
        """Close the connection unless the answer was read to its end."""
        if self._response is not None:
            await self._response.aclose()

    async def _error_body(self) -> bytes:
        """What comes of an error's body within its limits."""
        body = bytearray()
        with contextlib.suppress(asyncio.TimeoutError, RefineError):
            await asyncio.wait_for(self.rest(body, MAX_ERROR_BODY), ERROR_BODY_SECONDS)
        return bytes(body[:MAX_ERROR_BODY])

    async def _bounded(self, waiting: Awaitable[T]) -> T:
        speaking = self._received.speaking
        limit = self._timeouts.stall if speaking else self._timeouts.first_token
        if self._due is None:
            self._due = time.monotonic() + limit
        try:
            return await asyncio.wait_for(waiting, max(0.0, self._due - time.monotonic()))
        except asyncio.TimeoutError:
            raise faults.stalled(self._profile, limit, started=speaking) from None
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, UnicodeError, OSError) as error:
            raise faults.from_exception(self._profile, error, started=self._received.started) from None


def encoded(request: Mapping[str, Any]) -> bytes:
    """The body of a request; a lone surrogate, which a notebook can hold, is replaced."""
    return well_formed(json.dumps(request, ensure_ascii=False)).encode()


def request_headers(profile: Profile) -> dict[str, str]:
    """Key and headers of the profile, only ever sent to its own host; the answer is to be uncompressed."""
    bearer = {"Authorization": f"Bearer {profile.api_key}"} if profile.api_key else {}
    return {"Accept-Encoding": "identity", **bearer, **profile.headers}


async def plain_chunks(response: httpx.Response) -> AsyncIterator[bytes]:
    """The body without compression by gzip or deflate, in pieces: a few bytes can stand for gigabytes.

    Raises
    ------
    httpx.DecodingError
        Where it is not what it says it is.
    """
    named = response.headers.get("content-encoding", "").strip().lower()
    if named in ("", "identity") or content_encoding(response):
        async for chunk in response.aiter_raw():
            yield chunk
        return
    inflate = zlib.decompressobj(wbits=ANY_ZLIB)
    async for chunk in response.aiter_raw():
        while chunk:
            try:
                piece = inflate.decompress(chunk, MAX_PIECE)
            except zlib.error as error:
                raise httpx.DecodingError(str(error)) from None
            chunk = inflate.unconsumed_tail
            yield piece


def content_encoding(response: httpx.Response) -> str | None:
    """How a body is encoded that is not read; None for a plain one, and for one of gzip or deflate."""
    named = [name.strip().lower() for name in response.headers.get("content-encoding", "").split(",")]
    encodings = [name for name in named if name not in ("", "identity")]
    return None if encodings in ([], ["gzip"], ["deflate"]) else ", ".join(encodings)[:60]


@dataclass(frozen=True)
class Fetched:
    """A whole answer."""

    status: int
    headers: httpx.Headers
    body: bytes


async def fetch(
    client: httpx.AsyncClient,
    profile: Profile,
    url: httpx.URL,
    headers: Mapping[str, str],
    *,
    max_bytes: int,
    seconds: float,
) -> Fetched:
    """The answer to a GET.

    Raises
    ------
    RefineError
        Also when it is not whole after ``seconds``, however steadily its bytes come.
    """
    try:
        return await asyncio.wait_for(_fetch(client, profile, url, headers, max_bytes), seconds)
    except (asyncio.TimeoutError, httpx.TimeoutException):
        message = f"{profile.host} did not answer within {seconds:g} s. Check that it runs."
        raise RefineError("unreachable", message, 502) from None
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, OSError) as error:
        raise faults.from_exception(profile, error, started=False) from None


async def _fetch(
    client: httpx.AsyncClient, profile: Profile, url: httpx.URL, headers: Mapping[str, str], max_bytes: int
) -> Fetched:
    request = client.build_request("GET", url, headers=dict(headers), timeout=None)
    response = await client.send(request, stream=True)
    try:
        encoding = content_encoding(response)
        if encoding and response.status_code == 200:
            raise faults.encoded(profile, encoding)
        body = bytearray()
        if not encoding:
            async for chunk in plain_chunks(response):
                body += chunk
                if len(body) > max_bytes:
                    raise faults.not_an_api(profile, f"more than {max_bytes:,} bytes of models")
        return Fetched(response.status_code, response.headers, bytes(body))
    finally:
        await response.aclose()
