"""A cell fails and is fixed: which fixes are taken, which are labelled, and which only hide the error."""

from __future__ import annotations

import asyncio
import json
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from jupyterlab_refine.kernel.child import running
from jupyterlab_refine.kernel.child.repair import Repair

JSON = "import json\ntext = '{bad'"
LOADS = "data = json.loads(text)"
PARSE = "def parse(t):\n    return int(t)"


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    """A candidate runs in this process here; it may change a module."""
    monkeypatch.setattr(json, "loads", json.loads)


def new_shell() -> Any:
    shell: Any = InteractiveShell()
    shell.showtraceback = lambda *_, **__: None
    return shell


def run(shell: Any, source: str, wanted: dict[str, Any]) -> tuple[BaseException | None, dict[str, Any]]:
    """What a candidate raises, and what is known of it then."""
    repair = Repair(wanted)
    events: Any = SimpleNamespace(show=lambda _: None)
    raised: BaseException | None = None
    try:
        asyncio.run(running.Runner(shell, events).candidate(source, repair))
    except Exception as failure:
        raised = failure
    return raised, repair.report(shell.user_ns)


def judged(above: str, cell: str, fix: str) -> list[str]:
    """Why the fix is none, or may be none; empty when it is one."""
    shell = new_shell()
    assert shell.run_cell(above).success
    error = shell.run_cell(cell).error_in_exec
    assert error is not None
    raised, report = run(shell, fix, {"error": type(error).__name__, "names": []})
    return [
        *(["handled"] if report.get("handled") else []),
        *([f"raises {raised!r}"] if raised else []),
        *(["silenced"] if report["silenced"] else []),
    ]


FIXES = {
    "other arguments": (JSON, LOADS, "data = json.loads('{}')"),
    "a magic": ("", "%%time\nn = int('a')", "%%time\nn = int('1')"),
    "a function of the cell": (
        "",
        f"{PARSE}\nn = parse('a')",
        "def parse(t):\n    return 0 if t == 'a' else int(t)\nn = parse('a')",
    ),
    "another module for a missing one": (
        "",
        "import no_such_module as codec",
        "try:\n    import no_such_module as codec\nexcept ImportError:\n    import json as codec",
    ),
}


@pytest.mark.parametrize("case", FIXES)
def test_a_fix_is_taken(case: str) -> None:
    assert judged(*FIXES[case]) == []


#: A handler, or its absence, that may be honest.
HANDLED = {
    "a value in a handler": (
        JSON,
        LOADS,
        "try:\n    data = json.loads(text)\nexcept ValueError:\n    data = {}",
    ),
    "rows that are left out": (
        "ts = ['1', 'a']",
        "n = [int(t) for t in ts]",
        "n = []\nfor t in ts:\n    try:\n        n.append(int(t))\n    except ValueError:\n        pass",
    ),
    "a call that is tried again": (
        "tries = []\ndef fetch():\n    tries.append(1)\n    return 1 / max(0, len(tries) - 2)",
        "x = fetch()",
        "for _ in range(3):\n    try:\n        x = fetch()\n        break\n"
        "    except ZeroDivisionError:\n        continue",
    ),
}


@pytest.mark.parametrize("case", HANDLED)
def test_a_fix_that_may_hide_the_error_is_labelled(case: str) -> None:
    assert judged(*HANDLED[case]) == ["handled"]


TRICKS = {
    "a handler that only reports": (
        JSON,
        LOADS,
        "data = {}\ntry:\n    data = json.loads(text)\nexcept ValueError:\n    print('bad')",
    ),
    "another call after a handler": (
        JSON,
        LOADS,
        "try:\n    data = json.loads(text)\nexcept ValueError:\n    pass\ndata = json.loads('{}')",
    ),
    "a group": ("d = {}", "x = d['a']", "try:\n    x = d['a']\nexcept* KeyError:\n    pass"),
}


@pytest.mark.parametrize("case", TRICKS)
def test_a_trick_is_refused(case: str) -> None:
    if case == "a group" and sys.version_info < (3, 11):
        pytest.skip("Python 3.10 has no groups of exceptions.")
    assert judged(*TRICKS[case]) == ["silenced"]


def test_names_of_an_earlier_run_do_not_count() -> None:
    source = "total = 1\ndef f():\n    kept = 2"
    shell = new_shell()
    shell.run_cell("kept, total = 2, 0")
    found = run(shell, source, {"error": "E", "names": ["total", "kept", "gone"]})[1]
    assert found["missing"] == ["kept", "gone"]


def test_a_wrapped_candidate_keeps_its_meaning() -> None:
    source = (
        "class A:\n    def __init__(self):\n        self.n = 1\n"
        "class B(A):\n    def __init__(self):\n        super().__init__()\n"
        "x = B().n"
    )
    shell = new_shell()
    found = run(shell, source, {"error": "E", "names": ["x"]})[1]
    assert shell.user_ns["x"] == 1
    assert found == {"silenced": False, "missing": []}
