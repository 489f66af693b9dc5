"""Small bodies of a provider, such as its list of models: bounded in bytes and in seconds as a whole."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from .answer import content_encoding, plain_chunks


class TooLarge(ValueError):
    """A body beyond the bytes it may have."""


class Encoded(ValueError):
    """A body that is compressed although none was asked for; the message names how."""


@dataclass(frozen=True)
class Fetched:
    """A whole answer."""

    status: int
    headers: httpx.Headers
    body: bytes


async def fetch(
    client: httpx.AsyncClient,
    url: httpx.URL,
    headers: Mapping[str, str],
    *,
    max_bytes: int,
    seconds: float,
) -> Fetched:
    """The answer to a GET.

    Raises
    ------
    TooLarge, Encoded
        As they say.
    asyncio.TimeoutError
        When it is not whole after ``seconds``, however steadily its bytes come.
    httpx.HTTPError, httpx.InvalidURL, OSError
        The client's own.
    """
    return await asyncio.wait_for(_fetch(client, url, headers, max_bytes), seconds)


async def _fetch(
    client: httpx.AsyncClient, url: httpx.URL, headers: Mapping[str, str], max_bytes: int
) -> Fetched:
    request = client.build_request("GET", url, headers=dict(headers), timeout=None)
    response = await client.send(request, stream=True)
    try:
        encoding = content_encoding(response)
        if encoding and response.status_code == 200:
            raise Encoded(encoding)
        body = bytearray()
        if not encoding:
            async for chunk in plain_chunks(response):
                body += chunk
                if len(body) > max_bytes:
                    raise TooLarge(max_bytes)
        return Fetched(response.status_code, response.headers, bytes(body))
    finally:
        await response.aclose()
