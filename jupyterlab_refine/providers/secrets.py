"""Take keys out of text before it leaves the server."""

from __future__ import annotations

from collections.abc import Iterable

#: Shorter values are placeholders (``ollama``, ``EMPTY``): replacing them would only garble messages.
MIN_SECRET_LENGTH = 8

MASK = "[key]"


def mask(text: str, secrets: Iterable[str]) -> str:
    """``text`` with every secret replaced, a bearer token also without its ``Bearer``."""
    for secret in sorted(set(secrets), key=len, reverse=True):
        if len(secret) < MIN_SECRET_LENGTH:
            continue
        text = text.replace(secret, MASK)
        bare = secret.removeprefix("Bearer ")
        if bare != secret and len(bare) >= MIN_SECRET_LENGTH:
            text = text.replace(bare, MASK)
    return text
