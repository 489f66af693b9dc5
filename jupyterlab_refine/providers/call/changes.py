"""What a server refuses of a usual request, and how it is asked again: learned once for each model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...errors import RefineError
from ..faults import WRONG_ADDRESS
from ..profiles.profile import Profile

#: By base URL and model, as long as the process lives.
_known: dict[tuple[str, str], dict[str, str]] = {}

_STREAM = re.compile(r"\bstream(ing)?\b", re.IGNORECASE)
_SYSTEM = re.compile(r"\bsystem\b.{0,20}\b(role|message|prompt|instruction)|\brole\b.{0,60}\bsystem\b", re.I)
_ENDPOINT = re.compile(r"unexpected endpoint|unknown (endpoint|path|url|route)|invalid url", re.IGNORECASE)


class Changes:
    """A request and where it goes, with what is known and what is learned while it is made."""

    def __init__(self, profile: Profile, request: Mapping[str, Any]) -> None:
        self._profile = profile
        self._request = request
        self._learned = _known.setdefault((profile.base_url, str(request.get("model"))), {})
        self._new: list[str] = []
        #: Of the address as it is configured, when the other one fails as well.
        self.first: RefineError | None = None

    @property
    def profile(self) -> Profile:
        """At the address that answers."""
        return self._profile.without_version() if "address" in self._learned else self._profile

    @property
    def request(self) -> dict[str, Any]:
        """Without what is refused."""
        request = dict(self._request)
        if "stream" in self._learned:
            request["stream"] = False
            request.pop("stream_options", None)
        if "system" in self._learned:
            request["messages"] = _without_system(request["messages"])
        return request

    @property
    def notice(self) -> str:
        """What was learned with this request, for the user; empty for nothing."""
        return " ".join(self._learned[change] for change in self._new if change in self._learned)

    def learn(self, error: RefineError) -> bool:
        """Whether a refusal shows what to change; the request is then made again."""
        found = self._change(error)
        if found is None or found[0] in self._learned:
            if self.first is not None and error.provider_status != self.first.provider_status:
                # The other address knows the route.
                self.first = None
            if self.first is not None:
                del self._learned["address"]
            return False
        change, sentence = found
        if change == "address":
            self.first = error
        self._learned[change] = sentence
        self._new.append(change)
        return True

    def _change(self, error: RefineError) -> tuple[str, str] | None:
        host, said = self._profile.host, error.message.partition(" It said: ")[2]
        if (error.code == WRONG_ADDRESS and error.provider_status in (404, 405)) or _ENDPOINT.search(said):
            other = self._profile.without_version().base_url
            return "address", f"{host} answers at another address. Set base_url to it: {other}"
        if error.code not in ("bad-request", "provider-error"):
            return None
        param = error.param or ""
        if param == "stream" or (not param and _STREAM.search(said)):
            return "stream", f"{host} refuses to stream this model's answers: they come whole."
        if _SYSTEM.search(f"{param} {said}"):
            return "system", f"{host} refuses the system role: its text is in the user's message."
        return None


def _without_system(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The system's text at the start of the user's first message."""
    system = [str(message["content"]) for message in messages if message["role"] == "system"]
    others = [dict(message) for message in messages if message["role"] != "system"]
    first = next((message for message in others if message["role"] == "user"), None)
    if first is not None and isinstance(first.get("content"), str):
        first["content"] = "\n\n".join([*system, first["content"]])
    return others
