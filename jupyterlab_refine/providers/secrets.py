"""Remove keys from text before it leaves the server.

This is for providers that echo a key, as errors, headers, lists and answers do. A provider that
means to pass a key on can write it in many other ways: it has the key already.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from urllib.parse import quote

#: Shorter values are placeholders (``ollama``, ``EMPTY``): replacing them would only garble messages.
MIN_SECRET_LENGTH = 8

MASK = "[key]"

_SCHEMES = ("Bearer ", "Basic ", "Token ")


def mask(text: str, secrets: Iterable[str]) -> str:
    """``text`` with secrets replaced: in any case, escaped as in JSON or a URL, also without ``Bearer``."""
    pattern = _pattern(_spellings(tuple(secrets)))
    return pattern.sub(MASK, text) if pattern else text


class StreamMask:
    """Masks a text that comes in pieces, in which a secret may be cut anywhere.

    What could be the start of a secret is held back until the next piece shows whether it is one.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = tuple(secrets)
        self._spellings = _spellings(self._secrets)
        self._pattern = _pattern(self._spellings)
        self._longest = max(map(len, self._spellings), default=0)
        self._held = ""

    def feed(self, piece: str) -> str:
        """The masked text that no further piece can make a part of a secret."""
        text = self._held + piece
        starts = range(max(0, len(text) - self._longest + 1), len(text))
        cut = next((start for start in starts if self._may_go_on(text[start:])), len(text))
        # A shorter secret that is cut there is held back as a whole.
        found = self._pattern.finditer(text) if self._pattern else ()
        cut = next((one.start() for one in found if one.start() < cut < one.end()), cut)
        self._held = text[cut:]
        return mask(text[:cut], self._secrets)

    def flush(self) -> str:
        """What was held back, in which no secret goes on."""
        rest, self._held = self._held, ""
        return mask(rest, self._secrets)

    def _may_go_on(self, end: str) -> bool:
        return any(one.startswith(end) and one != end for one in self._spellings)


@lru_cache(maxsize=256)
def _spellings(secrets: Sequence[str]) -> tuple[str, ...]:
    """Each secret as it is, without its scheme, and as JSON and URLs write it; the longest first."""
    bare = [secret.removeprefix(scheme) for secret in secrets for scheme in ("", *_SCHEMES)]
    spelled = {
        spelling
        for secret in bare
        if len(secret) >= MIN_SECRET_LENGTH
        for spelling in (
            secret,
            json.dumps(secret)[1:-1],
            json.dumps(secret)[1:-1].replace("/", "\\/"),
            quote(secret, safe=""),
        )
    }
    return tuple(sorted(spelled, key=lambda text: (-len(text), text)))


@lru_cache(maxsize=256)
def _pattern(spellings: Sequence[str]) -> re.Pattern[str] | None:
    """Matches every spelling, each character also as ``\\u0073``: linear, no part matches in two ways."""
    if not spellings:
        return None
    return re.compile("|".join("".join(map(_character, text)) for text in spellings), re.IGNORECASE)


def _character(char: str) -> str:
    return rf"(?:{re.escape(char)}|\\{{1,4}}u{ord(char):04x})"
