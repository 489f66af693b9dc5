"""Modules that keep secrets, bounds and the verdict, by themselves: what a kernel rarely brings about."""

from __future__ import annotations

import _thread
import ast
import asyncio
import bdb
import concurrent.futures
import ctypes
import functools
import inspect
import io
import json
import os
import pickle
import platform
import signal
import sys
import threading
import traceback
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from parts import descriptors, refuse

from jupyterlab_refine.kernel import (
    check_calls,
    eavesdropping,
    ending,
    forget,
    fork,
    hidden_data,
    hiding,
    interrupts,
    landlock,
    limits,
    operands,
    pipes,
    previews,
    processes,
    redact,
    reliance,
    scorer,
    scoring,
    seccomp,
    streams,
    supervise,
    tampering,
    vault,
    watch,
)
from jupyterlab_refine.kernel import descriptors as descriptors_module
from jupyterlab_refine.kernel.tracebacks import CANDIDATE


def new(text: str) -> str:
    """An object of its own: it is overwritten in place."""
    return "".join([text[:1], text[1:]])


# What a child forgets


def held(monkeypatch: pytest.MonkeyPatch, *values: Any) -> None:
    monkeypatch.setattr(forget, "holders", {"mine": lambda: [list(values)]})
    forget.forget_attempts()


def test_texts_of_other_attempts_are_overwritten(monkeypatch: pytest.MonkeyPatch) -> None:
    text, data = new("assert secret(3) == 4"), bytes(bytearray(b"assert secret(3) == 4"))
    held(monkeypatch, text, data)
    assert (text, data) == (" " * 21, b" " * 21)


def test_errors_of_other_attempts_are_overwritten(monkeypatch: pytest.MonkeyPatch) -> None:
    message, line = new("no such key: secret(3)"), new("assert secret(3) == 4")
    error = SyntaxError(message)
    error.text = line
    held(monkeypatch, error)
    assert (message, line) == (" " * 22, " " * 21)


@pytest.mark.parametrize("text", ["caf\xe9 assert", "\u65e5\u672c assert", "\U0001f389 assert"])
def test_the_copy_that_python_keeps_of_a_text_is_overwritten(text: str) -> None:
    mine, size = new(text), len(text.encode())
    address_of = ctypes.pythonapi.PyUnicode_AsUTF8
    address_of.restype, address_of.argtypes = ctypes.c_void_p, [ctypes.py_object]
    address = address_of(mine)
    assert ctypes.string_at(address, size) == text.encode()
    forget.overwrite_text(mine)
    assert ({*mine}, ctypes.string_at(address, size)) == ({" "}, b" " * size)


def test_short_bytes_may_be_shared_and_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    data = bytes(bytearray(b"1234567"))
    held(monkeypatch, data)
    assert data == b"1234567"


def test_a_supervisor_that_has_ended_forgets_the_scorer() -> None:
    class Ended(supervise.Supervisor):
        def __init__(self) -> None:
            self._scoring = scoring.Scoring({"scorer": {"source": "def score(ns): return 1"}}, None, {}, 0)

        def __delattr__(self, name: str) -> None:
            pass

    ended = Ended()
    ended.release()
    assert (ended._scoring.sources, ended._scoring.command()) == ([], {})


def test_only_asserts_are_told_by_single_lines() -> None:
    source = "def test_it():\n    value = secret(3)\n    assert value == 4, value"
    known = hiding._Known(hiding.marks([{"cellId": "c", "role": "holdout", "source": source}]))
    lines = ("def test_it():", "    value = secret(3)", "    assert value == 4, value")
    assert [known.holds(line) for line in lines] == [False, False, True]


def test_too_many_objects_are_not_even_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hiding.gc, "get_freeze_count", lambda: 5_000_000)
    known: Any = None
    assert hiding._hide_everywhere(known) is False


def test_a_copy_of_a_check_is_blank_wherever_it_is_held() -> None:
    copy = new("assert secret(3) == 4")
    others, shell = [copy], SimpleNamespace(user_ns={"copy": copy}, user_ns_hidden={})
    cell = {"cellId": "c", "role": "holdout", "source": "assert secret(3) == 4"}
    assert hiding.hide(hiding.marks([cell]), [], shell)
    assert (shell.user_ns["copy"], others) == ("", [" " * 21])


