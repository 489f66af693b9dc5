"""``jupyter refine run --record`` and ``--replay``."""

from __future__ import annotations

import json
from collections.abc import Callable

from command import CommandLine, answer, code, read_cells

ModelServer = Callable[..., str]

KEY = "sk-test-4f7Qx9LmB2vT8nRw3ZkY6cHd"
CELLS = [
    code("above", "import time\nstart = 3"),
    code("target", "# Write x."),
    code("checks", "assert x == start"),
]


def test_recorded_run_is_replayed_without_a_model(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", CELLS)
    wrong, right = (
        answer("x = 2", reasoning="Hm."),
        answer("x = start", usage={"prompt": 30, "completion": 7}),
    )
    url = model_server(wrong, right, key=KEY)
    flags = ["--output", "out.ipynb", "--json", "--record", "calls.jsonl"]
    done = cli.run("run", "n.ipynb", "--base-url", url, *flags, environment={"OPENAI_API_KEY": KEY})
    assert done.status == 0, done.stderr
    text = (cli.folder / "calls.jsonl").read_text()
    calls = [json.loads(line) for line in text.splitlines()]
    assert [(call["role"], call["model"]) for call in calls] == [("generator", "scripted-model")] * 2
    assert "x = start" in calls[1]["text"]
    assert "`x` = 2" in calls[1]["messages"][1]["content"]
    for secret in (KEY, "Bearer", "authorization", "127.0.0.1"):
        assert secret not in text

    recorded = read_cells(cli.folder / "out.ipynb")
    (cli.folder / "out.ipynb").unlink()
    again = cli.run("run", "n.ipynb", "--replay", "calls.jsonl", "--output", "out.ipynb", "--json")
    assert again.status == 0, again.stderr
    assert "Attempt 1 of 5 (recorded answer)" in again.stderr
    replayed = read_cells(cli.folder / "out.ipynb")
    assert replayed["target"]["source"] == recorded["target"]["source"]
    assert replayed["target"]["metadata"]["jupyterlab_refine"]["result"]["recorded"] is True
    (first,), (second,) = (run.results["notebooks"][0]["targets"] for run in (done, again))
    for field in ("status", "attempts", "scoreHistory", "stopReason", "confirmed"):
        assert first[field] == second[field]
    assert second["usage"]["cost"] == 0
    assert second["usage"]["completionTokens"] == first["usage"]["completionTokens"]

    cli.notebook("n.ipynb", [CELLS[0], code("target", "# Write x well."), CELLS[2]])
    changed = cli.run("run", "n.ipynb", "--replay", "calls.jsonl")
    assert changed.status == 3, changed.stderr
    assert (
        "--replay calls.jsonl: the prompt differs from the recorded one. Record it again." in changed.stderr
    )
    assert len(changed.stdout.splitlines()) == 1
    lines = [line.strip() for line in changed.stderr.splitlines()]
    assert "--- call 1 as recorded" in lines
    assert any(line.startswith("-") and "Write x." in line for line in lines)
    assert any(line.startswith("+") and "Write x well." in line for line in lines)


def test_wrong_recordings_are_status_2(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", CELLS)
    (cli.folder / "bad.jsonl").write_text('{"role": "generator"}\n')
    for flags, said in (
        (["--replay", "none.jsonl"], "--replay none.jsonl: there is no such file"),
        (["--replay", "bad.jsonl"], "--replay bad.jsonl: line 1 is not a recorded call."),
        (["--replay", "bad.jsonl", "--model", "m"], "leave out --model"),
        (["--replay", "bad.jsonl", "--record", "a.jsonl"], "leave out --record"),
    ):
        done = cli.run("run", "n.ipynb", *flags)
        assert done.status == 2, done.stderr
        assert said in done.stderr
