"""What ``jupyter refine run`` does to the notebook's file, byte for byte."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Callable

import pytest
from command import CommandLine, answer, code, read_cells, wait_until

ModelServer = Callable[..., str]

CELLS = [code("target", "# Write x."), code("checks", "assert x == 1")]

#: Cells around the target, as odd programs write them.
ABOVE = r"""{"id": "above", "source": "s = '\u00e9 \/ \ud83d\ude00 é'\n", "cell_type": "code", "outputs":
   [{"output_type": "display_data", "metadata": {}, "data": {"application/json": {"nan": NaN,
   "inf": -Infinity, "one": 1.0, "small": 1e-07, "big": 123456789012345678901234567890, "half": "\ud800"}}}],
   "metadata": {"z": 1.0, "a": [ ], "b": { }}, "execution_count": null}"""
BELOW = '{"metadata":{}, "id" : "below","cell_type":"markdown","source":["x\\r\\n",\n"y"]}'
TARGET = """{
   "cell_type": "code",
   "execution_count": null,
   "id": "target",
   "metadata": {},
   "outputs": [],
   "source": [
    "# Write x."
   ]
  }"""
CHECKS = """{"cell_type": "code", "execution_count": null, "id": "checks", "metadata": {}, "outputs": [],
 "source": "assert x == 1"}"""
REST = ' "nbformat": 4, "nbformat_minor": 5, "metadata": {"q": 1.50, "kernelspec": {"name": "python3"}}'


@pytest.mark.parametrize(
    ("start", "end", "line"),
    [("", "\n", "\n"), ("\ufeff", "", "\r\n"), ("\n\n", "\n\n", "\n")],
    ids=["plain", "mark and CRLF", "space around"],
)
def test_bytes_that_were_not_changed_stay(
    cli: CommandLine, model_server: ModelServer, start: str, end: str, line: str
) -> None:
    head = f'{start}{{\n "cells": [\n  {ABOVE},\n  '
    tail = f",\n  {BELOW}\n ],\n{REST}\n}}{end}"
    path = cli.folder / "n.ipynb"
    before = [part.replace("\n", line).encode() for part in (head, TARGET, ", ", CHECKS, tail)]
    path.write_bytes(b"".join(before))
    # The half of a character is in an output, which is neither run nor sent.
    done = cli.run("run", "n.ipynb", "--base-url", model_server(answer("x = 1")), "--in-place")
    assert done.status == 0, done.stderr
    after = path.read_bytes()
    assert after.startswith(before[0])
    assert after.endswith(before[-1])
    changed = after[len(before[0]) : -len(before[-1])].decode()
    target, checks = json.loads(f"[{changed}]")
    assert target["source"] == ["# Write x.\n", "x = 1"]
    assert target["metadata"]["jupyterlab_refine"]["result"]["passed"] == 1
    assert checks == {**json.loads(CHECKS), "execution_count": checks["execution_count"]}
    assert changed.count(line) == changed.count("\n") > 10
    assert f'{line}    "# Write x.\\n",{line}    "x = 1"{line}   ]' in changed


@pytest.mark.parametrize("arguments", [["--in-place"], ["--output", "out.ipynb"]])
def test_changes_of_others_stay_and_the_result_is_beside_them(
    cli: CommandLine, model_server: ModelServer, arguments: list[str]
) -> None:
    cli.notebook("n.ipynb", CELLS)
    process = started(cli, model_server, *arguments)
    changed = cli.notebook(arguments[-1] if len(arguments) > 1 else "n.ipynb", [code("target", "# Mine.")])
    before = changed.read_bytes()
    done = cli.finish(process)
    assert done.status == 0, done.stderr
    assert f"{changed.name} has changed meanwhile, and stays as it is." in done.stderr
    assert changed.read_bytes() == before
    assert read_cells(changed.with_suffix(".refined.ipynb"))["target"]["source"] == "# Write x.\nx = 1"


def started(cli: CommandLine, model_server: ModelServer, *arguments: str) -> subprocess.Popen[str]:
    """A run that waits for its model."""
    url = model_server(answer("x = 1", fault={"type": "slow", "delayMs": 3000}))
    process = cli.start("run", "n.ipynb", "--base-url", url, "--events", "events.jsonl", *arguments)
    cli.wait_for_event("attempt-start")
    return process


def test_killed_run_leaves_no_hidden_file(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", CELLS)
    process = started(cli, model_server, "--in-place")
    process.kill()
    process.communicate(timeout=10)
    assert sorted(path.name for path in cli.folder.iterdir()) == ["events.jsonl", "n.ipynb"]


def test_interrupt_while_a_pass_is_repeated_keeps_it(cli: CommandLine, model_server: ModelServer) -> None:
    wait = "if os.path.exists('seen'):\n    open('again', 'w').close()\n    time.sleep(60)"
    above = f"import os, time\n{wait}\nopen('seen', 'w').close()"
    path = cli.notebook("n.ipynb", [code("above", above), *CELLS])
    arguments = ("run", "n.ipynb", "--base-url", model_server(answer("x = 1")), "--in-place", "--json")
    process = cli.start(*arguments, "--clean")
    wait_until((cli.folder / "again").exists, 60)
    asked = time.time()
    done = cli.interrupt(process)
    assert time.time() - asked < 30
    assert "Not repeated in a fresh kernel: stopped." in done.stderr
    (target,) = done.results["notebooks"][0]["targets"]
    assert (target["status"], target["accepted"]) == ("passed", "inserted")
    cell = read_cells(path)["target"]
    assert cell["source"] == "# Write x.\nx = 1"
    assert "clean" not in cell["metadata"]["jupyterlab_refine"]["result"]


def test_file_that_is_no_text_is_refused(cli: CommandLine) -> None:
    path = cli.notebook("n.ipynb", CELLS)
    path.write_bytes(path.read_bytes().replace(b"Write", b"Wr\xffte"))
    done = cli.run("run", "n.ipynb")
    assert done.status == 2, done.stderr
    assert "n.ipynb is not valid UTF-8. Convert it" in done.stderr


def test_refused_connection_says_so(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", CELLS)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/"
    for command, said in (
        ("run", "Cannot reach the Jupyter server:"),
        ("check", f"Cannot reach the Jupyter server at {url}:"),
    ):
        done = cli.run(command, "n.ipynb", "--server", url)
        assert done.status == 3, done.stderr
        assert f"{said} the connection was refused." in done.stderr
