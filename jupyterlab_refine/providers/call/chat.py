"""One streamed answer of a provider."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

import httpx

from ...errors import RefineError
from .. import faults
from ..foreign import parse_json
from ..profiles.profile import Profile
from .answer import MAX_BODY, Answer, Timeouts
from .changes import Changes
from .event import EventReader, Received
from .sse import EventTooLong, SseDecoder

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