SHOWING = ("IPython", "pygments", "jedi", "parso", "stack_data", "executing", "asttokens", "pure_eval")


def test_only_caches_of_what_shows_code_are_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    functions = {}
    for package in (*SHOWING, "mine"):
        module = types.ModuleType(f"{package}.of_a_test")
        functions[package] = module.work = functools.lru_cache(lambda n: n)  # type: ignore[attr-defined]
        functions[package](1)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    hiding._clear_caches()
    sizes = {package: work.cache_info().currsize for package, work in functions.items()}
    assert sizes == {**dict.fromkeys(SHOWING, 0), "mine": 1}


def test_a_frame_that_does_not_tell_its_memory() -> None:
    class Odd(pd.DataFrame):
        @property
        def _mgr(self) -> Any:
            raise RuntimeError("no manager")

        @_mgr.setter
        def _mgr(self, value: Any) -> None:
            pass

    odd, shell = Odd.__new__(Odd), SimpleNamespace(user_ns={}, user_ns_hidden={})
    shell.user_ns.update(odd=odd, hidden=np.arange(3))
    assert hidden_data.hide(["hidden"], shell) == []
    assert list(shell.user_ns) == ["odd"]


# The bounds of an attempt


def test_a_folder_that_is_gone_is_no_reason_to_give_landlock_up(tmp_path: Path) -> None:
    landlock._allow(-1, str(tmp_path / "gone"), 0)


def test_a_system_without_limits_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "resource", None)
    limits.bound_memory(1 << 20)


@pytest.mark.parametrize(("machine", "known"), [("x86_64", True), ("aarch64", True), ("riscv64", False)])
def test_processors_whose_system_calls_are_known(
    monkeypatch: pytest.MonkeyPatch, machine: str, known: bool
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert seccomp.available() == known


def test_only_the_main_thread_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork, "_fork", refuse)
    plan: Any = None
    with concurrent.futures.ThreadPoolExecutor(1) as pool, pytest.raises(fork.ForkRefused) as raised:
        pool.submit(fork.spawn, "token", None, plan, None, None).result()
    assert raised.value.code != "fork-failed"


def test_a_process_that_is_no_child_of_ours_is_not_waited_for() -> None:
    processes._await_end(os.getppid())


SIGNALS = {9: "killed by SIGKILL", 11: "killed by SIGSEGV", 40: "killed by signal 40"}


@pytest.mark.parametrize("number", SIGNALS)
def test_signals_that_have_no_name(number: int) -> None:
    assert ending.exit_words(number) == SIGNALS[number]


# What leaves an attempt, and what goes to the child


def test_a_fork_of_an_attempt_says_nothing() -> None:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    events = streams.Events(writer)
    events._getpid = lambda: -1
    events.send("checked")
    with pytest.raises(BlockingIOError):
        os.read(reader, 100)
    os.close(reader)
    os.close(writer)


DENIED = {
    "os.remove": ("/nowhere/a", -1),
    "os.mkdir": ("/nowhere/a", 0o777, -1),
    "os.truncate": ("/nowhere/a", 5),
    "open": ("/nowhere/a", "w", os.O_WRONLY),
}


@pytest.mark.parametrize("event", DENIED)
def test_every_change_of_files_is_seen(event: str) -> None:
    seen = watch.Watch(network_denied=False, writable=["/tmp"])
    seen._on_event(event, DENIED[event])
    assert seen.found() == ["tried to write /nowhere/a"]


READS = {
    "by its mode": ("/nowhere/a", "rb", None),
    "by its flags": ("/nowhere/a", None, os.O_RDONLY | os.O_CLOEXEC),
    "of a descriptor": (5, "w", os.O_WRONLY),
    "of a folder that takes writes": ("/tmp/a", "w", os.O_WRONLY),
}


@pytest.mark.parametrize("name", READS)
def test_what_changes_no_file_is_not_told(name: str) -> None:
    seen = watch.Watch(network_denied=False, writable=["/tmp"])
    seen._on_event("open", READS[name])
    assert seen.found() == []


@pytest.mark.parametrize("mode", ["w", "a", "x", "r+"])
def test_modes_that_write(mode: str) -> None:
    seen = watch.Watch(network_denied=False, writable=[])
    seen._on_event("open", ("/nowhere/a", mode, None))
    assert seen.found() == ["tried to write /nowhere/a"]


