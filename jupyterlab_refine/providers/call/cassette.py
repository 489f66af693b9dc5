"""Calls that ``jupyter refine run --record`` wrote to a file, as answers of the profile ``demo``.

So a session that was recorded on the command line is played again in the panel, without a model.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from ...errors import RefineError

_SHOWN = 200
_TEXTS = ("reasoning", "text", "finishReason")
_COUNTS = ("promptTokens", "completionTokens")
_REASONS = {"stop": "stop", "length": "length"}


class UnreadableCassette(Exception):
    """The file cannot be played; the message is a clause."""


@dataclass(frozen=True)
class Call:
    """One call: its messages, each with role and text, and the answer."""

    messages: tuple[tuple[str, str], ...]
    reasoning: str
    text: str
    #: As OpenAI names it.
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int


class Cassette:
    """The calls of one file; those with the same messages answer in turn."""

    def __init__(self, name: str, calls: Sequence[Call]) -> None:
        self._name = name
        self._calls = list(calls)
        self._by_messages: dict[tuple[tuple[str, str], ...], list[Call]] = defaultdict(list)
        for call in calls:
            self._by_messages[call.messages].append(call)

    def answer(self, messages: Sequence[Mapping[str, Any]]) -> Call:
        """The recorded answer to these messages.

        Raises
        ------
        RefineError
            ``demo-only``, with the first line that differs from the most similar call.
        """
        asked = _messages(messages)
        known = self._by_messages.get(asked)
        if known:
            known.append(known.pop(0))
            return known[-1]
        recorded, now = self._difference(asked)
        raise RefineError(
            "demo-only",
            f"The prompt differs from those in {self._name}: {recorded} was recorded, now it is {now}. "
            "Undo the change, or record the session again.",
            400,
        )

    def _difference(self, asked: tuple[tuple[str, str], ...]) -> tuple[str, str]:
        """The first line that differs: as recorded, and now."""
        lines = _lines(asked)
        same, recorded = -1, lines
        for call in self._calls:
            other = _lines(call.messages)
            alike = sum(
                1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(other, lines, strict=False))
            )
            if alike > same:
                same, recorded = alike, other
        return _shown(recorded, same), _shown(lines, same)


def read_cassette(path: str) -> Cassette:
    """The calls of a file.

    Raises
    ------
    UnreadableCassette
        When it is missing, or no such file.
    """
    place = Path(path).expanduser()
    try:
        lines = place.read_text("utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise UnreadableCassette(getattr(error, "strerror", None) or "it is not UTF-8") from error
    calls = [_call(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not calls:
        raise UnreadableCassette("it has no calls")
    return Cassette(place.name, calls)


def _call(number: int, line: str) -> Call:
    try:
        stored = json.loads(line)
        if not all(isinstance(stored[name], str) for name in _TEXTS):
            raise TypeError
        if not all(isinstance(stored[name], int) for name in _COUNTS):
            raise TypeError
        return Call(
            _messages(stored["messages"]),
            stored["reasoning"],
            stored["text"],
            _REASONS.get(stored["finishReason"], "stop"),
            stored["promptTokens"],
            stored["completionTokens"],
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UnreadableCassette(f"line {number} is no recorded call") from None


def _messages(messages: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, str], ...]:
    return tuple((str(message["role"]), _text(message["content"])) for message in messages)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content or [])


def _lines(messages: tuple[tuple[str, str], ...]) -> list[str]:
    return [line for role, text in messages for line in (f"[{role}]", *text.splitlines())]


def _shown(lines: Sequence[str], at: int) -> str:
    if at >= len(lines):
        return "(end)"
    line = lines[at].strip()
    return json.dumps(f"{line[: _SHOWN - 3]}..." if len(line) > _SHOWN else line, ensure_ascii=False)
