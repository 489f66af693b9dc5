"""Copies of variables for a second kernel, without kernels: both notebooks are modules of this process."""

from __future__ import annotations

import base64
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
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from jupyterlab_refine.kernel.share import share, share_load

CELL = "<cell of this test>"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Two kernels that have shared nothing yet, and a folder of their own for files."""
    importlib.reload(share)
    importlib.reload(share_load)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(random, "setstate", lambda _: None)
    yield
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer) and thread.name == "refine-attempt-share":
            thread.cancel()
            thread.join()


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Any:
    return notebook(monkeypatch)


def notebook(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A new one, which is ``__main__`` from now on."""
    module = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", module)
    return SimpleNamespace(user_ns=vars(module), user_ns_hidden={})


def run(shell: Any, source: str) -> None:
    linecache.cache[CELL] = (len(source), None, source.splitlines(keepends=True), CELL)
    exec(compile(source, CELL, "exec"), shell.user_ns)


def pack(shell: Any, candidate: str, **fields: Any) -> dict[str, Any]:
    request = {"id": "a", "candidate": candidate, "others": [], "hidden": [], "known": [], "without": {}}
    request |= {"cloudpickle": None, "limitBytes": 1 << 24, "seconds": 20}
    return share.pack({**request, **fields}, shell)


def load(packed: dict[str, Any], shell: Any) -> dict[str, Any]:
    assert packed["state"] == "packed", packed
    return share_load.load(packed["path"], packed["nonce"], shell)


def sent(shell: Any, monkeypatch: pytest.MonkeyPatch, name: str) -> Any:
    """The copy of a variable in a second notebook."""
    packed = pack(shell, name)
    assert packed["left"] == []
    second = notebook(monkeypatch)
    loaded = load(packed, second)
    assert loaded["state"] == "loaded", loaded
    return second.user_ns[name]


def left(packed: dict[str, Any]) -> dict[str, str]:
    return {entry["name"]: entry["reason"] for entry in packed["left"]}


def test_parts_are_forgotten_when_they_are_not_loaded() -> None:
    share.answer({"step": "part", "nonce": "n", "data": ""}, None)
    path = share_load._parts["n"]
    assert share.answer({"step": "forget", "nonce": "n"}, None) == {"state": "forgotten"}
    assert not os.path.exists(path)


# What is written


def test_names_of_the_notebook_that_an_attempt_wants(shell: Any) -> None:
    """Those in texts as well; never the shell's own."""
    shell.user_ns |= {5: 5, "In": 1, "x": 1, "y": 1}
    shell.user_ns_hidden = {"In": 1}
    assert pack(shell, "print('x y In __name__', x, In, __name__)")["names"] == ["x", "y"]


def test_nothing_is_written_when_the_second_kernel_has_it_all(shell: Any) -> None:
    run(shell, "first = 1; then = 2")
    assert pack(shell, "first", known=["first"]) == {"state": "same", "left": []}
    assert pack(shell, "first", without={"first": "why"})["left"] == [{"name": "first", "reason": "why"}]


def test_what_was_deleted_since_is_not_written_again(shell: Any) -> None:
    run(shell, "first = 1; then = 2")
    assert pack(shell, "then", known=["first", "then", "gone"])["state"] == "same"
    run(shell, "new = 3")
    assert pack(shell, "new", known=["first", "gone"])["names"] == ["new", "first"]


def test_what_only_a_text_needs_is_not_missed(shell: Any) -> None:
    """The text may name something else; a function that the candidate calls does not."""
    run(
        shell,
        "import threading\ndef f(): return r\nr = 1\n"
        "def g(): return lock\ndef h(): return other\nlock, other = threading.Lock(), threading.Lock()",
    )
    packed = pack(shell, "print('g', f())")
    assert sorted(packed["names"]) == ["f", "g", "r"]
    assert left(packed) == {}
    assert list(left(pack(shell, "h(), print('g', f())"))) == ["other"]


