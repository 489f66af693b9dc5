"""Answer requests on the control channel, so that a running cell does not delay them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

REQUEST = "refine_request"
REPLY = "refine_reply"

Answer = Callable[[dict[str, Any]], dict[str, Any]]


def install(kernel: Any, answer: Answer) -> bool:
    """Add a handler for :data:`REQUEST`; False for a kernel that has no such table.

    ipykernel (6.29 and 7) calls it on its control thread as ``handler(stream, idents, message)``.
    """
    handlers = getattr(kernel, "control_handlers", None)
    if not isinstance(handlers, dict) or not hasattr(kernel, "control_stream"):
        return False

    def handle(stream: Any, idents: Any, message: dict[str, Any]) -> None:
        content = answer(message["content"])
        kernel.session.send(stream, REPLY, content, parent=message, ident=idents)

    handlers[REQUEST] = handle
    return True


def uninstall(kernel: Any) -> None:
    handlers = getattr(kernel, "control_handlers", None)
    if isinstance(handlers, dict):
        handlers.pop(REQUEST, None)
