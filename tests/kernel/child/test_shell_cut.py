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


@pytest.mark.parametrize(
    "mime",
    (
        *("image/png", "image/jpeg", "text/plain", "text/markdown", "text/latex"),
        *("application/json", "image/svg+xml", "image/gif", "text/html"),
    ),
)
def test_outputs_of_that_kind_are_shown(mime: str) -> None:
    events: Any = Shown()
    shell_cut.Displays(events).show({"application/x-other": "no", mime: "data"})
    assert events.found == [{"display": {"mime": mime, "data": "data"}}]


def test_a_table_has_its_plain_text_beside_it() -> None:
    events: Any = Shown()
    shell_cut.Displays(events).show({"text/plain": "x" * 3000, "text/html": "<table>"})
    assert events.found == [{"display": {"mime": "text/html", "data": "<table>", "text": "x" * 2000}}]


def test_outputs_beyond_a_number_are_named_once() -> None:
    events: Any = Shown()
    displays = shell_cut.Displays(events)
    for _ in range(300):
        displays.show({"text/plain": "x"})
    assert len(events.found) == 201
    assert events.found[-1] == {"display": {"mime": "text/plain", "data": "", "leftOut": 1}}


def test_messages_of_the_kernel_end_in_the_attempt() -> None:
    displays: Any = Shown()
    session = shell_cut.CutSession(None, displays)
    data = {"text/plain": "x"}
    session.send(None, "display_data", {"data": data})
    session.send(None, session.msg("execute_result", {"data": data}))
    assert displays.found == [data, data]
    # Widgets send data too, and some displays have none.
    session.send(None, "comm_msg", {"data": data})
    session.send(None, "display_data")
    session.send(None, "display_data", {"data": None})
    assert displays.found == [data, data, {}, {}]
    assert session.msg("status")["content"] == {}


class Closing:
    closed = False

    def close(self) -> None:
        self.closed = True


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


def test_a_shell_without_a_kernel_or_history(cutting: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython.core.async_helpers")
    shell = an_ipython()
    cut(shell)
    with pytest.raises(SystemExit):
        shell.ask_exit()
    error = ValueError("shown")
    shell._showtraceback(ValueError, error, [])
    assert shell_cut.shown_errors == [error]


@pytest.mark.parametrize("opened", [True, False])
def test_the_history_is_left_to_the_kernel(cutting: None, opened: bool) -> None:
    connection = Closing()
    history = SimpleNamespace(
        _trait_values={"db": connection, "enabled": True} if opened else {},
        save_thread=1,
        db_input_cache=[1],
        db_output_cache=[1],
    )
    cut(an_ipython(history_manager=history))
    assert connection.closed == opened
    assert history._trait_values["enabled"] is False
    assert type(history._trait_values["db"]).__name__ == "DummyDB"
    assert (history.save_thread, history.db_input_cache, history.db_output_cache) == (None, [], [])


def test_loops_of_threads_that_are_not_here_are_forgotten(cutting: None) -> None:
    stopped = SimpleNamespace(event_loop=object(), _event_loop_finalizer=object())
    registry = {"without": object(), "script": stopped}
    cut(an_ipython(magics_manager=SimpleNamespace(registry=registry)))
    assert (stopped.event_loop, stopped._event_loop_finalizer) == (None, None)
    assert async_helpers._asyncio_event_loop is None


def test_a_forked_process_reuses_streams_with_its_own_events(cutting: None) -> None:
    shell = an_ipython()
    cut(shell)
    before = sys.stdout
    events: Any = Shown()
    events.own_process = lambda: True
    displays, streams = shell_cut.cut(shell, events)
    streams[0].is_open = True
    sys.stdout.write("said")
    displays.show({"text/plain": "x"})
    assert sys.stdout is before
    display = {"mime": "text/plain", "data": "x"}
    assert events.found == [{"stream": "stdout", "text": "said"}, {"display": display}]


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
