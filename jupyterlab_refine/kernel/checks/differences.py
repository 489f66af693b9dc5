"""Describe what differs between an observed and an expected value, in one or a few sentences."""

from __future__ import annotations

import difflib
import importlib
import math
import os
from decimal import Decimal
from typing import Any

from .. import texts
from ..values.describe import bounded, is_from, safe_repr

_LIMIT = 2000
_ITEMS = 5
_LINES = 2000


def difference(observed: Any, expected: Any) -> str | None:
    """One or a few sentences, or None when there is nothing to add to the two values."""

    def work() -> str | None:
        try:
            text = _difference(observed, expected)
        except Exception:
            return None
        return texts.cut_end(texts.plain(text), _LIMIT) if text else None

    return bounded(work, None, 1.0)


def _difference(observed: Any, expected: Any) -> str | None:
    observed, expected = _plain_scalar(observed), _plain_scalar(expected)
    for name, compare in (("DataFrame", "assert_frame_equal"), ("Series", "assert_series_equal")):
        if is_from(observed, "pandas", name) and is_from(expected, "pandas", name):
            return _by_pandas(observed, expected, compare)
    if is_from(observed, "numpy", "ndarray") and is_from(expected, "numpy", "ndarray"):
        return _arrays(observed, expected)
    if isinstance(observed, str) and isinstance(expected, str):
        return _strings(observed, expected)
    if isinstance(observed, dict) and isinstance(expected, dict):
        return _dicts(observed, expected)
    if isinstance(observed, (set, frozenset)) and isinstance(expected, (set, frozenset)):
        return _sets(observed, expected)
    if isinstance(observed, (list, tuple)) and isinstance(expected, (list, tuple)):
        return _sequences(observed, expected)
    if _is_number(observed) and _is_number(expected):
        return _numbers(observed, expected)
    if type(expected).__module__.startswith("_pytest."):
        # `pytest.approx`: of another type by its nature.
        return None
    if type(observed) is not type(expected):
        return f"type {type(observed).__name__}, expected {type(expected).__name__}"
    return None


def _plain_scalar(value: Any) -> Any:
    """A scalar of numpy as Python's own: unsigned ones cannot be subtracted from each other."""
    return value.item() if is_from(value, "numpy", "generic") else value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def _numbers(observed: Any, expected: Any) -> str | None:
    if math.isnan(observed) or math.isnan(expected):
        return "nan is never equal to anything, use math.isnan"
    if isinstance(observed, Decimal) != isinstance(expected, Decimal):
        # The two cannot be subtracted from each other.
        observed, expected = float(observed), float(expected)
    gap = observed - expected
    if gap == 0 or math.isinf(gap):
        return None
    if isinstance(gap, float) and abs(gap) <= 1e-9 * max(abs(observed), abs(expected)):
        return f"equal except for rounding (difference {gap:.3g})"
    return f"{abs(gap):.6g} too {'high' if gap > 0 else 'low'}"


def _strings(observed: str, expected: str) -> str:
    if "\n" in observed or "\n" in expected:
        before, after = (text.splitlines()[:_LINES] for text in (expected, observed))
        lines = difflib.unified_diff(before, after, "expected", "observed", lineterm="", n=1)
        return "\n".join(lines) or f"only the line ends differ, or lines after the first {_LINES}"
    if observed.strip() == expected.strip():
        return "only white space at the start or the end differs"
    index = len(os.path.commonprefix([observed, expected]))
    if index == len(observed):
        return f"ends after {index} characters, {expected[index:][:60]!r} is missing"
    if index == len(expected):
        return f"{observed[index:][:60]!r} is extra at the end"
    left, right = observed[index:][:40], expected[index:][:40]
    return f"first differs at character {index + 1}: {left!r}, expected {right!r}"


def _named(items: list[Any]) -> str:
    more = f" and {len(items) - _ITEMS} more" if len(items) > _ITEMS else ""
    return ", ".join(safe_repr(item, 80) for item in items[:_ITEMS]) + more


def _apart(missing: list[Any], extra: list[Any], *words: str) -> list[str]:
    """Which keys or items only one side has, each after its word."""
    pairs = zip(words, (missing, extra), strict=True)
    return [f"{word} {_named(items)}" for word, items in pairs if items]


def _dicts(observed: dict[Any, Any], expected: dict[Any, Any]) -> str:
    missing = [key for key in expected if key not in observed]
    extra = [key for key in observed if key not in expected]
    wrong = [key for key in expected if key in observed and not _same(observed[key], expected[key])]
    parts = _apart(missing, extra, "no key", "unexpected key")
    for key in wrong[:_ITEMS]:
        left, right = safe_repr(observed[key], 200), safe_repr(expected[key], 200)
        parts.append(f"at {safe_repr(key, 80)}: {left}, expected {right}")
    if len(wrong) > _ITEMS:
        parts.append(f"and {len(wrong) - _ITEMS} more values differ")
    return "; ".join(parts)


def _sets(observed: Any, expected: Any) -> str:
    missing, extra = (sorted(items, key=repr) for items in (expected - observed, observed - expected))
    return "; ".join(_apart(missing, extra, "missing:", "too much:"))


def _sequences(observed: Any, expected: Any) -> str:
    parts = []
    if type(observed) is not type(expected):
        parts.append(f"{type(observed).__name__}, expected {type(expected).__name__}")
    if len(observed) != len(expected):
        items = "item" if len(observed) == 1 else "items"
        parts.append(f"{len(observed)} {items}, expected {len(expected)}")
    pairs = enumerate(zip(observed, expected, strict=False))
    first = next((index for index, (left, right) in pairs if not _same(left, right)), None)
    if first is not None:
        left, right = safe_repr(observed[first], 200), safe_repr(expected[first], 200)
        parts.append(f"first differs at index {first}: {left}, expected {right}")
    else:
        missing, extra = list(expected[len(observed) :]), list(observed[len(expected) :])
        parts += _apart(missing, extra, "missing:", "too much:")
    return "; ".join(parts)


def _same(left: Any, right: Any) -> bool:
    try:
        return left is right or bool(left == right)
    except Exception:
        return False


def _arrays(observed: Any, expected: Any) -> str | None:
    for word in ("shape", "dtype"):
        if getattr(observed, word) != getattr(expected, word):
            return f"{word} {getattr(observed, word)}, expected {getattr(expected, word)}"
    unequal = (observed != expected) & ~((observed != observed) & (expected != expected))
    count = int(unequal.sum())
    if not count:
        return None
    index = tuple(int(axis[0]) for axis in unequal.nonzero())
    where = index[0] if len(index) == 1 else index
    found = f"{observed[index]}, expected {expected[index]}"
    return f"{count} of {observed.size} elements differ, first at index {where}: {found}"


def _by_pandas(observed: Any, expected: Any, name: str) -> str | None:
    """What its own function for tests says of the two."""
    compare: Any = getattr(importlib.import_module("pandas.testing"), name)
    try:
        compare(observed, expected)
    except AssertionError as error:
        return str(error).replace("[left]: ", "[observed]:").replace("[right]:", "[expected]:")
    return None