def test_names_of_the_shell_itself_do_not_go_over(shell: Any) -> None:
    run(shell, "Out = {}\ndef f(): return Out, __name__, secret, value\nvalue = secret = 1")
    shell.user_ns_hidden = {"Out": None}
    assert pack(shell, "f()", hidden=["secret"])["names"] == ["f", "value"]


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
    packed = pack(shell, "value", seconds=0.05)
    assert packed == {"state": "cut", "why": "late", "name": "value"}


def test_a_module_without_a_file_is_reported(shell: Any) -> None:
    shell.user_ns["made"] = types.ModuleType("made")
    assert left(pack(shell, "made.f()")) == {"made": "the module made was not imported from a file"}


def test_a_file_is_dropped_once(shell: Any) -> None:
    run(shell, "value = 1")
    packed = pack(shell, "value")
    assert share.drop(packed["token"]) == share.drop(packed["token"]) == {"state": "dropped"}
    assert not os.path.exists(packed["path"])
    # The second kernel has removed it.
    packed = pack(shell, "value")
    os.unlink(packed["path"])
    assert share.drop(packed["token"]) == {"state": "dropped"}


# How it is ended


def test_a_cancel_that_comes_too_late_is_no_error(shell: Any) -> None:
    run(shell, "value = 1")
    assert pack(shell, "value", id="old")["state"] == "packed"
    share.cancel("old")


def test_after_copying_interrupts_are_the_users(shell: Any) -> None:
    arrived: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: arrived.append(number))
    try:
        run(shell, "value = 1")
        assert pack(shell, "value", seconds=0.05)["state"] == "packed"
        time.sleep(0.1)
        assert arrived == []
        signal.raise_signal(signal.SIGINT)
        assert arrived == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


# What is loaded


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="descriptors are seen under /proc")
def test_a_file_in_parts_leaves_no_descriptor() -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(2):
        assert share_load.part("nonce", base64.b64encode(b"data").decode()) == {"state": "part"}
    assert len(os.listdir("/proc/self/fd")) == before
    share_load.forget("nonce")


def test_only_what_the_last_transfer_brought_is_removed(shell: Any) -> None:
    run(shell, "first = 1; then = 2; last = 3")
    second = SimpleNamespace(user_ns={})
    for name in ("first", "then"):
        load(pack(shell, name), second)
    # Bound there by somebody else.
    second.user_ns["first"] = "own"
    load(pack(shell, "last"), second)
    assert second.user_ns == {"first": "own", "last": 3}


def test_a_file_of_another_user_is_not_read(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run(shell, "value = 1")
    packed = pack(shell, "value")
    second = SimpleNamespace(user_ns={})
    with monkeypatch.context() as patch:
        patch.setattr(os, "getuid", lambda: -1)
        assert load(packed, second) == {"state": "unseen"}
    os.chmod(packed["path"], 0o640)
    assert load(packed, second) == {"state": "unseen"}
    os.chmod(packed["path"], 0o600)
    # A system without users of that kind.
    with monkeypatch.context() as patch:
        patch.delattr(os, "getuid")
        assert load(packed, second)["state"] == "loaded"
    assert second.user_ns == {"value": 1}


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    path, nonce = tmp_path / "pipe", "0" * 32
    os.mkfifo(path, 0o600)
    descriptor = os.open(path, os.O_RDWR)
    os.write(descriptor, nonce.encode() + bytes(1000))
    assert share_load.load(str(path), nonce, None) == {"state": "unseen"}
    os.close(descriptor)
    assert path.exists()


def test_a_file_that_is_not_ours_is_closed_without_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"something else")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert share_load.load(str(path), "0" * 32, None) == {"state": "unseen"}
    assert seen == []


