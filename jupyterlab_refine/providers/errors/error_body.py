"""Reads the error bodies that OpenAI-compatible servers send, as their quirks allow."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..foreign import parse_json, well_formed
from ..quirks import usual_error

#: Characters of a message that are read; no pattern runs on more.
MAX_WORDS = 4_000

#: Levels of ``error`` within ``error``.
MAX_DEPTH = 3

#: Characters of the name of a parameter.
MAX_PARAM = 400

# Every repetition has an upper bound, so that no text takes more than a few steps for each character.
_CONTEXT = re.compile(
    r"context[ _-]?(length|window|size)|maximum context|too many (input )?tokens"
    r"|prompt is too long|exceeds? the .{0,80}context",
    re.IGNORECASE,
)

_WAIT = re.compile(
    r"(?:try again|retry|wait)\D{0,24}?(?:(\d{1,3}) ?m(?:in)? ?)?(\d{1,5}(?:\.\d{1,4})?) ?(ms|s|sec|m|min)",
    re.IGNORECASE,
)
_LOADING = re.compile(r"\bloading\b|warming up|starting up|being loaded|not ready", re.IGNORECASE)
_KEY = re.compile(r"\b(api[ _-]?)?key\b|authenti|credential|\btoken\b|api_key|permission", re.IGNORECASE)

#: The limit that was asked for is refused, and not the prompt, although the context is named as well.
_OUTPUT_LIMIT = re.compile(r"max_(completion_)?tokens\b.{0,60}\btoo large", re.IGNORECASE)


def details(body: bytes) -> dict[str, Any]:
    """``error`` of an error body, as OpenAI would write it; empty for what holds none."""
    try:
        return of_value(parse_json(body))
    except ValueError:
        return {}


def of_value(value: Any) -> dict[str, Any]:
    """The same of a parsed body, or of the error in an event."""
    error = usual_error(value)
    for _ in range(MAX_DEPTH):
        if isinstance(error, Mapping) and error.get("error"):
            error = usual_error(error["error"])
    if isinstance(error, Mapping):
        return dict(error)
    beside = value if isinstance(value, Mapping) else {}
    return {**beside, "message": error} if isinstance(error, str) else {}


def wait_ms(detail: Mapping[str, Any]) -> int | None:
    """The wait that the text asks for, in milliseconds: ``Please try again in 1m4.5s``."""
    seconds = detail.get("estimated_time")
    if isinstance(seconds, int | float):
        return round(seconds * 1000)
    found = _WAIT.search(words(detail))
    if not found:
        return None
    minutes, number, unit = found.groups()
    scale = 1 if unit == "ms" else 60_000 if unit.startswith("m") else 1000
    return round(int(minutes or 0) * 60_000 + float(number) * scale)


def is_loading(detail: Mapping[str, Any]) -> bool:
    """Whether the model will be there in a while."""
    return bool(_LOADING.search(words(detail)))


def is_about_key(detail: Mapping[str, Any]) -> bool:
    """Whether a key is refused, and not its owner's region or the network."""
    return bool(_KEY.search(f"{words(detail)} {detail.get('code')} {detail.get('type')}"))


def is_about_model(detail: Mapping[str, Any]) -> bool:
    """Whether a model is missing, and not the address."""
    return bool(
        re.search(r"\bmodel|\bdeployment|_model", f"{words(detail)} {detail.get('code')}", re.IGNORECASE)
    )


def words(detail: Mapping[str, Any]) -> str:
    """The provider's own message on one line."""
    value = detail.get("message") or detail.get("detail")
    return " ".join(well_formed(value[:MAX_WORDS]).split()) if isinstance(value, str) else ""


def param(detail: Mapping[str, Any]) -> str | None:
    """The field of the request that is refused."""
    name = detail.get("param")
    return well_formed(name[:MAX_PARAM]) if isinstance(name, str) else None


def is_context(detail: Mapping[str, Any]) -> bool:
    """Whether the prompt is longer than the model's context."""
    if detail.get("code") == "context_length_exceeded":
        return True
    text = words(detail)
    return bool(_CONTEXT.search(text)) and not _OUTPUT_LIMIT.search(text)
