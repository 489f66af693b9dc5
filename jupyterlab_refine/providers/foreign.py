"""Reads what a provider sent: JSON that may be of any size and shape."""

from __future__ import annotations

import json
import math
from typing import Any

#: The most tokens that one call can have used: a larger count is not believed.
MAX_TOKENS = 10_000_000


def parse_json(data: bytes | str) -> Any:
    """The parsed value; NaN and Infinity, which are no JSON, are None.

    Raises
    ------
    ValueError
        For whatever cannot be parsed: other text, numbers with thousands of digits, nesting beyond
        the interpreter's limit.
    """
    try:
        return json.loads(data, parse_constant=lambda _: None)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def token_count(value: Any) -> int | None:
    """A count of tokens as a provider reports it; None for what cannot be one (negative, NaN, text, 1e30)."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return int(value) if 0 <= value <= MAX_TOKENS and value == int(value) else None
