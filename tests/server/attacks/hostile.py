"""A real Jupyter server before a provider with many ways to misbehave, and a watch over the server."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil
from browser import ROUTES, Answer
from fake_provider import FakeProvider, Reply, Script, answer_models, answer_status

#: The key that the provider is sent. Letters of both cases and characters that JSON and URLs escape.
KEY = 'sk-Canary/0123"456789+abcdef'

TOKEN = "token-of-the-test"

#: Seconds in which ``/api/status`` must answer at any time, and bytes that the server may grow.
STATUS_SECONDS = 1.0
GROWTH = 200_000_000

#: ``jupyter server`` with a short time limit in the middle of an answer; all other limits are the real ones.
SERVER = """
from jupyter_server.serverapp import main
from jupyterlab_refine import services
from jupyterlab_refine.providers import answer
answer.STALL, services.KEEP_ALIVE = 1.0, 0.5
main()
"""


@dataclass(frozen=True)
class Mode:
    """One way to misbehave.

    Parameters
    ----------
    script
        What the provider does.
    says
        Parts that the server's answer must have.
    words
        The text of the answer, when there must be one.
    models
        True: the script answers ``/models``; else ``/chat/completions``.
    request
        Fields of the request besides messages and model.
    leave
        Seconds after which the client goes; the provider must see that within one more.
    """

    script: Script
    says: tuple[str, ...] = ()
    words: str | None = None
    models: bool = False
    request: dict[str, Any] = field(default_factory=dict)
    leave: float | None = None
    within: float = 12.0


class HostileProvider(FakeProvider):
    """The first step of the path chooses the mode; runs in a thread of its own."""

    def __init__(self, modes: dict[str, Mode]) -> None:
        super().__init__()
        self._modes = modes
        #: When the other side left, by mode.
        self.left: dict[str, float] = {}
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        asyncio.run_coroutine_threadsafe(self.start(), self._loop).result(10)

    def end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _script(self, call: Any) -> Script:
        name = call.path.split("/")[1]
        mode = self._modes[name]
        wanted = "/models" if mode.models else "/chat/completions"
        script = mode.script if call.path.endswith(wanted) else answer_models("m")
        return self._watched(name, script) if script is mode.script else script

    def _watched(self, name: str, script: Script) -> Script:
        async def run(reply: Reply) -> None:
            watch = asyncio.ensure_future(reply.left.wait())
            watch.add_done_callback(
                lambda done: done.cancelled() or self.left.setdefault(name, time.monotonic())
            )
            try:
                await script(reply)
            except ConnectionError:
                self.left.setdefault(name, time.monotonic())
            finally:
                watch.cancel()

        return run


class WatchedServer:
    """``jupyter server`` in a process of its own; slow answers of its status are noted."""

    def __init__(self, folder: Path, provider: HostileProvider) -> None:
        self._provider = provider
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self._root = f"http://127.0.0.1:{port}/"
        folders = ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR")
        kept = {name: value for name, value in os.environ.items() if "PROXY" not in name.upper()}
        self._log = open(folder / "log", "w")
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-c", SERVER, "--allow-root", "--no-browser"),
                f"--ServerApp.port={port}",
                f"--IdentityProvider.token={TOKEN}",
                "--ServerApp.jpserver_extensions={'jupyterlab_refine': True}",
                f"--ServerApp.root_dir={folder}",
                "--Refine.first_token_timeout=2.0",
            ],
            cwd=folder,
            env={
                **kept,
                "OLLAMA_HOST": "127.0.0.1:9",
                **{f"JUPYTER_{name}": str(folder / name) for name in folders},
            },
            stdout=self._log,
            stderr=self._log,
        )
        self.log = folder / "log"
        self._client = httpx.Client(
            headers={"Authorization": f"token {TOKEN}"}, trust_env=False, timeout=httpx.Timeout(60)
        )
        self._wait_until_it_runs()
        self._memory = psutil.Process(self._process.pid)
        self._start = self._memory.memory_info().rss
        #: The slowest answer of ``/api/status`` in the mode that runs, and in all.
        self.slowest = self.slowest_of_all = 0.0
        self.grown = 0
        self._stopped = threading.Event()
        self._watch = threading.Thread(target=self._poll, daemon=True)
        self._watch.start()

    def run(self, name: str, mode: Mode) -> Answer:
        """Point the server's profile ``panel`` at a mode and call it."""
        self.slowest = 0.0
        listed = self._send("key", {"key": KEY, "baseUrl": f"{self._provider.base_url[:-3]}/{name}/v1"})
        if mode.models:
            return listed
        assert listed.status == 200, listed.text[:500]
        messages = [{"role": "user", "content": "Say hello."}]
        body = {"messages": messages, "model": "m", **mode.request}
        if mode.leave is None:
            return self._send("chat/completions", body)
        self._leave("chat/completions", body, mode.leave)
        left = time.monotonic()
        while name not in self._provider.left and time.monotonic() < left + 5:
            time.sleep(0.02)
        seen = self._provider.left.get(name)
        assert seen is not None and seen - left < 1, f"stopped after {seen and seen - left} s"
        return Answer(200, httpx.Headers(), "")

    @staticmethod
    def clock() -> float:
        return time.monotonic()

    def descriptors(self) -> int:
        return self._memory.num_fds()

    def stop(self) -> None:
        self._stopped.set()
        self._process.terminate()
        self._process.wait(20)
        self._log.close()

    def _send(self, route: str, body: Any) -> Answer:
        response = self._client.post(f"{self._root}{ROUTES}/{route}", headers=HEADERS, json=body)
        return Answer(response.status_code, response.headers, response.text)

    def _leave(self, route: str, body: Any, seconds: float) -> None:
        until = time.monotonic() + seconds
        with self._client.stream(
            "POST", f"{self._root}{ROUTES}/{route}", headers=HEADERS, json=body
        ) as response:
            for _ in response.iter_raw():
                if time.monotonic() > until:
                    return

    def _poll(self) -> None:
        with httpx.Client(headers={"Authorization": f"token {TOKEN}"}, trust_env=False) as client:
            while not self._stopped.wait(0.05):
                started_at = time.monotonic()
                try:
                    client.get(f"{self._root}api/status", timeout=60).raise_for_status()
                    self.grown = max(self.grown, self._memory.memory_info().rss - self._start)
                except (httpx.HTTPError, psutil.Error):
                    if not self._stopped.is_set():
                        self.slowest = float("inf")
                self.slowest = max(self.slowest, time.monotonic() - started_at)
                self.slowest_of_all = max(self.slowest_of_all, self.slowest)

    def _wait_until_it_runs(self) -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                # Also loads what is loaded at the first call, which is no growth.
                if self._client.get(f"{self._root}{ROUTES}/profiles").status_code == 200:
                    return
            except httpx.HTTPError:
                assert self._process.poll() is None, self.log.read_text()
            time.sleep(0.2)
        raise AssertionError(self.log.read_text())


