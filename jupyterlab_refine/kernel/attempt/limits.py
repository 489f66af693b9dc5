"""Limits of an attempt, and what its processes use of them: memory, files, processes and output."""

from __future__ import annotations

import time
from typing import Any

from .. import texts

_MEMORY = 2 << 30
#: Of text that is reported, of each stream.
OUTPUT_BYTES = 256 << 10
#: Of text after which the attempt is ended.
HARD_OUTPUT_BYTES = 256 << 20
#: Of one file, where what is written is thrown away.
FILE_BYTES = 1 << 30
#: Of all files together that an attempt writes in the overlay; they are in memory.
LAYER_BYTES = 2 << 30
#: Of the files and folders that it makes or changes there; each is inspected after the attempt.
LAYER_FILES = 30_000
#: At the same time, all that an attempt has started.
PROCESSES = 256
_MEASURE_SECONDS = 0.1


def memory_bytes(limits: dict[str, Any]) -> int:
    """Of ``ExecutionLimits`` (TypeScript)."""
    return int(limits.get("memoryBytes") or _MEMORY)


class Watch:
    """Measures what the processes use, at most so often that it takes about 5 % of a core.

    :param memory: bytes that they may use.
    :param family: the processes of the attempt.
    """

    def __init__(self, memory: int, family: Any) -> None:
        self._memory, self._family = memory, family
        #: Memory of the cells above, where the attempt has run them: no part of what it may use.
        self._above = 0
        #: Time of the next measurement, of `time.monotonic`.
        self.next = time.monotonic() + _MEASURE_SECONDS

    def measure(self, first: int | None, stage: str) -> tuple[str, str] | None:
        """The limit that is exceeded, and by how much as a sentence; None when none is.

        :param first: the process of the attempt, or of the worker; with what it has started.
        :param stage: of the supervisor; the judge counts while it is judging.
        """
        start = time.monotonic()
        found = None if first is None else self._excess(first, stage)
        now = time.monotonic()
        self.next = now + max(_MEASURE_SECONDS, 20 * (now - start))
        return found

    def _excess(self, first: int, stage: str) -> tuple[str, str] | None:
        family, started = self._family, self._family.started_by(first)
        groups = [[first, *started], *([[family.judge]] if stage == "judging" else [])]
        if stage == "above":
            self._above = family.memory_beyond(self._memory // 4, groups[0])
        else:
            limit = self._memory + self._above
            memory = max(family.memory_beyond(limit, pids) for pids in groups)
            if memory:
                among = f" in {1 + len(started)} processes" if started else ""
                used = f"{texts.megabytes(memory)}{among}"
                return "memory", f"memory: limit {texts.megabytes(limit)}, used {used}"
            if len(started) > PROCESSES:
                return "processes", f"processes: limit {PROCESSES}, used {len(started)}"
        return None
