"""What the handlers share: built once from the configuration, closed with the server."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import __version__
from .errors import RefineError
from .providers.answer import Answer, Send
from .providers.catalogue import Catalogue
from .providers.clients import Clients
from .providers.demo import DEMO, stream_demo
from .providers.profile import key_variables, read_profiles
from .providers.registry import Registry
from .providers.request import clean_request

if TYPE_CHECKING:
    from .app import Refine

#: Seconds between two comments that keep proxies from closing a silent stream.
KEEP_ALIVE = 15.0

#: What a policy may set, with its defaults: permissions, and upper limits for the users' own settings, where
#: None is no limit of the server's.
POLICY: Mapping[str, Any] = {
    "allow_key_from_panel": True,
    "allow_base_url_from_panel": True,
    "refine_graded_cells": False,
    "max_attempts": None,
    "max_tokens": None,
    "session_timeout": None,
}


class DailyTokens:
    """Counts prompt and answer tokens by day and says when no more may be used.

    An answer that is under way is let through to its end, so that the limit can be passed by the
    answers that were running when it was reached.
    """

    def __init__(self, limit: int | None) -> None:
        self.limit = limit
        self._used = (datetime.date.today(), 0)

    @property
    def used(self) -> int:
        """Tokens used since local midnight."""
        day, used = self._used
        return used if day == datetime.date.today() else 0

    def add(self, tokens: int) -> None:
        """Count the tokens of one call."""
        self._used = (datetime.date.today(), self.used + tokens)

    def check(self) -> None:
        """Raise when the limit is reached: an error that no client waits for."""
        if self.limit is not None and self.used >= self.limit:
            raise RefineError(
                "other",
                f"This Jupyter server's limit of {self.limit:,} tokens a day is reached ({self.used:,} used)."
                " It resets at midnight; the administrator sets it as c.Refine.daily_token_limit.",
                429,
            )


class Services:
    """The providers' side of the server, free of tornado."""

    def __init__(self, config: Refine, environ: Mapping[str, str]) -> None:
        #: Environment variables that hold keys; attempts run without them.
        self.key_variables = key_variables(config.profiles)
        self.policy = {**POLICY, **config.policy}
        self.tokens = DailyTokens(config.daily_token_limit)
        self.clients = Clients()
        profiles = read_profiles(config.profiles, environ)
        self.registry = Registry(profiles, environ, Catalogue(self.clients), config.default_profile)
        #: Seconds before the first text of an answer: a provider that never answers is named before a
        #: session's time is over.
        self.patience: float = config.first_token_timeout
        if session := self.policy["session_timeout"]:
            self.patience = min(self.patience, 0.9 * session)

    async def describe(self) -> dict[str, Any]:
        """The body of the profiles route."""
        return {
            "version": __version__,
            **await self.registry.describe(),
            "policy": {
                **{_camel(name): value for name, value in self.policy.items()},
                "dailyTokenLimit": self.tokens.limit,
                "dailyTokensUsed": self.tokens.used,
                "keyVariables": list(self.key_variables),
            },
        }

    async def answer(self, body: Any, profile: str, send: Send) -> None:
        """Stream the answer to a request of a client; to cancel closes the connection to the provider.

        Parameters
        ----------
        profile
            Its name; empty for the default.
        send
            Takes each event or comment, as text of ``text/event-stream``.

        Raises
        ------
        RefineError
            For a bad request, and for each way a provider can fail.
        """
        request = clean_request(body)
        chosen, request["model"] = await self.registry.choose(profile, request.get("model"))
        if chosen.name == DEMO:
            await stream_demo(request, send)
            return
        self.tokens.check()
        client = self.clients.of(chosen)
        answer = Answer(chosen, self.patience, send)
        awake = asyncio.create_task(_keep_awake(send))
        try:
            await answer.stream(client, request)
        finally:
            awake.cancel()
            self.tokens.add(answer.tokens(request["messages"]))


async def _keep_awake(send: Send) -> None:
    while True:
        await asyncio.sleep(KEEP_ALIVE)
        await send(": keep-alive\n\n")


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
