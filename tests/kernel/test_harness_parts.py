"""How the kernel part is loaded and answers, and how the shell of an attempt is cut off: without a kernel."""

from __future__ import annotations

import builtins
import getpass
import importlib.util
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from IPython.core import async_helpers

from jupyterlab_refine.kernel import control, entry, redact, shell_cut

PACKAGE = "_jupyterlab_refine"


# The loader


@pytest.fixture(autouse=True)
def _unloaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "refine_test_said", [], raising=False)
    yield
    for name in loaded():
        del sys.modules[name]


def loaded() -> list[str]:
    return sorted(name for name in sys.modules if name.split(".")[0] == PACKAGE)


ENTRY = "import sys\ndef call(text): return text\ndef shutdown(): sys.refine_test_said.append(__version__)"


def install(version: str, **sources: str) -> Any:
    template = Path(entry.__file__).with_name("_loader.py").read_text(encoding="utf-8")
    told = {"__init__": "raise RuntimeError", "entry": ENTRY, **sources}
    text = template.replace("__REFINE_VERSION__", version).replace("__REFINE_SOURCES__", repr(told))
    exec(compile(text, "<loader>", "exec"), {"__name__": "loader"})
    return sys.modules[PACKAGE]


def test_a_newer_version_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    install("1", old="")
    monkeypatch.setitem(sys.modules, f"{PACKAGE}_of_somebody_else", types.ModuleType("other"))
    before = {*sys.modules} - {*loaded()}
    package = install("2", new="x = 5")
    assert sys.refine_test_said == ["1"]  # type: ignore[attr-defined]
    assert loaded() == [PACKAGE, f"{PACKAGE}.entry", f"{PACKAGE}.new"]
    assert before <= {*sys.modules}
    assert (package.__version__, package.new.__version__, package.new.x) == ("2", "2", 5)
    package.shutdown()
    assert sys.refine_test_said == ["1", "2"]  # type: ignore[attr-defined]
    assert package.call("text") == "text"


def test_the_package_is_like_others() -> None:
    package = install("1", part="from . import other", other="from .entry import call")
    assert package.part.other.call("text") == "text"
    assert importlib.util.find_spec(f"{PACKAGE}.nowhere") is None
    assert importlib.util.resolve_name(".other", package.part.__package__) == f"{PACKAGE}.other"


def test_a_version_that_cannot_be_loaded_leaves_nothing() -> None:
    before = {*sys.modules}
    with pytest.raises(ZeroDivisionError):
        install("1", broken="1 / 0")
    assert loaded() == []
    assert before <= {*sys.modules}


# Answers


def test_the_control_channel_where_the_kernel_has_one() -> None:
    def answer(content: dict[str, Any]) -> dict[str, Any]:
        return {"to": content}

    for kernel in (
        SimpleNamespace(),
        SimpleNamespace(control_handlers=None, control_stream=1),
        SimpleNamespace(control_handlers={}),
    ):
        assert not control.install(kernel, answer)
        control.uninstall(kernel)
    sent: list[Any] = []
    session = SimpleNamespace(send=lambda *arguments, **fields: sent.append((arguments, fields)))
    kernel = SimpleNamespace(control_handlers={"own": 1}, control_stream=1, session=session)
    assert control.install(kernel, answer)
    kernel.control_handlers[control.REQUEST]("stream", ["id"], {"content": {"op": "x"}})
    (arguments, fields), *_ = sent
    assert arguments == ("stream", control.REPLY, {"to": {"op": "x"}})
    assert fields["ident"] == ["id"]
    control.uninstall(kernel)
    assert kernel.control_handlers == {"own": 1}


def test_nothing_goes_on_after_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = SimpleNamespace(control_handlers={control.REQUEST: 1})
    ended: list[str] = []
    monkeypatch.setattr(entry.spare, "discard", lambda: ended.append("the spare"))
    monkeypatch.setattr(entry.attempts, "cancel_all", lambda: ended.append("attempts"))
    monkeypatch.setattr(entry, "_shell", lambda: SimpleNamespace(kernel=kernel))
    entry.shutdown()
    assert kernel.control_handlers == {}
    assert ended == ["the spare", "attempts"]


