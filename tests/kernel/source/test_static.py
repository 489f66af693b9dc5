"""What is found in a candidate's source before it runs, on a real kernel: told, or the end of the attempt."""

from __future__ import annotations

from typing import Any

import pytest
from corpus import rows
from live_kernel import LiveKernel
from mbpp import DATA, tasks

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True


@pytest.fixture(scope="module")
def looking(kernel: LiveKernel) -> LiveKernel:
    kernel.run("import math, unittest, os, numpy as np, pandas as pd, types")
    kernel.run("sp = types.SimpleNamespace(var=lambda names: None)")
    kernel.run("number = 5; labels = {}")
    return kernel


def findings(kernel: LiveKernel, source: str, *checks: str) -> list[dict[str, Any]]:
    cells = [{"source": check} for check in checks]
    return kernel.call("static", source=source, cells=cells)["findings"]


def errors(kernel: LiveKernel, source: str, *checks: str) -> list[tuple[int, str, str]]:
    found = findings(kernel, source, *checks)
    return [(f["line"], f["code"], f["message"]) for f in found if f["severity"] == "error"]


def undefined(kernel: LiveKernel, source: str, *checks: str) -> list[str]:
    return [message.split("'")[1] for _, code, message in errors(kernel, source, *checks) if code != "syntax"]


