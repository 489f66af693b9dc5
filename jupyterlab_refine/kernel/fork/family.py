"""The processes of an attempt: measured, killed and reaped with all they started, and what they wrote."""

from __future__ import annotations

import contextlib
import filecmp
import os
from typing import Any

from ..attempt.forms import Plan
from ..isolation import overlay, processes

#: A candidate that ran for longer is not run again: its process is copied before the checks.
_REPEATED_SECONDS = 0.25
#: Nor one that took more bytes of memory.
_GROWN = 256 << 20
#: Bytes of a file that are compared.
_COMPARED = 1 << 20


class Family:
    """The processes of one attempt, ended in two steps: its result does not wait until memory is freed.

    It also lists what the attempt has written in its overlay. The processes are stopped for that: they could
    make folders as fast as they are read.

    :param judge: the process that has forked the others.
    """

    #: A fork needs no time to start.
    start_seconds = 0.0
    #: What has happened where nobody can say how the attempt's process has ended.
    lost = "its parent process was killed"
    #: Each is forked from the judge, which reports the end of the attempt's process.
    are_started = False
    adopting = staticmethod(processes.adopting)
    started_by = staticmethod(processes.descendants)

    def __init__(self, judge: int) -> None:
        self.judge = judge
        self._pid = 0
        self._layers = overlay.Layers((), ())
        #: Files that the candidate had made or changed before the checks.
        self.by_candidate: list[str] = []

    def is_ready(self, event: dict[str, Any]) -> None:
        """The attempt's process has sent this event."""
        self._pid, self._layers = event["pid"], overlay.Layers(*map(tuple, event["layers"]))

    def is_repeatable(self, seconds: float, isolated: dict[str, Any], plan: Plan) -> bool:
        """Whether the candidate can be run again at little cost and without repeating effects outside.

        What it has written is recorded; the attempt continues afterwards.

        :param seconds: how long it has taken.
        :param isolated: what isolates the attempt.
        """
        if not overlay.is_untouched(self._pid, self._layers):
            stopped = processes.stop(self._pid)
            self.by_candidate = overlay.changes(self._pid, self._layers)
            processes.resume(stopped)
        is_apart = isolated["files"] != "open" and not plan.allow_network
        grown = processes.resident(self._pid) - processes.resident(self.judge)
        is_cheap = seconds <= _REPEATED_SECONDS and grown <= _GROWN
        return is_cheap and is_apart and not self.by_candidate

    def after_checks(self, worker: int | None) -> tuple[list[str], list[str], list[str]]:
        """Files that candidate and checks have written.

        And files and folders that the checks have made, the innermost first; names of those that existed
        before and were changed.

        :param worker: a process that goes on.
        """
        processes.stop(self._pid, worker)
        if overlay.is_untouched(self._pid, self._layers):
            return [], [], []
        files = overlay.changes(self._pid, self._layers)
        # Files that the checks made are removed; their changes to other files cannot be undone.
        by_candidate = set(self.by_candidate)
        made = [path for path in overlay.made(self._pid, self._layers) if path not in by_candidate]
        # In this process's view files that the attempt has made do not exist.
        existed = [path.removesuffix(" (deleted)") for path in files]
        changed = [path for path in existed if os.path.lexists(path) and not self._is_as_before(path)]
        return files, made, [os.path.basename(path) for path in changed]

    def _is_as_before(self, path: str) -> bool:
        """Whether a file was only written again, as ``%%writefile`` does in each run."""
        with contextlib.suppress(OSError):
            is_small = os.stat(path).st_size < _COMPARED
            return is_small and filecmp.cmp(f"/proc/{self._pid}/root{path}", path, shallow=False)
        return False

    def files_written(self) -> list[str]:
        """Everything so far; the attempt stays stopped if it has written."""
        if not self._pid or overlay.is_untouched(self._pid, self._layers):
            return []
        processes.stop(self._pid)
        return overlay.changes(self._pid, self._layers)

    def memory_beyond(self, limit: int, pids: list[int]) -> int:
        """Bytes that these processes use together, if they are more than ``limit``; else 0."""
        return processes.memory_beyond(limit, pids, self.judge)

    def stop(self, worker: int | None) -> None:
        """Stop all, so that nothing of the candidate's runs on; :meth:`reap` kills them.

        Large processes that end keep the processors busy, which the result on its way needs. What the
        candidate has started would stay for ever if the kernel ended before that: it is killed here.
        """
        stopped = processes.stop(self.judge)
        # These end with the kernel.
        ours = (self.judge, worker, *processes.children(self.judge))
        for pid in stopped:
            if pid not in ours:
                processes.kill(pid)

    def reap(self, ran: bool = False) -> None:
        """Kill and reap all. :param ran: whether a candidate may have run in them."""
        family = processes.stop(self.judge)
        for pid in family:
            processes.kill(pid)
        orphans = set(processes.orphans(self.judge)).difference(family)
        for pid in orphans:
            processes.kill(pid)
        processes.reap([*family, *orphans])
