"""What the processes of an attempt use, compared with its limits."""

from __future__ import annotations

import time
from typing import Any

from .. import texts
from . import limits

_SECONDS = 0.1
_FULL = ("memory", "memory: the machine, or its container, has almost none left")


class Watch:
    """Measures at most so often that it takes about 5 % of a core.

    :param family: the processes of the attempt.
    """

    def __init__(self, bounds: limits.Limits, family: Any) -> None:
        self._bounds, self._family = bounds, family
        #: Memory of the cells above, where the attempt has run them: no part of what it may use.
        self._above = 0
        #: Time of the next measurement, of `time.monotonic`.
        self.next = time.monotonic() + _SECONDS

    def measure(self, first: int | None, stage: str) -> tuple[str, str] | None:
        """As :func:`excess`; None before there is a first process."""
        start = time.monotonic()
        found = None if first is None else self._measure(first, stage)
        now = time.monotonic()
        self.next = now + max(_SECONDS, 20 * (now - start))
        return found

    def _measure(self, first: int, stage: str) -> tuple[str, str] | None:
        if stage == "above":
            pids = [first, *self._family.started_by(first)]
            self._above = self._family.memory_beyond(self._bounds.memory_bytes // 4, pids) or 0
            return _FULL if self._family.machine_is_full() else None
        bounds = self._bounds._replace(memory_bytes=self._bounds.memory_bytes + self._above)
        return excess(bounds, first, self._family, stage == "judging")


def excess(bounds: limits.Limits, first: int, family: Any, judging: bool) -> tuple[str, str] | None:
    """The limit that is exceeded, and by how much as a sentence; None when none is.

    :param first: the process of the attempt, or of the worker; with what it has started.
    :param family: the processes of the attempt; that of the judge counts while it is `judging`.
    """
    started = family.started_by(first)
    groups = [[first, *started], [family.judge]] if judging else [[first, *started]]
    limit = bounds.memory_bytes
    memory = max(family.memory_beyond(limit, pids) or 0 for pids in groups)
    if memory:
        among = f" in {1 + len(started)} processes" if started else ""
        used = f"{texts.megabytes(memory)}{among}"
        return "memory", f"memory: limit {texts.megabytes(limit)}, used {used}"
    if len(started) > limits.PROCESSES:
        return "processes", f"processes: limit {limits.PROCESSES}, used {len(started)}"
    if family.machine_is_full():
        return _FULL
    return None
