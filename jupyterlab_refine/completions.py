"""``POST …/v1/chat/completions``: OpenAI's request in, a provider's stream out."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncGenerator
from typing import Any
from urllib.parse import unquote

from tornado.iostream import StreamClosedError

from .errors import RefineError
from .handlers import RefineHandler, guarded
from .providers.call.chat import stream_chat
from .providers.call.demo import stream_demo
from .providers.call.event import Received
from .providers.call.request import clean_request

#: Names the profile, percent-encoded where it is not ASCII; nothing else a client sends reaches a provider
#: but the fields of its request.
PROFILE_HEADER = "X-Refine-Profile"

#: Characters a token has, roughly, where a provider does not count.
CHARACTERS_PER_TOKEN = 4

#: Seconds after which a call that goes on although it was cancelled is cancelled again.
CANCEL_AGAIN = 0.1


class CompletionsHandler(RefineHandler):
    """Streams an answer; a browser that goes ends the call to the provider."""

    def initialize(self) -> None:
        self._gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._streaming = False

    def on_connection_close(self) -> None:
        super().on_connection_close()
        if not self._gone.done():
            self._gone.set_result(None)

    @guarded
    async def post(self) -> None:
        services = self.services
        request = clean_request(self.json_body())
        choice = await services.registry.choose(self._profile_name(), request.get("model"))
        received = Received()
        if choice is None:
            await self._relay(stream_demo(request, services.demo_tokens_per_second))
            return
        services.tokens.check()
        request["model"] = choice.model
        client = services.clients.of(choice.profile)
        try:
            stream = stream_chat(client, choice.profile, request, services.timeouts, received)
            await self._relay(services.gate.through(stream), choice.profile.host, received)
        finally:
            services.tokens.add(_tokens(request["messages"], received))

    def _profile_name(self) -> str | None:
        name = self.request.headers.get(PROFILE_HEADER)
        if name is None:
            return None
        with contextlib.suppress(UnicodeError):
            # A client that sends UTF-8 as it is: tornado reads headers as Latin-1.
            name = name.encode("latin-1").decode()
        return unquote(name)

    async def _relay(
        self, events: AsyncGenerator[str, None], host: str = "", received: Received | None = None
    ) -> None:
        """Send each event the moment it comes, comments in between, and stop when the client has gone.

        Until the first text a comment names ``host`` and the seconds since the call: ``: waiting 15 s for
        api.example.com``.
        """
        start = time.monotonic()
        pending: asyncio.Task[str | None] | None = None
        try:
            while True:
                pending = asyncio.ensure_future(_next(events))
                while not await self._arrived(pending):
                    if self._gone.done():
                        return
                    waiting = received is not None and not received.speaking
                    seconds = f"waiting {time.monotonic() - start:.0f} s for {host}"
                    await self._send(f": {seconds if waiting else 'keep-alive'}\n\n")
                data = pending.result()
                if data is None:
                    break
                await self._send(f"data: {data}\n\n")
            self.finish(set_content_type="text/event-stream")
        except StreamClosedError:
            # The browser went while something was written to it.
            return
        except Exception as error:
            if not self._streaming:
                raise
            reported = error if isinstance(error, RefineError) else self.failed(error)
            with contextlib.suppress(StreamClosedError):
                await self._send(f"data: {json.dumps(reported.body())}\n\n")
                self.finish(set_content_type="text/event-stream")
        finally:
            if pending is not None:
                await _stop(pending)
            await events.aclose()

    async def _arrived(self, pending: asyncio.Task[str | None]) -> bool:
        """Wait for an event, for the browser to go, or for a comment to be due; True for an event."""
        either: set[asyncio.Future[Any]] = {pending, self._gone}
        await asyncio.wait(either, timeout=self.services.keep_alive, return_when=asyncio.FIRST_COMPLETED)
        return pending.done() and not self._gone.done()

    async def _send(self, text: str) -> None:
        if not self._streaming:
            self._streaming = True
            self.set_header("Content-Type", "text/event-stream; charset=utf-8")
            self.set_header("Cache-Control", "no-store")
            # No proxy and not this server either may gather what should arrive at once.
            self.set_header("X-Accel-Buffering", "no")
            self.set_header("Content-Encoding", "identity")
        self.write(text)
        await self.flush()


async def _stop(pending: asyncio.Task[str | None]) -> None:
    """Cancel until it has ended: ``wait_for`` of Python 3.10 and 3.11 swallows a cancel at its own end."""
    while not pending.done():
        pending.cancel()
        await asyncio.wait({pending}, timeout=CANCEL_AGAIN)
    with contextlib.suppress(asyncio.CancelledError, Exception):
        pending.result()


async def _next(events: AsyncGenerator[str, None]) -> str | None:
    return await anext(events, None)


def _tokens(messages: list[dict[str, object]], received: Received) -> int:
    """Tokens of a call: the provider's count, else estimated from characters; none for a refused call."""
    if not received.started:
        return 0
    if received.prompt_tokens is not None and received.completion_tokens is not None:
        return received.prompt_tokens + received.completion_tokens
    characters = sum(len(str(message.get("content") or "")) for message in messages) + received.characters
    return characters // CHARACTERS_PER_TOKEN
