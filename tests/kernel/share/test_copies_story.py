"""Copies of variables for other processes, without processes: both notebooks are modules of this one."""

from __future__ import annotations

import functools
import importlib
import json
import linecache
import os
import random
import signal
import sys
import tempfile
import threading
import time
import traceback
import types
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from jupyterlab_refine.kernel.attempt.forms import Refused
from jupyterlab_refine.kernel.share import share, share_values

CELL = "<cell of this test>"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Nothing copied yet, no cloudpickle, and a folder of their own for files."""
    importlib.reload(share)
    importlib.reload(share_values)
    monkeypatch.setattr(share_values, "find_cloudpickle", lambda: None)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(random, "setstate", lambda _: None)
    yield
    share.forget()


class Packed(NamedTuple):
    folder: str
    names: list[str]
    left: dict[str, str]


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Any:
    return notebook(monkeypatch)


def notebook(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A new one, which is ``__main__`` from now on."""
    module = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", module)
    return like(vars(module))


def run(shell: Any, source: str) -> None:
    linecache.cache[CELL] = (len(source), None, source.splitlines(keepends=True), CELL)
    exec(compile(source, CELL, "exec"), shell.user_ns)


def like(names: dict[str, Any]) -> Any:
    """A shell with these variables."""
    events = SimpleNamespace(register=lambda *_: None, unregister=lambda *_: None)
    return SimpleNamespace(user_ns=names, user_ns_hidden={}, events=events, kernel=None)


def pack(shell: Any, candidate: str, hidden: tuple[str, ...] = (), seconds: float = 20) -> Packed:
    share._wanted = candidate, [], [*hidden]
    copies, left = share._take(shell, seconds, "a")
    return Packed(copies.folder, copies.names, left)


def sent(shell: Any, monkeypatch: pytest.MonkeyPatch, name: str) -> Any:
    """The copy of a variable in a second notebook."""
    packed = pack(shell, name)
    assert packed.left == {}
    second = notebook(monkeypatch)
    share_values.load(packed.folder, second)
    return second.user_ns[name]


# What is written


def test_names_of_the_notebook_that_an_attempt_wants(shell: Any) -> None:
    """Those in texts as well; never the shell's own."""
    shell.user_ns |= {5: 5, "In": 1, "x": 1, "y": 1}
    shell.user_ns_hidden = {"In": 1}
    assert pack(shell, "print('x y In __name__', x, In, __name__)").names == ["x", "y"]


def test_copies_serve_until_something_changes(shell: Any) -> None:
    run(shell, "first = 1; then = 2")
    packed = pack(shell, "first")
    assert pack(shell, "first").folder == packed.folder
    more = pack(shell, "then")
    # Those before are copied as well: a later attempt may be like an earlier one.
    assert (more.names, os.path.exists(packed.folder)) == (["then", "first"], False)
    del shell.user_ns["first"]
    share.forget()
    assert not os.path.exists(more.folder)
    assert pack(shell, "then").names == ["then"]


def test_what_a_process_could_not_make_is_left_out(shell: Any) -> None:
    run(shell, "odd = 1; fine = 2")
    pack(shell, "odd, fine")
    share.leave_out("odd", "why")
    packed = pack(shell, "odd, fine")
    assert (packed.names, packed.left) == (["fine"], {"odd": "why"})


