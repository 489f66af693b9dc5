"""Modules that read sources and tell of values, by themselves: what a real kernel rarely brings about."""

from __future__ import annotations

import ast
import asyncio
import base64
import importlib
import io
import os
import pickle
import signal
import sys
import threading
import time
import types
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jupyterlab_refine.kernel import (
    describe,
    inspection,
    linters,
    live_checks,
    running,
    share_load,
    share_names,
    share_pack,
    share_values,
    statements,
    static,
    tracebacks,
)


def refuse(*_: Any, **__: Any) -> Any:
    raise OSError("not here")


def cell(source: str) -> dict[str, Any]:
    return {"cellId": "c", "role": "assertion", "source": source}


def shell(**fields: Any) -> Any:
    return SimpleNamespace(
        **{
            "user_ns": {},
            "user_global_ns": {},
            "ast_transformers": [],
            "input_transformers_post": [],
            "input_transformer_manager": SimpleNamespace(line_transforms=[None]),
            "transform_cell": lambda source: f"# transformed\n{source}",
            **fields,
        }
    )


# Check cells


def test_a_live_check_cell_is_told_by_its_statements() -> None:
    set_up, check = live_checks.tell([cell("n = 6\nassert z == n")])
    assert (set_up["code"], set_up["counts"]) == ("n = 6", False)
    assert (check["code"], check["counts"], check["line"]) == ("assert z == n", True, 2)


def test_a_live_check_cell_that_checks_nothing() -> None:
    source = "print(1)  # " + "x" * 5000
    (told,) = live_checks.tell([cell(source)])
    assert told["nothing"].startswith("nothing in this cell can fail")
    assert (told["code"], len(told["source"])) == (source, 2000)


def test_a_live_check_cell_that_cannot_be_parsed_is_run_as_it_is() -> None:
    (told,) = live_checks.tell([cell("assert z = 6")])
    assert (told["code"].rstrip(), told["counts"]) == ("assert z = 6", True)


def test_a_live_test_function_is_run_by_its_code() -> None:
    (told,) = live_checks.tell([cell("def test_z():\n    assert z == 6")])
    code = compile(told["code"], "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    for z, holds in ((6, True), (7, False)):
        try:
            asyncio.run(eval(code, {"z": z}))
        except AssertionError:
            assert not holds
        else:
            assert holds


def test_a_long_statement_is_cut() -> None:
    (statement,) = statements.split(cell(f"assert {'z + ' * 2000}z == 6"))
    assert len(statement.source) < 2100


def test_two_statements_on_a_line() -> None:
    found = statements.split(cell("n = 6; assert z == n"))
    assert [statement.source for statement in found] == ["n = 6", "assert z == n"]


def test_python_without_ipython_reads_plain_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "IPython.core.inputtransformer2", None)
    assert statements.python_source("%time f()") == "%time f()"


TRANSFORMERS = {
    "none": ({}, False),
    "of the text": ({"input_transformers_post": [refuse]}, True),
    "of lines": ({"input_transformer_manager": SimpleNamespace(line_transforms=[None, refuse])}, True),
}


@pytest.mark.parametrize("kind", TRANSFORMERS)
def test_transformers_of_the_users_see_plain_python_too(kind: str) -> None:
    fields, used = TRANSFORMERS[kind]
    assert running.transformed("z = 6", shell(**fields)).startswith("# transformed") == used


def test_a_transformer_that_fails_leaves_the_cell_as_ipython_reads_it() -> None:
    assert running.transformed("%time f()", shell(transform_cell=refuse)).startswith("get_ipython()")


# Findings in a candidate


def test_a_check_that_cannot_be_parsed_defines_nothing() -> None:
    message = "name 'helper' is not defined"
    finding = {"line": 1, "code": "undefined-name", "message": message, "severity": "error"}
    assert static.judge([finding], ["assert z = 6"]) == [finding]
    assert static.judge([finding], ["assert z = 6", "def helper(): pass"]) == []


def test_nobody_is_pointed_to_private_names() -> None:
    finding = static._undefined(ast.parse("print(grand_total)"), shell(user_ns={"_grand_total": 1}))
    assert [found["message"] for found in finding] == ["name 'grand_total' is not defined"]


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="annotations are not evaluated there")
@pytest.mark.parametrize(("module", "names"), [("__future__", []), ("mine", ["Missing"])])
def test_annotations_that_are_evaluated(module: str, names: list[str]) -> None:
    tree = ast.parse(f"from {module} import annotations\nx: Missing = 1")
    assert [found["message"].split("'")[1] for found in static._undefined(tree, shell())] == names


class _TypeVar(ast.AST):
    _fields = ("name", "bound")


