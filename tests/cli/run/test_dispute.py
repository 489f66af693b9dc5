"""``jupyter refine run`` where a model objects to a check."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from command import CommandLine, answer, code, read_events

ModelServer = Callable[..., str]

RIGHT = "def double(n):\n    return 2 * n"
REASON = "Twice 3 is 6, as the task says."
OBJECTION = {"text": f"Both cannot hold.\n\n```dispute\ncheck: 2\nreason: {REASON}\n```\n"}
CELLS = [
    code("target", "# double(n): twice n"),
    code("checks", "assert double(2) == 4\nassert double(3) == 7"),
]


def test_dispute_exits_1_and_is_printed(cli: CommandLine, model_server: ModelServer) -> None:
    notebook = cli.notebook("n.ipynb", CELLS)
    before = notebook.read_bytes()
    url = model_server(answer(RIGHT), OBJECTION)
    done = cli.run("run", "n.ipynb", "--base-url", url, "--in-place")
    assert done.status == 1, done.stderr
    assert done.stdout.startswith(
        "failed  n.ipynb cell 0 [target]: 1 of 2; best: attempt 1 of 2; openai/scripted-model; "
        f"the model disputes check 2 (line 2 of cell 1 [checks]): {REASON}\n"
    )
    assert (
        "  The model disputes check 2:\n"
        "  ✗ assert double(3) == 7\n"
        "      expected  7\n"
        "      observed  6\n"
        "      1 too low\n"
        f"  reason: {REASON}\n"
        "  Edit the check, or say in the prompt that it is right and run again.\n"
    ) in done.stderr
    assert notebook.read_bytes() == before


def test_json_and_events_carry_the_dispute(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", CELLS)
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


@pytest.mark.full
def test_keep_best_leaves_a_disputed_cell_unchanged(cli: CommandLine, model_server: ModelServer) -> None:
    notebook = cli.notebook("n.ipynb", CELLS)
    before = notebook.read_bytes()
    url = model_server(answer(RIGHT), OBJECTION)
    done = cli.run("run", "n.ipynb", "--base-url", url, "--in-place", "--keep-best")
    assert done.status == 1, done.stderr
    assert "Kept:" not in done.stderr
    assert notebook.read_bytes() == before
