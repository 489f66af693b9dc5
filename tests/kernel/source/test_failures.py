"""Where a cell failed, and what the failed run changed."""

from __future__ import annotations

import linecache
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from jupyterlab_refine.kernel.source import failures

CHANGED = {
    "df = df.dropna()\nf(df)": ["df"],
    "xs.append(1)\nf(xs)": ["xs"],
    "df['a'] = 1\nf(df)": ["df"],
    "n += 1\nf(n)": ["n"],
    "df.drop('a', inplace=True)\nf(df)": ["df"],
    "for x in xs:\n    seen[x] = f(x)": ["seen"],
    "total = 0\ntotal += 1\nf()": [],
    "rows = []\nrows.append(1)\nf()": [],
    "import numpy\nx = numpy.ones(2)\nf(x)": [],
    "def g():\n    xs.append(1)\nf()": [],
    "f()\nxs.append(1)": [],
    "ys = [x for x in xs]\nf(ys)": [],
    "xs = f(xs)": [],
}


@pytest.mark.parametrize("source", CHANGED)
def test_names_whose_earlier_value_is_lost(source: str) -> None:
    line = next(n for n, text in enumerate(source.splitlines(), 1) if "f(" in text and "def" not in text)
    assert failures.changed(source, line) == CHANGED[source]


def fail(source: str, namespace: dict[str, Any], file_name: str = "<cell 1>") -> BaseException:
    linecache.cache[file_name] = (len(source), None, source.splitlines(keepends=True), file_name)
    try:
        exec(compile(source, file_name, "exec"), namespace)
    except (Exception, SystemExit) as error:
        return error
    raise AssertionError("it did not fail")


def shell(namespace: dict[str, Any]) -> Any:
    return SimpleNamespace(
        compile=SimpleNamespace(_filename_map={"<cell 1>": 1}),
        transform_cell=lambda text: text + "\n",
        user_ns=namespace,
    )


SOURCE = "counts.clear()\ndef rate(rows):\n    n = len(rows)\n    return 1 / n\nprint(rate([]))"


def test_the_last_error_has_line_locals_and_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    namespace: dict[str, Any] = {"counts": {"a": 1}}
    monkeypatch.setattr(sys, "last_value", fail(SOURCE, namespace), raising=False)
    found = failures.last(shell(namespace), SOURCE, "ZeroDivisionError", "samples")
    assert found == {
        "line": 4,
        "similar": "",
        "changed": ["counts"],
        "locals": [
            {"name": "rows", "type": "list", "shape": "0 items", "repr": "[]"},
            {"name": "n", "type": "int", "repr": "0"},
        ],
    }
    monkeypatch.setattr(sys, "last_value", fail("counts.claer()", namespace))
    found = failures.last(shell(namespace), "counts.claer()", "AttributeError", "none")
    assert found is not None
    assert found["similar"] == ". Did you mean: 'clear'?"


def test_no_start_of_a_key_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "def f(note):\n    return 1 / 0\nf('x' * 285 + 'ghp_' + 'a' * 36)"
    namespace: dict[str, Any] = {}
    monkeypatch.setattr(sys, "last_value", fail(source, namespace), raising=False)
    found = failures.last(shell(namespace), source, "ZeroDivisionError", "samples")
    assert found is not None and found["locals"] == [{"name": "note", "type": "str"}]


def test_an_error_of_another_source_or_type_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    namespace: dict[str, Any] = {"counts": {}}
    monkeypatch.setattr(sys, "last_value", fail(SOURCE, namespace), raising=False)
    assert failures.last(shell(namespace), SOURCE + "\n1", "ZeroDivisionError", "none") is None
    assert failures.last(shell(namespace), SOURCE, "KeyError", "none") is None
    monkeypatch.delattr(sys, "last_value")
    assert failures.last(shell(namespace), SOURCE, "ZeroDivisionError", "none") is None
