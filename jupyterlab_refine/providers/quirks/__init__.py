"""What single providers do otherwise than OpenAI: one file for each, and one line in ``QUIRKS``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import fastapi, gemini, mistral, ollama, openrouter
from .quirk import Quirk

#: In this order: the list of FastAPI may be inside of what others wrap around it.
QUIRKS: tuple[Quirk, ...] = (
    gemini.QUIRK,
    mistral.QUIRK,
    openrouter.QUIRK,
    ollama.QUIRK,
    fastapi.QUIRK,
)


def usual_delta(delta: Mapping[str, Any]) -> Mapping[str, Any]:
    """The ``delta`` of an event as OpenAI would write it."""
    for quirk in QUIRKS:
        delta = quirk.delta(delta)
    return delta


def usual_error(value: Any) -> Any:
    """A parsed error body, or the error in it, as OpenAI would write it."""
    for quirk in QUIRKS:
        value = quirk.error(value)
    return value
