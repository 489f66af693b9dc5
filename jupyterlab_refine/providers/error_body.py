"""Reads the error bodies that OpenAI-compatible servers send, in all their shapes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .foreign import parse_json, well_formed

#: Characters of a message that are read; no pattern runs on more.
MAX_WORDS = 4_000

#: Validation errors that are read, and characters of each.
MAX_PROBLEMS = 20
MAX_PROBLEM = 400

# Every repetition has an upper bound, so that no text takes more than a few steps for each character.
_CONTEXT = re.compile(
    r"context[ _-]?(length|window|size)|maximum context|too many (input )?tokens"
    r"|prompt is too long|exceeds? the .{0,80}context",
    re.IGNORECASE,
)

#: The limit that was asked for is refused, and not the prompt, although the context is named as well.
_OUTPUT_LIMIT = re.compile(r"max_(completion_)?tokens\b.{0,60}\btoo large", re.IGNORECASE)


def details(body: bytes) -> dict[str, Any]:
    """``error`` of an error body, whatever shape the server gives it; Gemini puts it into a list."""
    try:
        parsed = parse_json(body)
    except ValueError:
        return {}
    if isinstance(parsed, list) and parsed:
        parsed = parsed[0]
    if not isinstance(parsed, Mapping):
        return {}
    error = parsed.get("error") or parsed
    if isinstance(error, Mapping):
        return dict(error)
    return {"message": error} if isinstance(error, str) else {}


def words(detail: Mapping[str, Any]) -> str:
    """The provider's own message on one line."""
    value = _message(detail)
    if isinstance(value, list):
        # Never the whole item: its ``input`` is a part of the prompt.
        value = "; ".join(": ".join(filter(None, [where, why])) for where, why in _problems(value))
    return " ".join(well_formed(value[:MAX_WORDS]).split()) if isinstance(value, str) else ""


def param(detail: Mapping[str, Any]) -> str | None:
    """The field of the request that is refused, as ``param`` or as the place of a validation error."""
    name = detail.get("param")
    if isinstance(name, str):
        return well_formed(name[:MAX_PROBLEM])
    value = _message(detail)
    places = [where for where, _ in _problems(value)] if isinstance(value, list) else []
    return next(filter(None, places), None)


def _message(detail: Mapping[str, Any]) -> Any:
    """``message`` or ``detail``: a text, or FastAPI's list of validation errors, as Mistral nests it too."""
    value = detail.get("message") or detail.get("detail")
    return value.get("detail") if isinstance(value, Mapping) else value


def _problems(entries: list[Any]) -> list[tuple[str, str]]:
    """Place and reason of each validation error: ``("stream_options", "Extra inputs are not permitted")``."""
    found = []
    for entry in entries[:MAX_PROBLEMS]:
        if not isinstance(entry, Mapping):
            continue
        place, why = entry.get("loc"), entry.get("msg")
        steps = (
            [str(step) for step in place[:10] if isinstance(step, str | int)]
            if isinstance(place, list)
            else []
        )
        where = ".".join(steps[1:] if steps[:1] == ["body"] else steps)
        found.append((well_formed(where[:MAX_PROBLEM]), why[:MAX_PROBLEM] if isinstance(why, str) else ""))
    return found


def is_context(detail: Mapping[str, Any]) -> bool:
    """Whether the prompt is longer than the model's context."""
    if detail.get("code") == "context_length_exceeded":
        return True
    text = words(detail)
    return bool(_CONTEXT.search(text)) and not _OUTPUT_LIMIT.search(text)
