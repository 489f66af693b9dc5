"""One streamed answer of a provider."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

import httpx

from ...errors import RefineError
from .. import faults
from ..foreign import parse_json
from ..profiles.profile import Profile
from .answer import MAX_BODY, Answer, Timeouts
from .event import MAX_CHARACTERS, EventReader, Received

DONE = "[DONE]"


async def stream_chat(
    client: httpx.AsyncClient,
    profile: Profile,
    request: Mapping[str, Any],
    timeouts: Timeouts,
    received: Received,
) -> AsyncGenerator[str, None]:
    """The ``data`` of each event, ``[DONE]`` last and always there.

    Closing the iterator, or cancelling the task that waits for it, closes the connection to the provider.

    Raises
    ------
    RefineError
        For each way a provider can fail; the message is for the user.
    """
    model = str(request.get("model", ""))
    learned = _known.setdefault((profile.base_url, model), {})
    new: list[str] = []
    # Of the address as it is configured, when the other one is tried.
    first: RefineError | None = None
    while True:
        place = profile.without_version() if "address" in learned else profile
        notice = " ".join(learned[change] for change in new)
        try:
            answer = Answer(place, model, timeouts, received)
            events = _answered(client, answer, place, model, _without(request, learned), received, notice)
            async with aclosing(events):
                async for event in events:
                    yield event
            return
        except RefineError as error:
            change, sentence = ("", "") if received.started else _refused(profile, error)
            if first is not None and change == "address":
                # Neither of the two knows the route.
                del learned["address"]
                raise first from None
            if not change or change in learned:
                raise
            first = error if change == "address" else first
            learned[change] = sentence
            new.append(change)


async def _answered(
    client: httpx.AsyncClient,
    answer: Answer,
    profile: Profile,
    model: str,
    request: Mapping[str, Any],
    received: Received,
    notice: str,
) -> AsyncGenerator[str, None]:
    reader = EventReader(received, profile.secrets())
    reader.notice = notice
    try:
        await answer.open(client, request)
        async with aclosing(_events(answer, profile, model, received)) as events:
            async for event in events:
                yield reader.read(event)
                if reader.is_full:
                    yield reader.end_at_limit(
                        f"{profile.host} wrote more than {MAX_CHARACTERS:,} characters: "
                        "the answer was ended there. Lower maxOutputTokens, or choose another model."
                    )
                    break
        rest = reader.rest()
        if rest:
            yield rest
        yield DONE
    finally:
        await answer.close()


async def _events(
    answer: Answer, profile: Profile, model: str, received: Received
) -> AsyncGenerator[Mapping[str, Any], None]:
    """The events as the provider sent them, up to the end of an answer that is whole."""
    decoder = SseDecoder()
    first = await answer.first_chunk()
    if first.lstrip()[:1] == b"{":
        body = bytearray(first)
        await answer.rest(body)
        yield _as_event(profile, model, bytes(body))
        return
    chunk: bytes | None = first
    while chunk is not None:
        events = decoder.feed(chunk)
        if decoder.is_too_long:
            what = f"an event is longer than {MAX_EVENT_BYTES:,} bytes"
            raise faults.not_an_api(profile, f"something that is not an event stream ({what})")
        for data in events:
            if data == DONE:
                if not received.speaking and not received.finished:
                    raise faults.not_an_api(profile, "an empty stream")
                return
            yield _event(profile, model, data, received)
        if events or decoder.unfinished:
            answer.data_came()
        chunk = await answer.next_chunk()
    for data in decoder.end():
        if data != DONE:
            yield _event(profile, model, data, received)
    if not received.started:
        raise faults.not_an_api(profile, "an empty body")
    if not received.finished:
        raise faults.cut(profile)


def _event(profile: Profile, model: str, data: str, received: Received) -> Mapping[str, Any]:
    try:
        event = parse_json(data)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        if received.started:
            raise faults.garbled(profile)
        raise faults.not_an_api(profile, "events that are not JSON objects")
    _check_error(profile, model, event)
    return event


def _check_error(profile: Profile, model: str, event: Mapping[str, Any]) -> None:
    """Raise what an event reports: within ``error``, in its choice, or in place of one."""
    choices = event.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    failed = choice.get("finish_reason") == "error"
    named = event.get("error") or choice.get("error") or (failed and choice.get("message"))
    if not named and not choices and (event.get("detail") or isinstance(event.get("message"), str)):
        named = event
    if named or failed:
        raise faults.from_event(profile, model, named)


def _as_event(profile: Profile, model: str, body: bytes) -> Mapping[str, Any]:
    """The event of a server that ignores ``stream`` and answers with one object."""
    if len(body) >= MAX_BODY:
        raise faults.not_an_api(profile, f"more than {MAX_BODY:,} bytes of JSON")
    try:
        parsed = parse_json(body)
    except ValueError:
        raise faults.not_an_api(profile, "something that is neither JSON nor an event stream") from None
    if isinstance(parsed, dict):
        _check_error(profile, model, parsed)
    choices = parsed.get("choices") if isinstance(parsed, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise faults.not_an_api(profile, "JSON without an answer")
    return dict(parsed)


#: By base URL and model, as long as the process lives.
_known: dict[tuple[str, str], dict[str, str]] = {}

_STREAM = re.compile(r"\bstream(ing)?\b", re.IGNORECASE)
_SYSTEM = re.compile(r"\bsystem\b.{0,20}\b(role|message|prompt|instruction)|\brole\b.{0,60}\bsystem\b", re.I)
_ENDPOINT = re.compile(r"unexpected endpoint|unknown (endpoint|path|url|route)|invalid url", re.IGNORECASE)


def _without(request: Mapping[str, Any], learned: Mapping[str, str]) -> dict[str, Any]:
    """The request without what its model refuses."""
    changed = dict(request)
    if "stream" in learned:
        changed["stream"] = False
        changed.pop("stream_options", None)
    if "system" in learned:
        changed["messages"] = _without_system(request["messages"])
    return changed


def _refused(profile: Profile, error: RefineError) -> tuple[str, str]:
    """What to change after a refusal, and a sentence for the user; empty where it is none of these."""
    host, said, param = profile.host, error.message.partition(" It said: ")[2], error.param or ""
    is_elsewhere = error.code == faults.WRONG_ADDRESS and error.provider_status in (404, 405)
    if is_elsewhere or _ENDPOINT.search(said):
        other = profile.without_version().base_url
        return "address", f"{host} answers at another address. Set base_url to it: {other}"
    if error.code not in ("bad-request", "provider-error"):
        return "", ""
    if param == "stream" or (not param and _STREAM.search(said)):
        return "stream", f"{host} refuses to stream this model's answers: they come whole."
    if _SYSTEM.search(f"{param} {said}"):
        return "system", f"{host} refuses the system role: its text is in the user's message."
    return "", ""


def _without_system(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The system's text at the start of the user's first message."""
    system = [str(message["content"]) for message in messages if message["role"] == "system"]
    others = [dict(message) for message in messages if message["role"] != "system"]
    first = next((message for message in others if message["role"] == "user"), None)
    if first is not None and isinstance(first.get("content"), str):
        first["content"] = "\n\n".join([*system, first["content"]])
    return others


