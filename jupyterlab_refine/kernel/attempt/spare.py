"""A warm spare: a child that is forked while the model writes its answer, before the checks are sent.

The next attempt takes it and saves the time of fork and isolation. It is stale, and discarded, as soon as
anything in the kernel may have changed.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

from .. import changes, paused
from . import forms, pipes

_SECONDS = 60.0


class Spare(NamedTuple):
    """A waiting child and what it was made for."""

    child: forms.Child
    #: Discards it after a time.
    timer: threading.Timer
    #: Whether it is taken although code of the user's runs.
    forced: bool
    #: Whether it has the variables of a paused frame.
    in_frame: bool


_lock = threading.RLock()
_spare: Spare | None = None


def prepare(form: Any, plan: Any, shell: Any, force: bool = False) -> bool:
    """Fork a spare in this (main) thread unless a valid one exists; False when it would be stale at once.

    :param force: fork one anyway, for an attempt that follows at once: it does nothing beforehand.
    :raises Refused: as for an attempt.
    """
    global _spare
    if _is_fresh(plan):
        return True
    discard()
    if changes.user_code_runs(shell) and not force:
        return False
    with pipes.interrupts():
        child = form.spawn(plan, shell, ahead=not force)
        timer = threading.Timer(_SECONDS, discard)
        # By which it is known as ours.
        timer.name, timer.daemon = "refine-attempt-spare", True
        timer.start()
        _spare = Spare(child, timer, force, paused.is_active())
        changes.watch(shell, discard)
    return True


def take(plan: Any, shell: Any) -> forms.Child | None:
    """Hand over the spare if it still equals what a fork would give now, else None."""
    global _spare
    with _lock:
        waiting = _spare
        if waiting is None or not _is_fresh(plan) or (changes.user_code_runs(shell) and not waiting.forced):
            discard()
            return None
        _spare = None
    waiting.timer.cancel()
    return waiting.child


def discard() -> None:
    """Kill the spare, if any; called when something in the kernel may have changed."""
    global _spare
    with _lock:
        old, _spare = _spare, None
    if old is not None:
        old.timer.cancel()
        old.child.end()


def _is_fresh(plan: Any) -> bool:
    waiting = _spare
    return waiting is not None and waiting.child.plan == plan and waiting.in_frame == paused.is_active()
