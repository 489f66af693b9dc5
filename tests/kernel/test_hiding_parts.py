"""How hold-outs that the user has run are hidden, part by part: texts, histories, memory, files."""

from __future__ import annotations

import collections
import functools
import gc
import linecache
import os
import stat
import sys
import tracemalloc
import types
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from parts import in_child, refuse

from jupyterlab_refine.kernel import hidden_files, hiding, linux

CHECK = "assert secret(3) == 4"
LONG = "secret_rows = [\n    (3, 4),\n]"
CELL = f"{LONG}\nvalue = secret(31) + 1\n{CHECK}\nif secret(5) != 6:\n    raise ValueError"

TEST = "def test_it():\n    value = secret(31)\n    assert value == 62"


def new(text: str) -> str:
    """A text of its own: what is hidden is overwritten."""
    return "".join([text[:1], text[1:]])


def holdout(source: str) -> dict[str, Any]:
    return {"cellId": "c", "role": "holdout", "source": source}


def known_of(*sources: str) -> Any:
    return hiding._Known(hiding.marks(map(holdout, sources)))


# By what a text is known

HELD = {
    "an assert": (CELL, CHECK, True),
    "indented": (CELL, f"    {CHECK}", True),
    "with a blank at its end": (CELL, f"{CHECK} ", True),
    "among other lines": (CELL, f"x = 1\n\t{CHECK}\ny = 2", True),
    "the cell": (CELL, CELL, True),
    "the cell, as it is kept": (CELL, f"\n{CELL}\n", True),
    "a cell without an assert, as it is kept": (LONG, f"{LONG}\n", True),
    "a check without the word": ("x = 1\nunittest.main()", "unittest.main()", True),
    "a set-up": (CELL, "value = secret(31) + 1", False),
    "an assert within a test": (TEST, "    assert value == 62", True),
    "a set-up within a test": (TEST, "    value = secret(31)", False),
    "another of the same length": (CELL, "assert secret(4) == 3", False),
    "part of a line": (CELL, f"{CHECK}, x", False),
    "too short to be told from others": ("assert x", "assert x", False),
    "too short, among other lines": ("assert x", "y = 12345\nassert x\n", False),
    "no text": (CELL, None, False),
    "nothing": (CELL, "", False),
}


@pytest.mark.parametrize("name", HELD)
def test_texts_that_hold_a_check(name: str) -> None:
    cell, text, held = HELD[name]
    assert known_of(cell).holds(text) is held


def test_texts_of_another_length_are_left_out_at_a_glance(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel holds hundreds of thousands of lines: no digest is made of each."""
    known = known_of(CELL)
    monkeypatch.setattr(hiding, "_digest", lambda *_: pytest.fail("a digest was made"))
    assert not known.holds(f"assert {'x' * 5000}\nassert x")


def test_where_nothing_is_hidden_no_text_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    known = known_of()
    monkeypatch.setattr(known, "_is", lambda _: pytest.fail("looked at a text"))
    assert not known.holds(f"x = 1\n{CHECK}")


def test_large_texts_of_the_users_are_not_copied() -> None:
    known, text = known_of(CHECK), "1234567\n" * 100_000 + "x"
    tracemalloc.start()
    try:
        assert not known.holds(text)
        assert tracemalloc.get_traced_memory()[1] < len(text) / 2
    finally:
        tracemalloc.stop()


# What is left of a cell that has run


class Memory:
    """In place of the collector: what it lists, and what it is asked."""

    def __init__(self, *things: Any) -> None:
        self.things = [list(things)]
        self.tracked: list[Any] = []
        self.asked: list[tuple[Any, ...]] = []
        # As the fork left it.
        self.frozen = True

    def get_objects(self) -> list[Any]:
        return [] if self.frozen else list(self.things)

    def get_referents(self, *things: Any) -> list[Any]:
        assert len(self.asked) < 1000, "it never ends"
        self.asked.append(things)
        return gc.get_referents(*things)

    def is_tracked(self, thing: Any) -> bool:
        return any(thing is one for one in self.tracked)

    def get_freeze_count(self) -> int:
        return 0

    def freeze(self) -> None:
        self.frozen = True

    def unfreeze(self) -> None:
        self.frozen = False

    def collect(self) -> int:
        return gc.collect(0)


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sources and errors of the tests' own are no matter of these."""
    monkeypatch.setattr(hiding.linecache, "cache", {})
    kept = {name: vars(sys).pop(name) for name in list(vars(sys)) if name.startswith("last_")}
    yield
    vars(sys).update(kept)


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Memory]:
    """What the kernel holds besides."""

    def make(*things: Any) -> Memory:
        made = Memory(*things)
        monkeypatch.setattr(hiding, "gc", made)
        return made

    return make


