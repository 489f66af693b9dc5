"""Findings in a candidate before it runs, on a real kernel: reported, or the end of the attempt."""

from __future__ import annotations

from typing import Any

import pytest
from corpus import rows
from live_kernel import LiveKernel, job
from mbpp import DATA, tasks


@pytest.fixture(scope="module")
def notebook(kernel: LiveKernel) -> LiveKernel:
    kernel.run("import math, unittest, os, numpy as np, pandas as pd, types")
    kernel.run("sp = types.SimpleNamespace(var=lambda names: None)")
    kernel.run("number = 5; labels = {}")
    return kernel


def findings(kernel: LiveKernel, source: str, *checks: str) -> list[dict[str, Any]]:
    cells = [{"source": check} for check in checks]
    return kernel.call("static", source=source, cells=cells)["findings"]


def undefined(kernel: LiveKernel, source: str, *checks: str) -> list[str]:
    found = findings(kernel, source, *checks)
    return [finding["message"].split("'")[1] for finding in found if finding["severity"] == "warning"]


WRONG = {
    "syntax": ("x = (1 +\n", 1, "SyntaxError: '(' was never closed"),
    "return": ("x = 1\nreturn x", 2, "SyntaxError: 'return' outside function"),
    "two assignments": ("def f(a, a): pass", 1, "SyntaxError: duplicate argument 'a' in function definition"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_run_is_found(notebook: LiveKernel, name: str) -> None:
    source, line, message = WRONG[name]
    found = [(f["line"], f["severity"], f["message"]) for f in findings(notebook, source)]
    assert found == [(line, "error", message)]


def test_an_undefined_name_is_a_warning(notebook: LiveKernel) -> None:
    found = findings(notebook, "def f(a):\n    if a > 3:\n        swap(a)\n    return a")
    assert [(f["line"], f["severity"], f["message"]) for f in found] == [
        (3, "warning", "name 'swap' is not defined")
    ]


def test_names_of_checks_are_defined(notebook: LiveKernel) -> None:
    source = "def f(): return helper()"
    assert undefined(notebook, source) == ["helper"]
    assert undefined(notebook, source, "def helper(): return 1\nassert f() == 1") == []


def test_no_honest_candidate_has_a_finding(notebook: LiveKernel) -> None:
    honest = [row for row in rows("honest") if not row.setup and not row.needs]
    reported = {row.name: findings(notebook, row.candidate, *row.checks) for row in honest}
    assert len(reported) >= 50
    assert {name: found for name, found in reported.items() if found} == {}


@pytest.mark.skipif(not DATA.is_file(), reason=f"no MBPP at {DATA}")
@pytest.mark.parametrize("step", [12, pytest.param(1, marks=pytest.mark.full)])
def test_references_of_mbpp_have_no_finding(notebook: LiveKernel, step: int) -> None:
    found = {}
    for task in tasks()[::step]:
        found[task["task_id"]] = findings(notebook, task["code"], task["test_setup_code"], *task["test_list"])
        notebook.iopub()
    # One calls `swap`, which is not defined, in a branch that no check takes.
    assert {number for number, reported in found.items() if reported} <= {218}


def test_warnings_are_reported_and_the_code_runs(notebook: LiveKernel) -> None:
    execution = notebook.attempt("z = 1\nif z > 1:\n    missing", "assert z == 1", static="gate")
    assert execution["assertions"][0]["outcome"] == "passed"
    assert [f["code"] for f in execution["findings"]] == ["undefined-name"]


def test_warnings_of_the_compiler_are_shown_once_it_runs(notebook: LiveKernel) -> None:
    candidate = "z = '\\d'\n!true"
    look = "import warnings; warnings.simplefilter('always')"
    notebook.run(look)
    reported = notebook.attempt(candidate, "assert z == r'\\d'", static="gate")
    plain = notebook.attempt(candidate, "assert z == r'\\d'")
    notebook.run("warnings.resetwarnings()")
    assert (
        reported["stderr"].count("invalid escape sequence")
        == plain["stderr"].count("invalid escape sequence")
        > 0
    )


def test_no_inspection_unless_requested(notebook: LiveKernel) -> None:
    assert "findings" not in notebook.attempt("z = missing", "assert z == 1")
    assert notebook.attempt("z = 1", "assert z == 1", static="gate")["findings"] == []


def test_gate(notebook: LiveKernel) -> None:
    candidate = "print('it ran')\nz = (1 +"
    execution = notebook.attempt(candidate, "assert z == 1", holdouts=("assert z",), static="gate")
    assert (execution["status"], execution["error"]["name"]) == ("error", "StaticError")
    assert (execution["error"]["candidateLine"], execution["findings"][0]["severity"]) == (2, "error")
    # By which `check` knows that no cell above stopped it.
    assert notebook.start(job(candidate, static="gate"), 20000)["stage"] == "ended"
    assert execution["findings"][0]["message"] in execution["error"]["message"]
    assert execution["stdout"] == ""
    assert [result["outcome"] for result in execution["assertions"]] == ["not-run"] * 2


def test_gate_knows_names_of_checks(notebook: LiveKernel) -> None:
    check = "def helper(): return 1\nassert z() == 1"
    execution = notebook.attempt("def z(): return helper()", check, static="gate")
    assert execution["findings"] == []
    assert [result["outcome"] for result in execution["assertions"]] == ["passed"]