#: Bytes one event may have before it is taken for something else.
MAX_EVENT_BYTES = 2_000_000

_LINE_END = re.compile(rb"\r\n|\n|\r(?!\Z)")


class SseDecoder:
    """Turns chunks of a body into the ``data`` of its events; comments are left out.

    Only LF, CR LF and CR end a line: ``httpx``'s own iterator splits at every Unicode line break, and JSON
    text may hold U+2028 or U+0085 unescaped.
    """

    def __init__(self) -> None:
        #: Of a line that has not ended.
        self._rest = bytearray()
        self._data: list[str] = []
        self._size = 0
        self._is_error = False

    @property
    def unfinished(self) -> bool:
        """True in the middle of an event; comments are none."""
        return bool(self._data) or (bool(self._rest) and not self._rest.startswith(b":"))

    @property
    def is_too_long(self) -> bool:
        """True for an event beyond ``MAX_EVENT_BYTES``."""
        return len(self._rest) + self._size > MAX_EVENT_BYTES

    def feed(self, chunk: bytes) -> list[str]:
        """The events that ``chunk`` completes."""
        events: list[str] = []
        after_cr = self._rest.endswith(b"\r")
        self._rest += chunk
        if after_cr or b"\n" in chunk or b"\r" in chunk:
            *lines, rest = _LINE_END.split(bytes(self._rest))
            self._rest = bytearray(rest)
            for line in lines:
                self._line(line, events)
        return events

    def end(self) -> list[str]:
        """What a body that ends without its last blank line still holds."""
        events = self.feed(b"\n\n") if self._rest or self._data else []
        self._line(b"", events)
        return events

    def _line(self, line: bytes, events: list[str]) -> None:
        if not line:
            if self._data:
                data = "\n".join(self._data)
                events.append(_as_error(data) if self._is_error else data)
                self._data = []
                self._size = 0
            self._is_error = False
            return
        name, _, value = line.partition(b":")
        if name == b"event":
            self._is_error = value.strip() == b"error"
        if name == b"data":
            # A line counts for itself as well: a million empty ones are no event either.
            self._size += len(value) + 1
            self._data.append(value.removeprefix(b" ").decode("utf-8", "replace"))


def _as_error(data: str) -> str:
    """The data of an event named ``error``, as that of others which hold one."""
    try:
        parse_json(data)
    except ValueError:
        data = json.dumps(data)
    return f'{{"error": {data}}}'
