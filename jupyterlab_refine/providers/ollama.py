"""Find a model server that runs on this machine: Ollama, llama.cpp, LM Studio."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from ..errors import RefineError
from .body import fetch
from .clients import Clients
from .foreign import parse_json
from .profile import Profile, check_base_url
from .quirks import OLLAMA

DEFAULT_URL = "http://127.0.0.1:11434"

#: Seconds to wait for an answer; an Ollama that runs answers within a millisecond or so.
PROBE_TIMEOUT = 0.5

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


@dataclass(frozen=True)
class LocalServer:
    """A server, by the name of its profile, and a path whose answer holds a field that only it has."""

    profile: Profile
    path: str
    field: str


#: Beside Ollama, at their default ports.
OTHERS = (
    LocalServer(Profile("llama.cpp", "http://127.0.0.1:8080/v1"), "/props", "default_generation_settings"),
    LocalServer(Profile("lm-studio", "http://127.0.0.1:1234/v1"), "/api/v0/models", "data"),
)


class LocalServers:
    """Where to look for a model when none is configured.

    :param ollama: URL of Ollama; empty: nothing is looked for.
    :raises ProfileProblem: for what is no URL.
    """

    def __init__(self, ollama: str, clients: Clients) -> None:
        self._servers: tuple[LocalServer, ...] = ()
        if ollama:
            profile = Profile("ollama", check_base_url(ollama) + "/v1", quirk=OLLAMA)
            self._servers = (LocalServer(profile, "/api/version", "version"), *OTHERS)
        self._clients = clients
        self._until = float("-inf")
        self._found: list[Profile] = []
        self._lock = asyncio.Lock()

    async def find(self) -> list[Profile]:
        """The profiles of those that answer."""
        async with self._lock:
            if time.monotonic() >= self._until:
                answering = await asyncio.gather(*map(self._answers, self._servers))
                answers = zip(self._servers, answering, strict=True)
                self._found = [server.profile for server, is_there in answers if is_there]
                self._until = time.monotonic() + PROBE_TTL
        return self._found

    def forget(self) -> None:
        """Look again next time."""
        self._until = float("-inf")

    async def _answers(self, server: LocalServer) -> bool:
        profile = server.profile
        url = httpx.URL(profile.base_url).copy_with(path=server.path)
        try:
            fetched = await fetch(self._clients.of(profile), profile, url, PROBE_TIMEOUT)
            return fetched.status == 200 and server.field in parse_json(fetched.body)
        except (RefineError, ValueError, TypeError):
            return False
