"""An OpenAI-compatible provider that misbehaves on request: raw sockets, so that every byte can be chosen."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Call:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Script = Callable[["Reply"], Awaitable[None]]


@dataclass
class Reply:
    """What a script answers with."""

    call: Call
    writer: asyncio.StreamWriter
    #: Set when the other side closed the connection.
    left: asyncio.Event

    async def head(self, status: int = 200, content_type: str = "text/event-stream", **headers: str) -> None:
        lines = [f"HTTP/1.1 {status} X", f"Content-Type: {content_type}", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        await self.raw("\r\n".join(lines) + "\r\n\r\n")

    async def raw(self, text: str | bytes) -> None:
        self.writer.write(text.encode() if isinstance(text, str) else text)
        await self.writer.drain()

    async def event(self, value: Any) -> None:
        await self.raw(f"data: {value if isinstance(value, str) else json.dumps(value)}\n\n")

    async def delta(self, text: str) -> None:
        await self.event(chunk({"content": text}))

    async def finish(self, usage: dict[str, int] | None = None) -> None:
        await self.event(chunk({}, "stop"))
        if usage:
            await self.event({**chunk({}), "choices": [], "usage": usage})
        await self.event("[DONE]")


def chunk(delta: dict[str, str], finish_reason: str | None = None) -> dict[str, Any]:
    return {
        "id": "x",
        "object": "chat.completion.chunk",
        "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
    }


async def answer_hello(reply: Reply) -> None:
    await reply.head()
    await reply.delta("Hel")
    await reply.delta("lo")
    await reply.finish({"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9})


def answer_status(
    status: int, body: Any = "", content_type: str = "application/json", **headers: str
) -> Script:
    async def script(reply: Reply) -> None:
        await reply.head(status, content_type, **headers)
        await reply.raw(body if isinstance(body, str) else json.dumps(body))

    return script


@dataclass
class FakeProvider:
    """Answers ``/v1/models`` with ``models`` and ``/v1/chat/completions`` with ``chat``."""

    chat: Script = answer_hello
    models: Script = field(default_factory=lambda: answer_models("m-one"))
    calls: list[Call] = field(default_factory=list)
    #: One for each connection that the other side closed before the script was through.
    departures: asyncio.Queue[float] = field(default_factory=asyncio.Queue)
    port: int = 0

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        return f"http://{self.host}/v1"

    def chats(self) -> list[Call]:
        return [call for call in self.calls if call.path.endswith("/chat/completions")]

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            call = await _read_call(reader)
            self.calls.append(call)
            left = asyncio.Event()
            watch = asyncio.create_task(self._watch(reader, left))
            try:
                await self._script(call)(Reply(call, writer, left))
            finally:
                watch.cancel()
        except _NotHttp:
            # As servers without TLS answer those who greet in it.
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def _script(self, call: Call) -> Script:
        path = call.path.partition("?")[0]
        if path.endswith("/chat/completions"):
            return self.chat
        if path.endswith("/models"):
            return self.models
        return answer_status(404)

    async def _watch(self, reader: asyncio.StreamReader, left: asyncio.Event) -> None:
        try:
            await reader.read(1)
        except ConnectionError:
            pass
        left.set()
        self.departures.put_nowait(asyncio.get_running_loop().time())


def answer_models(*names: str) -> Script:
    return answer_status(200, {"object": "list", "data": [{"id": name, "object": "model"} for name in names]})


class _NotHttp(Exception):
    """The first byte is that of a greeting in TLS."""


async def _read_call(reader: asyncio.StreamReader) -> Call:
    start = await reader.readexactly(1)
    if start == b"\x16":
        raise _NotHttp
    head = (start + await reader.readuntil(b"\r\n\r\n")).decode()
    first, *lines = head.rstrip().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Call(method, path, headers, body)
