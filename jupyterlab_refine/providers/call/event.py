"""What a provider's events say, rebuilt field by field.

A client gets only what was understood here: no unknown field, no invalid number,
no text that cannot be encoded, and no key, whether it is escaped, in a name, or cut over several events.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..foreign import token_count, well_formed
from ..quirks import usual_delta
from ..secrets import StreamMask, mask

#: Characters that an answer may have, its reasoning included. The longest that models of today write
#: (128,000 tokens) has half of them.
MAX_CHARACTERS = 1_000_000

#: Characters of a name.
MAX_NAME = 200


@dataclass
class Received:
    """What a stream reported besides its text; filled while it is read."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    #: Characters of the answer, for providers that report no usage.
    characters: int = 0
    #: True once an event of the answer came: a connection that breaks then is a cut one.
    started: bool = False
    #: True once an event held text: only data is a sign of life then.
    speaking: bool = False
    #: True once a choice said why it ended: what is still to come need not.
    finished: bool = False


class EventReader:
    """Rebuilds the events of one answer and notes in ``received`` what they report."""

    def __init__(self, received: Received, secrets: tuple[str, ...]) -> None:
        self._received = received
        self._secrets = secrets
        self._texts: dict[str, StreamMask] = {}
        #: For the user, with the first event.
        self.notice = ""
        #: Characters of the answer, with one for each event.
        self._size = 0

    @property
    def is_full(self) -> bool:
        """Whether the answer has reached its limit, and is to be ended."""
        return self._size >= MAX_CHARACTERS

    def read(self, event: Mapping[str, Any]) -> str:
        """The event as it may go to the client."""
        received = self._received
        received.started = True
        self._size += 1
        rebuilt: dict[str, Any] = {"object": "chat.completion.chunk", "choices": []}
        if self.notice:
            rebuilt["refine"] = {"notice": self.notice}
            self.notice = ""
        if isinstance(event.get("model"), str):
            rebuilt["model"] = self._name(event["model"])
        usage = self._usage(event.get("usage"))
        if usage:
            rebuilt["usage"] = usage
        progress = event.get("prompt_progress")
        if isinstance(progress, Mapping):
            # llama.cpp's, while it reads.
            rebuilt["prompt_progress"] = {
                name: token_count(progress.get(name)) or 0 for name in ("total", "processed")
            }
        choices = event.get("choices")
        # One answer was asked for: whatever else is in the list belongs to none.
        choice = choices[0] if isinstance(choices, list) and choices else None
        if isinstance(choice, Mapping):
            # Some servers write a whole message, others a completion.
            delta = choice.get("delta") or choice.get("message") or {"content": choice.get("text")}
            delta = usual_delta(delta) if isinstance(delta, Mapping) else {}
            pieces = list(self._pieces(delta))
            finish = choice.get("finish_reason")
            if finish:
                received.finished = True
            rebuilt["choices"] = [
                self._choice(
                    self._masked(pieces, to_the_end=bool(finish)),
                    (self._name(finish) if isinstance(finish, str) else "stop") if finish else None,
                    delta.get("role"),
                )
            ]
        return json.dumps(rebuilt)

    def rest(self) -> str | None:
        """The event with the text held back, and a reason to end where none came; None without both."""
        pieces = self._masked([], to_the_end=True)
        finish = None if self._received.finished else "stop"
        return self._event(self._choice(pieces, finish)) if pieces or finish else None

    def end_at_limit(self, notice: str) -> str:
        """The event that ends an answer which reached its limit, and says so."""
        self._received.finished = True
        choice = self._choice(self._masked([], to_the_end=True), "length")
        return self._event(choice, refine={"notice": notice})

    def _event(self, choice: dict[str, Any], **more: Any) -> str:
        return json.dumps({"object": "chat.completion.chunk", "choices": [choice], **more})

    def _choice(self, pieces: dict[str, str], finish: str | None, role: object = None) -> dict[str, Any]:
        delta: dict[str, Any] = {"role": "assistant"} if role == "assistant" else {}
        return {"index": 0, "delta": {**delta, **pieces}, "finish_reason": finish}

    def _masked(self, pieces: list[tuple[str, str]], *, to_the_end: bool) -> dict[str, str]:
        """The text of each field that is certain; what another field held back goes before it."""
        fed = {field for field, _ in pieces}
        masked: dict[str, str] = {}
        for field, held in self._texts.items():
            if held.holds and fed and field not in fed:
                masked[field] = held.flush()
        for field, text in pieces:
            stream = self._texts.setdefault(field, StreamMask(self._secrets))
            masked[field] = masked.get(field, "") + stream.feed(text)
        if to_the_end:
            for field, held in self._texts.items():
                if held.holds:
                    masked[field] = masked.get(field, "") + held.flush()
        return masked

    def _pieces(self, delta: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for field in ("content", "reasoning_content", "refusal"):
            text = delta.get(field)
            piece = text[: max(0, MAX_CHARACTERS - self._size)] if isinstance(text, str) else ""
            if piece:
                self._received.speaking = True
                self._received.characters += len(piece)
                self._size += len(piece)
                yield field, piece

    def _usage(self, usage: Any) -> dict[str, int]:
        if not isinstance(usage, Mapping):
            return {}
        counts = {name: token_count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens")}
        received = self._received
        if counts["prompt_tokens"] is not None:
            received.prompt_tokens = counts["prompt_tokens"]
        if counts["completion_tokens"] is not None:
            received.completion_tokens = counts["completion_tokens"]
        return {name: count for name, count in counts.items() if count is not None}

    def _name(self, text: str) -> str:
        return mask(well_formed(text[: 4 * MAX_NAME]), self._secrets)[:MAX_NAME]