def test_an_open_file_is_copied_for_an_attempt_up_to_a_size(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"kept and more")
    with open(path, "r+b") as file:
        file.seek(4)
        copy = descriptors_module._private_copy(file.fileno(), os.fstat(file.fileno()))
        assert (os.read(copy, 4), os.lseek(copy, 0, os.SEEK_SET)) == (b" and", 0)
        os.write(copy, b"lost")
        os.close(copy)
        assert path.read_bytes() == b"kept and more"
        os.truncate(path, (64 << 20) + 1)
        copy = descriptors_module._private_copy(file.fileno(), os.fstat(file.fileno()))
        assert (os.fstat(copy).st_size, os.lseek(copy, 0, os.SEEK_CUR)) == (4, 4)
        os.close(copy)


def test_interrupts_end_a_wait_and_are_the_users_again() -> None:
    before = signal.getsignal(signal.SIGINT)
    taken = interrupts.Interrupts()
    try:
        signal.raise_signal(signal.SIGINT)
        assert os.read(taken.seen, 10) == b"x"
    finally:
        taken.restore()
    assert signal.getsignal(signal.SIGINT) is before


def test_short_values_are_not_masked() -> None:
    masker = redact.Masker(["", "1", "true", "0123456789"])
    assert masker.text("1 is true, 0123456789 is not") == "1 is true, *** is not"


def test_nothing_is_sent_of_a_text_that_may_become_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "0123456789")
    monkeypatch.setattr(previews, "_SECONDS", 0.0)
    monkeypatch.setattr(previews, "_FIRST_SECONDS", 0.0)
    woken: list[Any] = []
    loop = SimpleNamespace(add_callback=lambda *arguments: woken.append(arguments))
    kernel = SimpleNamespace(control_thread=SimpleNamespace(io_loop=loop))
    preview = previews.Previews(kernel, "id", {})
    preview.publish({"type": "output", "stream": "stdout", "text": "01234"})
    assert woken == []
    preview.publish({"type": "output", "stream": "stdout", "text": "x"})
    assert len(woken) == 1


def test_a_pipe_that_is_full_is_not_idle() -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    feed = pipes.Feed(writer, SimpleNamespace(register=lambda *_: None, unregister=lambda *_: None))
    feed.send_bytes(bytes(1 << 20))
    feed.write()
    assert not feed.is_idle
    left = 1 << 20
    while left:
        left -= len(os.read(reader, 1 << 16))
        feed.write()
    assert feed.is_idle
    os.close(reader)
    os.close(writer)


# Hidden data on its way to the scorer


def test_a_vault_that_is_gone_can_be_asked() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    vault.Vault(0, writer, writer).ask()
    os.close(writer)


@pytest.mark.parametrize("refused", ["first pipe", "second pipe", "fork"])
def test_a_vault_that_the_system_refuses_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    pipe, before = os.pipe, descriptors()
    answers: Iterator[Callable[[], tuple[int, int]]] = iter(
        [refuse] if refused == "first pipe" else [pipe, refuse] if refused == "second pipe" else [pipe, pipe]
    )
    monkeypatch.setattr(vault.os, "pipe", lambda: next(answers)())
    monkeypatch.setattr(vault.posix, "fork", refuse)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    assert vault.make(["x"], {"x": 1}) is None
    assert descriptors() == before
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == mask


def test_the_vault_ends_with_the_attempt() -> None:
    kept = vault.make(["x"], {"x": 1})
    assert kept is not None
    scoring.Scoring({}, kept, {}, 0).close()
    with pytest.raises(ProcessLookupError):
        os.kill(kept._pid, 0)


def raising(text: str) -> Any:
    raise ValueError(text)


class Unmakeable:
    def __reduce__(self) -> Any:
        return raising, ("x" * 1000,)


def test_a_value_that_cannot_be_made_does_not_keep_the_next_from_the_scorer() -> None:
    data = b""
    for name, value in (("odd", Unmakeable()), ("fine", [1, 2])):
        part = pickle.dumps(value)
        data += json.dumps({"name": name, "size": len(part)}).encode() + b"\n" + part
    stream = io.BytesIO(len(data).to_bytes(4, "big") + data + bytes(4))
    values, missing = scorer.receive(stream.read, ["odd", "fine"])
    assert (values, list(missing)) == ({"fine": [1, 2]}, ["odd"])
    assert missing["odd"].startswith("ValueError: xxx") and len(missing["odd"]) <= 300


