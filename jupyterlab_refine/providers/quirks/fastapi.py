"""Servers on FastAPI, such as vLLM, list the fields that they refuse, in ``detail`` or ``message``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..foreign import well_formed
from .quirk import Quirk

#: Validation errors that are read, and characters of each.
MAX_PROBLEMS = 20
MAX_PROBLEM = 400


def _error(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    entries = value.get("message") or value.get("detail")
    if not isinstance(entries, list):
        return value
    problems = [_problem(entry) for entry in entries[:MAX_PROBLEMS] if isinstance(entry, Mapping)]
    # Never the whole entry: its ``input`` is a part of the prompt.
    message = "; ".join(": ".join(filter(None, problem)) for problem in problems)
    first = next((place for place, _ in problems if place), None)
    return {**value, "param": value.get("param") or first, "message": message, "detail": None}


def _problem(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Place and reason: ``("stream_options", "Extra inputs are not permitted")``."""
    place, why = entry.get("loc"), entry.get("msg")
    steps = (
        [str(step) for step in place[:10] if isinstance(step, str | int)] if isinstance(place, list) else []
    )
    where = ".".join(steps[1:] if steps[:1] == ["body"] else steps)
    return well_formed(where[:MAX_PROBLEM]), why[:MAX_PROBLEM] if isinstance(why, str) else ""


QUIRK = Quirk(error=_error)
