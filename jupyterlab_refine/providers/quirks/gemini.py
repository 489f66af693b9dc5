"""Gemini's compatible endpoint puts the body of an error into a list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .quirk import Quirk


def _error(value: Any) -> Any:
    if isinstance(value, list) and value and isinstance(value[0], Mapping) and "loc" not in value[0]:
        return value[0]
    return value


QUIRK = Quirk(error=_error)
