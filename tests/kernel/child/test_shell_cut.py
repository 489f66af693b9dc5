"""The shell of an attempt: what it shows, whom it asks, and what it leaves to the kernel."""

from __future__ import annotations

import builtins
import getpass
import signal
import sys
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from IPython.core import async_helpers
from processes import in_child, only_linux

from jupyterlab_refine.kernel.child import shell_cut
from jupyterlab_refine.kernel.child.streams import Silent


class Shown:
    """In place of the displays, or of the events, of an attempt."""

    def __init__(self) -> None:
        self.found: list[Any] = []

    def show(self, data: dict[str, Any]) -> None:
        self.found.append(data)

    def send(self, _: str, **fields: Any) -> None:
        self.found.append(fields)


def test_outputs_beyond_a_number_are_named_once() -> None:
    events: Any = Shown()
    displays = shell_cut.Displays(events)
    for _ in range(300):
        displays.show({"text/plain": "x"})
    assert len(events.found) == 201
    assert events.found[-1] == {"display": {"mime": "text/plain", "data": "", "leftOut": 1}}


def an_ipython(**fields: Any) -> Any:
    return SimpleNamespace(
        **{
            "magics_manager": SimpleNamespace(registry={}),
            "display_pub": SimpleNamespace(),
            "displayhook": SimpleNamespace(_trait_values={}),
            **fields,
        }
    )


@pytest.fixture
def cutting(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is replaced comes back."""
    for owner, names in (
        (sys, ("stdout", "__stdout__", "stderr", "__stderr__", "stdin")),
        (builtins, ("input",)),
        (getpass, ("getpass",)),
    ):
        for name in names:
            monkeypatch.setattr(owner, name, getattr(owner, name))
    monkeypatch.setattr(async_helpers, "_asyncio_event_loop", object(), raising=False)
    monkeypatch.setattr(shell_cut, "shown_errors", [])
    monkeypatch.setattr(shell_cut, "_cut", None)


def cut(shell: Any) -> None:
    cutting: Any = SimpleNamespace(own_process=lambda: False)
    shell_cut.cut(shell, cutting)


@only_linux
def test_a_thread_that_writes_during_a_fork_stops_no_process(cutting: None) -> None:
    shell_cut.cut(an_ipython(), Silent())
    stream: Any = sys.stdout
    held, done = threading.Event(), threading.Event()

    def write() -> None:
        with stream._lock:
            held.set()
            done.wait()

    thread = threading.Thread(target=write)
    thread.start()
    held.wait()

    def go_on() -> bool:
        signal.alarm(5)
        shell_cut.cut(an_ipython(), Silent())
        stream.write("x")
        return True

    answered = in_child(go_on)
    done.set()
    thread.join()
    assert answered is True
