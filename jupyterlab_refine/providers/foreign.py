"""Reads what a provider sent: JSON that may be of any size and shape."""

from __future__ import annotations

import json
from typing import Any


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
