"""Recognise secrets, and mask them in everything that leaves an attempt."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable
from typing import Any

MASK = "***"

_ENVIRONMENT_NAME = re.compile(
    r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|COOKIE)S?(?:[_0-9]|$)|^OPENAI_|^ANTHROPIC_",
    re.IGNORECASE,
)
_VARIABLE_NAME = re.compile(
    r"(?:api|access|secret|private|auth|license|encryption|signing)_?keys?(?:_|\d|$)"
    r"|(?:api|access|auth|bearer|refresh|session|hf|github)_?tokens?(?:_|\d|$)"
    r"|passw|passphrase|secret|credential",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|AKIA[0-9A-Z]{16}"
    r"|AIza[0-9A-Za-z_-]{30,}|xox[abprs]-[0-9A-Za-z-]{10,}|hf_[A-Za-z0-9]{20,}"
    r"|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----)?"
)
#: Shorter values are not masked: masking "1" or "true" would spoil ordinary text.
_MIN_LENGTH = 8


#: Environment variables that hold keys of models, as the Jupyter server names them.
_key_variables: set[str] = set()


def add_key_variables(names: Iterable[str]) -> None:
    """Treat these variables as secret: remove them from attempts and mask their values."""
    _key_variables.update(names)


def secret_environment() -> dict[str, str]:
    """The variables of this process that hold keys or look secret."""
    return {name: os.environ[name] for name in os.environ if name in _key_variables or _names_key(name)}


@functools.lru_cache(4096)
def _names_key(variable: str) -> bool:
    return _ENVIRONMENT_NAME.search(variable) is not None


def is_secret_name(name: str) -> bool:
    """Whether a Python variable of this name is never described."""
    return _VARIABLE_NAME.search(name) is not None


def looks_secret(text: str) -> bool:
    """Whether a text contains something in the form of a well-known kind of key."""
    return _VALUE.search(text) is not None


def of_environment() -> Masker:
    """Masks what the variables of this process hold."""
    return Masker(secret_environment().values())


class Masker:
    """Masks the given values, and what has the form of a key, in texts and JSON values."""

    def __init__(self, values: Iterable[str]) -> None:
        chosen = sorted({v for v in values if len(v) >= _MIN_LENGTH}, key=len, reverse=True)
        # Values also appear as a repr or as JSON shows them.
        forms = [form for value in chosen for form in dict.fromkeys((value, repr(value)[1:-1]))]
        self._pattern = re.compile("|".join([re.escape(form) for form in forms] + [_VALUE.pattern]))
        self._starts = tuple(forms)

    def text(self, text: str) -> str:
        return self._pattern.sub(MASK, text)

    def value(self, value: Any) -> Any:
        """The same for all strings within lists and dictionaries (keys stay)."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {name: self.value(item) for name, item in value.items()}
        return value

    def safe_length(self, text: str) -> int:
        """How much of a growing text can be masked now: its end may be the start of a masked value."""
        starts = (form[:length] for form in self._starts for length in range(1, len(form)))
        return len(text) - max((len(start) for start in starts if text.endswith(start)), default=0)
