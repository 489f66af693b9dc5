"""Find an Ollama that runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping

import httpx

from ...errors import RefineError
from ..call.clients import Clients
from ..call.fetching import fetch
from ..foreign import parse_json
from ..quirks.ollama import QUIRK
from .profile import Profile, check_base_url

DEFAULT_URL = "http://127.0.0.1:11434"

#: Seconds to wait for an answer; an Ollama that runs answers within a millisecond or so.
PROBE_TIMEOUT = 0.5

#: Bytes of the answer that says which version runs.
MAX_VERSION_BYTES = 10_000

#: Seconds for which an answer, or its absence, is believed.
PROBE_TTL = 10.0


def ollama_url(environ: Mapping[str, str]) -> str:
    """Where Ollama listens: ``OLLAMA_HOST`` in any form that Ollama itself takes, else its default port."""
    text = environ.get("OLLAMA_HOST", "").strip().rstrip("/")
    if not text:
        return DEFAULT_URL
    try:
        url = httpx.URL(text if "://" in text else f"http://{text}")
        host = url.host
    except (httpx.InvalidURL, ValueError):
        # Refused, with its name, where it is used.
        return text
    # A server that listens on every address is reached on the loopback one.
    host = "127.0.0.1" if host in ("0.0.0.0", "::", "") else host
    port = url.port or (11434 if "://" not in text else None)
    return str(url.copy_with(host=host, port=port)).rstrip("/")


class OllamaProbe:
    """Whether an Ollama answers at ``url``; an empty ``url`` means not to look."""

    def __init__(self, url: str, clients: Clients, clock: Callable[[], float] = time.monotonic) -> None:
        self._clients = clients
        self._clock = clock
        self._until = float("-inf")
        self._answers = False
        self._lock = asyncio.Lock()
        self.profile: Profile | None = None
        if url:
            self.profile = Profile(name="ollama", base_url=check_base_url(url) + "/v1", quirk=QUIRK)

    async def find(self) -> Profile | None:
        """The profile of an Ollama that answers, else None."""
        if self.profile is None:
            return None
        async with self._lock:
            if self._clock() >= self._until:
                self._answers = await self._probe(self.profile)
                self._until = self._clock() + PROBE_TTL
        return self.profile if self._answers else None

    def forget(self) -> None:
        """Look again next time."""
        self._until = float("-inf")

    async def _probe(self, profile: Profile) -> bool:
        url = httpx.URL(profile.base_url).copy_with(path="/api/version")
        try:
            client = self._clients.of(profile)
            fetched = await fetch(client, url, {}, max_bytes=MAX_VERSION_BYTES, seconds=PROBE_TIMEOUT)
            return fetched.status == 200 and "version" in parse_json(fetched.body)
        except (asyncio.TimeoutError, httpx.HTTPError, OSError, ValueError, TypeError, RefineError):
            return False
