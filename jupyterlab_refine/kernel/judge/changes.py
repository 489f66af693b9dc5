"""Containers of the checks that calls of the candidate have changed in place, and what is left of them."""

from __future__ import annotations

from collections import Counter
from typing import Any

_MOST = 100_000
_PARTS = 100


class Changes:
    """By object: what is left of its earlier content, and when it was last changed."""

    def __init__(self) -> None:
        #: By id: the container and what is left of its earlier content: "order", "items" or "".
        self._found: dict[int, tuple[Any, str]] = {}
        self._times: dict[int, int] = {}
        self._time = 0
        self.is_any = False

    def add(self, value: Any, before: Any) -> None:
        """:param before: of :func:`earlier`."""
        left = _left(value, before)
        old = self._found.get(id(value))
        self._found[id(value)] = (value, left if old is None or old[1] == left else "")
        self._time += 1
        self.is_any = True
        self._times[id(value)] = self._time

    def left_of(self, value: Any) -> str | None:
        """What is left of the earlier content; None for what was not changed."""
        found = self._found.get(id(value))
        return None if found is None else found[1]

    def within(self, value: Any, depth: int = 2) -> Any:
        """A part of a container of which nothing of its earlier content is left; None where there is none."""
        if type(value) in (list, tuple, dict) and depth:
            parts = list(value.values() if type(value) is dict else value)[:_PARTS]
            for part in parts:
                found = part if self.left_of(part) == "" else self.within(part, depth - 1)
                if found is not None:
                    return found
        return None

    def time_of(self, value: Any) -> int:
        """The number of its last change, counted over all; 0 if it was not changed."""
        return self._times.get(id(value), 0)


def earlier(value: Any) -> Any:
    """What :meth:`Changes.add` needs of a container that is about to be changed."""
    if type(value) in (list, dict, set) and len(value) <= _MOST:
        return value.copy()
    return dict(value.items()) if _is_frame(value) else None


def _left(value: Any, before: Any) -> str:
    try:
        if type(value) is list and type(before) is list and len(before) <= len(value):
            if value[: len(before)] == before:
                return "items"
            return "order" if len(before) == len(value) and _counted(before) == _counted(value) else ""
        if type(value) is set and before is not None:
            return "items" if before <= value else ""
        if type(value) is dict and before is not None:
            return "items" if all(k in value and value[k] == v for k, v in before.items()) else ""
        if _is_frame(value) and before is not None:
            return "items" if all(k in value and value[k].equals(v) for k, v in before.items()) else ""
    except Exception:
        # Items may be of any class.
        return ""
    return ""


def _counted(values: list[Any]) -> Any:
    try:
        return Counter(values)
    except TypeError:
        return sorted(map(repr, values))


def _is_frame(value: Any) -> bool:
    kind = type(value)
    return kind.__name__ == "DataFrame" and kind.__module__.split(".")[0] == "pandas"