Holding = Callable[..., Memory]


def history_of(*inputs: str, **more: Any) -> Any:
    fields = {"input_hist_raw": list(inputs), "input_hist_parsed": list(inputs), "output_hist": {}}
    return SimpleNamespace(**{**fields, **more})


def shell_with(names: dict[str, Any] | None = None, history: Any = None, **more: Any) -> Any:
    fields = {"displayhook": SimpleNamespace(), "history_manager": history}
    return SimpleNamespace(user_ns=names or {}, user_ns_hidden={}, **{**fields, **more})


def hide(shell: Any, *names: str) -> bool:
    return hiding.hide(hiding.marks([holdout(CELL)]), names, shell)


def test_inputs_that_hold_a_check_are_empty_and_others_stay(memory: Holding) -> None:
    memory()
    copy, raw = new(CELL), new(f"%%time\n{CHECK}")
    # A cell that runs now is in one of the lists alone.
    history = history_of(
        "", "x = 12345678", copy, input_hist_raw=["", "x = 12345678", copy, raw], _i00=new(CHECK), _i="x = 1"
    )
    names = {"_i1": "x = 12345678", "_i2": 7, "_2": 7, "_1": 8}
    shell = shell_with(names, history)
    shell.user_ns_hidden = {"_i2": 7, "_2": 7, "_1": 8}
    assert hide(shell)
    assert history.input_hist_raw == ["", "x = 12345678", "", ""]
    assert history.input_hist_parsed == ["", "x = 12345678", ""]
    # Whoever else holds the same text.
    assert ({*copy}, {*raw}) == ({" "}, {" "})
    assert (history._i00, history._i, hasattr(history, "_ii")) == ("", "x = 1", False)
    assert shell.user_ns == {"_i1": "x = 12345678", "_1": 8}
    assert shell.user_ns_hidden == {"_1": 8}


def test_outputs_of_such_a_cell_are_gone_and_others_stay(memory: Holding) -> None:
    memory()
    secret, other = [4], [5]
    history = history_of(
        "x = 12345678", new(CELL), output_hist={0: other, 1: secret}, output_hist_reprs={0: "5", 1: "4"}
    )
    history.outputs, history.exceptions = None, {1: "an error"}
    shell = shell_with({"_": secret, "__": other, "___": secret}, history)
    shell.user_ns_hidden = {"_": other, "__": secret}
    shell.displayhook = SimpleNamespace(_=secret, __=other)
    assert hide(shell)
    assert (history.output_hist, history.output_hist_reprs, history.exceptions) == ({0: other}, {0: "5"}, {})
    assert shell.user_ns == {"_": "", "__": other, "___": ""}
    assert shell.user_ns_hidden == {"_": other, "__": ""}
    assert vars(shell.displayhook) == {"_": "", "__": other}


def test_a_cell_without_an_output_leaves_no_names(memory: Holding) -> None:
    memory()
    shell = shell_with({"mine": None}, history_of(new(CELL)))
    assert hide(shell)
    assert (shell.user_ns, shell.user_ns_hidden, vars(shell.displayhook)) == ({"mine": None}, {}, {})


def test_only_variables_that_hold_a_check_are_empty(memory: Holding) -> None:
    class Text(str):
        pass

    names = {"copy": new(f"x = 1\n{CHECK}"), "_i": new(CHECK), "text": "x = 12345678", "n": 5}
    memory()
    shell = shell_with({**names, "own": Text(CHECK), "expected": [4]})
    assert hide(shell, "expected", "gone")
    assert shell.user_ns == {"copy": "", "_i": "", "text": "x = 12345678", "n": 5, "own": ""}
    # Whoever else holds the same text.
    assert {*names["copy"]} == {" "}


