"""What is told of values, errors, findings and outputs: within bounds, and nothing that is not so."""

from __future__ import annotations

import ast
import json
import os
import select
import signal
import sys
import threading
import time
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from test_reading import cell, shell

from jupyterlab_refine.kernel import (
    describe,
    explain,
    forget,
    inspection,
    limits,
    linters,
    outcome,
    pipes,
    previews,
    redact,
    rewriting,
    statements,
    static,
    streams,
    texts,
    tracebacks,
)
from jupyterlab_refine.kernel.differences import difference

LONG = "k" * 5000


# A failing assert


def explained(source: str, **names: Any) -> dict[str, Any]:
    recorder = rewriting.Recorder()
    tree = ast.fix_missing_locations(rewriting.Rewriter(recorder, "recorder").visit(ast.parse(source)))
    with pytest.raises((AssertionError, NameError)):
        exec(compile(tree, "<check>", "exec"), {"recorder": recorder, **names})
    return explain.explain(recorder)


def operands(told: dict[str, Any]) -> list[str]:
    return [operand["expression"] for operand in told.get("operands", [])]


@pytest.mark.parametrize("literal", ["-1", "[1, -1]", "(1, 2)", "{1, 2}", "{'a': 1}", "'text'"])
def test_what_is_written_out_is_what_was_expected(literal: str) -> None:
    told = explained(f"assert {literal} == x", x=None)
    assert (told["operator"], told["expected"]["expression"]) == ("==", literal)
    assert told["observed"]["expression"] == "x"
    assert operands(told) == []


def test_operands_of_a_call_are_told() -> None:
    told = explained("assert x.endswith(y)", x="a", y="b")
    assert told["observed"]["expression"] == "x.endswith(y)"
    assert operands(told) == ["x", "y"]
    names = {f"a{n}": n for n in range(40)}
    assert len(operands(explained(f"assert f({', '.join(names)})", f=lambda *_: False, **names))) == 12


def test_arguments_that_are_unpacked_are_left_as_they_are() -> None:
    assert operands(explained("assert f(*x, y)", f=lambda *_: False, x=[1, 2], y=3)) == ["y"]


def test_modules_and_classes_are_no_operands() -> None:
    assert operands(explained("assert m.f(x, int)", m=SimpleNamespace(f=lambda *_: 0), x=5)) == ["m", "x"]
    module = types.ModuleType("m")
    module.f = lambda *_: 0  # type: ignore[attr-defined]
    assert operands(explained("assert m.f(x, int)", m=module, x=5)) == ["x"]


def test_the_part_that_was_false_is_told() -> None:
    assert explained("assert a and b", a=0, b=1)["observed"]["expression"] == "a"
    assert explained("assert all(v > 0 for v in rows)", rows=[1, -5])["difference"] == "not so for v = -5"


def test_what_was_not_evaluated_is_not_told() -> None:
    assert "operator" not in explained("assert a == missing", a=1)
    told = explained("assert isinstance(a, missing)", a=1)
    assert (told["observed"]["expression"], "expected" in told) == ("a", False)


#: check: what of its names is long.
MEMBERS = {
    f"assert x in {LONG!r}": {"x": "a"},
    f"assert {LONG!r} not in x": {"x": [LONG]},
    f"assert {LONG!r} in x": {"x": []},
    "assert 'a' in x": {"x": {f"{n}{LONG[:100]}": n for n in range(20)}},
    "assert all(len(v) < 9 for v in x)": {"x": [LONG]},
}


@pytest.mark.parametrize("source", MEMBERS)
def test_a_difference_has_no_long_values(source: str) -> None:
    assert len(explained(source, **MEMBERS[source])["difference"]) < (700 if "'a'" in source else 400)


