"""Calls the routes of the extension as a page or a script would."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

ROUTES = "jupyterlab-refine/v1"

#: A key that must be found nowhere but in the provider's request.
CANARY = "sk-canary-0123456789abcdef"

MESSAGES = [{"role": "user", "content": "Say hello."}]


@dataclass
class Answer:
    """A whole answer of our server."""

    status: int
    headers: httpx.Headers
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def error(self) -> dict[str, Any]:
        return self.json["error"]

    @property
    def events(self) -> list[str]:
        return [line.removeprefix("data: ") for line in self.text.split("\n") if line.startswith("data: ")]

    @property
    def words(self) -> str:
        """The text of all deltas."""
        parsed = [json.loads(event) for event in self.events if event != "[DONE]"]
        choices = [choice for event in parsed for choice in event.get("choices", [])]
        return "".join(choice["delta"].get("content", "") for choice in choices)


class Browser:
    """Calls our routes as a page would, with a token unless ``token`` says otherwise."""

    def __init__(self, root: str, token: dict[str, str]) -> None:
        self.root = root
        self.token = token

    async def send(self, method: str, route: str, body: Any = None, **headers: str) -> Answer:
        async with self.open(method, route, body, **headers) as response:
            return Answer(response.status_code, response.headers, (await response.aread()).decode())

    @asynccontextmanager
    async def open(
        self, method: str, route: str, body: Any = None, anonymous: bool = False, **headers: str
    ) -> AsyncIterator[httpx.Response]:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        content = body if isinstance(body, str | bytes | None) else json.dumps(body)
        async with (
            httpx.AsyncClient(timeout=20, trust_env=False) as client,
            client.stream(
                method,
                self.root + route,
                content=content,
                headers=sent if anonymous else {**self.token, **sent},
            ) as response,
        ):
            yield response

    async def chat(self, profile: str | None = "main", **fields: Any) -> Answer:
        headers = {"X_Refine_Profile": profile} if profile else {}
        return await self.send("POST", "chat/completions", {"messages": MESSAGES} | fields, **headers)
