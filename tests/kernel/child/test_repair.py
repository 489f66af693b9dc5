"""What is known of a candidate that is to fix an error, from its run."""

from __future__ import annotations

import ast
import asyncio
from types import SimpleNamespace
from typing import Any

from jupyterlab_refine.kernel.child import running
from jupyterlab_refine.kernel.child.repair import Repair


class Shell(SimpleNamespace):
    """As far as a candidate needs one."""

    def __init__(self) -> None:
        space: dict[str, Any] = {"__name__": "__main__"}
        super().__init__(
            user_ns=space,
            user_global_ns=space,
            compile=SimpleNamespace(flags=0),
            ast_transformers=[],
            input_transformers_post=[],
            input_transformer_manager=SimpleNamespace(line_transforms=[None]),
            ast_node_interactivity="last_expr",
            events=SimpleNamespace(trigger=lambda _: None),
        )


NO_EVENTS: Any = SimpleNamespace()


def report(source: str, space: dict[str, Any] | None = None, **wanted: Any) -> dict[str, Any]:
    shell = Shell()
    shell.user_ns.update(space or {})
    repair = Repair({"error": "ValueError", "names": [], "cell": source, **wanted})
    error: BaseException | None = None
    try:
        asyncio.run(running.Runner(shell, NO_EVENTS).candidate(source + ";", repair))
    except Exception as raised:
        error = raised
    return repair.report(error, shell.user_ns)


def test_names_of_an_earlier_run_do_not_count() -> None:
    source = "total = 1\ndef f():\n    kept = 2"
    found = report(source, {"kept": 2, "total": 0}, names=["total", "kept", "gone"])
    assert found["missing"] == ["kept", "gone"]


def test_the_value_of_the_same_call_is_a_literal() -> None:
    call = {"source": "double( 2 )", "name": "double"}
    source = "def double(n):\n    return [2 * n]\n{}"
    assert report(source.format("double(2)"), call=call)["value"] == "[4]"
    other = report(source.format("double(3)"), call=call)
    assert "value" not in other and "sameCallRan" not in other


def test_the_call_that_raised_is_reported_with_its_await() -> None:
    found = report("async def f():\n    raise ValueError\nawait f()")
    assert found["call"] == {"source": "await f()", "name": "f"}


def test_the_call_that_raised_is_reported() -> None:
    found = report("def f(n):\n    return 1 / n\n\nx = [f(0)]")
    assert found["call"] == {"source": "f(0)", "name": "f"}
    assert "call" not in report("missing(1)")
    assert "call" not in report("len.missing(1)")


def test_a_wrapped_candidate_keeps_its_meaning() -> None:
    source = (
        "class A:\n    def __init__(self):\n        self.n = 1\n"
        "class B(A):\n    def __init__(self):\n        super().__init__()\n"
        "x = B().n"
    )
    shell = Shell()
    wanted = {"error": "E", "names": ["x"], "cell": "", "call": {"source": "super()", "name": "super"}}
    repair = Repair(wanted)
    asyncio.run(running.Runner(shell, NO_EVENTS).candidate(source, repair))
    assert shell.user_ns["x"] == 1
    assert ast.literal_eval(repr(repair.report(None, shell.user_ns))) == {
        "silenced": False,
        "missing": [],
        "callRan": True,
        "sameCallRan": True,
    }
