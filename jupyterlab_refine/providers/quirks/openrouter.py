"""OpenRouter, and others, name the text of a reasoning model's thoughts ``reasoning``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .quirk import Quirk


def _delta(delta: Mapping[str, Any]) -> Mapping[str, Any]:
    if delta.get("reasoning_content") or not delta.get("reasoning"):
        return delta
    return {**delta, "reasoning_content": delta["reasoning"]}


QUIRK = Quirk(delta=_delta)
