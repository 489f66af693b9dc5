"""One streamed answer of a provider: read under limits, rebuilt event by event, without a key.

A client gets only what was understood here: no unknown field, no invalid number, no text that cannot be
encoded, and no key, whether it is escaped, in a name, or cut over several events.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from codecs import BOM_UTF8
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import anyio
import httpx

from ..errors import RefineError
from . import faults
from .body import MAX_BODY, content_encoding, plain_chunks, request_headers
from .clients import PATIENCE
from .foreign import parse_json, token_count, well_formed
from .profile import Profile
from .quirks import usual_delta
from .secrets import StreamMask, mask

#: Seconds that the body of an error may take: its status alone says enough.
ERROR_BODY_SECONDS = 5.0

#: Bytes of a stream, comments and blanks included, and of one event.
MAX_STREAM = 256_000_000
MAX_EVENT = 2_000_000

#: Characters after which an answer is ended, its reasoning included. The longest that models of today
#: write (128,000 tokens) has half of them.
MAX_CHARACTERS = 1_000_000

#: Characters of a name.
MAX_NAME = 200

#: Fields of an event that hold text.
TEXTS = ("content", "reasoning_content", "refusal")

#: Characters a token has, roughly, where a provider does not count.
CHARACTERS_PER_TOKEN = 4

DONE = "[DONE]"

#: Takes text of ``text/event-stream``: events and comments.
Send = Callable[[str], Awaitable[None]]

T = TypeVar("T")

#: What each model refuses, with a sentence for the user; by base URL and model, as long as the process lives.
_known: dict[tuple[str, str], dict[str, str]] = {}

_STREAM = re.compile(r"\bstream(ing)?\b", re.IGNORECASE)
_SYSTEM = re.compile(r"\bsystem\b.{0,20}\b(role|message|prompt|instruction)|\brole\b.{0,60}\bsystem\b", re.I)
_ENDPOINT = re.compile(r"unexpected endpoint|unknown (endpoint|path|url|route)|invalid url", re.IGNORECASE)


@dataclass(frozen=True)
class Timeouts:
    """Seconds. There is no total: an answer may take as long as its text flows."""

    connect: float = 10.0
    #: Before the first text: covers the loading of a model.
    first_token: float = 540.0
    #: Without data after it; comments do not count.
    stall: float = 60.0
    #: For usage, and the end of the body, once the answer has ended.
    closing: float = 5.0

    def within(self, session: float | None) -> Timeouts:
        """The same, such that a provider which never answers is named before a session's time is over."""
        if session is None:
            return self
        most = 0.9 * session
        return Timeouts(self.connect, min(self.first_token, most), min(self.stall, most))


