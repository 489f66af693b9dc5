"""What the handlers share: built once from the configuration, closed with the server."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from .policy import Policy
from .providers.call.answer import Timeouts
from .providers.call.chat import stream_chat
from .providers.call.clients import Clients
from .providers.call.demo import stream_demo
from .providers.call.event import Received
from .providers.call.relay import DailyTokens, Send, relay
from .providers.call.request import clean_request
from .providers.profiles.registry import Registry

#: Characters a token has, roughly, where a provider does not count.
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class Services:
    """The providers' side of the server, free of tornado."""

    version: str
    registry: Registry
    clients: Clients
    tokens: DailyTokens
    timeouts: Timeouts
    policy: Policy
    #: Environment variables that hold keys; attempts run without them.
    key_variables: tuple[str, ...]
    #: Whether kernels run without them.
    hides_keys: bool
    #: Seconds between two comments that keep proxies awake.
    keep_alive: float
    demo_tokens_per_second: float

    async def describe(self) -> dict[str, Any]:
        """The body of the profiles route."""
        return {
            "version": self.version,
            **await self.registry.describe(),
            "policy": {
                **self.policy.as_json(),
                "dailyTokenLimit": self.tokens.limit,
                "dailyTokensUsed": self.tokens.used,
                "keyVariables": list(self.key_variables),
                "hidesKeys": self.hides_keys,
            },
        }

    async def answer(self, body: Any, profile: str | None, send: Send, gone: asyncio.Future[None]) -> bool:
        """Stream the answer to a request as a client sends it; False when the client has gone.

        Parameters
        ----------
        profile
            Its name; None for the default.
        send
            Takes each event or comment, as text of ``text/event-stream``.

        Raises
        ------
        RefineError
            For a bad request, and for each way a provider can fail.
        """
        request = clean_request(body)
        choice = await self.registry.choose(profile, request.get("model"))
        if choice is None:
            events = stream_demo(request, self.demo_tokens_per_second)
            return await relay(events, send, gone, self.keep_alive)
        self.tokens.check()
        chosen, request["model"] = choice
        client = self.clients.of(chosen)
        received = Received()
        try:
            events = stream_chat(client, chosen, request, self.timeouts, received)
            return await relay(events, send, gone, self.keep_alive, chosen.host, received)
        finally:
            self.tokens.add(_tokens(request["messages"], received))


def _tokens(messages: list[dict[str, object]], received: Received) -> int:
    """Tokens of a call: the provider's count, else estimated from characters; none for a refused call."""
    if not received.started:
        return 0
    if received.prompt_tokens is not None and received.completion_tokens is not None:
        return received.prompt_tokens + received.completion_tokens
    characters = sum(len(str(message.get("content") or "")) for message in messages) + received.characters
    return characters // CHARACTERS_PER_TOKEN