def test_some_keys_and_columns_are_told() -> None:
    told = explained("assert 'a' in x", x=dict.fromkeys(range(100)))["difference"]
    assert told.startswith("the keys are [0, 1, ") and "19]" in told
    frame = pd.DataFrame([range(100)], columns=[f"c{n}" for n in range(100)])
    told = explained("assert 'a' in x", x=frame)["difference"]
    assert told.startswith("the columns are c0, ") and told.endswith("c19")


# Values


def test_a_repr_is_cut() -> None:
    assert len(describe.safe_repr(LONG)) < 1600
    told = describe.observed_value(LONG, np.zeros(1, [(f"field{n}", float) for n in range(50)]))
    assert (len(told["expression"]), len(told["dtype"])) == (300, 100)
    assert len(describe.local_variable("x", LONG, True)["repr"]) < 400


def test_shapes_and_keys() -> None:
    assert describe.observed_value("x", np.zeros((2, 3)))["shape"] == "(2, 3)"
    assert describe.local_variable("x", [1, 2], False) == {"name": "x", "type": "list", "shape": "2 items"}
    assert describe.observed_value("api_key", "0123456789")["repr"] == redact.MASK


def test_a_value_is_told_in_another_thread_too() -> None:
    told: list[str] = []
    thread = threading.Thread(target=lambda: told.append(describe.safe_repr(5)))
    thread.start()
    thread.join()
    assert told == ["5"]


def test_an_alarm_of_the_users_stays() -> None:
    def own(*_: object) -> None: ...

    before = signal.signal(signal.SIGALRM, own)
    try:
        signal.setitimer(signal.ITIMER_REAL, 100)
        describe.safe_repr(5)
        assert signal.getsignal(signal.SIGALRM) is own
        assert signal.setitimer(signal.ITIMER_REAL, 0)[0] > 90
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def lines(count: int, last: str = "") -> str:
    return "a\n" * count + last


DIFFERENT: dict[str, tuple[Any, Any]] = {
    "a key that is missing": ({}, {LONG: 1}),
    "a key that is wrong": ({LONG: 1}, {LONG: 2}),
    "an observed value": ({"a": LONG}, {"a": 1}),
    "an expected value": ({"a": 1}, {"a": LONG}),
    "an observed item": ([LONG], [1]),
    "an expected item": ([1], [LONG]),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_a_long_value_in_a_difference_is_cut(name: str) -> None:
    assert len(difference(*DIFFERENT[name]) or "") < 300


def test_a_long_difference_is_cut() -> None:
    assert len(difference("a\n" + lines(2000), "b\n" * 2000) or "") == 2000


def test_of_very_long_texts_the_begin_is_compared() -> None:
    told = "the first 2000 lines are the same"
    assert difference(lines(3000, "b"), lines(3000, "c")) == told
    assert difference(lines(3000), lines(2500)) == told
    assert difference(lines(2500), lines(3000)) == told
    assert difference("a\r\n", "a\n") == "only the line ends differ"


def test_pytest_approx_is_of_another_type_by_its_nature() -> None:
    assert difference(1.0, pytest.approx(2.0)) is None


def test_frames_of_another_shape_or_with_many_columns() -> None:
    told = difference(pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [1]}))
    assert told is not None and told.startswith("shape (2, 1), expected (1, 1)")
    left = pd.DataFrame([[1] * 150])
    right = left.copy()
    right[149] = 2
    assert difference(left, right) is None
    left = pd.DataFrame([[1, 2, 3]], columns=["a", "a", "b"])
    right = pd.DataFrame([[1, 2, 4]], columns=["a", "a", "b"])
    assert "in column 'b'" in (difference(left, right) or "")


# Live variables


def variable(value: Any, name: str = "x") -> dict[str, Any]:
    (told,) = inspection.variables([name], "samples", {name: value})
    return told


class DataFrame:
    """As pandas' own, with long names."""

    __module__ = "pandas.core.frame"
    shape = (1, 150)
    columns = (LONG,) * 150
    dtypes = (LONG,) * 150