class Answer:
    """The answer to one request, passed on to ``send`` as it comes."""

    def __init__(self, profile: Profile, timeouts: Timeouts, send: Send) -> None:
        self._profile = profile
        self._timeouts = timeouts
        self._send = send
        #: A server may write several fields in turn, or in each event.
        self._masks = {field: StreamMask(profile.secrets()) for field in TEXTS}
        #: For the user, with the first event.
        self._notice = ""
        #: When the next sign of life is due; None: counted from the next wait, without a slow client's time.
        self._due: float | None = None
        self._size = 0
        self._characters = 0
        self._usage: dict[str, int] = {}
        #: True once an event of the answer came: a connection that breaks then is a cut one.
        self._started = False
        #: True once an event held text: only data is a sign of life then.
        self.speaking = False
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

        A request that the model refuses for its form is changed and sent again; what was learned is kept.

        Raises
        ------
        RefineError
            For each way a provider can fail; the message is for the user.
        """
        configured, model = self._profile, str(request.get("model", ""))
        learned = _known.setdefault((configured.base_url, model), {})
        #: Of the address as it is configured, when the other one is tried.
        first: RefineError | None = None
        while True:
            self._profile = configured.without_version() if "address" in learned else configured
            try:
                await self._call(client, model, _without(request, learned))
                return
            except RefineError as error:
                change, sentence = ("", "") if self._started else _refused(configured, error)
                if first is not None and change == "address":
                    # Neither of the two knows the route.
                    del learned["address"]
                    raise first from None
                if not change or change in learned:
                    raise
                first = error if change == "address" else first
                learned[change] = sentence
                self._notice = f"{self._notice} {sentence}".strip()

    async def _call(self, client: httpx.AsyncClient, model: str, request: Mapping[str, Any]) -> None:
        profile = self._profile
        self._due = None
        outgoing = client.build_request(
            "POST",
            profile.url("chat/completions"),
            # A lone surrogate, which a notebook can hold, is replaced.
            content=well_formed(json.dumps(request, ensure_ascii=False)).encode(),
            headers={
                "Content-Type": "application/json",
                "Accept": "text/event-stream" if request["stream"] else "application/json",
                **request_headers(profile),
            },
            timeout=httpx.Timeout(None, connect=self._timeouts.connect, pool=PATIENCE),
        )
        response = await self._in_time(client.send(outgoing, stream=True))
        try:
            encoding = content_encoding(response)
            chunks = plain_chunks(response)
            if response.status_code != 200:
                body = b"" if encoding else await self._error_body(chunks)
                raise faults.from_response(profile, model, response.status_code, response.headers, body)
            if encoding:
                raise faults.encoded(profile, encoding)
            await self._read(chunks, model)
            if not self._finished or any(mask.holds for mask in self._masks.values()):
                await self._end("" if self._finished else "stop")
            await self._send(f"data: {DONE}\n\n")
        finally:
            # A client that goes is noticed twice: a cancel must not keep the connection open.
            await asyncio.shield(response.aclose())

    async def _error_body(self, chunks: AsyncIterator[bytes]) -> bytes:
        """What comes of an error's body within its limits."""
        body = bytearray()
        with contextlib.suppress(RefineError), anyio.move_on_after(ERROR_BODY_SECONDS):
            await self._rest(chunks, body)
        return bytes(body)

    async def _read(self, chunks: AsyncIterator[bytes], model: str) -> None:
        """Pass on what the provider sends, up to the end of an answer that is whole."""
        chunk: bytes | None = b""
        while chunk is not None and not chunk.strip():
            chunk = await self._next(chunks)
            chunk = chunk and chunk.removeprefix(BOM_UTF8)
        start = (chunk or b"").lstrip()[:1]
        if start == b"<":
            raise faults.not_an_api(self._profile, "a web page")
        if start == b"{":
            body = bytearray(chunk or b"")
            await self._rest(chunks, body)
            await self._pass_on(self._parsed_whole(bytes(body)), model, is_whole=True)
            return
        decoder = SseDecoder()
        while True:
            # A body may end without its last blank line.
            events = decoder.feed(b"\n\n" if chunk is None else chunk)
            if decoder.is_too_long:
                what = f"an event is longer than {MAX_EVENT:,} bytes"
                raise faults.not_an_api(self._profile, f"something that is not an event stream ({what})")
            for name, data in events:
                if data == DONE:
                    if not self.speaking and not self._finished:
                        raise faults.not_an_api(self._profile, "an empty stream")
                    return
                await self._pass_on(self._parsed(name, data), model)
                if self._characters >= MAX_CHARACTERS:
                    await self._end(
                        "length",
                        f"{self._profile.host} wrote more than {MAX_CHARACTERS:,} characters: "
                        "the answer was ended there. Lower maxOutputTokens, or choose another model.",
                    )
                    return
            if chunk is None:
                break
            if (events or decoder.unfinished) and (self.speaking or self._finished):
                self._due = None
            chunk = await self._next(chunks)
        if not self._started:
            raise faults.not_an_api(self._profile, "an empty body")
        if not self._finished:
            raise faults.cut(self._profile)

    async def _rest(self, chunks: AsyncIterator[bytes], body: bytearray) -> None:
        """Add all that follows to ``body``, which ends soon after its limit."""
        while len(body) < MAX_BODY and (chunk := await self._next(chunks)) is not None:
            body += chunk

    async def _next(self, chunks: AsyncIterator[bytes]) -> bytes | None:
        """The next bytes as they come; None at the end."""
        try:
            chunk = await self._in_time(anext(chunks, None))
        except RefineError:
            if self._finished:
                return None
            raise
        self._size += len(chunk or b"")
        if self._size > MAX_STREAM:
            raise faults.too_large(self._profile, MAX_STREAM)
        return chunk

    async def _in_time(self, waiting: Awaitable[T]) -> T:
        limits, speaking = self._timeouts, self.speaking
        limit = limits.closing if self._finished else limits.stall if speaking else limits.first_token
        if self._due is None:
            self._due = time.monotonic() + limit
        try:
            with anyio.fail_after(max(0.0, self._due - time.monotonic())):
                # Bytes that were received together come without a wait: others have their turn.
                await asyncio.sleep(0)
                return await waiting
        except TimeoutError:
            raise faults.stalled(self._profile, limit, started=speaking) from None
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, UnicodeError, OSError) as error:
            raise faults.from_exception(self._profile, error, started=self._started) from None

    def _parsed(self, name: str, data: str) -> Mapping[str, Any]:
        try:
            event = parse_json(data)
        except ValueError:
            event = data if name == "error" else None
        if name == "error":
            event = {"error": event}
        if isinstance(event, dict):
            return event
        if self._started:
            raise faults.cut(self._profile, "sent something unreadable")
        raise faults.not_an_api(self._profile, "events that are not JSON objects")

    def _parsed_whole(self, body: bytes) -> Mapping[str, Any]:
        """The event of a server that ignores ``stream`` and answers with one object."""
        if len(body) >= MAX_BODY:
            raise faults.not_an_api(self._profile, f"more than {MAX_BODY:,} bytes of JSON")
        try:
            parsed: Mapping[str, Any] = parse_json(body)
            return parsed
        except ValueError:
            what = "something that is neither JSON nor an event stream"
            raise faults.not_an_api(self._profile, what) from None

    async def _pass_on(self, event: Mapping[str, Any], model: str, *, is_whole: bool = False) -> None:
        """Send the event as it may go to the client. Raises what it reports."""
        choices = event.get("choices")
        # One answer was asked for: whatever else is in the list belongs to none.
        choice = choices[0] if isinstance(choices, list) and choices else None
        choice = choice if isinstance(choice, Mapping) else {}
        failed = choice.get("finish_reason") == "error"
        error = event.get("error") or choice.get("error") or (failed and choice.get("message"))
        if not error and not choices and (event.get("detail") or isinstance(event.get("message"), str)):
            error = event
        if error or failed:
            raise faults.from_event(self._profile, model, error)
        if is_whole and not choice:
            raise faults.not_an_api(self._profile, "JSON without an answer")
        self._started = True
        more: dict[str, Any] = {}
        if isinstance(event.get("model"), str):
            more["model"] = self._name(event["model"])
        if usage := _counts(event.get("usage"), "prompt_tokens", "completion_tokens"):
            self._usage |= usage
            more["usage"] = usage
        if progress := _counts(event.get("prompt_progress"), "total", "processed"):
            # llama.cpp's, while it reads.
            more["prompt_progress"] = {"total": 0, "processed": 0, **progress}
        if not choice:
            await self._write(None, **more)
            return
        # Some servers write a whole message, others a completion.
        given = choice.get("delta") or choice.get("message") or {"content": choice.get("text")}
        given = usual_delta(given) if isinstance(given, Mapping) else {}
        delta = {"role": "assistant"} if given.get("role") == "assistant" else {}
        finish = choice.get("finish_reason")
        finish = self._name(finish) if isinstance(finish, str) else "stop" if finish else None
        self._finished = self._finished or bool(finish)
        found = {field: given[field] for field in TEXTS if isinstance(given.get(field), str)}
        texts = {field: text for field, text in found.items() if text}
        self.speaking = self.speaking or bool(texts)
        self._characters += sum(map(len, texts.values()))
        delta |= self._masked(texts, to_the_end=bool(finish))
        await self._write({"index": 0, "delta": delta, "finish_reason": finish or None}, **more)

    def _masked(self, texts: Mapping[str, str], *, to_the_end: bool) -> dict[str, str]:
        """What is certain of the texts, and all that was held back of fields which do not go on here."""
        masked: dict[str, str] = {}
        for field, held in self._masks.items():
            text = held.feed(texts[field]) if field in texts else ""
            if to_the_end or (texts and field not in texts):
                text += held.flush()
            if text:
                masked[field] = text
        return masked

    async def _end(self, reason: str, notice: str = "") -> None:
        """Send the text held back, and why the answer ends where the provider did not say it."""
        self._finished = True
        delta = self._masked({}, to_the_end=True)
        more = {"refine": {"notice": notice}} if notice else {}
        await self._write({"index": 0, "delta": delta, "finish_reason": reason or None}, **more)

    async def _write(self, choice: Mapping[str, Any] | None, **more: Any) -> None:
        if self._notice:
            more["refine"] = {"notice": self._notice}
            self._notice = ""
        event = {"object": "chat.completion.chunk", "choices": [choice] if choice else [], **more}
        await self._send(f"data: {json.dumps(event)}\n\n")
        # Others have their turn, however fast events come and go.
        await asyncio.sleep(0)

    def _name(self, text: str) -> str:
        return mask(well_formed(text[: 4 * MAX_NAME]), self._profile.secrets())[:MAX_NAME]


