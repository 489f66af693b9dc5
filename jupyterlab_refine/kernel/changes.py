"""Whether something in the kernel may have changed since a copy of its state was made."""

from __future__ import annotations

import asyncio
import functools
import os
import threading
from collections.abc import Callable
from typing import Any

#: Requests of the shell channel that can change state without an execution.
_CHANGING = ("comm_open", "comm_msg", "comm_close", "complete_request", "inspect_request")
#: Threads that do not run code of the user's, by name or by the module of their class.
_KNOWN_NAMES = ("MainThread", "IOPub", "Heartbeat", "Control", "Shell channel", "refine-attempt")
_KNOWN_MODULES = ("ipykernel", "IPython", "zmq", "debugpy", "pydevd", "_pydevd_bundle", "tornado")


_watching: dict[Callable[[], object], None] = {}
_restore: list[Callable[[], None]] = []


def watch(shell: Any, changed: Callable[[], object]) -> None:
    """Call it from now on at any execution, and any request that can change state; our own cannot."""
    _watching[changed] = None
    if _restore:
        return
    shell.events.register("pre_execute", _changed)
    _restore.append(lambda: shell.events.unregister("pre_execute", _changed))
    handlers = getattr(shell.kernel, "shell_handlers", {})
    for name in _CHANGING:
        if name in handlers:
            _restore.append(functools.partial(handlers.update, {name: handlers[name]}))
            handlers[name] = functools.partial(_handle, handlers[name])


def stop_watching() -> None:
    """In a fork, and before a newer version takes over."""
    while _restore:
        _restore.pop()()


def _changed() -> None:
    for changed in _watching:
        changed()


def _handle(handler: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    _changed()
    return handler(*arguments, **named)


def user_code_runs(shell: Any) -> bool:
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
