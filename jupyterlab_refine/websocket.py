"""What a Jupyter Server has to know of kernel messages, for attempts to be fast and unnoticed."""

from __future__ import annotations

import contextlib
from typing import Any

CONTROL_MESSAGE_TYPES = ("refine_request", "refine_reply")
"""Sent on the control channel between the executor and the kernel part."""


def with_nodelay(connection_class: Any) -> Any:
    """A subclass of ``connection_class`` that sends each message at once.

    A stock server lets the operating system hold small messages back until the
    browser has acknowledged earlier ones (Nagle's algorithm): about 40 ms for
    each short execution.

    ``connection_class`` is what the server is configured with, the value of
    ``web_app.settings["kernel_websocket_connection_class"]``; its behaviour and
    its configuration stay as they are.
    """

    class NoDelayConnection(connection_class):
        def connect(self, *args: Any, **kwargs: Any) -> Any:
            # A websocket that is slow is better than none.
            with contextlib.suppress(Exception):
                self.websocket_handler.set_nodelay(True)
            return super().connect(*args, **kwargs)

    # Traitlets reads configuration by class name, and logs show it.
    NoDelayConnection.__name__ = connection_class.__name__
    NoDelayConnection.__qualname__ = connection_class.__qualname__
    NoDelayConnection.__module__ = connection_class.__module__
    return NoDelayConnection


def leave_untracked(kernel_manager: Any) -> None:
    """Keep requests on the control channel from changing the state that the server reports for a kernel.

    They are answered while a cell runs, and the kernel says ``idle`` after each:
    the server would show a busy kernel as idle, and a culler could end it.
    ``kernel_manager`` is the server's; one that tracks no types is left alone.
    """
    untracked = getattr(kernel_manager, "untracked_message_types", None)
    if untracked is not None:
        kernel_manager.untracked_message_types = [
            *untracked,
            *(name for name in CONTROL_MESSAGE_TYPES if name not in untracked),
        ]
