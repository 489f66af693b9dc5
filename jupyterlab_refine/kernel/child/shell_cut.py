"""Separate the child's shell from the kernel's sockets, event loop, history and streams."""

from __future__ import annotations

import builtins
import collections
import contextlib
import getpass
import io
import json
import sys
from typing import Any

from .. import texts
from ..ends import Events, replace_output, unbuffered

#: A display is reported in the first of these forms that it has, and as plain text beside it.
_MIMES = (
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/svg+xml",
    "text/html",
    "text/markdown",
    "text/latex",
    "text/plain",
    "application/json",
)
_DISPLAY_BYTES = 4 << 20
_DISPLAY_COUNT = 200
#: Characters of the plain text beside another form.
_TEXT_LENGTH = 2000

#: A cell run by a magic (``%%time``, ``%%capture``) shows its error instead of raising it.
shown_errors: list[BaseException] = []
#: Plain texts of the last displays.
shown_texts: collections.deque[str] = collections.deque(maxlen=5)


class Displays:
    """Sends rich outputs as events, within a budget for the whole attempt."""

    def __init__(self, events: Events) -> None:
        self.events = events
        self._room = _DISPLAY_BYTES
        self._count = 0

    def show(self, data: dict[str, Any]) -> None:
        mime = next((m for m in _MIMES if m in data), None) or next(iter(data), None)
        if mime is None or self._count > _DISPLAY_COUNT:
            return
        self._count += 1
        content = data[mime] if isinstance(data[mime], str) else json.dumps(data[mime], default=str)
        beside: dict[str, Any] = {}
        text = data.get("text/plain")
        if isinstance(text, str):
            shown_texts.append(text[:_TEXT_LENGTH])
        if mime != "text/plain" and isinstance(text, str):
            beside["text"] = texts.plain(text[:_TEXT_LENGTH])
        if mime not in _MIMES or len(content) > self._room or self._count > _DISPLAY_COUNT:
            beside["leftOut"] = len(content)
            content = ""
        self._room -= len(content)
        self.events.send("display", display={"mime": mime, "data": texts.plain(content), **beside})


class CutSession:
    """In place of ``kernel.session``: every message of ipykernel ends here, none reaches ZeroMQ."""

    def __init__(self, session: Any, displays: Displays) -> None:
        self._session = session
        self._displays = displays

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def msg(self, msg_type: str, content: Any = None, *_: Any, **__: Any) -> dict[str, Any]:
        header = {"msg_type": msg_type, "msg_id": ""}
        return {"header": header, **header, "content": content or {}, "metadata": {}, "parent_header": {}}

    def send(self, _: Any, message: Any, content: Any = None, *__: Any, **___: Any) -> dict[str, Any]:
        if isinstance(message, dict):
            kind, content = message.get("msg_type"), message.get("content")
        else:
            kind = message
        if kind in ("display_data", "execute_result", "update_display_data"):
            self._displays.show((content or {}).get("data") or {})
        return {"msg_type": kind, "content": content}


def _no_input(*_: Any, **__: Any) -> str:
    raise EOFError(
        "input() is not available: an attempt runs without a user. Take the value from a variable instead."
    )


#: What :func:`cut` made in this process, or in the one that it was forked from.
_displays: Displays | None = None


def cut(shell: Any, events: Events) -> Displays:
    """Replace what would reach the user's notebook; returns the displays.

    In a process that was forked after a call, the same ones are reused and send to these events.
    """
    global _displays
    if _displays is None:
        _displays = Displays(events)
        _cut_streams()
        _cut_shell(shell)
    _cut_kernel(shell, _displays)
    _displays.events = events
    return _displays


#: The user's streams, which may be files: dropped, one would write its text a second time.
_kept: list[Any] = []


def _cut_streams() -> None:
    _kept.extend((sys.stdin, sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__))
    replace_output(*(unbuffered(io.FileIO(number, "w", closefd=False)) for number in (1, 2)))
    sys.stdin = open(0, closefd=False)
    builtins.input = getpass.getpass = _no_input


def _cut_kernel(shell: Any, displays: Displays) -> None:
    kernel = getattr(shell, "kernel", None)
    if kernel is None or isinstance(kernel.session, CutSession):
        return
    session = CutSession(kernel.session, displays)
    for owner in (kernel, shell.display_pub, shell.displayhook):
        # traitlets would refuse another class, so the stored value is set directly.
        values = getattr(owner, "_trait_values", None)
        if values is not None and "session" in values:
            values["session"] = session
        else:
            object.__setattr__(owner, "session", session)
    kernel._allow_stdin = False
    kernel.raw_input = kernel.getpass = _no_input


def _cut_shell(shell: Any) -> None:
    history = getattr(shell, "history_manager", None)
    if history is not None:
        # sqlite connections must not be used across a fork.
        values = getattr(history, "_trait_values", {})
        values["enabled"] = False
        history.save_thread = None
        # Parts that this version of IPython lacks must not end the attempt.
        with contextlib.suppress(Exception):
            from IPython.core.history import DummyDB

            connection, values["db"] = values.get("db"), DummyDB()
            if connection is not None:
                connection.close()
        with contextlib.suppress(Exception):
            history.db_input_cache.clear()
            history.db_output_cache.clear()
    with contextlib.suppress(Exception):
        # `%%bash` and similar magics have an event loop in a thread that does not run after a fork.
        for magics in shell.magics_manager.registry.values():
            if getattr(magics, "event_loop", None) is not None:
                magics._event_loop_finalizer = magics.event_loop = None
    helpers: Any = sys.modules.get("IPython.core.async_helpers")
    if helpers is not None:
        helpers._asyncio_event_loop = None

    def leave() -> None:
        raise SystemExit("exit() ends the kernel")

    shell.ask_exit = leave

    def show(etype: type, value: BaseException, _: list[str]) -> None:
        shown_errors.append(value)

    shell._showtraceback = show
