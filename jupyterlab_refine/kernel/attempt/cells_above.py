"""What the cells above a target raised, where an attempt runs them itself."""

from __future__ import annotations

import time
from typing import Any

from ..child import above


class CellsAbove:
    """Follows the cells above from the events of the attempt's process."""

    def __init__(self) -> None:
        self._errors: list[dict[str, Any]] = []
        self._reached: str | None = None
        self._since = 0.0

    def report(self) -> dict[str, Any]:
        """Their errors, the cell that did not end with its seconds, and how many came to their end."""
        reached: dict[str, Any] = {}
        if self._reached is not None:
            reached = {"cellId": self._reached, "seconds": round(time.monotonic() - self._since, 1)}
        return {"errors": self._errors, "proven": above.prove(0), **reached}

    def reach(self, number: Any) -> None:
        """The attempt runs this cell; all before it came to their end."""
        cell = above.cell_of(number)
        if cell is not None:
            above.prove(number)
            self._reached, self._since = cell.id, time.monotonic()

    def failed(self, number: Any, error: dict[str, Any]) -> bool:
        """Note the error of a cell; returns whether the attempt ends with it."""
        cell = above.cell_of(number)
        if cell is None:
            return False
        self._errors.append({"cellId": cell.id, "error": error})
        if not cell.tolerated:
            self._reached = cell.id
        return not cell.tolerated

    def complete(self) -> None:
        """All cells came to their end, and the candidate is next."""
        self._reached = None
        above.prove(above.count())
