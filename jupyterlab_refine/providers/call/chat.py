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
from .event import EventReader, Received

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
    changes = Changes(profile, request)
    while True:
        try:
            async with aclosing(_answered(client, changes, timeouts, received)) as events:
                async for event in events:
                    yield event
            return
        except RefineError as error:
            if received.started or not changes.learn(error):
                raise changes.first or error from None


async def _answered(
    client: httpx.AsyncClient, changes: Changes, timeouts: Timeouts, received: Received
) -> AsyncGenerator[str, None]:
    profile, request = changes.profile, changes.request
    model = str(request.get("model", ""))
    answer = Answer(profile, model, timeouts, received)
    reader = EventReader(received, profile.secrets(), _max_tokens(request))
    reader.notice = changes.notice
    try:
        await answer.open(client, request)
        async with aclosing(_events(answer, profile, model, received)) as events:
            async for event in events:
                yield reader.read(event)
                if reader.limit_reached:
                    yield reader.end_at_limit(
                        f"{profile.host} wrote more than {reader.limit_reached:,} characters: "
                        "the answer was ended there. Lower maxOutputTokens, or choose another model."
                    )
                    break
        rest = reader.rest()
        if rest:
            yield rest
        yield DONE
    except EventTooLong as error:
        raise faults.not_an_api(profile, f"something that is not an event stream ({error})") from None
    finally:
        await answer.close()


async def _events(
    answer: Answer, profile: Profile, model: str, received: Received
) -> AsyncGenerator[Mapping[str, Any], None]:
    """The events as the provider sent them, up to the end of an answer that is whole."""
    decoder = SseDecoder()
    first = await answer.first_chunk()
    if first.lstrip()[:1] == b"{":
        yield _as_event(profile, model, await answer.rest(first))
        return
    chunk: bytes | None = first
    while chunk is not None:
        events = decoder.feed(chunk)
        if events or decoder.unfinished:
            answer.data_came()
        for data in events:
            if data == DONE:
                _check_said(profile, received)
                return
            yield _event(profile, model, data, received)
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


def _check_said(profile: Profile, received: Received) -> None:
    if not received.speaking and not received.finished:
        raise faults.not_an_api(profile, "an empty stream")


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


def _max_tokens(request: Mapping[str, Any]) -> int | None:
    return request.get("max_completion_tokens") or request.get("max_tokens")


#: By base URL and model, as long as the process lives.
_known: dict[tuple[str, str], dict[str, str]] = {}

_STREAM = re.compile(r"\bstream(ing)?\b", re.IGNORECASE)
_SYSTEM = re.compile(r"\bsystem\b.{0,20}\b(role|message|prompt|instruction)|\brole\b.{0,60}\bsystem\b", re.I)
_ENDPOINT = re.compile(r"unexpected endpoint|unknown (endpoint|path|url|route)|invalid url", re.IGNORECASE)


class Changes:
    """A request and where it goes, with what is known and what is learned while it is made."""

    def __init__(self, profile: Profile, request: Mapping[str, Any]) -> None:
        self._profile = profile
        self._request = request
        self._learned = _known.setdefault((profile.base_url, str(request.get("model"))), {})
        self._new: list[str] = []
        #: Of the address as it is configured, when the other one fails as well.
        self.first: RefineError | None = None

    @property
    def profile(self) -> Profile:
        """At the address that answers."""
        return self._profile.without_version() if "address" in self._learned else self._profile

    @property
    def request(self) -> dict[str, Any]:
        """Without what is refused."""
        request = dict(self._request)
        if "stream" in self._learned:
            request["stream"] = False
            request.pop("stream_options", None)
        if "system" in self._learned:
            request["messages"] = _without_system(request["messages"])
        return request

    @property
    def notice(self) -> str:
        """What was learned with this request, for the user; empty for nothing."""
        return " ".join(self._learned[change] for change in self._new if change in self._learned)

    def learn(self, error: RefineError) -> bool:
        """Whether a refusal shows what to change; the request is then made again."""
        found = self._change(error)
        if found is None or found[0] in self._learned:
            if self.first is not None and error.provider_status != self.first.provider_status:
                # The other address knows the route.
                self.first = None
            if self.first is not None:
                del self._learned["address"]
            return False
        change, sentence = found
        if change == "address":
            self.first = error
        self._learned[change] = sentence
        self._new.append(change)
        return True

    def _change(self, error: RefineError) -> tuple[str, str] | None:
        host, said = self._profile.host, error.message.partition(" It said: ")[2]
        is_elsewhere = error.code == faults.WRONG_ADDRESS and error.provider_status in (404, 405)
        if is_elsewhere or _ENDPOINT.search(said):
            other = self._profile.without_version().base_url
            return "address", f"{host} answers at another address. Set base_url to it: {other}"
        if error.code not in ("bad-request", "provider-error"):
            return None
        param = error.param or ""
        if param == "stream" or (not param and _STREAM.search(said)):
            return "stream", f"{host} refuses to stream this model's answers: they come whole."
        if _SYSTEM.search(f"{param} {said}"):
            return "system", f"{host} refuses the system role: its text is in the user's message."
        return None


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


class EventTooLong(ValueError):
    """An event beyond ``MAX_EVENT_BYTES``."""


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
        if len(self._rest) + self._size > MAX_EVENT_BYTES:
            raise EventTooLong(f"an event is longer than {MAX_EVENT_BYTES:,} bytes")
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
