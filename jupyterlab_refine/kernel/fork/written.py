"""The files that an attempt wrote in its overlay; open this for ``filesWritten``."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from ..isolation import isolation, overlay, processes

#: A candidate that ran for longer is not run again: its process is copied before the checks.
_REPEATED_SECONDS = 0.25


class AfterChecks(NamedTuple):
    """The files that candidate and checks have written."""

    files: list[str]
    #: Files and folders that the checks have made, the innermost first.
    made: list[str]
    #: Names of files that existed before.
    changed: list[str]


class Written:
    """Lists the files in the overlay of one attempt.

    The attempt's processes are stopped first: they could make folders as fast as they are read.
    """

    def __init__(self, pid: int, layers: overlay.Layers) -> None:
        self._pid, self._layers = pid, layers
        #: Files that the candidate had made or changed before the checks.
        self.by_candidate: list[str] = []

    def before_checks(self) -> None:
        """Record what the candidate has written; the attempt continues afterwards."""
        if overlay.is_untouched(self._pid, self._layers):
            return
        stopped = processes.stop(self._pid)
        self.by_candidate = overlay.changes(self._pid, self._layers)
        processes.resume(stopped)

    def is_repeatable(self, seconds: float, isolated: dict[str, Any], plan: isolation.Plan) -> bool:
        """Whether the candidate can be run again at little cost and without repeating effects outside.

        :param seconds: how long it has taken.
        :param isolated: what isolates the attempt.
        """
        apart = isolated["files"] != "open" and (isolated["network"] or not plan.allow_network)
        quick = seconds <= _REPEATED_SECONDS
        return quick and apart and not plan.allow_network and not self.by_candidate

    def after_checks(self, worker: int | None) -> AfterChecks:
        """:param worker: a process that goes on."""
        processes.stop(self._pid, worker)
        if overlay.is_untouched(self._pid, self._layers):
            return AfterChecks([], [], [])
        files = overlay.changes(self._pid, self._layers)
        # Files that the checks made are removed; their changes to other files cannot be undone.
        by_candidate = set(self.by_candidate)
        made = [path for path in overlay.made(self._pid, self._layers) if path not in by_candidate]
        # In this process's view files that the attempt has made do not exist.
        existed = [path.removesuffix(" (deleted)") for path in files]
        changed = [os.path.basename(path) for path in existed if os.path.lexists(path)]
        return AfterChecks(files, made, changed)

    def found(self, worker: int | None = None) -> list[str]:
        """Everything so far; the attempt stays stopped if it has written.

        :param worker: a process that goes on.
        """
        if overlay.is_untouched(self._pid, self._layers):
            return []
        processes.stop(self._pid, worker)
        return overlay.changes(self._pid, self._layers)