def test_names_of_variables_with_keys_come_with_the_first_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redact, "_key_variables", set())
    monkeypatch.setattr(entry.isolation, "probe", lambda: {})
    monkeypatch.setattr(entry, "_shell", lambda: SimpleNamespace(kernel=None))
    assert entry._hello({"keyVariables": ["PLAIN"]})["control"] is False
    assert redact.secret_environment({"PLAIN": "a"}) == {"PLAIN": "a"}


@pytest.mark.parametrize(("live", "optimize", "told"), [(True, 1, True), (True, 0, False), (False, 1, False)])
def test_only_checks_in_the_live_kernel_run_without_asserts(
    monkeypatch: pytest.MonkeyPatch, live: bool, optimize: int, told: bool
) -> None:
    monkeypatch.setattr(entry, "sys", SimpleNamespace(flags=SimpleNamespace(optimize=optimize)))
    monkeypatch.setattr(entry, "_shell", lambda: SimpleNamespace(user_ns={}))
    cells = [{"cellId": "c", "role": "assertion", "source": "assert x"}]
    (statement,) = entry._statements({"cells": cells, "live": live})["statements"]
    assert ("problem" in statement) is told


# The shell of an attempt


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
        *("application/json", "image/svg+xml", "text/html"),
    ),
)
def test_outputs_of_that_kind_are_shown(mime: str) -> None:
    events = Shown()
    shell_cut.Displays(events).show({"application/x-other": "no", mime: "data"})  # type: ignore[arg-type]
    assert events.found == [{"mime": mime, "data": "data"}]


def test_messages_of_the_kernel_end_in_the_attempt() -> None:
    displays = Shown()
    session = shell_cut.CutSession(None, displays)  # type: ignore[arg-type]
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


def test_nobody_is_asked_and_nothing_reaches_the_notebook(cutting: None) -> None:
    kernel = SimpleNamespace(session=1, _trait_values={"session": 1}, _allow_stdin=True)
    shell = an_ipython(kernel=kernel)
    _, (out, err) = shell_cut.cut(shell, SimpleNamespace(own_process=lambda: False))  # type: ignore[arg-type]
    streams = (sys.stdout, sys.__stdout__, sys.stderr, sys.__stderr__)
    assert streams == (out, out, err, err)
    assert sys.stdin.fileno() == 0
    session = kernel._trait_values["session"]
    assert isinstance(session, shell_cut.CutSession)
    assert shell.display_pub.session is shell.displayhook.session is session
    assert not kernel._allow_stdin
    for ask in (builtins.input, getpass.getpass, kernel.raw_input, kernel.getpass):
        with pytest.raises(EOFError):
            ask()


def test_a_shell_without_a_kernel_or_history(cutting: None, monkeypatch: pytest.MonkeyPatch) -> None:
    shell_cut._cut_kernel(an_ipython(), None)  # type: ignore[arg-type]
    monkeypatch.delitem(sys.modules, "IPython.core.async_helpers")
    shell = an_ipython()
    shell_cut._cut_shell(shell)
    with pytest.raises(SystemExit):
        shell.ask_exit()
    error = ValueError("shown")
    shell._showtraceback(ValueError, error, [])
    assert shell_cut.shown_errors == [error]


def test_the_history_is_left_to_the_kernel(cutting: None) -> None:
    connection = Closing()
    history = SimpleNamespace(
        _trait_values={"db": connection, "enabled": True},
        save_thread=1,
        db_input_cache=[1],
        db_output_cache=[1],
    )
    shell_cut._cut_shell(an_ipython(history_manager=history))
    assert connection.closed
    assert history._trait_values["enabled"] is False
    assert history._trait_values["db"] is not connection
    assert (history.save_thread, history.db_input_cache, history.db_output_cache) == (None, [], [])


def test_a_history_that_nobody_has_opened_is_not_opened_later() -> None:
    values: dict[str, Any] = {}
    shell_cut._close_history(values)
    assert type(values["db"]).__name__ == "DummyDB"


def test_loops_of_threads_that_are_not_here_are_forgotten(cutting: None) -> None:
    stopped = SimpleNamespace(event_loop=object(), _event_loop_finalizer=object())
    registry = {"without": object(), "script": stopped}
    shell_cut._cut_shell(an_ipython(magics_manager=SimpleNamespace(registry=registry)))
    assert (stopped.event_loop, stopped._event_loop_finalizer) == (None, None)
    assert async_helpers._asyncio_event_loop is None