class Series:
    __module__ = "pandas.core.series"
    shape = (1,)
    dtype = LONG


def test_what_is_told_of_frames_is_bounded() -> None:
    columns = variable(DataFrame())["columns"]
    assert len(columns) == 100
    assert {(len(name), len(kind)) for name, kind in columns} == {(100, 60)}
    assert len(variable(Series())["dtype"]) == 60


def test_what_is_told_of_classes_and_functions() -> None:
    for kind in (DataFrame, type("Own", (type("Meta", (type,), {})("Base", (), {}),), {})):
        assert variable(kind)["type"] == "type"
    space: dict[str, Any] = {}
    exec(f"def f({', '.join(f'argument{n}' for n in range(100))}): pass", space)
    assert len(variable(space["f"])["signature"]) == 300


def test_samples_are_short_and_of_plain_values() -> None:
    assert len(variable("text " * 500)["sample"]) == 300
    assert variable([[[1]]])["sample"] == "[[[1]]]"
    assert "sample" not in variable([[[[1]]]])


def test_a_long_text_is_looked_at_where_it_begins() -> None:
    key = "sk-" + "a" * 20
    assert variable(key + " text " * 5000) == {"name": "x", "type": "str", "redacted": True}
    assert key not in variable("text " * 5000 + key)["sample"]


def test_nothing_of_the_users_is_called_for_a_sample() -> None:
    class Own:
        def __iter__(self) -> Iterator[int]:
            called.append(1)
            return iter([1])

    called: list[int] = []
    assert "sample" not in variable([Own()])
    assert called == []


# Errors


def raised(source: str, file: str, space: dict[str, Any]) -> Exception:
    try:
        exec(compile(source, file, "exec"), space)
    except Exception as error:
        return error
    raise AssertionError(source)


def told_of(error: BaseException, **fields: Any) -> dict[str, Any]:
    return tracebacks.Teller(SimpleNamespace(compile=None, user_ns={}, **fields), "samples").tell(error)


def test_an_error_is_bounded() -> None:
    error = raised("raise ValueError(text)", tracebacks.CANDIDATE, {"text": "m" * 50_000})
    told = told_of(error)
    assert len(told["message"]) < 4100
    assert len(told["traceback"]) < 12100
    assignments = "\n".join(f"    a{n} = {n}" for n in range(50))
    told = told_of(raised(f"def f():\n{assignments}\n    1 / 0\nf()", tracebacks.CANDIDATE, {}))
    assert len(told["locals"]) == 20


def test_an_error_of_no_cell_has_no_line_and_no_variables() -> None:
    told = told_of(raised("1 / 0", "other.py", {}))
    assert {*told} == {"name", "message", "traceback"}


@pytest.mark.parametrize("file", ["<check 1>", "<cell of the notebook>"])
def test_variables_of_checks_and_of_the_notebook(file: str) -> None:
    compiler = SimpleNamespace(_filename_map={"<cell of the notebook>": 3})
    error = raised("def f(_a, __b):\n    1 / 0\nf(1, 2)", file, {})
    one: Any = SimpleNamespace(compile=compiler, user_ns={})
    told = tracebacks.Teller(one, "samples").tell(error)
    assert [variable["name"] for variable in told["locals"]] == ["_a"]


def test_all_variables_of_a_module_of_its_own() -> None:
    """Those of the notebook are told where the cell names them; these are few."""
    told = told_of(raised("1 / 0", tracebacks.CANDIDATE, {"unused": 1, "__builtins__": {}}))
    assert [variable["name"] for variable in told["locals"]] == ["unused"]


def test_a_syntax_error_that_the_candidate_meets_is_told_where_it_stands() -> None:
    source = "\n\ncompile('(', '<candidate>', 'exec')"
    assert told_of(raised(source, tracebacks.CANDIDATE, {}))["candidateLine"] == 3


