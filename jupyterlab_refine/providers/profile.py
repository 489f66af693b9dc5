"""A profile: one endpoint, its key and its models; and how one is read from configuration."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from ..schema import problem as schema_problem

OPENAI_BASE_URL = "https://api.openai.com/v1"

#: Name of the profile of a server that also says which of its models run.
OLLAMA = "ollama"

#: Headers whose values are no secrets: to mask them would garble answers that hold the same text.
_PUBLIC_HEADERS = frozenset(
    "accept accept-language anthropic-beta anthropic-version content-type http-referer openai-beta referer "
    "user-agent x-title".split()
)

_TEXT = {"type": "string"}
_DOLLARS = {"type": "number", "minimum": 0}

#: An entry of ``c.Refine.profiles``.
PROFILE: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "pattern": r"\A(?!demo\Z)[^/\n]+\Z"},
        "base_url": _TEXT,
        "api_key": _TEXT,
        "api_key_env": _TEXT,
        "headers": {
            "type": "object",
            "propertyNames": {"pattern": r"\A[A-Za-z0-9!#$%&'*+.^_`|~-]+\Z"},
            "additionalProperties": _TEXT,
        },
        "ca_file": _TEXT,
        "models": {"type": "array", "items": _TEXT},
        "default_model": _TEXT,
        "prices": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "properties": {"input": _DOLLARS, "output": _DOLLARS},
                "required": ["input", "output"],
            },
        },
    },
    "required": ["name"],
    "additionalProperties": False,
}


class ProfileProblem(ValueError):
    """A profile that cannot be used as written; the message names the key and the way out."""


@dataclass(frozen=True)
class Profile:
    """One endpoint. ``api_key`` and ``headers`` are secret and never part of a repr."""

    name: str
    #: Without trailing slash; a query (``?api-version=…``) is kept on every call.
    base_url: str = OPENAI_BASE_URL
    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    #: File of certificates that its host's may be signed with, besides the system's; empty for none.
    ca_file: str = ""
    #: Models a user may choose; empty: whatever the endpoint lists.
    models: tuple[str, ...] = ()
    default_model: str | None = None
    #: US dollars for a million tokens: ``{model: {"input": 0.15, "output": 0.6}}``.
    prices: Mapping[str, Mapping[str, float]] | None = None
    #: Why it cannot be used; None when it can.
    problem: str | None = None

    @property
    def host(self) -> str:
        """``localhost:11434``: shown to the user."""
        return httpx.URL(self.base_url).netloc.decode("ascii")

    def url(self, path: str) -> httpx.URL:
        """``base_url`` with ``path`` appended, its query kept."""
        base = httpx.URL(self.base_url)
        return base.copy_with(path=base.path.rstrip("/") + "/" + path.lstrip("/"))

    def secrets(self) -> tuple[str, ...]:
        """Everything that must appear in no answer, log or error."""
        headers = [value for name, value in self.headers.items() if name.lower() not in _PUBLIC_HEADERS]
        return tuple(filter(None, [self.api_key, *headers]))


def bare(text: str) -> str:
    """A key, an address or a name without the blanks, quotes and ``Bearer`` that were pasted with it."""
    return text.strip(" \t\r\n\"'").removeprefix("Bearer ").strip()


def check_base_url(text: str) -> str:
    """The URL without its trailing slash, and without the path of a route that was pasted with it.

    Raises
    ------
    ProfileProblem
        When it is no http or https URL.
    """
    try:
        url = httpx.URL(bare(text))
        # A host that is no host name (``xn--``) raises when it is read.
        if url.scheme not in ("http", "https") or not url.host:
            raise ValueError("it must start with http:// or https:// and name a host")
        if not 0 < (url.port or 1) < 65536:
            raise ValueError(f"port {url.port} is not between 1 and 65535")
    except (httpx.InvalidURL, ValueError) as error:
        raise ProfileProblem(f"base_url {text!r} is not a URL: {str(error).rstrip('.')}.") from None
    if url.userinfo:
        todo = "set a key as api_key, anything else as one of headers"
        raise ProfileProblem(f"base_url for {url.host} must not contain a user name or password: {todo}.")
    path = re.sub("/((chat/)?completions|messages|responses)$", "", url.path.rstrip("/"))
    return str(url.copy_with(path=path or "/")).rstrip("/")


def read_profiles(entries: Sequence[Any], environ: Mapping[str, str]) -> list[Profile]:
    """Profiles of ``c.Refine.profiles``; of a wrong entry one with its problem."""
    profiles: list[Profile] = []
    for index, entry in enumerate(entries):
        try:
            profile = _read_profile(entry, environ)
            if profile.name in [known.name for known in profiles]:
                raise ProfileProblem(f"The name {profile.name!r} is taken; choose another.")
        except ProfileProblem as problem:
            profile = Profile(f"c.Refine.profiles[{index}]", problem=str(problem))
        profiles.append(profile)
    return profiles


def _read_profile(entry: Any, environ: Mapping[str, str]) -> Profile:
    # Text, where something is no JSON; lists, where something is a tuple. What is None was not set.
    entry = json.loads(json.dumps(entry, default=str), parse_constant=str)
    if isinstance(entry, dict):
        # But for the address: the key of another one is not OpenAI's.
        entry = {name: value for name, value in entry.items() if value is not None or name == "base_url"}
    if wrong := schema_problem(entry, PROFILE):
        raise ProfileProblem(f"{wrong}.")
    base_url = check_base_url(entry.get("base_url", OPENAI_BASE_URL))
    headers = {name: value.strip() for name, value in entry.get("headers", {}).items()}
    variable = entry.get("api_key_env")
    key, place = entry.get("api_key", ""), "api_key"
    if "api_key" not in entry and variable is not None:
        key, place = environ.get(variable, ""), f"The environment variable {variable}"
    texts = [(text, name) for name, text in headers.items()]
    missing = f"{place} is not set on the Jupyter server." if variable and not bare(key) else None
    return Profile(
        name=entry["name"],
        base_url=base_url,
        api_key=bare(key),
        headers=headers,
        ca_file=entry.get("ca_file", ""),
        models=tuple(entry.get("models", ())),
        default_model=entry.get("default_model") or None,
        prices=entry.get("prices"),
        problem=next(filter(None, (key_problem(*one) for one in [(key, place), *texts])), missing),
    )


def key_problem(key: str, place: str) -> str | None:
    """What is wrong with a key or a header, as a sentence that names its place alone; None: nothing."""
    key = key.strip()
    if key.isascii() and key.isprintable():
        return None
    return f"{place} contains a character, or a line break, that is not allowed in a key. Copy it again."


def key_variables(entries: Sequence[Any]) -> tuple[str, ...]:
    """Names of the environment variables that hold keys: OpenAI's, and each ``api_key_env``."""
    named = [entry.get("api_key_env") for entry in entries if isinstance(entry, Mapping)]
    return tuple(
        dict.fromkeys(["OPENAI_API_KEY", *(name for name in named if isinstance(name, str) and name)])
    )
