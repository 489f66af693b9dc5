"""What the handlers share: built once from the configuration, closed with the server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .policy import Policy
from .providers.call.answer import Timeouts
from .providers.call.clients import Clients
from .providers.call.gate import Gate
from .providers.call.quota import DailyTokens
from .providers.profiles.keys import KeyStore
from .providers.profiles.registry import Registry


@dataclass(frozen=True)
class Services:
    """The providers' side of the server, free of tornado."""

    version: str
    registry: Registry
    clients: Clients
    gate: Gate
    keys: KeyStore
    tokens: DailyTokens
    timeouts: Timeouts
    policy: Policy
    #: Environment variables that hold keys; attempts run without them.
    key_variables: tuple[str, ...]
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
            },
        }