# What a scorer computes with


def looked_at(source: str, **names: Any) -> list[Any]:
    """The values that are shown while it runs."""
    seen: list[Any] = []
    looker = SimpleNamespace(look=lambda value: seen.append(value) or value)
    exec(compile(operands.looked_at(ast.parse(source), "looker"), "<s>", "exec"), {"looker": looker, **names})
    return seen


def test_operands_and_arguments_are_shown() -> None:
    assert looked_at("total += a * b", total=1, a=2, b=3) == [2, 3, 6]
    assert looked_at("f(a, by=b)", f=lambda *_, **__: None, a=2, b=3) == [2, 3]


OPERATORS = (
    *("__add__", "__rsub__", "__imul__", "__matmul__", "__truediv__", "__floordiv__", "__mod__", "__pow__"),
    *("__divmod__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__neg__", "__abs__"),
    *("__round__", "__float__", "__int__", "__index__", "__bool__", "__len__", "__contains__", "__array__"),
    *("__array_ufunc__", "__array_function__", "__array_wrap__", "__array_finalize__"),
)


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_of_the_candidates_own_is_told(name: str) -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(f"class Own:\n    def {name}(self, *_): return 1", CANDIDATE, "exec"), space)
    looker = operands.Looker("looker", strict=False)
    value = space["Own"]()
    assert looker.look(value) is value
    assert "Own" in str([*looker.found, *looker.warnings])


def test_parts_of_operands_are_shown() -> None:
    assert looked_at("(a * b) + c", a=2, b=3, c=4) == [2, 3, 6, 4]
    assert looked_at("(a < b) == c", a=2, b=3, c=4) == [2, 3, True, 4]
    assert looked_at("-(a + b)", a=2, b=3) == [2, 3, 5]
    assert looked_at("-a", a=2) == [2]
    f = lambda *given: given[-1]  # noqa: E731
    assert looked_at("f(f(a), 1, *rows)", f=f, a=2, rows=[3]) == [2, 2]


def test_classes_of_the_scorers_own_may_call_their_base() -> None:
    source = "class B(A):\n    def f(self): return super().f() + super(B, self).f()\nassert B().f() == 4"
    looked_at(source, A=type("A", (), {"f": lambda self: 2}), __name__="m")


def candidates_class(base: str = "object", **names: Any) -> Any:
    space: dict[str, Any] = {"__name__": "__main__", **names}
    exec(compile(f"class Own({base}):\n    def __add__(self, _): return 1", CANDIDATE, "exec"), space)
    return space["Own"]


def found_in(value: Any) -> list[str]:
    looker = operands.Looker("looker", strict=True)
    looker.look(value)
    return [*looker.found]


def test_operators_are_found_in_items_up_to_a_number() -> None:
    own = candidates_class()()
    for items in ([own], (0, own), np.array([0, own], dtype=object), [*[0] * 199, own]):
        assert len(found_in(items)) == 1
    assert found_in([*[0] * 200, own]) == found_in(np.zeros(3)) == []


@pytest.mark.parametrize("base", ["int", "float", "complex", "np.ndarray", "pd.Series"])
def test_what_looks_like_a_number_and_computes_otherwise(base: str) -> None:
    kind = candidates_class(base, np=np, pd=pd)
    value = np.zeros(2).view(kind) if base == "np.ndarray" else kind([1]) if base == "pd.Series" else kind(1)
    (told,) = found_in(value)
    assert told == f"Own looks like {base.split('.')[-1]} to the scorer, with operators of its own"


def test_a_class_that_says_to_be_a_builtin_is_looked_at() -> None:
    kind = candidates_class("float")
    kind.__module__ = "builtins"
    assert len(found_in(kind(1))) == 1


def test_a_class_is_looked_at_once() -> None:
    asked: list[int] = []
    space: dict[str, Any] = {"__name__": "__main__", "asked": asked}
    source = "class Own:\n    def __eq__(self, _): asked.append(1)\n    __hash__ = None"
    exec(compile(source, CANDIDATE, "exec"), space)
    looker = operands.Looker("looker", strict=False)
    looker.look(space["Own"]())
    before = len(asked)
    looker.look(space["Own"]())
    assert 0 < before == len(asked)


