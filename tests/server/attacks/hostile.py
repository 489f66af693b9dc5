"""A real Jupyter server before a provider with many ways to misbehave, and a watch over the server."""

from __future__ import annotations

import asyncio
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
from fake_provider import FakeProvider, Reply, Script, answer_models

#: The key that the provider is sent. Letters of both cases and characters that JSON and URLs escape.
KEY = 'sk-Canary/0123"456789+abcdef'

TOKEN = "token-of-the-test"

#: Seconds in which ``/api/status`` must answer at any time, and bytes that the server may grow.
STATUS_SECONDS = 1.0
GROWTH = 200_000_000

#: Limits of the server under test, short; its limits in bytes, characters and entries are the real ones.
LIMITS = {
    "connect_timeout": 2.0,
    "first_token_timeout": 2.0,
    "stall_timeout": 1.0,
    "keep_alive": 0.5,
}


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
        options = [f"--Refine.{name}={value}" for name, value in LIMITS.items()]
        folders = ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR")
        kept = {name: value for name, value in os.environ.items() if "PROXY" not in name.upper()}
        self._log = open(folder / "log", "w")
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "jupyter_server", "--allow-root", "--no-browser"),
                f"--ServerApp.port={port}",
                f"--IdentityProvider.token={TOKEN}",
                "--ServerApp.jpserver_extensions={'jupyterlab_refine': True}",
                f"--ServerApp.root_dir={folder}",
                "--Refine.ollama_url=",
                *options,
            ],
            cwd=folder,
            env={**kept, **{f"JUPYTER_{name}": str(folder / name) for name in folders}},
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