def _counts(value: Any, *names: str) -> dict[str, int]:
    found = value if isinstance(value, Mapping) else {}
    counts = {name: token_count(found.get(name)) for name in names}
    return {name: count for name, count in counts.items() if count is not None}


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


class SseDecoder:
    """Turns chunks of a body into names and ``data`` of its events; comments are left out.

    Only LF and CR LF end a line: ``httpx``'s own iterator splits at every Unicode line break, and JSON
    text may hold U+2028 or U+0085 unescaped.
    """

    def __init__(self) -> None:
        #: Of a line that has not ended.
        self._rest = bytearray()
        self._name = ""
        #: Of an event that has not ended: its lines of data with a line feed after each, and all its bytes.
        self._data = bytearray()
        self._size = 0

    @property
    def unfinished(self) -> bool:
        """True in the middle of an event; comments are none."""
        return bool(self._data) or (bool(self._rest) and not self._rest.startswith(b":"))

    @property
    def is_too_long(self) -> bool:
        """True for an event beyond ``MAX_EVENT``."""
        return len(self._rest) + self._size > MAX_EVENT

    def feed(self, chunk: bytes) -> list[tuple[str, str]]:
        """The events that ``chunk`` completes."""
        self._rest += chunk
        if b"\n" not in chunk:
            return []
        *lines, self._rest = self._rest.split(b"\n")
        events = []
        for line in lines:
            line = line.removesuffix(b"\r")
            self._size += len(line)
            name, _, value = line.partition(b":")
            if name == b"event":
                self._name = value.strip().decode("utf-8", "replace")
            elif name == b"data":
                self._data += value.removeprefix(b" ") + b"\n"
            elif not line:
                if self._data:
                    events.append((self._name, self._data[:-1].decode("utf-8", "replace")))
                self._name, self._data, self._size = "", bytearray(), 0
        return events
