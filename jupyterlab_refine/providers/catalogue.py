"""Which models a profile offers, which of them is used when none is named, and how much they read.

As configured, else as the endpoint lists them. Without a ``default_model``: the only model there is, else the
first model, in the order of the list, that matches the first matching entry of ``PREFERENCE``; else none, and
the user is asked.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from ..errors import RefineError
from . import faults
from .body import fetch
from .clients import Clients
from .foreign import parse_json, well_formed
from .profile import Profile, check_base_url
from .quirks import OLLAMA
from .secrets import mask

#: Seconds a list is believed; a failure only shortly, since the user is fixing it.
LIST_TTL = 300.0
ERROR_TTL = 5.0

#: Seconds for the whole of ``/models``; the panel waits as long.
LIST_TIMEOUT = 5.0

#: Models that are read of a list, and characters of a name.
MAX_MODELS = 2_000
MAX_MODEL_NAME = 200


@dataclass(frozen=True)
class Offer:
    """The models of a profile, the one used when none is named, and what is wrong with it or its list."""

    models: tuple[str, ...]
    default_model: str | None
    error: str | None = None
    #: Tokens that prompt and answer may have together, by model; under an empty name of all others.
    contexts: Mapping[str, int] = field(default_factory=dict)


class Catalogue:
    """Lists of models, remembered for a while."""

    def __init__(self, clients: Clients) -> None:
        self._clients = clients
        self._known: dict[tuple[object, ...], tuple[float, Offer]] = {}

    async def offer(self, profile: Profile) -> Offer:
        """The offer of a profile; never raises for a provider's failure."""
        if profile.problem:
            return Offer(profile.models, None, profile.problem)
        if profile.models:
            return Offer(profile.models, profile.default_model or preferred(profile.models))
        key = (profile.name, profile.base_url, profile.api_key)
        known = self._known.get(key)
        if known and time.monotonic() < known[0]:
            return known[1]
        offer = await self._ask(profile)
        until = time.monotonic() + (ERROR_TTL if offer.error else LIST_TTL)
        self._known[key] = (until, offer)
        return offer

    async def offers(self, profiles: list[Profile]) -> list[Offer]:
        """All offers, asked for at the same time."""
        return list(await asyncio.gather(*(self.offer(profile) for profile in profiles)))

    def forget(self) -> None:
        """Ask again next time."""
        self._known.clear()

    async def _ask(self, profile: Profile) -> Offer:
        try:
            names = await list_models(self._clients.of(profile), profile)
        except RefineError as error:
            # A model that is named can be used all the same, and a missing list is no fault.
            is_missing = error.code == "model-not-found" and profile.default_model
            return Offer((), profile.default_model, None if is_missing else error.message)
        models = chat_models(list(names))
        unlisted = None
        # Ollama takes a name without its tag for the latest.
        if (
            models
            and profile.default_model
            and not {profile.default_model, f"{profile.default_model}:latest"} & {*names}
        ):
            unlisted = (
                f"{profile.host} does not list the model {profile.default_model}. "
                f"It lists: {', '.join(models[:8])}."
            )
        if profile.default_model and profile.default_model not in models:
            models.insert(0, profile.default_model)
        if not models:
            return Offer((), None, f"{profile.host} has no model. {profile.quirk.get_any_model}".rstrip())
        contexts = {name: tokens for name, tokens in names.items() if tokens}
        if profile.quirk is OLLAMA:
            contexts = await _of_ollama(self._clients.of(profile), profile)
        return Offer(tuple(models), profile.default_model or preferred(models), unlisted, contexts)


async def list_models(client: httpx.AsyncClient, profile: Profile) -> dict[str, int | None]:
    """The ids that ``/models`` lists: at most ``MAX_MODELS``, in order, with their context windows.

    Raises
    ------
    RefineError
        As for an answer of a model.
    """
    found = await _list(client, profile)
    if isinstance(found, RefineError) and found.code in ("model-not-found", "not-an-api"):
        # The address is the other one, or has no such list.
        other = await _list(client, profile.without_version())
        found = found if isinstance(other, RefineError) else other
    if isinstance(found, RefineError):
        raise found
    return {mask(name, profile.secrets()): tokens for name, tokens in found.items()}