def test_values_that_are_odd_when_they_are_looked_at_harm_no_attempt() -> None:
    class Odd(str):
        def __getitem__(self, place: Any) -> Any:
            raise KeyError(place)

        __contains__ = __len__ = splitlines = strip = __getitem__  # type: ignore[assignment]

    known = known_of(CELL)
    gone = weakref.proxy(Odd())
    assert not known.holds(gone)
    assert not known.holds(mock.Mock(spec=str))
    assert (known.holds(Odd("x = 12345678")), known.holds(Odd(f"x = 1\n{CHECK}"))) == (False, True)


def test_texts_of_a_class_of_the_users_are_not_written_to() -> None:
    """They are laid out in memory in another way."""

    def work() -> str:
        text = type("Text", (str,), {})(CHECK)
        hiding._blank(text)
        return str(text)

    assert in_child(work) == CHECK


def test_texts_that_others_may_share_are_not_written_to(memory: Holding) -> None:
    memory()
    lines = [new("x = 1\n"), new("secret_name_of_it"), new(f"{CHECK}\n")]
    linecache.cache["<cell>"] = (50, None, lines, "<cell>")
    assert hide(shell_with())
    assert lines == ["x = 1\n", "secret_name_of_it", " " * len(lines[2])]


def test_sources_that_are_kept_to_show_errors(memory: Holding, tmp_path: Path) -> None:
    memory()
    real = tmp_path / "checks.py"
    real.write_text(CHECK)
    whole = LONG.splitlines(keepends=True)
    cache: dict[str, Any] = {
        "<cell>": (50, None, ["x = 1\n", f"    {CHECK}\n"], "<cell>"),
        "<lines without an end>": (50, 1.5, [new(CHECK), "x = 1"], "<lines without an end>"),
        "<whole>": (50, None, whole, "<whole>"),
        "gone.py": (50, 1.5, [f"{CHECK}\n"], "gone.py"),
        "<other>": (50, None, ["x = 12345678\n"], "<other>"),
        "<not loaded>": (lambda: CHECK,),
        # Of the same name as what the debugger has written, and with a time.
        str(tmp_path): (50, None, [f"{CHECK}\n"], str(tmp_path)),
        str(real): (50, 1.5, [f"{CHECK}\n"], str(real)),
    }
    linecache.cache.update(cache)
    assert hiding.hide(hiding.marks([holdout(CELL), holdout(LONG)]), [], shell_with())
    assert [*linecache.cache] == ["<other>", "<not loaded>", str(real)]


@pytest.mark.parametrize("inner", [True, False], ids=["of a check", "another"])
def test_the_last_error(memory: Holding, inner: bool) -> None:
    """Its frames lead to the code of the cell."""
    memory()
    source = f"def check():\n    1 / 0\n{CHECK}\n"
    linecache.cache["<cell>"] = (50, None, source.splitlines(keepends=True), "<cell>")
    names: dict[str, Any] = {}
    exec(compile("def check():\n    1 / 0", "<cell>" if inner else "<other>", "exec"), names)
    try:
        names["check"]()
    except ZeroDivisionError as error:
        for name, value in (("value", error), ("traceback", error.__traceback__), ("type", type(error))):
            setattr(sys, f"last_{name}", value)
    assert hide(shell_with())
    left = [vars(sys).pop(f"last_{name}", None) is not None for name in ("value", "traceback", "type")]
    assert left == [not inner] * 3


def test_errors_that_were_shown(monkeypatch: pytest.MonkeyPatch, memory: Holding) -> None:
    memory()
    sources = {name: type("Source", (), {"_cache": {1: CHECK}, "other": 5}) for name in ("a", "b")}
    monkeypatch.setitem(sys.modules, "executing.executing", SimpleNamespace(Source=sources["a"]))  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "stack_data.core", SimpleNamespace(Source=sources["b"]))  # type: ignore[arg-type]
    cached: dict[str, Any] = {"a": CHECK}
    monkeypatch.setitem(sys.modules, "parso.cache", SimpleNamespace(parser_cache=cached))  # type: ignore[arg-type]
    shower = SimpleNamespace(tb=[1], etb=[2], other=5)
    shell = shell_with(history=history_of(new(CELL)), InteractiveTB=shower, _last_traceback=[1])
    assert hide(shell)
    assert vars(shower) == {"tb": None, "etb": None, "other": 5}
    assert shell._last_traceback is None
    assert [(kind._cache, kind.other) for kind in sources.values()] == [({}, 5), ({}, 5)]  # type: ignore[attr-defined]
    assert cached == {}


