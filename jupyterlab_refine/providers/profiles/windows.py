"""How many tokens prompt and answer may have together, where a server says it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx

from ..call.fetching import fetch
from ..foreign import parse_json
from .profile import Profile

#: Ollama cuts longer prompts silently, from the front, unless it was told otherwise.
OLLAMA_DEFAULT = 4096

#: Of an entry of ``/models``: llama.cpp (in ``meta``), vLLM, LM Studio and others.
_FIELDS = ("n_ctx", "max_model_len", "loaded_context_length", "context_length", "context_window")

MAX_BYTES = 1_000_000
SECONDS = 0.5


def tokens_of(entry: Mapping[str, Any]) -> int | None:
    """Of one entry of ``/models``; None where it does not say."""
    meta = entry.get("meta")
    values = [source.get(name) for source in (meta, entry) if isinstance(source, Mapping) for name in _FIELDS]
    return next((value for value in values if type(value) is int and 0 < value < 2**31), None)


async def of_ollama(client: httpx.AsyncClient, profile: Profile) -> dict[str, int]:
    """Of the models that run now; under the empty name those of all others."""
    url = httpx.URL(profile.base_url).copy_with(path="/api/ps")
    found = {"": OLLAMA_DEFAULT}
    try:
        running = parse_json((await fetch(client, url, {}, max_bytes=MAX_BYTES, seconds=SECONDS)).body)
        for entry in running["models"]:
            found[str(entry["name"])[:200]] = tokens_of(entry) or OLLAMA_DEFAULT
    except (asyncio.TimeoutError, httpx.HTTPError, OSError, ValueError, TypeError, KeyError):
        pass
    return found
