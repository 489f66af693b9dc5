"""Find a model server that runs on this machine: Ollama, llama.cpp, LM Studio."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import httpx

from ...errors import RefineError
from ..call.answer import fetch
from ..call.clients import Clients
from ..foreign import parse_json
from ..quirks import NONE, Quirk
from ..quirks import OLLAMA as OLLAMA_QUIRK
from .profile import Profile, check_base_url

DEFAULT_URL = "http://127.0.0.1:11434"

#: Seconds to wait for an answer; an Ollama that runs answers within a millisecond or so.
PROBE_TIMEOUT = 0.5

#: Bytes of the answer that says which server it is; llama.cpp's holds a chat template.
MAX_VERSION_BYTES = 1_000_000

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
    """A kind of server: the name of its profile, and a path whose answer holds a field that only it has."""

    name: str
    path: str
    field: str
    quirk: Quirk = NONE


OLLAMA = LocalServer("ollama", "/api/version", "version", OLLAMA_QUIRK)

#: At their default ports.
OTHERS = (
    ("http://127.0.0.1:8080", LocalServer("llama.cpp", "/props", "default_generation_settings")),
    ("http://127.0.0.1:1234", LocalServer("lm-studio", "/api/v0/models", "data")),
)


def local_servers(ollama: OllamaProbe, clients: Clients) -> tuple[OllamaProbe, ...]:
    """Where to look for a model when none is configured; nowhere else either without an Ollama's address."""
    if ollama.profile is None:
        return (ollama,)
    return (ollama, *(OllamaProbe(url, clients, kind=kind) for url, kind in OTHERS))


class OllamaProbe:
    """Whether a server of the kind answers at ``url``; an empty ``url`` means not to look."""

    def __init__(
        self,
        url: str,
        clients: Clients,
        clock: Callable[[], float] = time.monotonic,
        kind: LocalServer = OLLAMA,
    ) -> None:
        self._kind = kind
        self._clients = clients
        self._clock = clock
        self._until = float("-inf")
        self._answers = False
        self._lock = asyncio.Lock()
        self.profile: Profile | None = None
        if url:
            self.profile = Profile(name=kind.name, base_url=check_base_url(url) + "/v1", quirk=kind.quirk)

    async def find(self) -> Profile | None:
        """The profile of a server that answers, else None."""
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
        url = httpx.URL(profile.base_url).copy_with(path=self._kind.path)
        try:
            client = self._clients.of(profile)
            fetched = await fetch(
                client, profile, url, {}, max_bytes=MAX_VERSION_BYTES, seconds=PROBE_TIMEOUT
            )
            return fetched.status == 200 and self._kind.field in parse_json(fetched.body)
        except (RefineError, ValueError, TypeError):
            return False