RUN = {
    "never": ([], {}, False),
    "in the history": ([CELL], {}, True),
    "in the line cache": ([], {"<cell>": (50, None, [f"{CHECK}\n", "x = 1\n"], "<cell>")}, True),
}


@pytest.mark.parametrize("name", RUN)
def test_copies_are_looked_for_where_the_user_has_run_it(memory: Holding, name: str) -> None:
    """All objects of a large kernel take long to look at, and pages that are looked at are copied."""
    inputs, cache, looked = RUN[name]
    for file, (size, changed, lines, _) in cache.items():
        linecache.cache[file] = (size, changed, [*map(new, lines)], file)
    copy = new(CHECK)
    seen = memory(copy)
    assert hide(shell_with(history=history_of("x = 12345678", *map(new, inputs))))
    assert copy == (" " * len(copy) if looked else CHECK)
    # The candidate's own collections do not look at it all again.
    assert (bool(seen.asked), seen.frozen) == (looked, True)


def test_what_cannot_be_looked_at_is_told(monkeypatch: pytest.MonkeyPatch, memory: Holding) -> None:
    seen = memory()
    seen.things = [[(i, (new(CHECK),))] for i in range(20)]
    shell = shell_with(history=history_of(new(CELL)))
    assert hide(shell)
    monkeypatch.setattr(hiding, "_MAX_OBJECTS", 10)
    shell.history_manager = history_of(new(CELL))
    assert not hide(shell)


def test_copies_wherever_they_are_held(memory: Holding) -> None:
    class Holder:
        pass

    one, lines, deep, key = (new(text) for text in (CHECK, f"x = 1\n{CHECK}\n", CHECK, CHECK))
    other_key = new(CHECK)
    whole, other, large = new(f"{LONG}\n"), new("assert other(3) == 4"), "x = 1\n" * 200_000 + CHECK
    holder = Holder()
    holder.text = one  # type: ignore[attr-defined]
    memory(holder, lines, {"a": ("b", (deep, 5))}, {key: "b"}, 5, 1.5, None, b"assert", large, whole, other)
    seen: Any = hiding.gc
    seen.things += [vars(holder), collections.OrderedDict({other_key: 1, 2: 3})]
    shell = shell_with(history=history_of(new(LONG)))
    assert hiding.hide(hiding.marks([holdout(CHECK), holdout(LONG)]), [], shell)
    assert [{*text} for text in (one, lines, deep, key, other_key, whole)] == [{" "}] * 6
    assert (other, large[-len(CHECK) :]) == ("assert other(3) == 4", CHECK)


def test_a_cell_without_an_assert_is_found_by_all_its_lines(memory: Holding) -> None:
    copy = new(f"{LONG}\n")
    memory(copy)
    assert hiding.hide(hiding.marks([holdout(LONG)]), [], shell_with(history=history_of(new(LONG))))
    assert {*copy} == {" "}


def test_texts_that_cannot_be_a_check_are_not_looked_at_closer(
    monkeypatch: pytest.MonkeyPatch, memory: Holding
) -> None:
    """There are millions of texts."""
    seen: list[str] = []
    texts = [
        "assert another_length(3)",
        "two lines\nwithout the word",
        f"assert x\n{'x' * (1 << 20)}",
        "x" * len(CHECK),
        "assert\nlines",
    ]
    memory(*texts)
    known = known_of(CHECK)
    monkeypatch.setattr(known, "holds", seen.append)
    assert hiding._hide_everywhere(known)
    assert sorted(seen) == ["assert\nlines", "x" * len(CHECK)]


