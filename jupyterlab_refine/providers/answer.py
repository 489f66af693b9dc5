"""One streamed answer of a provider: read under limits, rebuilt event by event, without a key.

A client gets only what was understood here: no unknown field, no invalid number, and no key, whether it is
escaped, in a name, or cut over several events.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from codecs import BOM_UTF8
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import anyio
import httpx

from ..errors import RefineError
from . import faults
from .clients import CLOSING, chunks_of, request_headers, text_of
from .profile import Profile
from .secrets import StreamMask, mask

#: Seconds without an event after the first text, and without text although events come. There is no total: an
#: answer may take as long as its text flows.
STALL = 60.0
IDLE = 600.0

#: Bytes of one event.
MAX_EVENT = 2_000_000

#: Characters after which an answer is given up, its reasoning included. The longest that models of today
#: write (128,000 tokens) has half of them.
MAX_CHARACTERS = 1_000_000

#: Tokens that one call can have used, and characters of a finish reason.
MAX_TOKENS = 10_000_000
MAX_NAME = 200

#: Fields of an event that hold text.
TEXTS = ("content", "reasoning_content", "refusal")

#: Characters a token has, roughly, where a provider does not count.
CHARACTERS_PER_TOKEN = 4

DONE = "[DONE]"

#: Finish reasons of answers that broke off: OpenRouter, vLLM, DeepSeek.
FAILED = ("error", "abort", "insufficient_system_resource")

#: Takes text of ``text/event-stream``: events and comments.
Send = Callable[[str], Awaitable[None]]

#: What each model refuses, ``stream`` or ``system``: by base URL and model, as long as the process lives.
_refused: dict[tuple[str, str], set[str]] = {}

_STREAM = re.compile(r"\bstream(ing)?\b", re.IGNORECASE)
_SYSTEM = re.compile(r"\bsystem\b.{0,20}\b(role|message|prompt|instruction)|\brole\b.{0,60}\bsystem\b", re.I)

_BLANK_LINE = re.compile(rb"\n\r?\n")
_FIELDS = {b"data", b"event", b"id", b"retry", b""}


class Answer:
    """The answer to one request, passed on to ``send``; its first text comes within ``patience`` seconds."""

    def __init__(self, profile: Profile, patience: float, send: Send) -> None:
        self._profile = profile
        #: Seconds before the first text, and between two.
        self._patience = patience
        self._pause = min(STALL, patience)
        self._send = send
        #: A server may write several fields in turn, or in each event.
        self._masks = {field: StreamMask(profile.secrets()) for field in TEXTS}
        self._characters = 0
        self._usage: dict[str, int] = {}
        #: True once an event of the answer came: a connection that breaks then is a cut one.
        self._started = False
        #: True once an event held text: each event is a sign of life then, and no comment.
        self._speaking = False
        #: True once a choice said why it ended: what is still to come need not.
        self._finished = False

    def tokens(self, messages: list[dict[str, Any]]) -> int:
        """Tokens of the call: as the provider counts, else estimated; none for a refused call."""
        if not self._started:
            return 0
        if len(self._usage) == 2:
            return sum(self._usage.values())
        characters = sum(len(str(message.get("content") or "")) for message in messages) + self._characters
        return characters // CHARACTERS_PER_TOKEN

    async def stream(self, client: httpx.AsyncClient, request: Mapping[str, Any]) -> None:
        """Send the request, and pass on each event of its answer; ``[DONE]`` is last and always there.

        A request whose form the model refuses is changed and sent again; what was learned is kept.

        Raises
        ------
        RefineError
            For each way a provider can fail; the message is for the user.
        """
        model = str(request.get("model", ""))
        refused = _refused.setdefault((self._profile.base_url, model), set())
        while True:
            try:
                await self._call(client, model, _without(request, refused))
                return
            except RefineError as error:
                what = "" if self._started else _refusal(error)
                if not what or what in refused:
                    raise
                refused.add(what)

    async def _call(self, client: httpx.AsyncClient, model: str, request: Mapping[str, Any]) -> None:
        profile = self._profile
        outgoing = client.build_request(
            "POST",
            profile.url("chat/completions"),
            # A lone surrogate, which a notebook can hold, is replaced.
            content=json.dumps(request, ensure_ascii=False).encode("utf-8", "replace"),
            headers={"Content-Type": "application/json", **request_headers(profile)},
        )
        try:
            with anyio.fail_after(self._patience) as self._limit:
                response = await client.send(outgoing, stream=True)
                try:
                    if response.status_code != 200:
                        self._limit.deadline += CLOSING
                        body = await text_of(profile, response)
                        raise faults.from_response(
                            profile, model, response.status_code, response.headers, body
                        )
                    await self._read(chunks_of(profile, response), model)
                finally:
                    # A client that goes is noticed twice: a cancel must not keep the connection open.
                    await asyncio.shield(response.aclose())
        except TimeoutError:
            if not self._finished:
                limit = self._pause if self._speaking else self._patience
                raise faults.stalled(profile, limit, started=self._speaking) from None
        except faults.FAILURES as error:
            if not self._finished:
                raise faults.from_exception(profile, error, started=self._started) from None
        held = self._masked({}, to_the_end=True)
        if held or not self._finished:
            await self._write({"delta": held, "finish_reason": None if self._finished else "stop"})
        await self._send(f"data: {DONE}\n\n")

    async def _read(self, chunks: AsyncIterator[bytes], model: str) -> None:
        """Pass on what the provider sends, up to the end of an answer that is whole."""
        data, idle_until = "", math.inf
        async for name, data in self._events(chunks):
            if data == DONE:
                if not self._speaking and not self._finished:
                    raise faults.not_an_api(self._profile, "an empty stream")
                return
            ended, before = self._finished, self._characters
            await self._pass_on(self._parsed(name, data), model)
            now = anyio.current_time()
            idle_until = now + IDLE if self._characters > before else idle_until
            if not ended and (self._speaking or self._finished):
                self._limit.deadline = now + CLOSING if self._finished else min(now + self._pause, idle_until)
            if self._characters > MAX_CHARACTERS:
                raise faults.too_long(self._profile, MAX_CHARACTERS)
        if not self._started:
            raise faults.not_an_api(self._profile, data or "an empty body")
        if not self._finished:
            raise faults.cut(self._profile)

    async def _events(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[tuple[str, str]]:
        """Name and ``data`` of each event; a body that is no event stream is one of its own."""
        left = bytearray()
        async for chunk in chunks:
            seen = max(0, len(left) - 3)
            left += chunk
            while end := _BLANK_LINE.search(left, seen):
                event = _event(bytes(left[: end.start()]))
                del left[: end.end()]
                seen = 0
                if event[1]:
                    yield event
            if len(left) > MAX_EVENT:
                raise faults.not_an_api(
                    self._profile, f"something whose events are longer than {MAX_EVENT:,} bytes"
                )
        event = _event(bytes(left))
        if event[1]:
            yield event

    def _parsed(self, name: str, data: str) -> Mapping[str, Any]:
        try:
            event = faults.parse_json(data)
        except ValueError:
            event = data if name == "error" else None
        if name == "error":
            event = {"error": event}
        if isinstance(event, dict):
            return event
        if self._started:
            raise faults.cut(self._profile, "sent something unreadable")
        raise faults.not_an_api(self._profile, data)

    async def _pass_on(self, event: Mapping[str, Any], model: str) -> None:
        """Send the event as it may go to the client. Raises what it reports."""
        choices = event.get("choices")
        # One answer was asked for: whatever else is in the list belongs to none.
        choice = choices[0] if isinstance(choices, list) and choices else None
        choice = choice if isinstance(choice, Mapping) else {}
        failed = choice.get("finish_reason") in FAILED
        error = event.get("error") or choice.get("error") or (failed and choice.get("message"))
        if not error and not choices and (event.get("detail") or isinstance(event.get("message"), str)):
            error = event
        if error or failed:
            raise faults.from_event(self._profile, model, error, started=self._started)
        more: dict[str, Any] = {}
        if usage := _counts(event.get("usage"), "prompt_tokens", "completion_tokens"):
            self._usage |= usage
            more["usage"] = usage
        if progress := _counts(event.get("prompt_progress"), "total", "processed"):
            # llama.cpp's, while it reads.
            more["prompt_progress"] = {"total": 0, "processed": 0, **progress}
        self._started = self._started or bool(choice or more)
        if not choice:
            if more:
                await self._write(None, **more)
            return
        # A message is whole, but for servers that write one beside each delta.
        whole = bool(choice.get("message")) and not choice.get("delta")
        finish = choice.get("finish_reason") or whole or None
        if finish:
            finish = mask(finish if isinstance(finish, str) else "stop", self._profile.secrets())[:MAX_NAME]
        self._finished = self._finished or bool(finish)
        texts = _texts(choice)
        self._speaking = self._speaking or bool(texts)
        self._characters += sum(map(len, texts.values()))
        delta = self._masked(texts, to_the_end=bool(finish))
        await self._write({"delta": delta, "finish_reason": finish}, **more)

    def _masked(self, texts: Mapping[str, str], *, to_the_end: bool) -> dict[str, str]:
        """What is certain of the texts; at the end all that was held back."""
        masked = {
            field: held.feed(texts.get(field, "")) + (held.flush() if to_the_end else "")
            for field, held in self._masks.items()
        }
        return {field: text for field, text in masked.items() if text}

    async def _write(self, choice: Mapping[str, Any] | None, **more: Any) -> None:
        choices = [{"index": 0, **choice}] if choice else []
        event = {"object": "chat.completion.chunk", "choices": choices, **more}
        # A client that is slow is no silent provider.
        start, deadline, self._limit.deadline = anyio.current_time(), self._limit.deadline, math.inf
        await self._send(f"data: {json.dumps(event)}\n\n")
        self._limit.deadline = deadline + anyio.current_time() - start
        # Others have their turn, however fast events come and go.
        await asyncio.sleep(0)


def _event(block: bytes) -> tuple[str, str]:
    """Name and data of an event; of a block that is none, its text. Comments have no data."""
    lines = [line.partition(b":") for line in block.removeprefix(BOM_UTF8).splitlines()]
    name = b"".join(value.strip() for field, _, value in lines if field == b"event")
    data = b"\n".join(value.removeprefix(b" ") for field, _, value in lines if field == b"data")
    if not data and any(field.strip() not in _FIELDS for field, _, _ in lines):
        data = block.removeprefix(BOM_UTF8).strip()
    return name.decode("utf-8", "replace"), data.decode("utf-8", "replace")


def _texts(choice: Mapping[str, Any]) -> dict[str, str]:
    """The texts of an event as OpenAI names them. Some servers write a whole message, others a completion."""
    given = choice.get("delta") or choice.get("message") or {"content": choice.get("text")}
    found = dict(given) if isinstance(given, Mapping) else {}
    # OpenRouter, and others.
    found["reasoning_content"] = found.get("reasoning_content") or found.get("reasoning")
    if isinstance(parts := found.get("content"), list):
        # Mistral's reasoning models.
        texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
        found["content"] = "".join(text for text in texts if isinstance(text, str))
    return {field: text for field in TEXTS if isinstance(text := found.get(field), str) and text}


def _counts(value: Any, *names: str) -> dict[str, int]:
    """The counts of tokens that can be such: not negative, NaN, a text or 1e30."""
    found = value if isinstance(value, Mapping) else {}
    return {
        name: found[name] for name in names if type(found.get(name)) is int and 0 <= found[name] <= MAX_TOKENS
    }


def _without(request: Mapping[str, Any], refused: set[str]) -> dict[str, Any]:
    """The request without what its model refuses."""
    changed = dict(request)
    if "stream" in refused:
        changed["stream"] = False
        changed.pop("stream_options", None)
    if "system" in refused:
        # Its text is at the start of the user's first message.
        system = [str(one["content"]) for one in request["messages"] if one["role"] == "system"]
        others = [dict(one) for one in request["messages"] if one["role"] != "system"]
        first = next((one for one in others if one["role"] == "user"), {})
        first["content"] = "\n\n".join([*system, first.get("content", "")])
        changed["messages"] = others
    return changed


def _refusal(error: RefineError) -> str:
    """What to leave out after a refusal; empty where it is none of these."""
    said, param = error.message.partition(" It said: ")[2], error.param or ""
    if error.code not in ("bad-request", "provider-error"):
        return ""
    return (
        "stream" if _STREAM.search(param or said) else "system" if _SYSTEM.search(f"{param} {said}") else ""
    )