class _TypeAlias(ast.stmt):
    _fields = ("name", "type_params", "value")


# As Python 3.12 makes them.
_TypeVar.__name__, _TypeAlias.__name__ = "TypeVar", "TypeAlias"


def test_type_parameters_and_aliases_are_names() -> None:
    tree = ast.parse("def f(a):\n    return T\nclass A:\n    kind = K\nprint(L)")
    missing = ast.Name("Missing", ast.Load())
    function, kind, _ = tree.body
    function.type_params = [_TypeVar("T", missing)]  # type: ignore[attr-defined]
    kind.type_params = [_TypeVar("K", missing)]  # type: ignore[attr-defined]
    tree.body.insert(2, _TypeAlias(ast.Name("L", ast.Store()), [], missing))
    assert static._undefined(tree, shell()) == []


PYFLAKES = """<stdin>:3:5: local variable 'unused' is assigned to but never used
<stdin>:4: 'json' imported but unused
<stdin>:7:1: undefined name 'missing'
something else
"""


def test_what_pyflakes_tells() -> None:
    told = [(found["line"], found["column"], found["message"]) for found in linters._of_pyflakes(PYFLAKES)]
    assert told == [
        (3, 5, "local variable 'unused' is assigned to but never used"),
        (4, 1, "'json' imported but unused"),
    ]


def test_a_long_finding_is_cut() -> None:
    (found,) = linters._of_pyflakes(f"<stdin>:1:1: {'x' * 5000}")
    assert len(found["message"]) == 300


@pytest.mark.parametrize("output", ["no JSON", "[{}]", "[5]"])
def test_a_linter_that_is_broken_says_nothing(monkeypatch: pytest.MonkeyPatch, output: str) -> None:
    monkeypatch.setattr(linters, "_ruff", lambda: [sys.executable, "-c", f"print({output!r})"])
    assert linters.findings("x = 1") == []
    monkeypatch.setattr(linters, "_ruff", lambda: ["/nowhere/ruff"])
    assert linters.findings("x = 1") == []


# Values in words


def test_long_texts_are_cut_before_they_are_shown() -> None:
    assert describe.plain_repr("x" * 5000, 100) == repr("x" * 100) + "..."
    assert len(describe.safe_repr([["x" * 5000] * 5])) < 1600


def test_a_callable_without_a_signature() -> None:
    class Odd:
        """A class."""

        __signature__ = 5

    (told,) = inspection.variables(["Odd"], "names", {"Odd": Odd})
    assert (told["type"], told["doc"], "signature" in told) == ("type", "A class.", False)


class Sly:
    """It says that it is less than anything, and notes when it is asked."""

    asked = False

    def __hash__(self) -> int:
        Sly.asked = True
        return 5

    def __lt__(self, _: object) -> bool:
        Sly.asked = True
        return True

    __eq__ = __lt__

    def __repr__(self) -> str:
        Sly.asked = True
        return "sly"


SLY = Sly()
LARGE: dict[str, Any] = {
    "list": [*range(50), SLY],
    "dict": {**dict.fromkeys(range(50), 1), SLY: 1},
    "values": {**dict.fromkeys(range(50), 1), "k": SLY},
    "key": {(*range(50), SLY): 1},
    "set": {*range(50), SLY},
    "item of a set": {(*range(50), SLY)},
    "within": [{"k": {**dict.fromkeys(range(50), 1), SLY: 1}}],
}


@pytest.mark.parametrize("kind", LARGE)
def test_nothing_of_a_large_container_is_asked_beyond_what_is_shown(kind: str) -> None:
    Sly.asked = False
    (told,) = inspection.variables(["v"], "samples", {"v": LARGE[kind]})
    assert "0" in told.get("sample", "0")
    assert not Sly.asked
    if kind in ("list", "dict", "values"):
        assert "..." in told["sample"]


def test_only_lines_of_the_candidate_are_told_as_such() -> None:
    told = {}
    for name in (tracebacks.CANDIDATE, "<check 1>"):
        with pytest.raises(ZeroDivisionError) as raised:
            exec(compile("\n1 / 0", name, "exec"), {})
        told[name] = tracebacks.Teller(shell(compile=None), "none").tell(raised.value).get("candidateLine")
    assert told == {tracebacks.CANDIDATE: 2, "<check 1>": None}


def test_an_error_in_a_cell_whose_name_cannot_be_told() -> None:
    teller = tracebacks.Teller(shell(compile=SimpleNamespace(format_code_name=refuse)), "none")
    error = ValueError('File "<ipython-input-3-abc>"')
    assert 'File "<ipython-input-3-abc>"' in teller.tell(error)["traceback"]


# What goes over to a second kernel


