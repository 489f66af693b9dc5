"""How a candidate is run as a cell, without a kernel: output, reports, and what other threads see of it."""

from __future__ import annotations

import asyncio
import linecache
from types import SimpleNamespace
from typing import Any

import pytest

from jupyterlab_refine.kernel.child import running
from jupyterlab_refine.kernel.child.tracebacks import CANDIDATE


class Shell(SimpleNamespace):
    """As far as a cell needs one."""

    def __init__(self, **options: Any) -> None:
        self.heard: list[str] = []
        space: dict[str, Any] = {"__name__": "__main__", "heard": self.heard}
        super().__init__(
            user_ns=space,
            user_global_ns=space,
            compile=SimpleNamespace(flags=0),
            ast_transformers=[],
            input_transformers_post=[],
            input_transformer_manager=SimpleNamespace(line_transforms=[None]),
            ast_node_interactivity="last_expr",
            events=SimpleNamespace(trigger=self.heard.append),
            displayhook=SimpleNamespace(do_full_cache=True, update_user_ns=self._remember),
            display_formatter=SimpleNamespace(format=lambda value: ({"text/plain": repr(value)}, {})),
        )
        vars(self).update(options)

    def _remember(self, value: Any) -> None:
        assert not self.displayhook.do_full_cache, "the value would be kept in Out"
        self.user_ns["_"] = value


def run(source: str, shell: Shell) -> list[Any]:
    """What it displays."""
    shown: list[Any] = []
    displays: Any = SimpleNamespace(show=lambda data: shown.append(data["text/plain"]))
    asyncio.run(running.Runner(shell, displays).candidate(source))
    return shown


SHOWN = {
    "1 + 1": ["2"],
    "1; 2": ["2"],
    "1 + 1;": [],
    "x = 1": [],
    "None": [],
    "# nothing": [],
    "": [],
    "import asyncio\nawait asyncio.sleep(0, 5)": ["5"],
}


@pytest.mark.parametrize("source", SHOWN)
def test_the_last_expression_is_shown(source: str) -> None:
    assert run(source, Shell()) == SHOWN[source]


@pytest.mark.parametrize("shown", ["last_expr", "last_expr_or_assign", "all", "none", "last"])
def test_expressions_are_not_shown_where_switched_off(shown: str) -> None:
    assert run("5", Shell(ast_node_interactivity=shown)) == (["5"] if shown.startswith("last_expr") else [])


def test_a_value_without_any_form_is_not_shown() -> None:
    """A figure that shows itself says so."""
    assert run("5", Shell(display_formatter=SimpleNamespace(format=lambda _: ({}, {})))) == []


def test_hooks_of_the_users_run_around_the_candidate() -> None:
    shell = Shell()
    run("heard.append('candidate')", shell)
    assert shell.heard == ["pre_execute", "candidate", "post_execute"]


def test_an_error_that_a_magic_only_shows_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Shell()
    shell.user_ns["show"] = lambda: running.shown_errors.append(KeyError("k"))
    with pytest.raises(KeyError):
        run("show()", shell)
    # Of this candidate only.
    assert run("5", shell) == ["5"]
    running.shown_errors.clear()


def test_lines_of_the_candidate_are_found() -> None:
    linecache.clearcache()
    run("x = 1\ny = 2", Shell())
    assert linecache.getline(CANDIDATE, 2) == "y = 2"
