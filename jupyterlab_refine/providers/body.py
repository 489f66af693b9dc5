"""The body of an answer: without its compression, in small pieces, and as a whole under limits."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from typing import NamedTuple

import anyio
import httpx

from ..errors import RefineError
from . import faults
from .profile import Profile

#: Bytes of a body that is no stream. The longest list of models of a gateway today has a quarter.
MAX_BODY = 4_000_000

#: Bytes that are decoded at a time: they stand for at most a thousand times as many.
PIECE = 1000

#: A header of gzip or zlib, whichever comes.
ANY_ZLIB = 32 + zlib.MAX_WBITS


def request_headers(profile: Profile) -> dict[str, str]:
    """Key and headers of the profile, only ever sent to its own host; the answer is to be uncompressed."""
    bearer = {"Authorization": f"Bearer {profile.api_key}"} if profile.api_key else {}
    return {"Accept-Encoding": "identity", **bearer, **profile.headers}


def _encodings(response: httpx.Response) -> list[str]:
    named = [name.strip().lower() for name in response.headers.get("content-encoding", "").split(",")]
    return [name for name in named if name not in ("", "identity")]


def content_encoding(response: httpx.Response) -> str | None:
    """How a body is encoded that is not read; None for a plain one, and for one of gzip or deflate."""
    encodings = _encodings(response)
    return None if encodings in ([], ["gzip"], ["deflate"]) else ", ".join(encodings)[:60]


async def plain_chunks(response: httpx.Response) -> AsyncIterator[bytes]:
    """The body without compression by gzip or deflate, in pieces: a few bytes can stand for gigabytes.

    Raises
    ------
    httpx.DecodingError
        Where it is not what it says it is.
    """
    inflate = zlib.decompressobj(wbits=ANY_ZLIB) if _encodings(response) else None
    async for chunk in response.aiter_raw():
        if inflate is None:
            yield chunk
            continue
        for start in range(0, len(chunk), PIECE):
            try:
                yield inflate.decompress(chunk[start : start + PIECE])
            except zlib.error as error:
                raise httpx.DecodingError(str(error)) from None


class Fetched(NamedTuple):
    """A whole answer."""

    status: int
    headers: httpx.Headers
    body: bytes


async def fetch(client: httpx.AsyncClient, profile: Profile, url: httpx.URL, seconds: float) -> Fetched:
    """The answer to a GET.

    Raises
    ------
    RefineError
        Also when it is not whole after ``seconds``, however steadily its bytes come.
    """
    try:
        with anyio.fail_after(seconds):
            async with client.stream("GET", url, headers=request_headers(profile), timeout=None) as response:
                encoding = content_encoding(response)
                if encoding and response.status_code == 200:
                    raise faults.encoded(profile, encoding)
                body = bytearray()
                if not encoding:
                    async for chunk in plain_chunks(response):
                        body += chunk
                        if len(body) > MAX_BODY:
                            raise faults.not_an_api(profile, f"more than {MAX_BODY:,} bytes of models")
                return Fetched(response.status_code, response.headers, bytes(body))
    except TimeoutError:
        message = f"{profile.host} did not answer within {seconds:g} s. Check that it runs."
        raise RefineError("unreachable", message, 502) from None
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, OSError) as error:
        raise faults.from_exception(profile, error, started=False) from None
