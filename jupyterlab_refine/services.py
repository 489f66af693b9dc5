"""What the handlers share: built once from the configuration, closed with the server."""

from __future__ import annotations

import asyncio
import datetime
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from .errors import RefineError
from .providers.answer import Answer, Send, Timeouts
from .providers.clients import Clients
from .providers.demo import stream_demo
from .providers.profile import nearest
from .providers.registry import Registry
from .providers.request import clean_request


class DailyTokens:
    """Counts prompt and answer tokens by day and says when no more may be used.

    An answer that is under way is let through to its end, so that the limit can be passed by the
    answers that were running when it was reached.
    """

    def __init__(
        self, limit: int | None, now: Callable[[], datetime.datetime] = datetime.datetime.now
    ) -> None:
        self.limit = limit
        self._now = now
        self._day = now().date()
        self._used = 0

    @property
    def used(self) -> int:
        """Tokens used since local midnight."""
        today = self._now().date()
        if today != self._day:
            self._day = today
            self._used = 0
        return self._used

    def add(self, tokens: int) -> None:
        """Count the tokens of one call."""
        self._used = self.used + tokens

    def check(self) -> None:
        """Raise ``rate-limited``, with the time until midnight, when the limit is reached."""
        if self.limit is None or self.used < self.limit:
            return
        now = self._now()
        midnight = datetime.datetime.combine(now.date() + datetime.timedelta(days=1), datetime.time.min)
        raise RefineError(
            "rate-limited",
            f"This Jupyter server's limit of {self.limit:,} tokens a day is reached ({self.used:,} used). "
            "It resets at midnight; the administrator sets it as c.Refine.daily_token_limit.",
            429,
            retry_after_ms=round((midnight - now).total_seconds() * 1000),
            param="daily_token_limit",
        )


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

    async def answer(self, body: Any, profile: str | None, send: Send) -> None:
        """Stream the answer to a request as a client sends it.

        A task that is cancelled closes the connection to the provider.

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
            await stream_demo(request, send, self.demo_tokens_per_second)
            return
        self.tokens.check()
        chosen, request["model"] = choice
        client = self.clients.of(chosen)
        answer = Answer(chosen, self.timeouts, send)
        awake = asyncio.create_task(self._keep_awake(answer, chosen.host, send))
        try:
            await answer.stream(client, request)
        finally:
            awake.cancel()
            self.tokens.add(answer.tokens(request["messages"]))

    async def _keep_awake(self, answer: Answer, host: str, send: Send) -> None:
        """Send comments until the answer ends; until its first text they name the seconds since the call."""
        start = time.monotonic()
        while True:
            await asyncio.sleep(self.keep_alive)
            waiting = f"waiting {time.monotonic() - start:.0f} s for {host}"
            await send(f": {'keep-alive' if answer.speaking else waiting}\n\n")


@dataclass(frozen=True)
class Policy:
    """Permissions, and upper limits for the users' own settings; None: no limit of the server's."""

    allow_key_from_panel: bool = True
    allow_base_url_from_panel: bool = True
    #: Whether nbgrader's solution cells may be refined.
    refine_graded_cells: bool = False
    max_attempts: int | None = None
    #: Tokens of one session.
    max_tokens: int | None = None
    #: Seconds of one session.
    session_timeout: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The policy as clients read it, in camel case."""
        return {_camel(name): value for name, value in asdict(self).items()}


#: Names a policy may have.
POLICY_KEYS = tuple(field.name for field in fields(Policy))

_FLAGS = {"true": True, "false": False}


def read_policy(value: Mapping[str, Any]) -> Policy:
    """The policy as configured; texts of the command line (``--Refine.policy max_attempts=3``) are parsed.

    Raises
    ------
    ValueError
        For an unknown name or a value of the wrong kind. A misspelt restriction must not end as the
        permissive default.
    """
    unknown = sorted(str(name) for name in value if name not in POLICY_KEYS)
    if unknown:
        raise ValueError(f"c.Refine.policy: unknown {nearest(unknown, POLICY_KEYS)}.")
    defaults = asdict(Policy())
    parse = {name: _flag if isinstance(defaults[name], bool) else _limit for name in POLICY_KEYS}
    parsed: dict[str, Any] = {name: parse[name](name, item) for name, item in value.items()}
    return Policy(**parsed)


def _flag(name: str, value: Any) -> bool:
    known = _FLAGS.get(value.lower()) if isinstance(value, str) else value
    if not isinstance(known, bool):
        raise ValueError(f"c.Refine.policy: {name} must be True or False, not {value!r}.")
    return known


def _limit(name: str, value: Any) -> int | None:
    if value is None or value == "None":
        return None
    number = int(value) if isinstance(value, str) and value.isdecimal() else value
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise ValueError(f"c.Refine.policy: {name} must be a positive whole number or None, not {value!r}.")
    return number


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
