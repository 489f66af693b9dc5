"""A quirk: what one kind of server does otherwise than OpenAI."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


def unchanged(value: Any) -> Any:
    """The value as it is."""
    return value


@dataclass(frozen=True)
class Quirk:
    """One record for each provider. A shape is recognized in what was sent, whatever the address: gateways
    such as LiteLLM pass the bodies of others on. What has another shape is returned unchanged.
    """

    #: The ``delta`` of an event, as OpenAI would write it.
    delta: Callable[[Mapping[str, Any]], Mapping[str, Any]] = unchanged
    #: A parsed error body, or the error in it: as ``{"message": …, "param": …}``, perhaps within ``error``.
    error: Callable[[Any], Any] = unchanged
    #: What to do when there is no model of that name, ``{model}``, or none at all: a sentence.
    get_model: str = ""
    get_any_model: str = ""


#: Of OpenAI itself.
NONE = Quirk()
