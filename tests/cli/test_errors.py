"""What the command line says, and its exit status, when something is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from command import CommandLine, answer, code, read_events, wait_until

ModelServer = Callable[..., str]

TARGET = [code("target", "# Write x."), code("checks", "assert x == 1")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["runn", "n.ipynb"], "There is no command runn; there are run, check, demo and help."),
        (["run", "n.ipynb", "--max-attempts", "many"], "--max-attempts many"),
        (["run", "n.ipynb", "--output-dir", "n.ipynb"], "n.ipynb/n.ipynb cannot be written"),
        (["run", "missing.ipynb"], "missing.ipynb: there is no such file or folder."),
        (["check", "percent.py"], "percent.py is not a notebook. Make one of it: jupytext --to ipynb FILE"),
        (["run", "broken.ipynb"], "broken.ipynb is not a notebook: SyntaxError"),
        (["run", "n.ipynb", "--cell", "7"], "it has 2, from 0 to 1"),
        (["run", "n.ipynb", "--events", "no/such/folder/e.jsonl"], "--events no/such/folder/e.jsonl"),
    ],
)
def test_bad_usage_and_input_are_status_2(cli: CommandLine, arguments: list[str], said: str) -> None:
    cli.notebook("n.ipynb", TARGET)
    for name in ("broken.ipynb", "percent.py"):
        (cli.folder / name).write_text("{")
    done = cli.run(*arguments)
    assert done.status == 2, done.stderr
    assert said in done.stderr
    assert "    at " not in done.stderr


def test_error_in_a_cell_above_is_status_2_with_its_cell(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", [code("fine", "a = 1"), code("bad", "b = a / 0"), *TARGET])
    done = cli.run("run", "n.ipynb", "--base-url", model_server(answer("x = 1")))
    assert done.status == 2, done.stderr
    assert "n.ipynb cell 1 [bad], above the target, failed: ZeroDivisionError" in done.stderr
    assert "bad input" in done.stdout


def test_cell_above_that_hangs_is_status_2_with_its_cell(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", [code("hang", "while True: pass"), *TARGET])
    done = cli.run("run", "n.ipynb", "--base-url", model_server(), "--session-timeout", "2")
    assert done.status == 2, done.stderr
    assert "cell 0 [hang], above the target, ran longer than 2 s" in done.stderr


def test_no_model_is_status_3_with_the_way_out(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", TARGET)
    done = cli.run("run", "n.ipynb")
    assert done.status == 3, done.stderr
    assert "No model is configured." in done.stderr
    assert "enter a key" not in done.stderr
    assert "OPENAI_API_KEY" in done.stderr


def test_what_must_be_asked_is_refused(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", TARGET)
    url = model_server(answer("x = 1"))
    done = cli.run("run", "n.ipynb", "--base-url", url, "--evaluators", "assertions,human")
    assert done.status == 3, done.stderr
    assert "there is nobody to ask here" in done.stdout + done.stderr


@pytest.mark.parametrize("command", ["run", "check"])
def test_unknown_kernel_is_replaced_by_one_of_its_language(
    cli: CommandLine, model_server: ModelServer, command: str
) -> None:
    kernelspec = {"name": "conda-env-course-py", "display_name": "Course", "language": "python"}
    cli.notebook("n.ipynb", TARGET, kernelspec=kernelspec)
    model = ("--base-url", model_server(answer("x = 1"))) if command == "run" else ()
    done = cli.run(command, "n.ipynb", *model)
    assert done.status == (0 if command == "run" else 1), done.stderr
    assert "there is no kernel conda-env-course-py here, so python3 runs it" in done.stderr


def test_python_without_the_extension_is_status_3(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", TARGET)
    done = cli.run("check", "n.ipynb", environment={"REFINE_PYTHON": "/no/such/python"})
    assert done.status == 3, done.stderr
    assert "REFINE_PYTHON" in done.stderr


def test_one_bad_notebook_costs_only_its_own_row(cli: CommandLine) -> None:
    cli.notebook("good.ipynb", [code("target", "x = 1"), code("checks", "assert x == 1")])
    cli.notebook("bad.ipynb", [code("bad", "1 / 0"), *TARGET])
    done = cli.run("check", "missing.ipynb", "bad.ipynb", "good.ipynb")
    assert done.status == 2, done.stderr
    assert done.stdout.splitlines()[-1] == "passed  good.ipynb cell 0 [target]: 1 of 1; current code"
    assert len(done.stdout.splitlines()) == 3


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["help", "check"], ["--version"]])
def test_help_and_version(cli: CommandLine, arguments: list[str]) -> None:
    done = cli.run(*arguments)
    assert done.status == 0
    assert done.stderr == ""
    assert done.stdout.strip()


CELLS = [code("target", "# Write x."), code("checks", "assert x == 1\nassert y == 1")]


def test_interrupt_while_the_model_writes_keeps_the_best(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", CELLS)
    url = model_server(answer("x = 1\ny = 2"), answer("x = 1", fault={"type": "stall", "afterTokens": 4}))
    process = cli.start("run", "n.ipynb", "--base-url", url, "--events", "events.jsonl", "--json")
    cli.wait_for_event("attempt-start", 2)
    done = cli.interrupt(process)
    (target,) = done.results["notebooks"][0]["targets"]
    assert target["status"] == "interrupted"
    assert target["stopReason"] == "stopped"
    assert target["best"]["candidate"] == "x = 1\ny = 2"
    assert read_events(cli.folder / "events.jsonl")[-1]["type"] == "session-end"


@pytest.mark.parametrize("command", ["run", "check"])
def test_interrupt_of_two_workers(cli: CommandLine, model_server: ModelServer, command: str) -> None:
    names = [f"{letter}.ipynb" for letter in "abc"]
    hangs = [code("target", "import time\ntime.sleep(60)"), code("checks", "assert time is None")]
    for name in names:
        cli.notebook(name, hangs)
    model = ("--base-url", model_server()) if command == "run" else ()
    flags = ("--workers", "2", "--attempt-timeout", "90", "--events", "events.jsonl", "--json")
    process = cli.start(command, *names, *model, *flags)
    cli.wait_for_event("execution-start", 2)
    done = cli.interrupt(process)
    reported = {one["path"]: [t["status"] for t in one["targets"]] for one in done.results["notebooks"]}
    assert list(reported) == names[:2]


def test_interrupt_while_a_cell_above_runs(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", [code("above", "while True: pass"), *CELLS])
    process = cli.start("check", "n.ipynb", "--json", "--events", "events.jsonl")
    cli.wait_for_event("attempt-start")
    done = cli.interrupt(process)
    assert [one["status"] for one in done.results["notebooks"][0]["targets"]] == ["interrupted"]


@pytest.mark.parametrize("delay_mark", ["server", "kernel", "warm process", "attempt"])
def test_killed_outright_leaves_no_process(cli: CommandLine, delay_mark: str) -> None:
    cell = "open('started', 'w').close()\nimport time\ntime.sleep(100)"
    cli.notebook("n.ipynb", [code("above", cell), *CELLS])
    # Only in a kernel of a server do the cells above write for real.
    road = ["--clean"] if delay_mark in ("server", "kernel") else []
    process = cli.start("check", "n.ipynb", "--events", "events.jsonl", *road)
    if delay_mark == "kernel":
        wait_until((cli.folder / "started").exists)
    elif delay_mark == "attempt":
        cli.wait_for_event("attempt-start")
    else:
        wait_until(lambda: len(cli.processes()) >= 2)
    process.kill()
    process.communicate(timeout=10)
    cli.wait_for_no_process(30)


@pytest.mark.parametrize("command", ["run", "check"])
def test_unknown_kernel_of_no_known_language_is_status_2(
    cli: CommandLine, model_server: ModelServer, command: str
) -> None:
    kernelspec = {"name": "fortran", "display_name": "Fortran", "language": "fortran"}
    cli.notebook("n.ipynb", TARGET, kernelspec=kernelspec)
    model = ("--base-url", model_server()) if command == "run" else ()
    done = cli.run(command, "n.ipynb", *model)
    assert done.status == 2, done.stderr
    assert re.search(
        r"There is no kernel fortran on this server; it has .*python3.*\. Choose one with --kernel\.",
        done.stderr,
    )
