"""One streamed answer of a provider."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from . import faults
from .answer import Answer, Timeouts
from .profile import Profile
from .secrets import mask
from .sse import EventTooLong, SseDecoder

DONE = "[DONE]"


@dataclass
class Received:
    """What a stream told besides its text; filled while it is read."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    #: Characters of the answer, for providers that tell no usage.
    characters: int = 0
    #: True once an event of the answer came.
    started: bool = False
    #: True once an event held more than the role of who speaks.
    speaking: bool = False
    #: True once a choice said why it ended.
    finished: bool = False


async def stream_chat(
    client: httpx.AsyncClient,
    profile: Profile,
    request: Mapping[str, Any],
    timeouts: Timeouts,
    received: Received,
) -> AsyncIterator[str]:
    """The ``data`` of each event, ``[DONE]`` last and always there.

    Closing the iterator, or cancelling the task that waits for it, closes the connection to the provider.

    Raises
    ------
    RefineError
        For each way a provider can fail; the message is for the user.
    """
    model = str(request.get("model", ""))
    answer = Answer(profile, model, timeouts)
    decoder = SseDecoder()
    try:
        await answer.open(client, request)
        chunk: bytes | None = await answer.first_chunk()
        if chunk.lstrip()[:1] == b"{":
            for data in _as_events(profile, model, await answer.rest(chunk)):
                yield _checked(profile, model, data, received)
            yield DONE
            return
        while chunk is not None:
            events = decoder.feed(chunk)
            if events or decoder.unfinished:
                answer.data_came()
            for data in events:
                if data == DONE:
                    yield DONE
                    return
                answer.started = True
                checked = _checked(profile, model, data, received)
                answer.speaking = received.speaking
                yield checked
            chunk = await answer.next_chunk()
        for data in decoder.end():
            if data != DONE:
                answer.started = True
                yield _checked(profile, model, data, received)
        if not answer.started:
            raise faults.not_an_api(profile, "an empty body")
        if not received.finished:
            raise faults.cut(profile)
        yield DONE
    except EventTooLong as error:
        raise faults.not_an_api(profile, f"something that is no event stream ({error})") from None
    finally:
        await answer.close()


def _checked(profile: Profile, model: str, data: str, received: Received) -> str:
    """The event as it may go to the client; its usage and its end are noted."""
    try:
        event = json.loads(data)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        if received.started:
            raise faults.garbled(profile)
        raise faults.not_an_api(profile, "events that are no JSON objects")
    if event.get("error"):
        raise faults.from_event(profile, model, event["error"])
    received.started = True
    usage = event.get("usage")
    if isinstance(usage, Mapping):
        received.prompt_tokens = _tokens(usage, "prompt_tokens", received.prompt_tokens)
        received.completion_tokens = _tokens(usage, "completion_tokens", received.completion_tokens)
    choices = event.get("choices")
    for choice in choices if isinstance(choices, list) else []:
        if not isinstance(choice, Mapping):
            continue
        delta = choice.get("delta")
        if isinstance(delta, Mapping):
            parts = [value for name, value in delta.items() if value and name != "role"]
            received.speaking = received.speaking or bool(parts)
            received.characters += sum(len(text) for text in parts if isinstance(text, str))
        if choice.get("finish_reason"):
            received.finished = True
    return mask(data, profile.secrets())


def _tokens(usage: Mapping[str, Any], name: str, before: int | None) -> int | None:
    value = usage.get(name)
    return value if isinstance(value, int) and value >= 0 else before


def _as_events(profile: Profile, model: str, body: bytes) -> list[str]:
    """The events of a server that ignores ``stream`` and answers with one object."""
    try:
        parsed = json.loads(body)
    except ValueError:
        raise faults.not_an_api(profile, "something that is neither JSON nor an event stream") from None
    if isinstance(parsed, dict) and parsed.get("error"):
        raise faults.from_event(profile, model, parsed["error"])
    choices = parsed.get("choices") if isinstance(parsed, dict) else None
    if not isinstance(choices, list) or not choices:
        raise faults.not_an_api(profile, "JSON that holds no answer")
    streamed = [
        {
            **{key: value for key, value in choice.items() if key != "message"},
            "delta": choice.get("message") or {},
        }
        for choice in choices
        if isinstance(choice, dict)
    ]
    return [json.dumps({**parsed, "object": "chat.completion.chunk", "choices": streamed})]