def test_texts_that_cannot_be_sent_are_made_plain() -> None:
    assert texts.plain("\x1b[31mred\x1b[0m") == "red"
    assert texts.plain("a\ud800") == "a\\ud800"


# Findings


@pytest.mark.parametrize("kind", [SyntaxError, ValueError, MemoryError, RecursionError, OverflowError])
def test_what_cannot_be_read_is_a_finding(monkeypatch: pytest.MonkeyPatch, kind: type[Exception]) -> None:
    def fail(*_: Any) -> Any:
        raise kind("too much")

    monkeypatch.setattr(static.running, "transformed", lambda source, _: source)
    monkeypatch.setattr(static, "ast", SimpleNamespace(parse=fail))
    (found,) = static.find("x", shell())
    assert (found["line"], found["code"]) == (1, "syntax")
    assert found["message"] == f"{kind.__name__}: too much"


def found_in(source: str, monkeypatch: pytest.MonkeyPatch, **fields: Any) -> list[dict[str, Any]]:
    monkeypatch.setattr(linters, "findings", lambda _: [])
    return static.find(source, shell(compile=SimpleNamespace(flags=0), **fields))


def test_looking_shows_no_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert found_in("assert 1 is 1\n'\\d'", monkeypatch) == []
    assert seen == []


