"""Containers that calls of the candidate have changed in place, and values that an assert has demanded."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from .exchange.plain_types import SCALAR_SET
from .mentions import Mention, is_stub

_MOST = 100_000
_PARTS = 100


class Origin(NamedTuple):
    """The changed container that a value comes from, and when it was last changed."""

    name: str
    container: Any
    #: Number of the container's last change when the value was read.
    time: int
    #: How many changes there were when the value was read.
    read: int


class Changes:
    """By object: what is left of its earlier content, and when it was last changed."""

    def __init__(self) -> None:
        #: By id: the container and what is left of its earlier content: "order", "items" or "".
        self._found: dict[int, tuple[Any, str]] = {}
        self._times: dict[int, int] = {}
        #: How many changes there were.
        self.time = 0
        self.is_any = False

    def add(self, value: Any, before: Any) -> None:
        """:param before: of :func:`earlier`."""
        left, value = _left(value, before), _owner(value)
        old = self._found.get(id(value))
        self._found[id(value)] = (value, left if old is None or old[1] == left else "")
        self.time += 1
        self.is_any = True
        self._times[id(value)] = self.time

    def left_of(self, value: Any) -> str | None:
        """What is left of the earlier content; None for what was not changed."""
        found = self._found.get(id(_owner(value)))
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
        return self._times.get(id(_owner(value)), 0)


def _owner(value: Any) -> Any:
    """The array whose memory a view shares; any other value itself."""
    kind: Any = type(value)
    while kind.__module__ == "numpy" and type(getattr(value, "base", None)) is kind:
        value = value.base
    return value


class Demanded:
    """Values that an assert has compared with something of the check's own.

    They are no longer the candidate's choice: after ``assert xs == [3, 4]``, a comparison with
    ``max(xs)`` compares with 4.
    """

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        #: By text of an expression: what it mentions, with the times of their last changes.
        self._texts: dict[str, list[tuple[Any, int]]] = {}
        #: By name or path, and of containers by id.
        self._named: dict[str, tuple[Any, int]] = {}
        self._held: dict[int, tuple[Any, int]] = {}

    def add(self, text: str, mentions: list[Mention], is_empty: bool) -> None:
        """:param is_empty: the expression is the length of something without elements."""
        if len(self._texts) + len(self._held) > _PARTS * 10:
            self._texts, self._named, self._held = {}, {}, {}
        if any(is_stub(mention.value) for mention in mentions):
            return
        self._texts[text] = [self._state(mention) for mention in mentions]
        for mention in mentions:
            if mention.name == text or is_empty and text in (f"len({mention.name})", f"{mention.name}.size"):
                self._named[mention.name] = self._state(mention)
                self._hold(mention.value, 2)

    def _hold(self, value: Any, depth: int) -> None:
        """Remember a container, and those within it."""
        if type(value) not in SCALAR_SET:
            self._held[id(value)] = (value, self._changes.time_of(value))
        if type(value) in (list, tuple, dict) and depth:
            for part in list(value.values() if type(value) is dict else value)[:_PARTS]:
                self._hold(part, depth - 1)

    def is_text(self, text: str, mentions: list[Mention]) -> bool:
        """Whether this expression was compared, and nothing that it mentions has changed since."""
        states = self._texts.get(text)
        if states is None or len(states) != len(mentions):
            return False
        return all(map(self._is_same, map(self._state, mentions), states))

    def is_value(self, mention: Mention) -> bool:
        """Whether the value of a name or path was compared, and has not changed since."""
        if not self._named:
            return False
        is_scalar = type(mention.value) in SCALAR_SET
        found = self._named.get(mention.name) if is_scalar else self._held.get(id(mention.value))
        return found is not None and self._is_same(self._state(mention), found)

    def _state(self, mention: Mention) -> tuple[Any, int]:
        return mention.value, self._changes.time_of(mention.value)

    @staticmethod
    def _is_same(one: tuple[Any, int], other: tuple[Any, int]) -> bool:
        return one[0] is other[0] and one[1] == other[1]

    def __bool__(self) -> bool:
        return bool(self._texts)


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