def test_what_the_collector_lists_is_looked_at_once(monkeypatch: pytest.MonkeyPatch, memory: Holding) -> None:
    monkeypatch.setattr(hiding, "_MAX_OBJECTS", 1000)
    circle: dict[str, Any] = {"n": 5, "text": "b"}
    circle["itself"] = circle
    plain, values = (1, "a", 2.5), {"b": 1}
    seen = memory(circle, plain, values, 5, "text")
    seen.tracked.append(circle)
    assert hiding._hide_everywhere(known_of(CHECK))
    # No number, no text.
    assert [sorted(type(thing).__name__ for thing in things) for things in seen.asked] == [
        ["list"],
        ["dict", "tuple"],
    ]


def test_a_kernel_with_too_many_objects(monkeypatch: pytest.MonkeyPatch, memory: Holding) -> None:
    """Nothing is begun then that would take long, and copy most pages."""
    seen = memory(new(CHECK))
    monkeypatch.setattr(seen, "get_freeze_count", lambda: 4_000_001)
    assert not hiding._hide_everywhere(known_of(CHECK))
    assert not seen.asked


def test_few_objects_are_looked_at_at_once(memory: Holding) -> None:
    """What each of them refers to is in a list for a moment."""
    seen = memory()
    seen.things = [[] for _ in range(12_000)]
    assert hiding._hide_everywhere(known_of(CHECK))
    assert 1 <= max(map(len, seen.asked)) <= 5000


def test_code_that_nothing_reaches_any_more_is_gone(memory: Holding) -> None:
    """The collector lists a function, but no text of its code."""

    class Left:
        pass

    memory()
    left = Left()
    left.itself = left  # type: ignore[attr-defined]
    gone = weakref.ref(left)
    gc.disable()
    try:
        del left
        assert hiding._hide_everywhere(known_of(CHECK))
        assert gone() is None
    finally:
        gc.enable()


def test_pieces_of_code_that_a_cache_keeps_are_gone(monkeypatch: pytest.MonkeyPatch, memory: Holding) -> None:
    module = types.ModuleType("pygments.of_a_test")
    module.work = functools.lru_cache(lambda text: text)  # type: ignore[attr-defined]
    module.work(CHECK)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    memory()
    assert hide(shell_with(history=history_of(new(CELL))))
    assert module.work.cache_info().currsize == 0


# Files


