"""The event loop of an attempt's processes: made once, with new file descriptors after each fork."""

from __future__ import annotations

import asyncio
import os
import select
import socket
from typing import Any

_made: asyncio.AbstractEventLoop | None = None


def prepare() -> None:
    """Before a fork: make the loop that all processes reuse with :func:`own`.

    Loops of other libraries may have files and state that do not survive this: there, each process makes its
    own loop.
    """
    if _made is not None or _is_standard():
        own()


def _is_standard() -> bool:
    policy = getattr(asyncio.events, "_event_loop_policy", None)
    return policy is None or type(policy).__module__ == "asyncio.unix_events"


def current() -> asyncio.AbstractEventLoop:
    """The loop of this process, made now if it was not prepared."""
    return make() if _made is None else _made


def make() -> asyncio.AbstractEventLoop:
    """Make the loop of this process. Processes forked from it reuse it with :func:`own`."""
    global _made
    _made = asyncio.new_event_loop()
    asyncio.set_event_loop(_made)
    return _made


def own() -> asyncio.AbstractEventLoop:
    """In a forked process: the loop that was made before the fork, with file descriptors of its own."""
    loop = _made
    if loop is None:
        return make()
    try:
        _renew(loop)
    except (AttributeError, ValueError, OSError):
        # Loops of other libraries do not have these parts.
        return make()
    return loop


def descriptors() -> tuple[int, ...]:
    """Those of the loop that was made before the fork; empty if it has none."""
    try:
        loop: Any = _made
        return loop._selector.fileno(), loop._ssock.fileno(), loop._csock.fileno()
    except (AttributeError, ValueError):
        return ()


def _renew(loop: Any) -> None:
    """Replace its file descriptors. Making another loop would take six times as long."""
    selector, reader, writer = descriptors()
    events = loop._selector._selector
    ours, theirs = socket.socketpair()
    with ours, theirs, select.epoll() as waiting:
        for end in (ours, theirs):
            end.setblocking(False)
        for new, known in ((waiting, selector), (ours, reader), (theirs, writer)):
            os.dup2(new.fileno(), known, False)
    events.register(reader, select.EPOLLIN)