def test_numbers_are_not_looked_at_one_by_one() -> None:
    large = np.broadcast_to(1.0, (10**7, 10**7))
    assert operands.Looker("looker", strict=True).look(large) is large


def test_a_scorer_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    value = object()
    assert operands.Looker("looker", strict=True).look(value) is value


ASKED: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("sys._getframe", "sys.settrace", "sys.setprofile", "gc.get_objects"), ()),
    **dict.fromkeys(("gc.get_referrers", "gc.get_referents"), ()),
    **{
        f"object.__getattr__ {name}": (None, name)
        for name in ("tb_frame", "gi_frame", "cr_frame", "ag_frame")
    },
}


def watching() -> eavesdropping.Eavesdropping:
    """Without a hook of the interpreter's, which would stay."""
    watched = eavesdropping.Eavesdropping.__new__(eavesdropping.Eavesdropping)
    watched._on, watched._found, watched._pid = True, {}, os.getpid()
    return watched


def asked(event: str, file: str, *arguments: Any, module: str = "nowhere") -> list[str]:
    """What is told when code of that file asks, whose module says to be this one."""
    space: dict[str, Any] = {"__name__": module}
    exec(compile("def ask(hook, event, arguments): hook(event, arguments)", file, "exec"), space)
    watched = watching()
    space["ask"](watched._on_event, event, arguments)
    return watched.found()


@pytest.mark.parametrize("name", ASKED)
def test_what_the_candidate_asks_for_while_it_is_measured(name: str) -> None:
    event, *_ = name.split()
    assert len(asked(event, CANDIDATE, *ASKED[name])) == 1
    assert asked(event, "<scorer>", *ASKED[name]) == []
    assert asked("object.__getattr__", CANDIDATE, None, "__name__") == []


def test_code_that_says_to_be_of_a_library_is_not() -> None:
    """`exec(compile(text, json.__file__, "exec"), {"__name__": "json"})`."""
    assert len(asked("sys._getframe", json.__file__, module="json")) == 1


BETWEEN = pytest.mark.parametrize("module", [inspect, traceback, bdb], ids=lambda module: module.__name__)


@BETWEEN
def test_who_asks_through_the_library_asks(module: types.ModuleType) -> None:
    """`inspect.stack()`."""
    through: dict[str, Any] = {}
    exec(compile("def ask(*asked): asked[0](*asked[1:])", str(module.__file__), "exec"), through)
    for file, told in ((CANDIDATE, 1), ("<scorer>", 0)):
        watched = watching()
        space: dict[str, Any] = {"__name__": "nowhere", "ask": through["ask"], "hook": watched._on_event}
        exec(compile("ask(hook, 'sys._getframe', ())", file, "exec"), space)
        assert len(watched.found()) == told


@BETWEEN
def test_a_thread_of_the_library_is_nobodys(module: types.ModuleType) -> None:
    source = (
        "def ask():\n    try: hook('sys._getframe', ())\n"
        "    except BaseException as error: found.append(error)\n    finally: done.set()"
    )
    watched = watching()
    space: dict[str, Any] = {"hook": watched._on_event, "found": [], "done": threading.Event()}
    exec(compile(source, str(module.__file__), "exec"), space)
    _thread.start_new_thread(space["ask"], ())
    assert space["done"].wait(10)
    assert (space["found"], watched.found()) == ([], [])


KNOWN = (
    "<frozen importlib._bootstrap>",
    "<scorer>",
    "<check 1>",
    "<jupyterlab-refine/x>",
    "<__array_function__ x>",
)


@pytest.mark.parametrize("file", KNOWN)
def test_who_may_ask_for_frames(file: str) -> None:
    assert asked("sys._getframe", file) == []


def test_files_that_are_the_memory_of_a_process(tmp_path: Path) -> None:
    (tmp_path / "mem").write_text("")
    (tmp_path / "link").symlink_to("/proc/self/mem")
    paths = [
        str(tmp_path / "mem"),
        str(tmp_path / "link"),
        "/proc/self/mem",
        b"/proc/1/mem",
        "mem",
        "/proc/meminfo",
        5,
    ]
    assert [eavesdropping._is_memory(path) for path in paths] == [False, True, True, True, True, False, False]


