"""``POST …/v1/chat/completions``: OpenAI's request in, a provider's stream out."""

from __future__ import annotations

import asyncio
import contextlib
import json
from urllib.parse import unquote

from tornado.iostream import StreamClosedError

from .errors import RefineError
from .handlers import RefineHandler, guarded

#: Names the profile, percent-encoded where it is not ASCII; nothing else a client sends reaches a provider
#: but the fields of its request.
PROFILE_HEADER = "X-Refine-Profile"


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
        try:
            if await self.services.answer(self.json_body(), self._profile_name(), self._send, self._gone):
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

    def _profile_name(self) -> str | None:
        name = self.request.headers.get(PROFILE_HEADER)
        if name is None:
            return None
        with contextlib.suppress(UnicodeError):
            # A client that sends UTF-8 as it is: tornado reads headers as Latin-1.
            name = name.encode("latin-1").decode()
        return unquote(name)

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