def test_transformers_may_define_names(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(found_in("missing", monkeypatch)) == 1
    assert found_in("missing", monkeypatch, ast_transformers=[object()]) == []


def finding(message: str, severity: str = "warning") -> dict[str, Any]:
    return {"line": 2, "code": "F1", "message": message, "severity": severity}


def test_checks_take_back_only_what_they_use() -> None:
    kept = [finding("f-string without any placeholders"), finding("redefinition of unused 'x'")]
    assert static.judge([*kept, finding("'x' imported but unused")], ["assert x"]) == kept


def test_only_what_cannot_run_is_why_it_was_not_run() -> None:
    told = static.error([finding("a warning"), finding("name 'x' is not defined", "error")])
    assert told["message"] == "line 2: name 'x' is not defined"


def test_findings_of_a_linter_are_bounded() -> None:
    item = {"code": "F401", "location": {"row": 1, "column": 1}, "message": "m"}
    assert len(linters._of_ruff(json.dumps([item] * 200))) == 50
    assert len(linters._of_pyflakes("<stdin>:1:1: m\n" * 200)) == 50
    assert linters._of_ruff("") == []


def test_a_linter_has_seconds_and_not_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def run(*_: Any, timeout: float, **__: Any) -> Any:
        asked.append(timeout)
        return SimpleNamespace(stdout=b"")

    monkeypatch.setattr(linters.subprocess, "run", run)
    linters._output(["linter"], "x")
    assert asked[0] <= 5


def test_pyflakes_where_there_is_no_ruff(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linters, "_ruff", lambda: None)
    monkeypatch.setattr(linters.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(linters, "_output", lambda *_: "<stdin>:3:1: unused")
    assert [found["line"] for found in linters.findings("x")] == [3]
    monkeypatch.setattr(linters.importlib.util, "find_spec", lambda _: None)
    assert linters.findings("x") == []


def test_the_ruff_beside_python_reads_no_settings_and_leaves_no_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "bin" / "ruff"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    command = linters._ruff() or []
    assert command[0] == str(program)
    assert {"--isolated", "--no-cache"} <= {*command}


# Check cells as statements


def test_set_up_is_no_check() -> None:
    assert [one.source for one in statements.checking([cell("x = 1\nassert x")])] == ["assert x"]


def problems(source: str, drops_asserts: bool = False, **namespace: Any) -> list[str]:
    told = statements.tell([cell(source)], namespace, drops_asserts)
    return [statement["problem"] for statement in told if "problem" in statement]


def test_calls_of_plain_functions_can_fail() -> None:
    assert problems("assert f()", f=len) == []


def test_asserts_that_python_leaves_out_are_told() -> None:
    assert problems("assert x", drops_asserts=True) == ["Python runs with -O here, which leaves asserts out"]


def test_a_test_that_only_another_function_calls_is_run() -> None:
    (one,) = statements.checking([cell("def test_x():\n    assert x\ndef unused():\n    test_x()")])
    assert one.runs == "test_x"


# The outcome of an attempt


def new_outcome() -> outcome.Outcome:
    return outcome.Outcome("a", limits.read({"seconds": 10}), {})


def test_printed_text_keeps_its_begin_and_end() -> None:
    text = outcome.Text(8)
    for part in ("abcd", "efgh", "ijkl", "mnop", ""):
        text.add(part)
    assert str(text) == "abcdefgh\n... (6 characters left out) ...\nop"


def test_the_first_reason_to_end_is_told() -> None:
    one = new_outcome()
    one.cut("timeout", "first")
    one.cut("memory", "then")
    told = one.execution(redact.Masker([]))
    assert (told["stop"], told["stopMessage"]) == ("timeout", "first")


@pytest.mark.parametrize(("error", "where"), [(None, ""), ({"candidateLine": 3}, ", in line 3")])
def test_what_there_was_too_much_of_ends_the_attempt(error: Any, where: str) -> None:
    one = new_outcome()
    one.exceeded, one.error = "file", error
    told = one.execution(redact.Masker([]))
    assert (told["status"], told["stop"]) == ("cut", "files")
    assert told["stopMessage"].endswith(f"a write beyond it failed{where}")


@pytest.mark.parametrize(
    ("kind", "stop", "begin"),
    [
        ("memory", "memory", "memory: limit "),
        ("file", "files", "file size: limit "),
        ("files", "files", "files: limit "),
    ],
)
def test_what_it_was_is_told(kind: str, stop: str, begin: str) -> None:
    one = new_outcome()
    one.exceeded = kind
    told = one.execution(redact.Masker([]))
    assert told["stop"] == stop
    assert told["stopMessage"].startswith(begin)


def test_much_that_was_denied_is_not_all_told() -> None:
    one = new_outcome()
    one.denied = [f"tried {number}" for number in range(200)] * 2
    assert one.execution(redact.Masker([]))["denied"] == [f"tried {number}" for number in range(50)]


def test_a_score_counts_where_every_check_held_and_nothing_was_tampered_with() -> None:
    one = new_outcome()
    one.statements = statements.checking([cell("assert x")])
    assert not one.held_all()
    result = {"outcome": "passed"}
    one.results[one.statements[0].id] = result
    assert one.held_all()
    assert one.execution(redact.Masker([]))["assertions"] == [result]
    one.tampering = ["pandas was patched"]
    assert not one.held_all()


def test_a_score_is_told() -> None:
    one = new_outcome()
    one.scored = {"value": 5}
    assert one.execution(redact.Masker([]))["scored"] == {"value": 5}


def test_a_check_that_failed_or_was_not_run_did_not_pass() -> None:
    one = new_outcome()
    one.statements = statements.checking([cell("assert x")])
    assert not one.passed()
    one.results[one.statements[0].id] = {"outcome": "failed"}
    assert not one.passed()
    one.results[one.statements[0].id] = {"outcome": "passed"}
    assert one.passed()


@pytest.mark.parametrize(("cpu", "state"), [(0.0, "blocked"), (2.0, "busy"), (None, "busy")])
def test_who_waits_is_not_busy(cpu: float | None, state: str) -> None:
    assert f", {state}" in outcome.timeout_message(limits.read({"seconds": 2}), 2.0, cpu, "")


# What is masked


def test_variables_that_the_server_names_are_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redact, "_key_variables", set())
    redact.add_key_variables(["PLAIN"])
    assert redact.secret_environment({"PLAIN": "a", "OTHER": "b"}) == {"PLAIN": "a"}


def test_all_texts_within_a_message_are_masked() -> None:
    masked = redact.Masker(["0123456789"]).value({"a": ["0123456789", 5], "b": "x0123456789"})
    assert masked == {"a": ["***", 5], "b": "x***"}


# Pipes


def test_reading_holds_the_kernel_for_a_bounded_time(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def read(_: int, size: int) -> bytes:
        sizes.append(size)
        return bytes(min(size, 1 << 16))

    monkeypatch.setattr(pipes.os, "read", read)
    assert pipes.drain(0, lambda _: None)
    assert sum(sizes) <= 1 << 21


@pytest.mark.parametrize(
    ("event", "sizes", "more"),
    [
        # What does not fill the buffer was all there is, ...
        (select.POLLIN, [pipes._READ, 5], True),
        # ... and of a pipe that is closed the end is read too.
        (select.POLLIN | select.POLLHUP, [pipes._READ, 5, 0], False),
    ],
)
def test_a_pipe_is_read_as_far_as_it_is_filled(
    monkeypatch: pytest.MonkeyPatch, event: int, sizes: list[int], more: bool
) -> None:
    left, seen = list(sizes), []
    monkeypatch.setattr(pipes.os, "read", lambda *_: bytes(left.pop(0)))
    assert pipes.drain(0, lambda data: seen.append(len(data)), event) is more
    assert (left, seen) == ([], [size for size in sizes if size])


def test_nobody_wakes_for_a_pipe_that_took_everything() -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    poller = select.poll()
    feed = pipes.Feed(writer, poller)
    feed.send_bytes(bytes(1 << 21))
    feed.write()
    feed.write()
    while not feed.is_idle:
        os.read(reader, 1 << 16)
        feed.write()
    os.read(reader, 1 << 21)
    assert poller.poll(0) == []
    os.close(reader)
    os.close(writer)


# Streams


class Said(list[dict[str, Any]]):
    """In place of the events of a child."""

    own = True

    def own_process(self) -> bool:
        return self.own

    def send(self, kind: str, **fields: Any) -> None:
        self.append({"t": kind, **fields})


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Said:
    monkeypatch.setattr(streams, "start_new_thread", lambda *_: None)
    return Said()


def stream(said: Said, limit: int = 1 << 20) -> streams.TextStream:
    one = streams.TextStream("stdout", 1, said)  # type: ignore[arg-type]
    one.bound(limit, 1 << 30)
    return one


def test_events_have_their_proof_once_it_is_known() -> None:
    reader, writer = os.pipe()
    events = streams.Events(writer)
    events.send("early")
    events.nonce = "proof"
    events.send("late")
    assert [json.loads(line) for line in os.read(reader, 4096).splitlines()] == [
        {"t": "early"},
        {"t": "late", "n": "proof"},
    ]
    os.close(reader)
    os.close(writer)


def test_no_more_is_sent_than_the_limit(said: Said) -> None:
    one = stream(said, 10)
    one.write("0123456789")
    one.write("x" * 30)
    one.write("x" * 40)
    one.flush()
    assert "".join(event["text"] for event in said) == "0123456789"


def test_nothing_follows_a_text_that_was_not_too_long(said: Said) -> None:
    one = stream(said)
    one.write("x")
    one.finish()
    assert [event["text"] for event in said] == ["x"]


def test_many_short_texts_wait_for_each_other(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(streams, "time", SimpleNamespace(monotonic=lambda: now[0]))
    one = stream(said)
    for _ in range(100):
        one.write("x")
    assert len(said) == 20
    now[0] += 1
    one.write("x")
    assert len(said) == 21
    assert said[-1]["text"] == "x" * 81
    for _ in range(100):
        one.write("x")
    # A long one does not, and the end waits for nothing.
    one.write("y" * 20_000)
    assert said[-1]["text"].endswith("y" * 20_000)
    one.write("z")
    one.finish()
    assert said[-1]["text"] == "z"


def test_nothing_is_kept_of_what_is_said_before_the_attempt(said: Said) -> None:
    one = streams.TextStream("stdout", 1, said)  # type: ignore[arg-type]
    assert one.write("early") == 5
    one.bound(100, 1000)
    one.write("late")
    assert [event["text"] for event in said] == ["late"]


def test_a_fork_of_the_attempt_prints_without_an_event(said: Said) -> None:
    reader, writer = os.pipe()
    said.own = False
    one = streams.TextStream("stdout", writer, said)  # type: ignore[arg-type]
    one.bound(100, 1000)
    assert one.write("text\ud800") == 5
    assert (os.read(reader, 100), said) == (b"text\\ud800", [])
    os.close(reader)
    os.close(writer)


def test_what_waits_is_sent_after_a_while(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(streams, "time", SimpleNamespace(monotonic=time.monotonic, sleep=slept.append))
    one = stream(said)
    one._parts = ["x"]
    one._flush_later()
    assert (slept, said) == ([0.05], [{"t": "stream", "stream": "stdout", "text": "x"}])


def test_a_fork_of_the_attempt_does_not_wait_for_a_lock_that_nobody_opens(said: Said) -> None:
    one = stream(said)
    lock = threading.Lock()
    lock.acquire()
    one._lock, said.own = lock, False  # type: ignore[assignment]
    thread = threading.Thread(target=one.flush, daemon=True)
    thread.start()
    thread.join(2)
    assert not thread.is_alive()


# Previews


class Now:
    """In place of the module `time`."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


class Sent(list[dict[str, Any]]):
    def send(self, socket: Any, kind: str, event: dict[str, Any], parent: Any) -> None:
        assert (kind, parent) == (previews.MESSAGE_TYPE, {"msg_id": "p"})
        self.append(event)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> tuple[previews.Previews, Sent, Now]:
    clock, session = Now(), Sent()
    monkeypatch.setattr(previews, "time", clock)
    kernel = SimpleNamespace(session=session, iopub_socket=None)
    return previews.Previews(kernel, "id", {"msg_id": "p"}), session, clock


OUTPUT = {"type": "output", "stream": "stdout", "text": "x"}


@pytest.mark.parametrize("event", [OUTPUT, {"type": "started"}])
def test_previews_wait_a_little_for_each_other(
    sent: tuple[previews.Previews, Sent, Now], event: dict[str, Any]
) -> None:
    preview, session, clock = sent
    assert preview.seconds_left() is None
    preview.publish(event)
    left = preview.seconds_left()
    assert left is not None and 0 < left < 0.1
    preview.flush_due()
    assert session == []
    clock.now += 1
    preview.flush_due()
    assert session == [{"id": "id", **event}]
    assert preview.seconds_left() is None


def test_the_last_preview_tells_that_there_is_a_result(sent: tuple[previews.Previews, Sent, Now]) -> None:
    preview, session, _ = sent
    preview.publish(OUTPUT)
    preview.finish()
    assert session == [{"id": "id", **OUTPUT}, {"id": "id", "type": "finished"}]


def test_a_preview_of_much_text_is_cut(sent: tuple[previews.Previews, Sent, Now]) -> None:
    preview, session, _ = sent
    preview.publish({**OUTPUT, "text": "x" * (1 << 20)})
    preview.finish()
    assert len(session[0]["text"]) == 64 << 10


def test_between_two_previews_nothing_is_held_that_a_fork_would_see(
    sent: tuple[previews.Previews, Sent, Now], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Lock:
        """In place of the one that forks take."""

        def __enter__(self) -> None:
            held.append("event" in sys._getframe(1).f_locals)

        def __exit__(self, *_: object) -> None: ...

    held: list[bool] = []
    preview, session, _ = sent
    preview.publish(OUTPUT)
    monkeypatch.setattr(forget, "lock", Lock())
    preview.finish()
    assert (len(session), held) == (2, [False, False])