WRONG = {
    "a name": ("x = numer + 1", 1, "name 'numer' is not defined; did you mean 'number'?"),
    "beside a magic": ("%matplotlib inline\n!true\nprint(missing)", 3, "name 'missing' is not defined"),
    "syntax": ("x = (1 +\n", 1, "SyntaxError: '(' was never closed"),
    "return": ("x = 1\nreturn x", 2, "SyntaxError: 'return' outside function"),
    "two assignments": ("def f(a, a): pass", 1, "SyntaxError: duplicate argument 'a' in function definition"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_run_is_found(looking: LiveKernel, name: str) -> None:
    source, line, message = WRONG[name]
    assert [(place, text) for place, _, text in errors(looking, source)] == [(line, message)]


HONEST = {
    "names of the kernel": "print(np.pi, number, os.sep, get_ipython(), display, _, In, Out, __name__)",
    "builtins": "print(len([]), NotImplemented, __debug__, copyright)",
    "magic that may define": "%time made = 1\nprint(made)",
    "result of the shell": "files = !ls\nprint(files)",
    "other language": "%%bash\nfor f in *; do echo $f; done",
    "help": "len?",
    "empty": "",
    "a sum too long to look into": f"z = {'number + ' * 600}1",
}


@pytest.mark.parametrize("name", HONEST)
def test_what_can_run_is_left_alone(looking: LiveKernel, name: str) -> None:
    assert errors(looking, HONEST[name]) == []


def test_a_branch_is_a_warning(looking: LiveKernel) -> None:
    found = findings(looking, "def f(a):\n    if a > 3:\n        swap(a)\n    return a")
    assert [(f["line"], f["severity"], f["message"]) for f in found] == [
        (3, "warning", "name 'swap' is not defined")
    ]


def test_names_of_checks_are_defined(looking: LiveKernel) -> None:
    source = "def f(): return helper()"
    assert undefined(looking, source) == ["helper"]
    assert undefined(looking, source, "def helper(): return 1\nassert f() == 1") == []


def test_no_honest_candidate_has_an_error(looking: LiveKernel) -> None:
    honest = [row for row in rows("honest") if not row.setup and not row.needs]
    told = {row.name: errors(looking, row.candidate, *row.checks) for row in honest}
    assert len(told) >= 60
    assert {name: found for name, found in told.items() if found} == {}


@pytest.mark.skipif(not DATA.is_file(), reason=f"no MBPP at {DATA}")
@pytest.mark.parametrize("step", [12, pytest.param(1, marks=pytest.mark.full)])
def test_references_of_mbpp_have_no_error(looking: LiveKernel, step: int) -> None:
    found = {}
    for task in tasks()[::step]:
        found[task["task_id"]] = errors(looking, task["code"], task["test_setup_code"], *task["test_list"])
        looking.iopub()
    assert {number: errors_ for number, errors_ in found.items() if errors_} == {}


def test_findings_are_reported_and_the_code_runs(looking: LiveKernel) -> None:
    execution = looking.attempt("z = 1\nif z > 1:\n    missing", "assert z == 1", static="report")
    assert execution["assertions"][0]["outcome"] == "passed"
    assert [f["code"] for f in execution["findings"]] == ["undefined-name"]
    execution = looking.attempt("z = missing", "assert z == 1", static="report")
    assert (execution["error"]["name"], len(execution["findings"])) == ("NameError", 1)


def test_warnings_of_the_compiler_are_shown_once_it_runs(looking: LiveKernel) -> None:
    candidate = "z = '\\d'\n!true"
    look = "import warnings; warnings.simplefilter('always')"
    looking.run(look)
    told = looking.attempt(candidate, "assert z == r'\\d'", static="report")
    plain = looking.attempt(candidate, "assert z == r'\\d'")
    looking.run("warnings.resetwarnings()")
    assert (
        told["stderr"].count("invalid escape sequence")
        == plain["stderr"].count("invalid escape sequence")
        > 0
    )


def test_no_inspection_unless_requested(looking: LiveKernel) -> None:
    assert "findings" not in looking.attempt("z = missing", "assert z == 1")
    assert looking.attempt("z = 1", "assert z == 1", static="report")["findings"] == []


@pytest.mark.parametrize(
    "candidate", ["print('it ran')\nz = missing", "print('it ran')\nz = (1 +"], ids=["name", "syntax"]
)
def test_gate(looking: LiveKernel, candidate: str) -> None:
    execution = looking.attempt(candidate, "assert z == 1", holdouts=("assert z",), static="gate")
    assert (execution["status"], execution["error"]["name"]) == ("error", "StaticError")
    assert (execution["error"]["candidateLine"], execution["findings"][0]["severity"]) == (2, "error")
    assert execution["findings"][0]["message"] in execution["error"]["message"]
    assert execution["stdout"] == ""
    assert [result["outcome"] for result in execution["assertions"]] == ["not-run"] * 2


def test_gate_lets_through_what_can_run(looking: LiveKernel) -> None:
    execution = looking.attempt("z = 1\nif z > 1:\n    missing", "assert z == 1", static="gate")
    assert execution["assertions"][0]["outcome"] == "passed"


def test_gate_knows_names_of_checks(looking: LiveKernel) -> None:
    check = "def helper(): return 1\nassert z() == 1"
    execution = looking.attempt("def z(): return helper()", check, static="gate")
    assert execution["findings"] == []
    assert [result["outcome"] for result in execution["assertions"]] == ["passed"]


def has_linter(kernel: LiveKernel) -> bool:
    found = "any(__import__('importlib.util').util.find_spec(n) is not None for n in ('ruff', 'pyflakes'))"
    return kernel.evaluate(found)["text/plain"] == "True"


def test_a_linter_of_the_kernels_own(looking: LiveKernel) -> None:
    """Unused names are warnings; what our own look knows better is not told twice."""
    source = "import json, re\ndef f():\n    unused = missing\n    return 1"
    found = findings(looking, source, "re.compile('')")
    wanted = [(3, "error", "undefined-name")]
    if has_linter(looking):
        wanted = [(1, "warning", "json"), (3, "warning", "unused"), *wanted]
    told = [(f["line"], f["severity"], f["message"].split("`")[1::2] or [f["code"]]) for f in found]
    assert [(line, severity, words[0]) for line, severity, words in told] == wanted


def test_the_users_configuration_is_ignored(looking: LiveKernel) -> None:
    wanted = int(has_linter(looking))
    (looking.folder / "ruff.toml").write_text("[lint]\nignore = ['F']\n")
    (looking.folder / "pyflakes.py").write_text("print('<stdin>:1:1: planted')\n")
    found = [f["message"] for f in findings(looking, "def f():\n    unused = 1")]
    assert len(found) == wanted
    assert "planted" not in str(found)
    execution = looking.attempt("def f():\n    unused = 1", static="report")
    assert len(execution["findings"]) == wanted
