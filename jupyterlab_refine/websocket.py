"""Kernel websockets without Nagle's algorithm.

A stock Jupyter Server lets the operating system hold small messages back until
the browser has acknowledged earlier ones: about 40 ms for each short execution.
"""

from __future__ import annotations

from typing import Any


def with_nodelay(connection_class: type) -> type:
    """A subclass of ``connection_class`` that sends each message at once.

    ``connection_class`` is what the server is configured with, the value of
    ``web_app.settings["kernel_websocket_connection_class"]``; its behaviour and
    its configuration stay as they are. A class that was made here is returned
    unchanged.
    """
    if getattr(connection_class, "refine_nodelay", False):
        return connection_class

    class NoDelayConnection(connection_class):  # type: ignore[misc]
        refine_nodelay = True

        def connect(self, *args: Any, **kwargs: Any) -> Any:
            _send_at_once(getattr(self, "websocket_handler", None))
            return super().connect(*args, **kwargs)

    # Traitlets reads configuration by class name, and logs show it.
    NoDelayConnection.__name__ = connection_class.__name__
    NoDelayConnection.__qualname__ = connection_class.__qualname__
    NoDelayConnection.__module__ = connection_class.__module__
    return NoDelayConnection


def _send_at_once(handler: Any) -> None:
    """Never raises: a websocket that is slow is better than none."""
    try:
        handler.set_nodelay(True)
    except Exception as error:
        log = getattr(handler, "log", None)
        if log is not None:
            log.debug("The kernel websocket stays as it is: %s", error)