@pytest.fixture
def notebooks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The working directory, with files of two notebooks."""
    folder = tmp_path / "work"
    (folder / ".ipynb_checkpoints").mkdir(parents=True)
    for name in ("nb.ipynb", ".~nb.ipynb", "other.ipynb", ".jupyter_ystore.db"):
        (folder / name).touch()
    for name in ("nb-checkpoint.ipynb", "nb-2.ipynb", "other-checkpoint.ipynb"):
        (folder / ".ipynb_checkpoints" / name).touch()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(hidden_files, "_notebooks", {})
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    # Without what the debugger keeps.
    monkeypatch.setattr(hidden_files.tempfile, "gettempdir", lambda: str(tmp_path / "gone"))
    yield folder


def hidden(shell: Any, notebook: str | None, folder: Path) -> list[str]:
    found = hidden_files.paths(shell, notebook)
    return sorted(os.path.relpath(path, folder) for path in found)


KEPT = [
    *(".ipynb_checkpoints/nb-2.ipynb", ".ipynb_checkpoints/nb-checkpoint.ipynb", ".jupyter_ystore.db"),
    *(".~nb.ipynb", "nb.ipynb"),
]
NAMED = ("nb.ipynb", "work/nb.ipynb", "/work/nb.ipynb", "elsewhere/nb.ipynb", "{}/work/nb.ipynb")


@pytest.mark.parametrize("name", NAMED)
def test_files_of_a_notebook(notebooks: Path, name: str) -> None:
    """As a path of the server, below a folder that the kernel does not know, or as one of the system."""
    name = name.format(notebooks.parent)
    assert hidden(None, name, notebooks) == KEPT
    # It is known from then on.
    assert hidden(None, None, notebooks) == KEPT


def test_files_of_a_notebook_that_is_elsewhere(
    monkeypatch: pytest.MonkeyPatch, notebooks: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    assert hidden(None, str(notebooks / "nb.ipynb"), notebooks) == KEPT


@pytest.mark.parametrize("name", [None, "", "notes.txt", "gone.ipynb"])
def test_who_has_no_notebook(notebooks: Path, name: str | None) -> None:
    (notebooks / "notes.txt").touch()
    (notebooks / ".jupyter_ystore.db").unlink()
    assert hidden(None, name, notebooks) == []


HISTORIES: dict[str, Any] = {
    "no manager": None,
    "no file": SimpleNamespace(),
    "none": SimpleNamespace(hist_file=None),
    "in memory": SimpleNamespace(hist_file=":memory:"),
    "empty": SimpleNamespace(hist_file=""),
}


@pytest.mark.parametrize("name", HISTORIES)
def test_a_history_without_a_file(notebooks: Path, name: str) -> None:
    assert hidden(SimpleNamespace(history_manager=HISTORIES[name]), None, notebooks) == []


def test_a_file_is_known_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    os.link(tmp_path / "file", tmp_path / "second name")
    paths = [str(tmp_path / name) for name in ("folder", "file", "gone")]
    status = (tmp_path / "second name").stat()
    # A folder is no secret: what is in it has names of its own.
    assert hidden_files.identities(paths) == {(status.st_dev, status.st_ino)}


def test_nothing_is_mounted_where_nothing_is_hidden(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(hidden_files.linux, "mount", refuse)
    hidden_files.cover([str(tmp_path / "gone")])


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux mounts so")
def test_an_empty_file_or_folder_is_seen_in_place_of_what_is_hidden(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    notebook, folder, shared = tmp_path / "nb.ipynb", tmp_path / "folder", tmp_path / "shared"
    for path in (folder, shared):
        path.mkdir()
        (path / "inner").write_text(CHECK)
    notebook.write_text(CHECK)
    monkeypatch.setattr(hidden_files, "_SHARED_MEMORY", str(shared))

    def work() -> object:
        try:
            linux.unshare(linux.CLONE_NEWNS)
            linux.make_mounts_private()
        except OSError as error:
            return str(error)
        hidden_files.cover([str(notebook), str(tmp_path / "gone"), str(folder)])
        mode = stat.S_IMODE(notebook.stat().st_mode)
        # Where it shares memory with its processes, all is as it was.
        return [notebook.read_text(), os.listdir(folder), mode, os.listdir(shared)]

    told = in_child(work)
    if isinstance(told, str):
        pytest.skip(told)
    assert told == ["", [], 0o600, ["inner"]]
    assert (notebook.read_text(), os.listdir(shared)) == (CHECK, ["inner"])


def test_neighbours_of_what_is_hidden_stay_readable(tmp_path: Path) -> None:
    inner = tmp_path / "a"
    inner.mkdir()
    for path in (inner / "secret", inner / "other", tmp_path / "beside"):
        path.touch()
    (inner / "link").symlink_to(inner / "secret")
    allowed = hidden_files.readable_beside([str(inner / "secret")])
    assert sorted(path for path in allowed if path.startswith(str(tmp_path))) == [
        str(inner / "other"),
        str(tmp_path / "beside"),
    ]
    assert not {str(tmp_path), *map(str, tmp_path.parents)} & set(allowed)


@pytest.mark.parametrize(("count", "many"), [(3000, False), (3001, True)])
def test_a_folder_with_too_many_neighbours(monkeypatch: pytest.MonkeyPatch, count: int, many: bool) -> None:
    """Each would be a rule, and a descriptor for a moment."""
    names = {"/": ["/folder"], "/folder": [f"/folder/{number}" for number in range(count)]}

    class Listed:
        def __init__(self, folder: str) -> None:
            self.entries = [SimpleNamespace(path=path, is_symlink=lambda: False) for path in names[folder]]

        def __enter__(self) -> Any:
            return iter(self.entries)

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(hidden_files, "os", SimpleNamespace(scandir=Listed, path=os.path))
    if not many:
        assert len(hidden_files.readable_beside(["/folder/7"])) == count - 1
        return
    with pytest.raises(hidden_files.TooMany, match="more than 3000 entries"):
        hidden_files.readable_beside(["/folder/7"])
