"""Reads the error bodies that OpenAI-compatible servers send, as their quirks allow."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..foreign import parse_json, well_formed
from ..quirks import usual_error

#: Characters of a message that are read; no pattern runs on more.
MAX_WORDS = 4_000

#: Characters of the name of a parameter.
MAX_PARAM = 400

# Every repetition has an upper bound, so that no text takes more than a few steps for each character.
_CONTEXT = re.compile(
    r"context[ _-]?(length|window|size)|maximum context|too many (input )?tokens"
    r"|prompt is too long|exceeds? the .{0,80}context",
    re.IGNORECASE,
)

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
    found = usual_error(value)
    error = usual_error(found["error"]) if isinstance(found, Mapping) and found.get("error") else found
    if isinstance(error, Mapping):
        return dict(error)
    return {"message": error} if isinstance(error, str) else {}


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
