"""A warm spare: a child that is forked while the model writes its answer, before the checks are sent.

The next attempt takes it and saves the time of fork and isolation. It is stale, and discarded, as soon as
anything in the kernel may have changed.
"""

from __future__ import annotations

import asyncio
import functools
import os
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any, NamedTuple

from .. import paused
from ..interrupts import Interrupts
from . import forms, temporary
from .forms import Refused

_SECONDS = 60.0
#: Requests of the shell channel that can change state without an execution.
_CHANGING = ("comm_open", "comm_msg", "comm_close", "complete_request", "inspect_request")
#: Threads that do not run code of the user's, by name or by the module of their class.
_KNOWN_NAMES = ("MainThread", "IOPub", "Heartbeat", "Control", "Shell channel", "refine-attempt")
_KNOWN_MODULES = ("ipykernel", "IPython", "zmq", "debugpy", "pydevd", "_pydevd_bundle", "tornado")


class Spare(NamedTuple):
    """A waiting child and what it was made for."""

    child: forms.Child
    plan: Any
    scratch: str | None
    born: float
    #: Whether it is taken although code of the user's runs.
    forced: bool
    #: Whether it has the variables of a paused frame.
    in_frame: bool


_lock = threading.RLock()
_spare: Spare | None = None
_restore: list[Callable[[], None]] = []
#: Whether the control thread checks for a spare that is too old.
_timed = False


def prepare(plan: Any, shell: Any, force: bool = False, ahead: bool = True) -> bool:
    """Fork a spare in this (main) thread unless a valid one exists; False when it would be stale at once.

    :param force: fork one anyway, for an attempt that follows at once.
    :param ahead: whether there is time for it to do what it can beforehand.
    :raises Refused: as for an attempt.
    """
    global _spare
    if _is_fresh(plan):
        return True
    discard()
    if _user_code_runs(shell) and not force:
        return False
    form = forms.here()
    form.check()
    interrupts = Interrupts()
    scratch = form.scratch_for(plan)
    try:
        child = form.spawn(uuid.uuid4().hex, plan, scratch, shell, ahead=ahead)
        with _lock:
            _spare = Spare(child, plan, scratch, time.monotonic(), force, paused.is_active())
            _watch(shell)
    except Refused:
        temporary.remove(scratch)
        raise
    finally:
        interrupts.restore()
    return True


def take(plan: Any, shell: Any) -> Spare | None:
    """Hand over the spare if it still equals what a fork would give now, else None."""
    global _spare
    with _lock:
        waiting = _spare
        if waiting is None or not _is_fresh(plan) or (_user_code_runs(shell) and not waiting.forced):
            discard()
            return None
        taken, _spare = _spare, None
        _unwatch()
        return taken


def discard(*_: Any) -> None:
    """Kill the spare, if any; called when something in the kernel may have changed."""
    global _spare
    with _lock:
        old, _spare = _spare, None
        _unwatch()
    if old is not None:
        old.child.end()
        temporary.remove(old.scratch)


def _is_fresh(plan: Any) -> bool:
    waiting = _spare
    return (
        waiting is not None
        and waiting.plan == plan
        and waiting.in_frame == paused.is_active()
        and time.monotonic() - waiting.born < _SECONDS
    )


def _watch(shell: Any) -> None:
    """Discard on any execution, and on any request that can change state; our own requests cannot."""
    global _timed
    shell.events.register("pre_execute", discard)
    _restore.append(lambda: shell.events.unregister("pre_execute", discard))
    handlers = getattr(shell.kernel, "shell_handlers", {})
    for name in _CHANGING:
        if name in handlers:
            handlers[name] = _discarding(handlers[name])
            _restore.append(functools.partial(handlers.update, {name: handlers[name].__wrapped__}))
    control = getattr(shell.kernel, "control_thread", None)
    if control is not None and not _timed:
        # Waking that thread takes time: one check finds when the next is due.
        control.io_loop.add_callback(_look_later, control.io_loop, _SECONDS)
        _timed = True


def _unwatch() -> None:
    while _restore:
        _restore.pop()()


def _look_later(loop: Any, seconds: float) -> None:
    loop.call_later(seconds + 1, _expire, loop)


def _expire(loop: Any) -> None:
    global _timed
    with _lock:
        left = 0.0 if _spare is None else _spare.born + _SECONDS - time.monotonic()
        _timed = left > 0
        if _timed:
            _look_later(loop, left)
        else:
            discard()


def _discarding(handler: Callable[..., Any]) -> Callable[..., Any]:
    def handle(*arguments: Any, **named: Any) -> Any:
        discard()
        return handler(*arguments, **named)

    handle.__wrapped__ = handler  # type: ignore[attr-defined]
    return handle


def _user_code_runs(shell: Any) -> bool:
    """Whether threads or tasks of the user's may change state between two executions."""
    for thread in threading.enumerate():
        module = type(thread).__module__.split(".")[0]
        target = getattr(getattr(thread, "_target", None), "__module__", None) or ""
        known = module in _KNOWN_MODULES or target.split(".")[0] in _KNOWN_MODULES
        if not known and not thread.name.startswith(_KNOWN_NAMES):
            return True
    try:
        tasks = asyncio.all_tasks(shell.kernel.io_loop.asyncio_loop)
    except (AttributeError, RuntimeError):
        return False
    return any(_is_users(task, shell) for task in tasks)


def _is_users(task: Any, shell: Any) -> bool:
    code = getattr(task.get_coro(), "cr_code", None)
    name = getattr(code, "co_filename", "")
    return name in getattr(shell.compile, "_filename_map", {}) or "ipykernel_" in os.path.dirname(name)
