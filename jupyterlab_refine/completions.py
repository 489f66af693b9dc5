"""``POST …/v1/chat/completions``: OpenAI's request in, a provider's stream out."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator

from tornado.iostream import StreamClosedError

from .errors import RefineError
from .handlers import RefineHandler, guarded
from .providers.chat import Received, stream_chat
from .providers.demo import stream_demo
from .providers.request import clean_request

#: Names the profile; nothing else a client sends reaches a provider but the fields of its request.
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
        choice = await services.registry.choose(
            self.request.headers.get(PROFILE_HEADER), request.get("model")
        )
        received = Received()
        if choice is None:
            await self._relay(stream_demo(request, services.demo_tokens_per_second))
            return
        services.tokens.check()
        request["model"] = choice.model
        client = services.clients.of(choice.profile)
        try:
            await self._relay(stream_chat(client, choice.profile, request, services.timeouts, received))
        finally:
            services.tokens.add(_tokens(request["messages"], received))

    async def _relay(self, events: AsyncIterator[str]) -> None:
        """Send each event the moment it comes, comments in between, and stop when nobody listens."""
        pending: asyncio.Task[str | None] | None = None
        try:
            while True:
                pending = asyncio.ensure_future(_next(events))
                while not await self._arrived(pending):
                    if self._gone.done():
                        return
                    await self._send(": keep-alive\n\n")
                data = pending.result()
                if data is None:
                    break
                await self._send(f"data: {data}\n\n")
            self.finish(set_content_type="text/event-stream")
        except RefineError as error:
            if not self._streaming:
                raise
            await self._send(f"data: {json.dumps(error.body())}\n\n")
            self.finish(set_content_type="text/event-stream")
        except StreamClosedError:
            # The browser went while something was written to it.
            return
        finally:
            if pending is not None:
                await _stop(pending)
            await events.aclose()

    async def _arrived(self, pending: asyncio.Task[str | None]) -> bool:
        """Wait for an event, for the browser to go, or for a comment to be due; True for an event."""
        await asyncio.wait(
            {pending, self._gone}, timeout=self.services.keep_alive, return_when=asyncio.FIRST_COMPLETED
        )
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
    with contextlib.suppress(asyncio.CancelledError, RefineError):
        pending.result()


async def _next(events: AsyncIterator[str]) -> str | None:
    return await anext(events, None)


def _tokens(messages: list[dict[str, object]], received: Received) -> int:
    """Tokens of a call: the provider's count, else estimated from characters; none for a refused call."""
    if not received.started:
        return 0
    if received.prompt_tokens is not None and received.completion_tokens is not None:
        return received.prompt_tokens + received.completion_tokens
    characters = sum(len(str(message.get("content") or "")) for message in messages) + received.characters
    return characters // CHARACTERS_PER_TOKEN