HEADERS = {"X-Refine-Profile": "panel"}


def pump(
    text: str | bytes, *, head: Callable[[Reply], Any] | None = None, total: int | None = None
) -> Script:
    """Sends ``text`` again and again, as fast as it is taken, up to ``total`` bytes."""
    data = text.encode() if isinstance(text, str) else text
    block = data * max(1, 60_000 // len(data))

    async def script(reply: Reply) -> None:
        await (head(reply) if head else reply.head())
        sent = 0
        while total is None or sent < total:
            await reply.raw(block)
            sent += len(block)

    return script


def drip(text: str, *, every: float = 0.2, status: int = 200) -> Script:
    """Sends ``text`` again and again with pauses: never silent, never through."""

    async def script(reply: Reply) -> None:
        await reply.head(status)
        while not reply.left.is_set():
            await reply.raw(text)
            await asyncio.sleep(every)

    return script


def sends(*events: Any, finish: bool = True) -> Script:
    """Events, each a text or an object, then a proper end."""

    async def script(reply: Reply) -> None:
        await reply.head()
        for event in events:
            await reply.event(event)
        if finish:
            await reply.finish()

    return script


def raw(data: str | bytes) -> Script:
    """Bytes as they are, then the end of the connection."""

    async def script(reply: Reply) -> None:
        await reply.raw(data)

    return script


def delta(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": None}]}


def event_text(value: Any) -> str:
    return f"data: {json.dumps(value)}\n\n"


#: 3 MB that decode to 3 GB, and twice packed to a few KB.
ZEROS = gzip.compress(bytes(30_000_000), 9)
DEEP = "[" * 100_000


def encoded(names: str, body: bytes) -> Script:
    async def script(reply: Reply) -> None:
        await reply.head(content_type="text/event-stream", Content_Encoding=names)
        await reply.raw(body)

    return script


def in_pieces(field: str, size: int) -> Script:
    """The key in pieces of so many characters, a word before and after."""
    text = f"a {KEY} b"
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    return sends(*(delta(**{field: piece}) for piece in pieces))


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(char):04x}" for char in text)


async def silent(reply: Reply) -> None:
    await reply.left.wait()


async def comments_after_text(reply: Reply) -> None:
    await reply.head()
    await reply.delta("Hel")
    while not reply.left.is_set():
        await reply.raw(": processing\n\n")
        await asyncio.sleep(0.1)


async def byte_by_byte(reply: Reply) -> None:
    await reply.head()
    text = event_text(delta(content="x" * 20_000)).encode()
    for byte in text:
        await reply.raw(bytes([byte]))
    await reply.finish()


async def small_chunks(reply: Reply) -> None:
    await reply.head(Transfer_Encoding="chunked")
    while not reply.left.is_set():
        await reply.raw(b"1\r\nx\r\n" * 10_000)


async def reset(reply: Reply) -> None:
    await reply.head()
    await reply.delta("Hel")
    reply.writer.transport.abort()


HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
HELLO = delta(content="Hello")
NOT_AN_API = ("not-an-api",)
LENGTH = ("more than 1,000,000 characters",)
LONG_EVENT = ("not-an-api", "events are longer than 2,000,000 bytes")


def usage(value: Any) -> Script:
    counts = json.dumps({"prompt_tokens": value, "completion_tokens": value})
    return sends(HELLO, f'{{"choices": [], "usage": {counts}}}')


ANSWERS: dict[str, Mode] = {
    # Without an end, or never coming.
    "never answers": Mode(silent, ("stalled", "127.0.0.1", "sent no text for 2 s")),
    "comments that drip before the text": Mode(drip(": processing\n\n"), ("stalled", "sent no text for 2 s")),
    "empty deltas that drip": Mode(drip(event_text(delta())), ("stalled", "sent no text for 2 s")),
    "comments after text": Mode(comments_after_text, ("stalled", "for 1 s in the middle")),
    "text without end": Mode(pump(event_text(delta(content="x" * 2000))), LENGTH, within=60.0),
    "text without end, a stop": Mode(pump(event_text(delta(content="word"))), leave=1.0),
    "an event without end": Mode(pump("data: " + "x" * 50_000), LONG_EVENT),
    "chunks of one byte": Mode(small_chunks, ("error",), within=60.0),
    "JSON without end": Mode(pump('{"choices": [{"message": {"content": "'), LONG_EVENT),
    "a large event in single bytes": Mode(byte_by_byte, words="x" * 20_000 + "", within=60.0),
    # Encodings.
    "gzip": Mode(encoded("gzip", ZEROS), LONG_EVENT),
    "gzip, gzip": Mode(encoded("gzip, gzip", gzip.compress(ZEROS)), ("Content-Encoding gzip, gzip",)),
    "deflate": Mode(encoded("deflate", b"x" * 1000), ("provider-error",)),
    "br": Mode(encoded("br", b"x" * 1000), ("Content-Encoding br",)),
    # No HTTP, or hardly.
    "no HTTP": Mode(raw(b"\x00\xff" * 1000), ("provider-error",)),
    "nothing": Mode(raw(""), ("provider-error",)),
    "head of 10 MB": Mode(raw(HEAD + "X: " + "x" * 10_000_000), ("provider-error",)),
    "too short for its length": Mode(
        raw(f"{HEAD}Content-Length: 9999\r\n\r\n{event_text(HELLO)}"), ("stream-cut",)
    ),
    "a reset": Mode(reset, ("stream-cut",)),
    # No answer.
    "deep JSON": Mode(raw(f'{HEAD}\r\n{{"choices": {DEEP}'), NOT_AN_API),
    "a deep event": Mode(sends(DEEP), NOT_AN_API),
    "a deep event after text": Mode(sends(HELLO, DEEP), ("stream-cut",)),
    "a number of 5000 digits": Mode(
        sends(HELLO, '{"choices": [], "x": ' + "9" * 5000 + "}"), ("stream-cut",)
    ),
    "bytes that are no UTF-8": Mode(
        raw(
            HEAD.encode()
            + b'\r\ndata: {"choices":[{"delta":{"content":"\xff\xfe"},"finish_reason":"stop"}]}\n\n'
        ),
        words="\ufffd\ufffd",
    ),
    # Wrong shapes.
    "100,000 choices": Mode(
        sends({"choices": [{"delta": {"content": "x"}}] * 30_000}, HELLO), words="xHello"
    ),
    "content of a wrong type": Mode(
        sends(delta(content=5), delta(content={"a": 1}), delta(content=[1, None, {"text": 5}]), HELLO),
        words="Hello",
    ),
    "a finish reason of a wrong type": Mode(
        sends({"choices": [{"delta": {"content": "Hello"}, "finish_reason": {"a": KEY}}]}), words="Hello"
    ),
    "content_filter": Mode(
        sends({"choices": [{"delta": {}, "finish_reason": "content_filter"}]}, finish=False),
        ('"finish_reason": "content_filter"',),
    ),
    # Numbers and characters.
    "NaN in an event": Mode(sends('{"choices": [], "x": NaN, "created": Infinity}', HELLO), words="Hello"),
    "negative usage": Mode(usage(-5), words="Hello"),
    # The key.
    "the key in one piece": Mode(in_pieces("content", 1000), words="a [key] b"),
    "the key in single characters": Mode(in_pieces("content", 1), words="a [key] b"),
    "the key in reasoning": Mode(in_pieces("reasoning", 5), ("[key]",)),
    "the key in parts of content": Mode(
        sends(delta(content=[{"type": "text", "text": KEY[:9]}, {"type": "text", "text": KEY[9:]}])),
        words="[key]",
    ),
    "the key escaped": Mode(
        sends(f'{{"choices": [{{"delta": {{"content": "{escaped(KEY)}"}}}}]}}'), words="[key]"
    ),
    "the start of a key at the end": Mode(sends(delta(content=f"a {KEY[:9]}")), words=f"a {KEY[:9]}"),
    "the key as model, id and unknown field": Mode(
        sends({**HELLO, "model": KEY, "id": KEY, KEY: KEY, "system_fingerprint": KEY}), words="Hello"
    ),
    "the key in an answer that is no stream": Mode(
        raw(f"{HEAD}\r\n" + json.dumps({"choices": [{"message": {"content": f"a {KEY} b"}}]})),
        words="a [key] b",
    ),
    # Errors in a stream.
    "an error with a key": Mode(sends(HELLO, {"error": {"message": KEY, "code": KEY}}), ("[key]",)),
    "a deep error": Mode(sends(HELLO, '{"error": ' + "[" * 900 + "]" * 900 + "}"), ("provider-error",)),
    "an error that takes a pattern long": Mode(
        sends(HELLO, {"error": {"message": "exceeds the " * 40_000}}), ("provider-error",)
    ),
}


def error(message: Any, status: int = 400, **more: Any) -> Script:
    return answer_status(status, {"error": {"message": message, **more}})


def head_of(status: int, **headers: str) -> Any:
    async def head(reply: Reply) -> None:
        await reply.head(status, "application/json", **headers)

    return head


def sent(status: int, body: bytes, **headers: str) -> Script:
    async def script(reply: Reply) -> None:
        await head_of(status, **headers)(reply)
        await reply.raw(body)

    return script


def header(name: str, value: str, status: int = 429) -> Script:
    return sent(status, b"{}", **{name.replace("-", "_"): value})


ERRORS: dict[str, Mode] = {
    # Statuses.
    "status 204": Mode(raw("HTTP/1.1 204 No Content\r\n\r\n"), ("not-an-api", "status 204")),
    "status 999": Mode(answer_status(999, "{}"), ("provider-error", "999")),
    "status 401 with the key": Mode(error(f"Wrong: {KEY}", 401, code=KEY), ("unauthorized", "[key]")),
    # Headers.
    "retry-after-ms of ²": Mode(
        raw("HTTP/1.1 429 X\r\nretry-after-ms: \xb2\r\n\r\n".encode("latin-1")), ("429",)
    ),
    "retry-after of 1e300": Mode(header("Retry-After", "1e300"), ('"retryAfterMs": 604800000',)),
    "a redirect to xn--": Mode(header("Location", "http://xn--/", 302), ("provider-error",)),
    "a redirect that names the key": Mode(
        header("Location", f"http://{KEY.replace('/', '').replace(chr(34), '')}.example/", 302),
        ("a redirect to",),
    ),
    # Bodies of errors.
    "192 KB for the pattern of contexts": Mode(error("exceed the " * 17_000), ("bad-request",)),
    "an error without end": Mode(pump(" ", head=head_of(400)), ("bad-request",), within=15.0),
    "an error that drips": Mode(drip(" ", status=400), ("bad-request",), within=15.0),
    "an error that never comes": Mode(silent, ("stalled",)),
    "a deep error body": Mode(answer_status(400, DEEP), ("bad-request",)),
    "the key as a parameter": Mode(error("no", param=KEY), ("[key]",)),
    "the key escaped in an error": Mode(answer_status(400, f'{{"error": "{escaped(KEY)}"}}'), ("[key]",)),
    "the key across the end of a message": Mode(error("x" * 590 + KEY), ("bad-request",)),
}


def models(script: Script, *says: str, within: float = 12.0) -> Mode:
    return Mode(script, says, models=True, within=within)


LISTS: dict[str, Mode] = {
    "models: deep JSON": models(answer_status(200, DEEP), "answered with [[[["),
    "models: 200,000 ids": models(
        answer_status(200, {"data": [{"id": f"m{index}"} for index in range(200_000)]}), '"m1999"'
    ),
    "models: a list of 6 MB": models(
        answer_status(200, {"data": [{"id": f"model-{index}"} for index in range(300_000)]}),
        "instead of a model's answer",
    ),
    "models: 3 GB of blanks": models(pump(" ", total=3_000_000_000), "an empty body"),
    "models: blanks that drip": models(drip(" "), "did not answer within 5 s"),
    "models: gzip": models(sent(200, ZEROS, Content_Encoding="gzip"), "instead of a model's answer"),
    "models: an error without end": models(pump(" ", head=head_of(400)), "refused the request (400)"),
    "models: never": models(silent, "did not answer within 5 s"),
    "models: a redirect to xn--": models(header("Location", "http://xn--/", 302), "The call to"),
    "models: a key as a model": models(answer_status(200, {"data": [{"id": KEY}]}), "[key]"),
    "models: a key in a model, escaped": models(
        answer_status(200, f'{{"data": [{{"id": "x-{escaped(KEY)}"}}]}}'), "x-[key]"
    ),
    "models: a name of 1 MB": models(
        answer_status(200, {"data": [{"id": "x" * 10**6}, {"id": "y"}]}), '["y"]'
    ),
    "models: a head of 10 MB": models(raw(HEAD + "X: " + "x" * 10_000_000), "The call to"),
}
