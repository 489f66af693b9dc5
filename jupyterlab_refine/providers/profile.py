"""A profile: one endpoint, its key and its models; and how one is read from configuration."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

import httpx

from .quirks import NONE, Quirk

#: Around a key they come from copying it. A line break is no blank: half of a key may stand after it.
BLANKS = " \t"

OPENAI_BASE_URL = "https://api.openai.com/v1"

#: Headers whose values are no secrets: to mask them would garble answers that hold the same text.
_PUBLIC_HEADERS = frozenset(
    "accept accept-language anthropic-beta anthropic-version content-type http-referer openai-beta referer "
    "user-agent x-title".split()
)

#: What is appended to a base URL.
_ROUTE = re.compile(r"/(?:chat/)?completions$")

#: What HTTP allows as the name of a header.
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_prices(value: Any) -> bool:
    try:
        numbers = [float(price[side]) for price in value.values() for side in ("input", "output")]
        return all(math.isfinite(number) and number >= 0 for number in numbers)
    except (AttributeError, KeyError, TypeError, ValueError):
        return False


_TEXT = "be a string", _is_text

#: What a profile in ``c.Refine.profiles`` may say: what each must be, and whether it is that.
PROFILE_KEYS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "name": (
        "be a string without '/' and line breaks",
        lambda value: isinstance(value, str) and bool(value) and value.isprintable() and "/" not in value,
    ),
    "base_url": _TEXT,
    "api_key": _TEXT,
    "api_key_env": _TEXT,
    "headers": (
        "be a dict from string to string",
        lambda value: isinstance(value, Mapping) and all(map(_is_text, [*value, *value.values()])),
    ),
    "ca_file": _TEXT,
    "models": (
        "be a list of model names",
        lambda value: isinstance(value, list | tuple) and all(one and _is_text(one) for one in value),
    ),
    "default_model": _TEXT,
    "prices": (
        "be written {model: {'input': 0.15, 'output': 0.6}}, US dollars for a million tokens",
        _are_prices,
    ),
}


class ProfileProblem(ValueError):
    """A profile that cannot be used as written; the message names the key and the way out."""


@dataclass(frozen=True)
class Profile:
    """One endpoint. ``api_key`` and ``headers`` are secret and never part of a repr."""

    name: str
    #: Without trailing slash; a query (``?api-version=…``) is kept on every call.
    base_url: str
    api_key: str | None = field(default=None, repr=False)
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
    #: Of the kind of server that it is known to be.
    quirk: Quirk = NONE
    #: What to do about a key that is refused: a sentence that names the place where this one was set.
    other_key: str = ""

    @property
    def host(self) -> str:
        """``localhost:11434``: shown to the user."""
        return httpx.URL(self.base_url).netloc.decode("ascii")

    @property
    def is_plain(self) -> bool:
        """Whether it is called without encryption."""
        return self.base_url.startswith("http:")

    def url(self, path: str) -> httpx.URL:
        """``base_url`` with ``path`` appended, its query kept."""
        base = httpx.URL(self.base_url)
        return base.copy_with(path=base.path.rstrip("/") + "/" + path.lstrip("/"))

    def without_version(self) -> Profile:
        """The same at the address that may be meant: with ``/v1`` at its end, or without."""
        base = httpx.URL(self.base_url)
        path = base.path.rstrip("/")
        other = path.removesuffix("/v1") if path.endswith("/v1") else f"{path}/v1"
        return replace(self, base_url=str(base.copy_with(path=other or "/")).rstrip("/"))

    def secrets(self) -> tuple[str, ...]:
        """Everything that must appear in no answer, log or error."""
        headers = [value for name, value in self.headers.items() if name.lower() not in _PUBLIC_HEADERS]
        return tuple(filter(None, [self.api_key, *headers]))


def check_base_url(text: str) -> str:
    """The URL without its trailing slash, and without the path of a route that was pasted with it.

    Raises
    ------
    ProfileProblem
        When it is no http or https URL.
    """
    try:
        url = httpx.URL(text.strip())
        # Read here once, since a host that is no host name (``xn--``) raises when it is read.
        host = url.host
        if not 0 < (url.port or 1) < 65536:
            raise ValueError(f"port {url.port} is not between 1 and 65535")
    except (httpx.InvalidURL, TypeError, ValueError) as error:
        raise ProfileProblem(f"base_url {text!r} is not a URL: {str(error).rstrip('.')}.") from None
    if url.scheme not in ("http", "https") or not host:
        raise ProfileProblem(
            f"base_url {text!r} must start with http:// or https:// and name a host, "
            "for example http://localhost:8000/v1."
        )
    if url.userinfo:
        raise ProfileProblem(
            f"base_url for {host} must not contain a user name or password: set a key as api_key, "
            "anything else as one of headers."
        )
    path = _ROUTE.sub("", url.path.rstrip("/"))
    return str(url.copy_with(path=path or "/")).rstrip("/")


def read_profiles(value: Any, environ: Mapping[str, str]) -> tuple[list[Profile], list[str]]:
    """Profiles of ``c.Refine.profiles``, a list of dicts or a dict by name, and what is wrong with others."""
    entries: list[Any] = (
        [{"name": name, **entry} if isinstance(entry, Mapping) else entry for name, entry in value.items()]
        if isinstance(value, Mapping)
        else list(value)
    )
    profiles: list[Profile] = []
    problems: list[str] = []
    for index, entry in enumerate(entries):
        try:
            profile = _read_profile(entry, environ)
            if profile.name in {"demo", *(known.name for known in profiles)}:
                raise ProfileProblem(f"the name {profile.name!r} is taken; choose another.")
            profiles.append(profile)
        except ProfileProblem as problem:
            problems.append(f"c.Refine.profiles, entry {index + 1}: {problem}")
    return profiles, problems


def _read_profile(entry: Any, environ: Mapping[str, str]) -> Profile:
    if not isinstance(entry, Mapping):
        raise ProfileProblem(f"must be a dict with {', '.join(PROFILE_KEYS)}.")
    unknown = [str(key) for key in entry if key not in PROFILE_KEYS]
    if unknown:
        raise ProfileProblem(f"unknown key {nearest(unknown, PROFILE_KEYS)}.")
    # One that is None or empty is a variable that is not set: the key is not OpenAI's.
    entry = {"base_url": OPENAI_BASE_URL, **entry}
    name: Any = entry.get("name")
    for label, (must, is_right) in PROFILE_KEYS.items():
        value = entry.get(label)
        if (value is not None or label in ("name", "base_url")) and not is_right(value):
            raise ProfileProblem(f"{'' if label == 'name' else f'{name}: '}{label} must {must}.")
    headers = dict(entry.get("headers") or {})
    key, variable = entry.get("api_key"), entry.get("api_key_env")
    place = f"api_key of {name}"
    missing = None
    if key is None and variable is not None:
        key, place = environ.get(variable, ""), f"The environment variable {variable}"
        if not key.strip(BLANKS):
            missing = f"{place} is not set on the Jupyter server."
    key = key and key.strip(BLANKS)
    prices = entry.get("prices")
    return Profile(
        name=name,
        base_url=check_base_url(entry["base_url"]),
        api_key=key or None,
        headers=headers,
        ca_file=entry.get("ca_file") or "",
        models=tuple(entry.get("models") or ()),
        default_model=entry.get("default_model") or None,
        prices=prices
        and {
            str(model): {side: float(price[side]) for side in ("input", "output")}
            for model, price in prices.items()
        },
        problem=key_problem(key, place) or _header_problem(headers) or missing,
        other_key=_other_key(name, entry),
    )


def key_problem(key: str | None, place: str) -> str | None:
    """What is wrong with a key, as a sentence that names its place and never the key; None: nothing."""
    if not key:
        return None
    if "…" in key or not key.strip("."):
        return (
            f"{place} contains a placeholder ('…'). Put the whole key there, then restart the Jupyter server."
        )
    for index, char in enumerate(key):
        if not char.isascii() or not char.isprintable():
            what = "a line break" if char in "\r\n" else f"the character U+{ord(char):04X}"
            return (
                f"{place} contains {what} at position {index + 1}, which is not allowed in a key. "
                "Copy the key again, then restart the Jupyter server."
            )
    return None


def _header_problem(headers: Mapping[str, str]) -> str | None:
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            return f"headers: {name!r} is not a header name."
        if not value.isascii() or not value.isprintable():
            return f"headers: the value of {name} contains an invalid character. Copy it again."
    return None


def nearest(unknown: Iterable[str], known: Iterable[str]) -> str:
    """``maxAttempts (did you mean max_attempts?); known names: …``."""
    names = list(known)
    guesses = []
    for name in unknown:
        close = get_close_matches(name.lower(), names, 1)
        guesses.append(f"{name} (did you mean {close[0]}?)" if close else name)
    return f"{', '.join(guesses)}; known names: {', '.join(names)}"


def other_key_of_variable(variable: str) -> str:
    """The way out for a key of the server's environment."""
    return f"Set a valid key in {variable} where the Jupyter server is started, then restart it."


def _other_key(name: str, entry: Mapping[str, Any]) -> str:
    if entry.get("api_key") is None and entry.get("api_key_env"):
        return other_key_of_variable(entry["api_key_env"])
    what = "another api_key" if entry.get("api_key") else "other headers"
    return f"Set {what} for {name} in c.Refine.profiles, then restart the Jupyter server."


def key_variables(value: Any) -> tuple[str, ...]:
    """Names of the environment variables that hold keys: OpenAI's, and each ``api_key_env``."""
    entries = value.values() if isinstance(value, Mapping) else value
    named = [entry.get("api_key_env") for entry in entries if isinstance(entry, Mapping)]
    return tuple(
        dict.fromkeys(["OPENAI_API_KEY", *(name for name in named if isinstance(name, str) and name)])
    )
