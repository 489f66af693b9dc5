"""``--max-tokens`` of ``jupyter refine run`` against servers that keep no limit, break off or refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from command import CommandLine, answer, code

ModelServer = Callable[..., str]

RIGHT = "def double(n):\n    return 2 * n"
WRONG = "def double(n):\n    return n + 2"
CELLS = [
    code("target", "# Write double(n)."),
    code("checks", "assert double(2) == 4\nassert double(5) == 10"),
]


@pytest.fixture
def refine(cli: CommandLine) -> Callable[..., tuple[int, dict[str, Any], str]]:
    """Refines one cell; gives the exit status, the target's result and what was printed."""

    def run(url: str, *arguments: str) -> tuple[int, dict[str, Any], str]:
        cli.notebook("n.ipynb", CELLS)
        done = cli.run(
            *("run", "n.ipynb", "--base-url", url, "--json"),
            *("--events", "events.jsonl", *arguments),
        )
        (target,) = done.results["notebooks"][0]["targets"]
        return done.status, target, done.stderr

    return run


def spent(target: dict[str, Any]) -> int:
    usage = target["usage"]
    return int(usage["promptTokens"]) + int(usage["completionTokens"])


def test_answer_is_cut_where_a_server_ignores_max_tokens(
    refine: Callable[..., tuple[int, dict[str, Any], str]], model_server: ModelServer
) -> None:
    endless = {"text": "```python\n" + "x = 1\n" * 8000, "times": 0}
    status, target, _ = refine(model_server(endless), "--max-tokens", "2000")
    assert (status, target["stopReason"]) == (1, "budget")
    assert 1500 < spent(target) <= 2010


def test_spent_budget_keeps_the_best(
    refine: Callable[..., tuple[int, dict[str, Any], str]], model_server: ModelServer
) -> None:
    url = model_server(answer(WRONG, usage={"prompt": 400, "completion": 500}))
    status, target, _ = refine(url, "--max-tokens", "1000")
    assert (status, target["stopReason"], target["best"]["candidate"]) == (1, "budget", WRONG)


def test_repeated_call_counts_twice(
    refine: Callable[..., tuple[int, dict[str, Any], str]], model_server: ModelServer
) -> None:
    once = refine(model_server(answer(RIGHT)))[1]
    broken = answer(RIGHT, fault={"type": "cut", "afterTokens": 5})
    status, target, _ = refine(model_server(broken, answer(RIGHT)))
    assert status == 0
    assert (once["usage"]["calls"], target["usage"]["calls"]) == (1, 2)
    assert target["usage"]["promptTokens"] == pytest.approx(2 * once["usage"]["promptTokens"], abs=20)


@pytest.mark.parametrize("refused", [400, pytest.param(401, marks=pytest.mark.full), 404])
def test_refused_call_costs_nothing(
    refine: Callable[..., tuple[int, dict[str, Any], str]], model_server: ModelServer, refused: int
) -> None:
    fault = {"type": "status", "status": refused, "message": "This is refused."}
    status, target, _ = refine(model_server({"fault": fault, "times": 0}))
    assert (status, target["stopReason"]) == (3, "model-error")
    assert (spent(target), target["usage"]["cost"]) == (0, 0)
