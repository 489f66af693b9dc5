"""Which models a profile offers, which of them is used when none is named, and how much they read.

As configured, else as the endpoint lists them. Without a ``default_model``: the only model there is, else the
first model, in the order of the list, that matches the first matching entry of ``PREFERENCE``; else none, and
the user is asked.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from ..errors import RefineError
from . import faults
from .clients import Clients, get
from .profile import OLLAMA, Profile, ProfileProblem, check_base_url
from .secrets import mask

#: Seconds a list is believed; a failure only shortly, since the user is fixing it.
LIST_TTL = 300.0
ERROR_TTL = 5.0

#: Seconds for the whole of ``/models``; the panel waits as long. A server of this machine answers at once.
LIST_TIMEOUT = 5.0
LOCAL_TIMEOUT = 0.5

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
    #: Whether the endpoint listed its models, if only none.
    is_there: bool = True


class Catalogue:
    """Lists of models, remembered for a while."""

    def __init__(self, clients: Clients) -> None:
        self._clients = clients
        self._known: dict[tuple[object, ...], tuple[float, Offer]] = {}

    async def offer(self, profile: Profile, seconds: float | None = None) -> Offer:
        """The offer of a profile; never raises for a provider's failure."""
        if profile.problem:
            return Offer(profile.models, None, profile.problem)
        if profile.models:
            return Offer(profile.models, profile.default_model or preferred(profile.models))
        key = (profile.name, profile.base_url, profile.api_key)
        known = self._known.get(key)
        if known and time.monotonic() < known[0]:
            return known[1]
        offer = await self._ask(profile, seconds or LIST_TIMEOUT)
        until = time.monotonic() + (ERROR_TTL if offer.error else LIST_TTL)
        self._known[key] = (until, offer)
        return offer

    async def offers(self, profiles: Sequence[Profile], seconds: float | None = None) -> list[Offer]:
        """All offers, asked for at the same time."""
        return list(await asyncio.gather(*(self.offer(profile, seconds) for profile in profiles)))

    def forget(self) -> None:
        """Ask again next time."""
        self._known.clear()

    async def _ask(self, profile: Profile, seconds: float) -> Offer:
        named = profile.default_model
        try:
            client = self._clients.of(profile)
            listed = await list_models(client, profile, seconds)
        except RefineError as error:
            # A model that is named can be used all the same: a list that is missing or forbidden is no fault.
            is_missing = named and error.provider_status in (403, 404, 405)
            return Offer((), named, None if is_missing else error.message, is_there=False)
        models = chat_models(list(listed))
        if named and named not in models:
            models.insert(0, named)
        if not models:
            todo = f"{faults.NAMED} With Ollama, run `ollama pull qwen2.5-coder`."
            return Offer((), None, f"{profile.host} has no model. {todo}")
        contexts = {name: tokens for name, tokens in listed.items() if tokens}
        if profile.name == OLLAMA:
            contexts = await _of_ollama(client, profile)
        return Offer(tuple(models), named or preferred(models), contexts=contexts)


async def list_models(client: httpx.AsyncClient, profile: Profile, seconds: float) -> dict[str, int | None]:
    """The ids that ``/models`` lists: at most ``MAX_MODELS``, in order, with their context windows.

    Raises
    ------
    RefineError
        As for an answer of a model.
    """
    text = await get(client, profile, profile.url("models"), seconds)
    try:
        data = faults.parse_json(text)
        entries = (data["data"] or []) if isinstance(data, dict) else data
        found = [entry for entry in entries[:MAX_MODELS] if isinstance(entry, dict)]
    except (ValueError, KeyError, TypeError):
        raise faults.not_an_api(profile, text.strip() or "an empty body") from None
    secrets = profile.secrets()
    return {
        mask(name, secrets): _tokens_of(entry)
        for entry in found
        if isinstance(name := entry.get("id"), str) and 0 < len(name) <= MAX_MODEL_NAME
    }


#: Ollama cuts longer prompts silently, from the front, unless it was told otherwise.
OLLAMA_DEFAULT = 4096

#: Of an entry of ``/models``: llama.cpp (in ``meta``), vLLM, LM Studio and others.
_FIELDS = ("n_ctx", "max_model_len", "loaded_context_length", "context_length", "context_window")


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
        for entry in faults.parse_json(await get(client, profile, url, LOCAL_TIMEOUT))["models"]:
            found[str(entry["name"])[:MAX_MODEL_NAME]] = _tokens_of(entry) or OLLAMA_DEFAULT
    except (RefineError, ValueError, TypeError, KeyError):
        pass
    return found


#: Patterns of model names. First cheap hosted models that write code well and take every usual
#: parameter, then models made for code, then general ones.
PREFERENCE = (
    "gpt-4.1-mini$",
    "gpt-4o-mini$",
    "gpt-5-mini$",
    "claude-sonnet",
    "qwen3-coder",
    "coder",
    "devstral",
    "codestral",
    "deepseek-chat",
    "gpt-oss",
)

#: Parts of names of models that do not chat; they are not offered.
NO_CHAT = re.compile("embed|whisper|tts|dall-e|moderation|image|audio|realtime|transcribe|rerank", re.I)


def chat_models(names: Sequence[str]) -> list[str]:
    """The names that can be asked to write code, in the provider's order."""
    return [name for name in names if not NO_CHAT.search(name)]


def preferred(names: Sequence[str]) -> str | None:
    """The model to use of these; None when the user should choose."""
    if len(names) == 1:
        return names[0]
    fit = (name for entry in PREFERENCE for name in names if re.search(entry, name, re.IGNORECASE))
    return next(fit, None)


def local_profiles(environ: Mapping[str, str]) -> list[Profile]:
    """Servers of this machine to look for when none is configured."""
    try:
        ollama = Profile(OLLAMA, check_base_url(_ollama_url(environ)) + "/v1")
    except ProfileProblem as problem:
        ollama = Profile(OLLAMA, problem=f"OLLAMA_HOST: {problem}")
    llama_cpp = Profile("llama.cpp", "http://127.0.0.1:8080/v1")
    return [ollama, llama_cpp, Profile("lm-studio", "http://127.0.0.1:1234/v1")]


def _ollama_url(environ: Mapping[str, str]) -> str:
    """Where Ollama listens: ``OLLAMA_HOST`` in the forms that Ollama itself takes, else its default port."""
    text = environ.get("OLLAMA_HOST", "").strip().rstrip("/") or "127.0.0.1"
    # A server that listens on every address is reached on the loopback one.
    text = re.sub(r"^(https?://)?(?:0\.0\.0\.0|\[::\]|(?=:\d))", r"\g<1>127.0.0.1", text)
    if "://" in text:
        return text
    return f"http://{text}" if re.search(r":\d+$", text) else f"http://{text}:11434"
