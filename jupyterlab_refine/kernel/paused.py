"""The frame in which a debugger has stopped the kernel, while a request is evaluated in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: Its local variables; None while no request is evaluated in a frame.
_names: dict[str, Any] | None = None


def is_active() -> bool:
    return _names is not None


@contextmanager
def frame(names: dict[str, Any], shell: Any) -> Iterator[None]:
    """Attempts that are forked meanwhile, and looks at variables, have these names beside the notebook's.

    IPython's history thread is hidden. IPython ends that thread before any fork, also
    one that only tries a means of isolation, and waits for it. Stopped by the
    debugger as well, it never ends.
    """
    global _names
    outer = _names
    _names = {name: value for name, value in names.items() if name.isidentifier() and name[:2] != "__"}
    history: Any = getattr(shell, "history_manager", None)
    thread = getattr(history, "save_thread", None)
    try:
        if thread is not None:
            history.save_thread = None
        yield
    finally:
        _names = outer
        if thread is not None:
            history.save_thread = thread


def seen_from(namespace: dict[str, Any]) -> dict[str, Any]:
    """The notebook's variables with those of the frame; the same dictionary outside of a frame."""
    return {**namespace, **_names} if _names else namespace


def enter(namespace: dict[str, Any]) -> None:
    """In a fork: make the frame's variables the notebook's."""
    namespace.update(_names or {})
