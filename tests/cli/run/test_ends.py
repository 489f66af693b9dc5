"""How ``jupyter refine run`` ends without a pass: a spent budget, a dispute, the best one kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from command import CommandLine, answer, code, read_cells, read_events

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


REASON = "Twice 3 is 6, as the task says."
OBJECTION = {"text": f"Both cannot hold.\n\n```dispute\ncheck: 2\nreason: {REASON}\n```\n"}
DISPUTED = [
    code("target", "# double(n): twice n"),
    code("checks", "assert double(2) == 4\nassert double(3) == 7"),
]


def test_dispute_exits_1_and_is_printed(cli: CommandLine, model_server: ModelServer) -> None:
    notebook = cli.notebook("n.ipynb", DISPUTED)
    before = notebook.read_bytes()
    url = model_server(answer(RIGHT), OBJECTION)
    done = cli.run("run", "n.ipynb", "--base-url", url, "--in-place")
    assert done.status == 1, done.stderr
    assert done.stdout.startswith(
        "failed  n.ipynb cell 0 [target]: 1 of 2; best: attempt 1 of 2; openai/scripted-model; "
        f"the model disputes check 2 (line 2 of cell 1 [checks]): {REASON} "
        "Edit the check, or say in the prompt that it is right and run again\n"
    )
    assert notebook.read_bytes() == before


def test_json_and_events_carry_the_dispute(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", DISPUTED)
    url = model_server(answer(RIGHT), OBJECTION)
    done = cli.run("run", "n.ipynb", "--base-url", url, "--json", "--events", "events.jsonl")
    assert (done.status, done.results["exitStatus"]) == (1, 1), done.stderr
    (target,) = done.results["notebooks"][0]["targets"]
    assert (target["passed"], target["status"], target["stopReason"]) == (False, "failed", "disputed")
    assert target["best"]["candidate"] == RIGHT
    dispute = target["dispute"]
    assert (dispute["attempt"], dispute["number"], dispute["reason"]) == (2, 2, REASON)
    assert dispute["check"] == {
        "cellId": "checks",
        "index": 1,
        "line": 2,
        "source": "assert double(3) == 7",
    }
    given = dispute["given"]["result"]
    assert (given["expected"]["repr"], given["observed"]["repr"]) == ("7", "6")
    (event,) = (one for one in read_events(cli.folder / "events.jsonl") if one["type"] == "dispute")
    assert event["dispute"]["number"] == 2


def test_keep_best_writes_what_did_not_pass_and_marks_it(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", CELLS)
    url = model_server(answer(WRONG), answer(WRONG))
    arguments = ("run", "n.ipynb", "--base-url", url, "--in-place", "--max-attempts", "1", "--json")
    done = cli.run(*arguments)
    assert done.status == 1, done.stderr
    assert read_cells(cli.folder / "n.ipynb")["target"]["source"] == "# Write double(n)."

    done = cli.run(*arguments, "--keep-best")
    assert done.status == 1, done.stderr
    assert "Kept: attempt 1, which did not pass. It was not run." in done.stderr
    (target,) = json.loads(done.stdout)["notebooks"][0]["targets"]
    assert (target["status"], target["accepted"]) == ("failed", "inserted")
    cell = read_cells(cli.folder / "n.ipynb")["target"]
    assert cell["source"].endswith(WRONG)
    assert (cell["outputs"], cell["execution_count"]) == ([], None)
    result = cell["metadata"]["jupyterlab_refine"]["result"]
    assert (result["notPassed"], result["stopReason"]) == (True, "max-attempts")
    assert (result["passed"], result["total"]) == (1, 2)