def test_modules_are_found_on_the_first_kernels_path(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run(shell, "value = 1")
    path = ["/somewhere", *sys.path]
    with monkeypatch.context() as patch:
        # What is no text is passed over by Python too.
        patch.setattr(sys, "path", [Path("/nowhere"), *path])
        packed = pack(shell, "value")
    monkeypatch.setattr(sys, "path", ["/second"])
    load(packed, SimpleNamespace(user_ns={}))
    assert sys.path == path


def test_a_first_kernel_whose_folder_was_removed(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> str:
        raise FileNotFoundError

    run(shell, "value = 1")
    here = os.getcwd()
    with monkeypatch.context() as patch:
        patch.setattr(os, "getcwd", gone)
        packed = pack(shell, "value")
    assert load(packed, SimpleNamespace(user_ns={}))["state"] == "loaded"
    assert os.getcwd() == here


def test_random_numbers_of_numpy_go_on_as_in_the_first_kernel(shell: Any) -> None:
    run(shell, "value = 1")
    before = np.random.get_state()
    try:
        packed = pack(shell, "value")
        expected = np.random.random()
        load(packed, SimpleNamespace(user_ns={}))
        assert np.random.random() == expected
    finally:
        np.random.set_state(before)


def test_a_first_kernel_without_numpy(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run(shell, "value = 1")
    with monkeypatch.context() as patch:
        patch.delitem(sys.modules, "numpy.random")
        packed = pack(shell, "value")
    assert load(packed, SimpleNamespace(user_ns={}))["state"] == "loaded"


def test_errors_show_the_lines_of_the_cell(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run(shell, "def f():\n    return 1 / 0  # by nothing")
    packed = pack(shell, "f")
    del linecache.cache[CELL]
    second = notebook(monkeypatch)
    load(packed, second)
    with pytest.raises(ZeroDivisionError) as caught:
        second.user_ns["f"]()
    assert "# by nothing" in "".join(traceback.format_exception(caught.value))


# Values


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


@pytest.mark.parametrize("module", ["nowhere", None])
def test_a_function_of_a_module_that_is_not_there(
    shell: Any, monkeypatch: pytest.MonkeyPatch, module: str | None
) -> None:
    """As a decorator may leave it."""
    run(shell, f"def f(): return 1\nf.__module__ = {module!r}")
    assert sent(shell, monkeypatch, "f")() == 1


@pytest.mark.parametrize("home", ["__main__", "nowhere", "json"])
def test_a_function_that_sees_other_variables(shell: Any, home: str) -> None:
    space: dict[str, Any] = {"__name__": home}
    exec("def f(): return x", space)
    shell.user_ns["f"] = space["f"]
    assert left(pack(shell, "f()")) == {"f": "a function that was made by exec cannot be copied"}


def test_a_function_of_the_script_that_embeds_the_kernel(shell: Any) -> None:
    run(shell, "def f(): return x")
    embedded = SimpleNamespace(user_ns={"f": shell.user_ns["f"]}, user_ns_hidden={})
    assert left(pack(embedded, "f()")) == {"f": "a function that was made by exec cannot be copied"}


def test_an_instance_of_a_class_within_a_class(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run(shell, "class Outer:\n    class Inner:\n        def f(self): return 6\nvalue = Outer.Inner()")
    assert sent(shell, monkeypatch, "value").f() == 6


def test_an_instance_of_a_class_that_was_defined_again(shell: Any) -> None:
    run(shell, "class A:\n    def f(self): return 6\nvalue = A()")
    run(shell, "class A:\n    def f(self): return 7")
    assert left(pack(shell, "value")) == {"value": "its class A was defined again since"}


def test_an_instance_of_a_class_that_a_method_makes(shell: Any) -> None:
    source = "class A:\n  def make(self):\n    class B:\n      def f(self): return 6\n    return B()\n"
    run(shell, source + "value = A().make()")
    why = "its class A.make.<locals>.B has no source to copy; cloudpickle could copy it"
    assert left(pack(shell, "value")) == {"value": why}