def test_large_arrays_and_frames_are_mapped(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.user_ns["array"] = array = np.arange(50_000)
    shell.user_ns["frame"] = frame = pd.DataFrame({"a": array, "b": ["x"] * 50_000})
    packed = pack(shell, "frame, array")
    assert os.path.getsize(os.path.join(packed.folder, "values")) < 300_000
    second = notebook(monkeypatch)
    share_values.load(packed.folder, second)
    copy = second.user_ns["array"]
    assert (copy == array).all() and second.user_ns["frame"].equals(frame)
    copy[0] = 5
    third = notebook(monkeypatch)
    share_values.load(packed.folder, third)
    assert third.user_ns["array"][0] == array[0] == 0


def test_what_the_copy_of_a_module_lacks_is_named(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json, "dumps", json.dumps)
    monkeypatch.setattr(json.JSONDecoder, "twice", None, raising=False)
    run(
        shell, "import json\ndef dumps(x): return 1\njson.dumps = dumps; json.JSONDecoder.twice = lambda x: 2"
    )
    lacking = "its copy is without the notebook's dumps, JSONDecoder.twice"
    assert pack(shell, "json.dumps(1)").left == {"json": lacking}
    # It is there all the same, and later attempts hear the same of it.
    again = pack(shell, "json.dumps(1)")
    assert (again.names, again.left) == (["json"], {"json": lacking})


def test_a_current_figure_is_named(shell: Any) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    run(shell, "import matplotlib.pyplot as plt")
    assert pack(shell, "plt.gcf()").left == {}
    share.forget()
    pyplot.figure()
    try:
        assert pack(shell, "plt.gcf()").left == {"plt": "its copy is without the current figure"}
    finally:
        pyplot.close("all")


def test_open_resources_are_named(shell: Any, tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    run(shell, f"import socket, threading\nfile = open({str(tmp_path / 'f')!r})\nlock = threading.Lock()")
    run(shell, "end = socket.socket()\nlines = (n for n in [1])")
    packed = pack(shell, "file, lock, end, lines")
    assert packed.left == {
        "file": "a _io.TextIOWrapper cannot be copied",
        "lock": "a _thread.lock cannot be copied",
        "end": "a socket.socket cannot be copied",
        "lines": "a generator cannot be copied",
    }
    shell.user_ns["file"].close()
    shell.user_ns["end"].close()


def test_options_of_pandas_go_over(shell: Any) -> None:
    run(shell, "value = 1")
    with pd.option_context("display.max_rows", 7):
        packed = pack(shell, "value")
    assert pd.get_option("display.max_rows") != 7
    share_values.load(packed.folder, like({}))
    assert pd.get_option("display.max_rows") == 7
    pd.reset_option("display.max_rows")


def test_what_only_a_text_needs_is_not_missed(shell: Any) -> None:
    """The text may name something else; a function that the candidate calls does not."""
    run(
        shell,
        "import threading\ndef f(): return r\nr = 1\n"
        "def g(): return lock\ndef h(): return other\nlock, other = threading.Lock(), threading.Lock()",
    )
    packed = pack(shell, "print('g', f())")
    assert sorted(packed.names) == ["f", "g", "r"]
    assert packed.left == {}
    assert list(pack(shell, "h(), print('g', f())").left) == ["other"]


def test_names_of_the_shell_itself_do_not_go_over(shell: Any) -> None:
    run(shell, "Out = {}\ndef f(): return Out, __name__, secret, value\nvalue = secret = 1")
    shell.user_ns_hidden = {"Out": None}
    assert pack(shell, "f()", ("secret",)).names == ["f", "value"]


class Stubborn:
    """What ends its copying is lost in its own code."""

    def __init__(self, fails: bool) -> None:
        self.fails = fails

    def __reduce__(self) -> Any:
        try:
            time.sleep(20)
        except BaseException:
            if self.fails:
                raise ValueError("no") from None
        return int, ()


@pytest.mark.parametrize("fails", [True, False])
def test_a_value_that_hides_its_end_is_ended_all_the_same(shell: Any, fails: bool) -> None:
    shell.user_ns["value"] = Stubborn(fails)
    with pytest.raises(Refused, match="within 0.05 s; .value. was being copied"):
        pack(shell, "value", seconds=0.05)
    assert os.listdir(tempfile.gettempdir()) == []


# How it is ended


def test_after_copying_interrupts_are_the_users(shell: Any) -> None:
    arrived: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: arrived.append(number))
    try:
        run(shell, "value = 1")
        assert pack(shell, "value", seconds=0.05).names == ["value"]
        time.sleep(0.1)
        assert arrived == []
        signal.raise_signal(signal.SIGINT)
        assert arrived == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_end_that_comes_with_the_last_value_interrupts_nothing_else(
    shell: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Signals while it tidies up, and a stop that is told when all is copied."""
    run(shell, "value = 1")
    handler = signal.getsignal(signal.SIGINT)
    written, cancelled = share.Copies.write, threading.Timer.cancel

    def write(copies: Any) -> None:
        written(copies)
        share.cancel("a")

    def cancel(timer: threading.Timer) -> None:
        signal.raise_signal(signal.SIGINT)
        share.cancel("a")
        cancelled(timer)

    monkeypatch.setattr(threading.Timer, "cancel", cancel)
    assert pack(shell, "value").names == ["value"]
    share.forget()
    monkeypatch.setattr(share.Copies, "write", write)
    with pytest.raises(share.Interrupted, match="stopped"):
        pack(shell, "value")
    assert signal.getsignal(signal.SIGINT) is handler


# What is loaded


def test_only_what_the_last_transfer_brought_is_removed(shell: Any) -> None:
    run(shell, "first = 1; then = 2; last = 3")
    second = like({"own": 1})
    for name in ("first", "last"):
        share_values.load(pack(shell, name).folder, second)
        share.forget()
    assert second.user_ns == {"own": 1, "last": 3}


def test_random_numbers_of_numpy_go_on_as_in_the_first_kernel(shell: Any) -> None:
    run(shell, "value = 1")
    before = np.random.get_state()
    try:
        packed = pack(shell, "value")
        expected = np.random.random()
        share_values.load(packed.folder, like({}))
        assert np.random.random() == expected
    finally:
        np.random.set_state(before)


def test_errors_show_the_lines_of_the_cell(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run(shell, "def f():\n    return 1 / 0  # by nothing")
    packed = pack(shell, "f")
    del linecache.cache[CELL]
    second = notebook(monkeypatch)
    share_values.load(packed.folder, second)
    with pytest.raises(ZeroDivisionError) as caught:
        second.user_ns["f"]()
    assert "# by nothing" in "".join(traceback.format_exception(caught.value))


# Values


def test_a_value_that_cannot_be_made_is_named(shell: Any) -> None:
    run(shell, "class Odd:\n    def __reduce__(self): return int, ('x',)\nodd = Odd()")
    packed = pack(shell, "odd")
    with pytest.raises(share_values.Failed, match="odd: it could not be created") as caught:
        share_values.load(packed.folder, like({}))
    assert "ValueError: invalid literal for int()" in caught.value.failed[1]


def test_a_value_that_holds_a_module(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run(shell, "import json\nvalue = {'by': json}")
    assert sent(shell, monkeypatch, "value") == {"by": json}


def test_a_cached_function_of_a_library_is_the_librarys(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    library: Any = types.ModuleType("refine_test_library")
    monkeypatch.setitem(sys.modules, library.__name__, library)
    exec("def cached(): return 1", vars(library))
    library.cached = functools.lru_cache(library.cached)
    shell.user_ns["value"] = library.cached
    assert sent(shell, monkeypatch, "value") is library.cached


@pytest.mark.parametrize("home", ["__main__", "nowhere", "json"])
def test_a_function_that_sees_other_variables(shell: Any, home: str) -> None:
    space: dict[str, Any] = {"__name__": home}
    exec("def f(): return x", space)
    shell.user_ns["f"] = space["f"]
    assert pack(shell, "f()").left == {"f": "a function that was made by exec cannot be copied"}


def test_an_instance_of_a_class_within_a_class(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run(shell, "class Outer:\n    class Inner:\n        def f(self): return 6\nvalue = Outer.Inner()")
    assert sent(shell, monkeypatch, "value").f() == 6


A = "class A:\n    def f(self): return 6"
LEFT = {
    "a module without a file": (
        "import types\nmade = types.ModuleType('made')",
        {"made": "the module made was not imported from a file"},
    ),
    "of a class that was defined again": (
        f"{A}\nmade = A()\n{A}",
        {"made": "its class A was defined again since"},
    ),
    "of a class that a method makes": (
        "class A:\n  def make(self):\n    class B: pass\n    return B()\nmade = A().make()",
        {"made": "its class A.make.<locals>.B has no source to copy; cloudpickle could copy it"},
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_cannot_be_copied_is_named(shell: Any, name: str) -> None:
    source, left = LEFT[name]
    run(shell, source)
    assert pack(shell, "made.f()").left == left