def test_functions_of_libraries_that_are_the_candidates_now(monkeypatch: pytest.MonkeyPatch) -> None:
    space: dict[str, Any] = {}
    exec(compile("def own(*_): return 1", CANDIDATE, "exec"), space)
    # As numpy's functions are.
    mean = type("_ArrayFunctionDispatcher", (), {})()
    mean.__wrapped__ = space["own"]
    library = types.ModuleType("mine")
    vars(library).update(own=space["own"], mean=mean, honest=json.dumps, still=staticmethod(space["own"]))
    for name, module in (("mine", library), ("mine.odd", 5), ("mine.gone", None), ("other", library)):
        monkeypatch.setitem(sys.modules, name, module)  # type: ignore[arg-type]
    told = [f"mine.{name} was replaced" for name in ("own", "mean", "still")]
    assert eavesdropping.changed_libraries({"mine"}) == told


@pytest.mark.parametrize("event", ["sys._current_frames", "sys._current_exceptions"])
def test_what_nobody_asks_for_while_it_is_measured(event: str) -> None:
    assert len(asked(event, "<scorer>")) == 1


def test_a_class_that_the_scorers_libraries_only_refer_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """`json.JSONEncoder.default = mine`, and a library that imports the class."""
    space: dict[str, Any] = {}
    exec(compile("def default(self, o): return str(o)", CANDIDATE, "exec"), space)
    for module, told in (("json.encoder", []), ("mine.encoder", ["Encoder.default was replaced"])):
        library = types.ModuleType("mine")
        library.Encoder = type("Encoder", (), {"__module__": module, **space})  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "mine", library)
        assert eavesdropping.changed_libraries({"mine"}) == told


def test_a_score_whose_arguments_nobody_knows() -> None:
    class Score:
        @property
        def __signature__(self) -> Any:
            raise ValueError("no signature")

        def __call__(self, names: dict[str, Any]) -> Any:
            return names["x"]

    assert asyncio.run(scorer._call(Score(), {"x": 3})) == 3


# What checks rely on


@pytest.mark.parametrize(
    "call", ["assert_it(z)", "a.assertEqual(z, 1)", "library.testing.verify(z)", "pytest.fail()"]
)
def test_calls_that_check(call: str) -> None:
    assert check_calls.checks(ast.parse(call))
    assert not check_calls.checks(
        ast.parse(call.replace("assert", "").replace("testing.", "").replace("fail", "f"))
    )


BUILTINS = (
    *("AssertionError", "Exception", "abs", "all", "any", "bool", "callable", "dict", "enumerate", "float"),
    *("getattr", "hasattr", "int", "isinstance", "issubclass", "len", "list", "range", "repr", "round"),
    *("set", "sorted", "str", "tuple", "type", "zip"),
)


def test_builtins_that_look_at_a_result() -> None:
    assert tampering.shadowed([f"assert {' or '.join(BUILTINS)}"], {}) == list(BUILTINS)


MADE = {
    "total = sum(total for total in rows)": {"total"},
    "total = [total for total in rows]": {"total"},
    "total = {total for total in rows}": {"total"},
    "total = {total: 1 for total in rows}": {"total"},
    "total = lambda: total": {"total"},
    "def f(): return total\ntotal = 1": {"total"},
    "async def f(): return total\ntotal = 1": {"total"},
    "class A:\n    size = total\ntotal = 1": {"total"},
    "rows = [1]\nrows[0] += 1": {"rows"},
    "total += 1": set(),
}


@pytest.mark.parametrize("source", MADE)
def test_names_that_a_candidate_makes_anew(source: str) -> None:
    assert reliance.made_anew(source) == MADE[source]


def test_names_that_checks_go_through() -> None:
    assert tampering.chains(["assert f().x == np.mean(z) + a[0].b"]) == ["np.mean"]
    assert tampering.replaced({"a": [1], "b": None, "c": [1]}, {"a": [1], "b": [2], "c": [2]}) == ["c"]


def test_rows_and_columns_of_the_same_name_are_told_apart() -> None:
    frame = pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"], index=[0, 0])
    before = reliance.contents(["frame"], {"frame": frame})
    frame.iloc[1, 1] = 5
    assert before["frame"] is not None
    assert reliance.contents(["frame"], {"frame": frame}) != before


def test_a_value_that_cannot_be_told() -> None:
    class Odd:
        def __str__(self) -> str:
            raise RuntimeError("no text")

    frame = pd.DataFrame({"a": [Odd()]})
    assert reliance.contents(["frame", "n"], {"frame": frame, "n": 1})["frame"] is None