async def _list(client: httpx.AsyncClient, profile: Profile) -> dict[str, int | None] | RefineError:
    fetched = await fetch(client, profile, profile.url("models"), LIST_TIMEOUT)
    if fetched.status in (404, 405):
        return RefineError(
            "model-not-found",
            f"{profile.host} lists no models ({fetched.status}). Name one: default_model, or OPENAI_MODEL.",
            404,
        )
    if fetched.status != 200:
        return faults.from_response(profile, "", fetched.status, fetched.headers, fetched.body)
    # In a thread: some megabytes of JSON take a while.
    names = await asyncio.to_thread(_names, fetched.body)
    return faults.not_an_api(profile, names) if isinstance(names, str) else names


def _names(body: bytes) -> dict[str, int | None] | str:
    """The ids in the body of a list with their context windows, or what the body is instead."""
    try:
        data = parse_json(body)
    except ValueError:
        return "a web page or text"
    entries = data.get("data") if isinstance(data, dict) else data
    if entries is None and isinstance(data, dict) and "data" in data:
        return {}
    if not isinstance(entries, list):
        return "JSON without a list of models"
    listed = ((entry.get("id"), entry) for entry in entries[:MAX_MODELS] if isinstance(entry, dict))
    return {
        well_formed(name): _tokens_of(entry)
        for name, entry in listed
        if isinstance(name, str) and 0 < len(name) <= MAX_MODEL_NAME
    }


#: Ollama cuts longer prompts silently, from the front, unless it was told otherwise.
OLLAMA_DEFAULT = 4096

#: Of an entry of ``/models``: llama.cpp (in ``meta``), vLLM, LM Studio and others.
_FIELDS = ("n_ctx", "max_model_len", "loaded_context_length", "context_length", "context_window")

#: For Ollama's list of running models.
RUNNING_SECONDS = 0.5


def _tokens_of(entry: Mapping[str, Any]) -> int | None:
    """Of one entry of ``/models``; None where it does not say."""
    meta = entry.get("meta")
    values = [source.get(name) for source in (meta, entry) if isinstance(source, Mapping) for name in _FIELDS]
    return next((value for value in values if type(value) is int and 0 < value < 2**31), None)


async def _of_ollama(client: httpx.AsyncClient, profile: Profile) -> dict[str, int]:
    """Of the models that run now; under the empty name those of all others."""
    url = httpx.URL(profile.base_url).copy_with(path="/api/ps")
    found = {"": OLLAMA_DEFAULT}
    try:
        fetched = await fetch(client, profile, url, RUNNING_SECONDS)
        for entry in parse_json(fetched.body)["models"]:
            found[str(entry["name"])[:200]] = _tokens_of(entry) or OLLAMA_DEFAULT
    except (RefineError, ValueError, TypeError, KeyError):
        pass
    return found


#: Parts of model names. First cheap hosted models that write code well and take every usual
#: parameter, then models made for code, then general ones. An entry ending in ``$`` must match to the end.
PREFERENCE = (
    "gpt-4.1-mini$",
    "gpt-4o-mini$",
    "gpt-5-mini$",
    "claude-sonnet",
    "qwen3-coder",
    "qwen2.5-coder",
    "devstral",
    "codestral",
    "deepseek-coder",
    "deepseek-chat",
    "codegemma",
    "codellama",
    "coder",
    "gpt-oss",
    "llama-3.3",
    "llama3.3",
)

#: Parts of names of models that do not chat; they are not offered.
NO_CHAT = (
    "embed",
    "whisper",
    "tts",
    "dall-e",
    "moderation",
    "image",
    "audio",
    "realtime",
    "transcribe",
    "rerank",
    "sora",
    "babbage",
    "davinci",
    "-instruct-0914",
)


def chat_models(names: Sequence[str]) -> list[str]:
    """The names that can be asked to write code, in the provider's order."""
    return [name for name in names if not any(part in name.lower() for part in NO_CHAT)]


def preferred(names: Sequence[str]) -> str | None:
    """The model to use of these; None when the user should choose."""
    if len(names) == 1:
        return names[0]
    for entry in PREFERENCE:
        for name in names:
            lower = name.lower()
            if lower.endswith(entry[:-1]) if entry.endswith("$") else entry in lower:
                return name
    return None


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
