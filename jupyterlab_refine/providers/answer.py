"""The body of one answer, read under time limits that fit a model and not a web page."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx

from . import faults
from .profile import Profile

#: Bytes of an error body, or of an answer that is no stream, that are read at most.
MAX_BODY = 4_000_000

T = TypeVar("T")


@dataclass(frozen=True)
class Timeouts:
    """Seconds. There is no total: an answer may take as long as its bytes flow."""

    connect: float = 10.0
    #: Without a byte before the first text: covers the loading of a model.
    first_token: float = 600.0
    #: Without data after it; comments do not count.
    stall: float = 60.0


class Answer:
    """An open answer. Its reader tells it what the bytes were: ``started``, ``speaking``, ``data_came``."""

    def __init__(self, profile: Profile, model: str, timeouts: Timeouts) -> None:
        #: An event has come: a connection that breaks now is a cut one.
        self.started = False
        #: Text has come: from now on only data is a sign of life.
        self.speaking = False
        #: Seconds waited since the last sign of life; a slow client's time is not among them.
        self._silent = 0.0
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
            json=dict(request),
            headers={"Accept": "text/event-stream", "Accept-Encoding": "identity", **auth_headers(profile)},
            timeout=httpx.Timeout(None, connect=connect, pool=connect),
        )
        response = await self._bounded(client.send(outgoing, stream=True))
        self._response = response
        self._chunks = response.aiter_bytes()
        if response.status_code != 200:
            body = await self.rest(b"")
            raise faults.from_response(profile, self._model, response.status_code, response.headers, body)

    async def first_chunk(self) -> bytes:
        """The first bytes that are not blank; refuses a web page."""
        chunk: bytes | None = b""
        while chunk is not None and not chunk.strip():
            chunk = await self.next_chunk()
        if chunk is None:
            raise faults.not_an_api(self._profile, "an empty body")
        if chunk.lstrip()[:1] == b"<":
            raise faults.not_an_api(self._profile, "a web page")
        return chunk

    async def next_chunk(self) -> bytes | None:
        """The next bytes as they come; None at the end."""
        assert self._chunks is not None
        return await self._bounded(anext(self._chunks, None))

    def data_came(self) -> None:
        """The last chunk held more than comments."""
        self._silent = 0.0

    async def rest(self, body: bytes) -> bytes:
        """``body`` and all that follows, at most ``MAX_BODY`` bytes."""
        parts = [body]
        size = len(body)
        while size < MAX_BODY:
            chunk = await self.next_chunk()
            if chunk is None:
                break
            parts.append(chunk)
            size += len(chunk)
        return b"".join(parts)

    async def close(self) -> None:
        """Close the connection unless the answer was read to its end."""
        if self._response is not None:
            await self._response.aclose()

    async def _bounded(self, waiting: Awaitable[T]) -> T:
        limit = self._timeouts.stall if self.speaking else self._timeouts.first_token
        begin = time.monotonic()
        try:
            result = await asyncio.wait_for(waiting, max(0.0, limit - self._silent))
            self._silent = self._silent + time.monotonic() - begin if self.speaking else 0.0
            return result
        except asyncio.TimeoutError:
            raise faults.stalled(self._profile, limit, started=self.speaking) from None
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, OSError) as error:
            raise faults.from_exception(self._profile, error, started=self.started) from None


def auth_headers(profile: Profile) -> dict[str, str]:
    """The profile's key and headers; only ever sent to the profile's own host."""
    bearer = {"Authorization": f"Bearer {profile.api_key}"} if profile.api_key else {}
    return {**bearer, **profile.headers}
