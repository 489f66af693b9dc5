"""Mistral's reasoning models send content as a list of parts; a validation error is nested once more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .quirk import Quirk

#: Parts that one event may hold.
MAX_PARTS = 64


def _delta(delta: Mapping[str, Any]) -> Mapping[str, Any]:
    parts = delta.get("content")
    if not isinstance(parts, list):
        return delta
    known = [part for part in parts[:MAX_PARTS] if isinstance(part, Mapping)]
    thinking = [part["thinking"] for part in known if isinstance(part.get("thinking"), list)]
    thoughts = _joined(thought for thoughts in thinking for thought in thoughts[:MAX_PARTS])
    return {"reasoning_content": thoughts, **delta, "content": _joined(known)}


def _joined(parts: Any) -> str:
    texts = (part.get("text") for part in parts if isinstance(part, Mapping))
    return "".join(text for text in texts if isinstance(text, str))


def _error(value: Any) -> Any:
    message = value.get("message") if isinstance(value, Mapping) else None
    return {**value, "message": message.get("detail")} if isinstance(message, Mapping) else value


QUIRK = Quirk(delta=_delta, error=_error)