def test_names_of_what_cannot_run() -> None:
    assert not share_names.of_source("x = (").free
    assert list(share_names.of_source("return x\ny").free) == ["y"]


def test_a_text_defines_no_name() -> None:
    needs = share_names.of_source("@mark('base')\ndef f(): return base")
    assert list(needs.free) == ["mark", "base"]


def test_a_cloudpickle_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    import_module = importlib.import_module
    there = {"cloudpickle", "joblib.externals.cloudpickle"}
    monkeypatch.setattr(importlib, "import_module", lambda n: there & {n} or import_module(f"no_such_{n}"))
    for name in ("cloudpickle", "joblib.externals.cloudpickle", None):
        assert share_values.find_cloudpickle() == name
        there.discard(name or "")


def test_a_variable_of_an_outer_function_that_has_no_value_yet() -> None:
    file = io.BytesIO()
    share_values.pickler(file, share_values.Found(), None, shell()).dump(types.CellType())
    with pytest.raises(ValueError, match="empty"):
        _ = pickle.loads(file.getvalue()).cell_contents


def test_attributes_of_a_function_go_over() -> None:
    def function() -> None: ...

    share_values.fill_function(function, {"__dict__": {"note": 1}, "__doc__": "Does."})
    assert (function.note, function.__doc__) == (1, "Does.")  # type: ignore[attr-defined]


def test_a_cell_that_cannot_be_parsed_has_no_class() -> None:
    Thing = type("Thing", (), {"__module__": "__main__"})
    history = ["", "class Thing:\n    size = 1\nthing = Thing()", "class Thing: ("]
    kept = shell(history_manager=SimpleNamespace(input_hist_parsed=history))
    assert share_values._class_source(Thing, "Thing", kept) == "class Thing:\n    size = 1"


def test_a_long_reason_is_cut() -> None:
    reason = share_pack._reason(object(), ValueError("x" * 5000))
    assert reason.startswith("a object cannot be copied: xxx") and len(reason) == 300


def test_a_file_that_nobody_fetches_is_removed_soon(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    begun: list[Any] = []

    class Timer(threading.Timer):
        def start(self) -> None:
            begun.append(self)

    monkeypatch.setattr(share_pack.threading, "Timer", Timer)
    path = tmp_path / "file"
    path.touch()
    share_pack._keep(str(path))
    (timer,) = begun
    assert timer.interval <= 300 and timer.daemon
    timer.function(*timer.args)
    assert not path.exists()


def test_copying_is_ended_where_no_signal_can_be_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "pthread_kill")
    end = time.monotonic() + 10
    with pytest.raises(share_pack._Cut), share_pack._Guard(0.05) as guard:
        while time.monotonic() < end:
            time.sleep(0.001)
    assert guard.cut == "late"


def test_copying_that_never_begins_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(share_pack, "_cancelled", {})
    for number in range(100):
        share_pack.cancel(str(number))
    assert list(share_pack._cancelled) == [str(number) for number in range(68, 100)]


def test_surroundings_that_are_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    monkeypatch.setattr(share_pack, "open", refuse, raising=False)
    told = share_pack._surroundings()
    assert (told["folder"], told["environment"]) == (None, {})


def test_a_folder_that_the_second_kernel_does_not_see(tmp_path: Path) -> None:
    before = os.getcwd()
    folder = str(tmp_path / "nowhere")
    share_load._surround({"path": [*sys.path], "folder": folder, "environment": {}, "files": {}})
    assert os.getcwd() == before


def test_a_submodule_that_cannot_be_imported_keeps_no_other_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "refine_broken.py").write_text("1 / 0")
    (tmp_path / "refine_whole.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    share_load._import(["refine_broken", "refine_whole"])
    assert sys.modules.pop("refine_whole", None) is not None


def test_a_long_reason_of_the_second_kernel_is_cut() -> None:
    assert len(share_load._reason(ValueError("x" * 5000))) == 300


def test_parts_that_will_not_be_loaded_are_removed() -> None:
    nonce = "a" * 32
    share_load.part(nonce, base64.b64encode(b"data").decode())
    path = share_load._parts[nonce]
    assert Path(path).read_bytes() == b"data"
    for _ in range(2):
        assert share_load.forget(nonce) == {"state": "forgotten"}
        assert not Path(path).exists()


def test_a_file_that_is_not_seen(tmp_path: Path) -> None:
    answer = share_load.load(str(tmp_path / "nowhere"), "a" * 32, shell())
    assert answer == {"state": "unseen"}


def test_a_file_that_cannot_be_removed_is_read_all_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a" * 32)
    path.chmod(0o600)
    monkeypatch.setattr(share_load.os, "unlink", refuse)
    with share_load._open(str(path), "a" * 32) as file:
        assert file.read() == b""
