"""Ctrl-C and worse: an outcome, exit status 130, and no process left."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable

import pytest
from command import CommandLine, answer, code, read_events, wait_until

ModelServer = Callable[..., str]

CELLS = [code("target", "# Write x."), code("checks", "assert x == 1\nassert y == 1")]


def test_interrupt_while_the_model_writes_keeps_the_best(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", CELLS)
    url = model_server(answer("x = 1\ny = 2"), answer("x = 1", fault={"type": "stall", "afterTokens": 4}))
    process = cli.start("run", "n.ipynb", "--base-url", url, "--events", "events.jsonl", "--json")
    events = cli.folder / "events.jsonl"
    wait_until(lambda: events.exists() and events.read_text().count('"attempt-start"') == 2, 60)
    process.send_signal(signal.SIGINT)
    done = cli.finish(process)
    assert done.status == 130, done.stderr
    (target,) = done.results["notebooks"][0]["targets"]
    assert target["status"] == "interrupted"
    assert target["stopReason"] == "stopped"
    assert target["best"]["candidate"] == "x = 1\ny = 2"
    assert read_events(events)[-1]["type"] == "session-end"
    cli.wait_for_no_process()


@pytest.mark.full
def test_interrupt_while_a_provider_is_silent(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", CELLS)
    url = model_server(answer("x = 1", fault={"type": "stall", "afterTokens": 0, "headers": False}))
    process = cli.start("run", "n.ipynb", "--base-url", url, "--events", "events.jsonl", "--json")
    events = cli.folder / "events.jsonl"
    wait_until(lambda: events.exists() and '"wait-start"' in events.read_text(), 60)
    process.send_signal(signal.SIGINT)
    asked = time.time()
    done = cli.finish(process)
    assert done.status == 130, done.stderr
    assert read_events(events)[-1]["at"] / 1000 - asked < 10


@pytest.mark.parametrize("command", ["run", "check"])
def test_interrupt_of_two_workers(cli: CommandLine, model_server: ModelServer, command: str) -> None:
    names = [f"{letter}.ipynb" for letter in "abc"]
    hangs = [code("target", "import time\ntime.sleep(60)"), code("checks", "assert time is None")]
    for name in names:
        cli.notebook(name, hangs)
    model = ("--base-url", model_server()) if command == "run" else ()
    flags = ("--workers", "2", "--attempt-timeout", "90", "--events", "events.jsonl", "--json")
    process = cli.start(command, *names, *model, *flags)
    events = cli.folder / "events.jsonl"
    wait_until(lambda: events.exists() and events.read_text().count('"execution-start"') == 2)
    process.send_signal(signal.SIGINT)
    done = cli.finish(process)
    assert done.status == 130, done.stderr
    reported = {one["path"]: [t["status"] for t in one["targets"]] for one in done.results["notebooks"]}
    assert list(reported) == names[:2]
    cli.wait_for_no_process()


def test_interrupt_while_a_cell_above_runs(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", [code("above", "while True: pass"), *CELLS])
    process = cli.start("check", "n.ipynb", "--json", "--events", "events.jsonl")
    events = cli.folder / "events.jsonl"
    wait_until(lambda: events.exists() and '"attempt-start"' in events.read_text())
    process.send_signal(signal.SIGINT)
    done = cli.finish(process)
    assert done.status == 130, done.stderr
    assert [one["status"] for one in done.results["notebooks"][0]["targets"]] == ["interrupted"]
    assert "--notebook-timeout" not in json.dumps(done.results)
    cli.wait_for_no_process()


@pytest.mark.parametrize("delay_mark", ["server", "kernel", "warm process", "attempt"])
def test_killed_outright_leaves_no_process(cli: CommandLine, delay_mark: str) -> None:
    cell = "open('started', 'w').close()\nimport time\ntime.sleep(100)"
    cli.notebook("n.ipynb", [code("above", cell), *CELLS])
    # Only in a kernel of a server do the cells above write for real.
    road = ["--clean"] if delay_mark in ("server", "kernel") else []
    process = cli.start("check", "n.ipynb", "--events", "events.jsonl", *road)
    events = cli.folder / "events.jsonl"
    if delay_mark == "kernel":
        wait_until((cli.folder / "started").exists)
    elif delay_mark == "attempt":
        wait_until(lambda: events.exists() and '"attempt-start"' in events.read_text())
    else:
        wait_until(lambda: len(cli.processes()) >= 2)
    process.kill()
    process.communicate(timeout=10)
    cli.wait_for_no_process(30)
