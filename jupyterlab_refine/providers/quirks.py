"""What single providers do otherwise than OpenAI: one record for each, and one line in ``QUIRKS``.

A shape is recognized in what was sent, whatever the address: gateways such as LiteLLM pass the bodies of
others on. What has another shape is returned unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .foreign import well_formed

#: Validation errors that are read, and characters of each.
MAX_PROBLEMS = 20
MAX_PROBLEM = 400

#: Parts that one event of Mistral may hold.
MAX_PARTS = 64


def _unchanged(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Quirk:
    """One kind of server."""

    #: The ``delta`` of an event, as OpenAI would write it.
    delta: Callable[[Mapping[str, Any]], Mapping[str, Any]] = _unchanged
    #: A parsed error body, or the error in it: as ``{"message": …, "param": …}``, perhaps within ``error``.
    error: Callable[[Any], Any] = _unchanged
    #: What to do when there is no model of that name, ``{model}``, or none at all: a sentence.
    get_model: str = ""
    get_any_model: str = ""


def _first_of_list(value: Any) -> Any:
    """Gemini's compatible endpoint puts the body of an error into a list."""
    if isinstance(value, list) and value and isinstance(value[0], Mapping) and "loc" not in value[0]:
        return value[0]
    return value


def _joined_parts(delta: Mapping[str, Any]) -> Mapping[str, Any]:
    """Mistral's reasoning models send content as a list of parts."""
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


def _inner_message(value: Any) -> Any:
    """A validation error of Mistral's is nested once more."""
    message = value.get("message") if isinstance(value, Mapping) else None
    return {**value, "message": message.get("detail")} if isinstance(message, Mapping) else value


def _named_reasoning(delta: Mapping[str, Any]) -> Mapping[str, Any]:
    """OpenRouter, and others, name the text of a reasoning model's thoughts ``reasoning``."""
    if delta.get("reasoning_content") or not delta.get("reasoning"):
        return delta
    return {**delta, "reasoning_content": delta["reasoning"]}


def _listed_problems(value: Any) -> Any:
    """Servers on FastAPI, such as vLLM, list the fields that they refuse, in ``detail`` or ``message``."""
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


#: Of OpenAI itself.
NONE = Quirk()

#: Ollama has the models that were pulled, and only those.
OLLAMA = Quirk(get_model="To get it: ollama pull {model}", get_any_model="Run `ollama pull qwen2.5-coder`.")

#: In this order: the list of FastAPI may be inside of what others wrap around it.
QUIRKS = (
    Quirk(error=_first_of_list),
    Quirk(delta=_joined_parts, error=_inner_message),
    Quirk(delta=_named_reasoning),
    OLLAMA,
    Quirk(error=_listed_problems),
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
