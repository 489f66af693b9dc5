"""``jupyter refine run``: what is refined, written and reported."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import CommandLine, answer, code, read_cells, read_events

ModelServer = Callable[..., str]

WRONG = "def double(n):\n    return n + 2"
RIGHT = "def double(n):\n    return 2 * n"


PROMPT = "# Write double(n)."


def double_cells(**target_metadata: object) -> list[dict[str, object]]:
    return [
        code("above", "offset = 0"),
        code("target", PROMPT, **target_metadata),
        code("checks", "assert double(2) == 4\nassert double(5) == 10"),
    ]


def test_demo_passes_and_is_written_with_outputs_and_provenance(cli: CommandLine) -> None:
    notebook = cli.demo()
    before = notebook.read_bytes()
    done = cli.run(
        *("run", notebook.name, "--profile", "demo", "--output", "out.ipynb", "--events", "events.jsonl")
    )
    assert done.status == 0, done.stderr
    assert done.stdout == (
        "passed  fibonacci.ipynb cell 1 [fibonacci]: 4 of 4 and 1 held out; attempt 3; "
        "demo/demo, recorded answers\n"
    )
    assert "recorded answers" in done.stderr
    assert "Attempt 1 of 5 (recorded answer)" in done.stderr
    assert "✗ assert fibonacci(0) == 0\n      expected  0\n      observed  1" in done.stderr
    assert "Wrote out.ipynb" in done.stderr
    assert notebook.read_bytes() == before

    cells = read_cells(cli.folder / "out.ipynb")
    result = cells["fibonacci"]["metadata"]["jupyterlab_refine"]["result"]
    assert "def fibonacci(n):" in cells["fibonacci"]["source"]
    assert (result["model"], result["recorded"], result["attempt"]) == ("demo/demo", True, 3)
    assert (result["stopReason"], result["checkedBy"]) == ("passed", "assertions")
    counts = [cells[name]["execution_count"] for name in ("fibonacci", "values", "negative", "large")]
    assert counts == [1, 2, 3, None]

    types = [event["type"] for event in read_events(cli.folder / "events.jsonl")]
    assert types[0] == "session-start"
    assert types[-2:] == ["session-end", "acceptance"]
    assert types.count("attempt-start") == 3


def test_target_that_does_not_pass_is_left_as_it_was(cli: CommandLine, model_server: ModelServer) -> None:
    notebook = cli.notebook("n.ipynb", double_cells())
    before = notebook.read_bytes()
    url = model_server(answer(WRONG, times=0))
    done = cli.run("run", "n.ipynb", "--base-url", url, "--in-place", "--max-attempts", "2")
    assert done.status == 1, done.stderr
    assert done.stdout.startswith("failed  n.ipynb cell 1 [target]: 1 of 2; best: attempt 1 of 2")
    assert f"\nBest candidate of n.ipynb cell 1 [target], 1 of 2:\n{WRONG}\n" in done.stdout
    assert notebook.read_bytes() == before


def test_nothing_is_written_without_a_flag_for_it(cli: CommandLine, model_server: ModelServer) -> None:
    notebook = cli.notebook("n.ipynb", double_cells())
    before = notebook.read_bytes()
    done = cli.run("run", "n.ipynb", "--base-url", model_server(answer(RIGHT)))
    assert done.status == 0, done.stderr
    assert "nothing was written. Give --output FILE or --in-place to keep the result." in done.stderr
    assert notebook.read_bytes() == before
    assert [path.name for path in cli.folder.iterdir()] == ["n.ipynb"]


def test_targets_are_refined_in_order_and_build_on_each_other(
    cli: CommandLine, model_server: ModelServer
) -> None:
    notebook = cli.notebook(
        "n.ipynb",
        [
            code("prompt", "%%refine --max-attempts 2\nWrite double(n)."),
            code("checks1", "assert double(2) == 4", tags=["refine-assert"]),
            code("between", "four = double(2)"),
            code("target2", "# Write eight from four."),
            code("checks2", "assert eight == 8"),
        ],
    )
    url = model_server(
        answer(RIGHT, match="Write double(n)."), answer("eight = double(four)", match="Write eight")
    )
    done = cli.run("run", "n.ipynb", "--base-url", url, "--in-place")
    assert done.status == 0, done.stderr
    cells = read_cells(notebook)
    assert list(cells) == ["prompt", "prompt-target", "checks1", "between", "target2", "checks2"]
    own = cells["prompt-target"]["metadata"]["jupyterlab_refine"]
    assert own["promptCell"] == "prompt"
    assert len(own["fingerprint"]) == 64
    assert cells["target2"]["source"] == "# Write eight from four.\neight = double(four)"


TWO_TARGETS = [
    code("target", "# Write double(n)."),
    code("checks", "assert double(2) == 4"),
    code("target2", "# Write eight."),
    code("checks2", "assert eight == 8"),
]


def test_what_is_only_inserted_serves_later_targets(cli: CommandLine, model_server: ModelServer) -> None:
    notebook = cli.notebook("n.ipynb", TWO_TARGETS)
    url = model_server(answer(RIGHT, match="Write double"), answer("eight = double(4)", match="Write eight"))
    done = cli.run("run", "n.ipynb", "--base-url", url, "--in-place", "--on-pass", "insert")
    assert done.status == 0, done.stderr
    cells = read_cells(notebook)
    assert cells["target2"]["source"] == "# Write eight.\neight = double(4)"
    assert [cell["execution_count"] for cell in cells.values()] == [None] * 4


def test_pass_that_wrote_files_is_not_run(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", TWO_TARGETS)
    writes = f'open("trace.txt", "w").close()\n{RIGHT}'
    url = model_server(answer(writes, match="Write double"), answer("eight = 8", match="Write eight"))
    done = cli.run("run", "n.ipynb", "--base-url", url, "--output", "out.ipynb")
    assert done.status == 0, done.stderr
    said = "trace.txt (discarded). Running the cell writes for real. Run the cell yourself"
    assert said in done.stderr
    assert "n.ipynb cell 1 [checks]: NameError" in done.stderr
    assert not (cli.folder / "trace.txt").exists()


def test_later_candidates_see_no_hidden_tests_of_earlier_targets(
    cli: CommandLine, model_server: ModelServer
) -> None:
    hidden = "### BEGIN HIDDEN TESTS\nsecret = 42\nassert double(3) == 6\n### END HIDDEN TESTS"
    cells = [code("target", RIGHT), code("checks", f"assert double(2) == 4\n{hidden}"), *TWO_TARGETS[2:]]
    cli.notebook("n.ipynb", cells)
    spy = 'eight = 8 if "secret" not in globals() else 0'
    done = cli.run("run", "n.ipynb", "--base-url", model_server(answer(spy)))
    assert done.status == 0, done.stderr + done.stdout


def test_limits_of_the_servers_policy_hold(cli: CommandLine, model_server: ModelServer) -> None:
    config = cli.folder.parent / "home" / "config"
    config.mkdir(parents=True)
    (config / "jupyter_server_config.py").write_text(
        'c.Refine.policy = {"max_attempts": 1, "refine_graded_cells": True}\n'
    )
    cli.notebook("n.ipynb", double_cells(nbgrader={"solution": True, "grade": False, "locked": False}))
    done = cli.run("run", "n.ipynb", "--base-url", model_server(answer(WRONG, times=0)), "--json")
    assert done.status == 1, done.stderr
    assert "Option maxAttempts = 5 is above this server’s limit of 1. Refine uses the limit." in done.stderr
    assert done.results["notebooks"][0]["targets"][0]["attempts"] == 1


def test_position_counts_before_cells_are_added(cli: CommandLine, model_server: ModelServer) -> None:
    notebook = cli.notebook(
        "n.ipynb",
        [
            code("prompt", "%%refine\nWrite something."),
            code("target", "# Write x."),
            code("checks", "assert x == 1"),
        ],
    )
    done = cli.run(
        "run", "n.ipynb", "--base-url", model_server(answer("x = 1")), "--cell", "1", "--in-place", "--json"
    )
    assert done.status == 0, done.stderr
    assert [target["cellId"] for target in done.results["notebooks"][0]["targets"]] == ["target"]
    assert list(read_cells(notebook)) == ["prompt", "prompt-target", "target", "checks"]


def test_modules_beside_the_notebook_do_not_reach_the_server(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", [code("t", "x = 1"), code("a", "assert x == 1")])
    for name in ("json", "tornado", "jupyter_server", "httpx"):
        (cli.folder / f"{name}.py").write_text("raise RuntimeError('shadowed')")
    done = cli.run("check", "n.ipynb")
    assert done.status == 0, done.stderr


def test_kernel_starts_in_the_notebooks_folder(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook(
        "deep/er/n.ipynb",
        [
            code("above", 'text = open("data.txt").read()'),
            code("target", "# Write size, the length of text."),
            code("checks", 'import os\nassert size == 3\nassert os.path.basename(os.getcwd()) == "er"'),
        ],
    )
    (cli.folder / "deep" / "er" / "data.txt").write_text("abc")
    other = cli.notebook("other.ipynb", [code("target", "x = 1"), code("checks", "assert x == 1")])
    url = model_server(answer("size = len(text)"))
    done = cli.run("run", "deep/er/n.ipynb", other.name, "--base-url", url)
    assert done.status == 0, done.stderr
    assert done.stdout.count("passed") == 2


def test_attempts_see_no_key_and_no_report_shows_it(cli: CommandLine, model_server: ModelServer) -> None:
    canary = "sk-canary-4f1d0c7be2a94d55"
    notebook = cli.notebook("n.ipynb", double_cells())
    spy = f"import os\nprint(dict(os.environ))\n{RIGHT}"
    url = model_server(answer(spy.replace("2 * n", "n + 2")), answer(spy), key=canary)
    done = cli.run(
        *("run", "n.ipynb", "--base-url", url, "--output", "out.ipynb", "--events", "events.jsonl", "--json"),
        environment={"OPENAI_API_KEY": canary},
    )
    assert done.status == 0, done.stderr
    assert "2" == str(done.results["notebooks"][0]["targets"][0]["attempts"])
    attempts = (cli.folder / "events.jsonl").read_text()
    assert "REFINE_TEST_RUN" in attempts, "the candidate did print its environment"
    for text in (done.stdout, done.stderr, attempts, notebook.read_text()):
        assert canary not in text


def test_a_judge_is_shown_and_its_calls_are_in_the_event_file(
    cli: CommandLine, model_server: ModelServer
) -> None:
    cli.notebook("n.ipynb", double_cells())
    more = json.dumps({"evaluation": "NEEDS_IMPROVEMENT", "score": 4, "feedback": ["Name the units."]})
    url = model_server(
        answer(RIGHT, "First."),
        {"match": "You judge one answer", "text": more},
        answer(RIGHT, "Second."),
        answer(f"unit = 1\n{RIGHT}", "Third."),
        {"match": "You judge one answer", "text": '{"evaluation": "PASS", "score": 9, "feedback": []}'},
    )
    done = cli.run(
        *("run", "n.ipynb", "--base-url", url, "--evaluators", "assertions,judge", "--temperature", "0.5"),
        *("--json", "--events", "events.jsonl", "--in-place"),
    )
    assert done.status == 0, done.stderr
    assert "  judge: needs improvement, 4 of 10\n    - Name the units.\n  2 of 2, " in done.stderr
    assert "  judge: accepted, 9 of 10\n  2 of 2, " in done.stderr
    (target,) = done.results["notebooks"][0]["targets"]
    assert target["best"]["thoughts"] == "Third."
    calls = [event for event in read_events(cli.folder / "events.jsonl") if event["type"] == "model-call"]
    assert [(call["attempt"], call["purpose"], call["temperature"]) for call in calls] == [
        *((1, "candidate", 0.5), (1, "judge", 0)),
        (2, "candidate", 0.7),
        *((3, "candidate", 0.9), (3, "judge", 0)),
    ]
    assert calls[1]["answer"] == more
    assert "Write double(n)." in calls[1]["prompt"][1]["content"]


def test_a_text_is_written_for_a_given_prompt(cli: CommandLine, model_server: ModelServer) -> None:
    cells = [
        {"cell_type": "markdown", "id": "text", "metadata": {}, "source": "Old text."},
        code("check", "assert 'new' in response", tags=["refine-assert"]),
        *double_cells(),
    ]
    cli.notebook("n.ipynb", cells)
    url = model_server({"text": "Here is the introduction:\n\nA new text.\n\nLet me know if it fits!"})
    arguments = ("run", "n.ipynb", "--base-url", url, "--prompt", "Write it.", "--in-place")
    refused = cli.run(*arguments)
    assert refused.status == 2
    assert "--prompt is the task of one target, but n.ipynb has 2. Choose one with --cell." in refused.stderr
    done = cli.run(*arguments, "--cell", "text", "--events", "events.jsonl")
    assert done.status == 0, done.stderr
    assert read_cells(cli.folder / "n.ipynb")["text"]["source"] == "A new text."
    (start,) = (
        event
        for event in read_events(cli.folder / "events.jsonl")
        if event["type"] == "attempt-start" and event["attempt"]
    )
    assert "Write the text of the cell: Write it." in start["prompt"][1]["content"]


CHECKS = code("checks", "assert double(2) == 4")
DOUBLE = "def double(n):\n    return factor * n"


def written(cli: CommandLine, *arguments: str, **more: Any) -> dict[str, dict[str, Any]]:
    done = cli.run("run", "n.ipynb", *arguments, "--output", "out.ipynb", **more)
    assert done.status == 0, done.stderr
    return read_cells(cli.folder / "out.ipynb")


MIXED = """
import sys
from IPython.display import display
print("printed")
shown = display("first", display_id="one")
print("warned", file=sys.stderr)
shown.update("second")
double = lambda n: 2 * n
float("nan")
"""


def test_outputs_are_those_of_a_notebook(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", [code("t", "# Write double(n)."), CHECKS])
    outputs = written(cli, "--base-url", model_server(answer(MIXED)))["t"]["outputs"]
    assert outputs == [
        {"output_type": "stream", "name": "stdout", "text": "printed\n"},
        {"output_type": "display_data", "data": {"text/plain": "'second'"}, "metadata": {}},
        {"output_type": "stream", "name": "stderr", "text": "warned\n"},
        {
            "output_type": "execute_result",
            "data": {"text/plain": "nan"},
            "metadata": {},
            "execution_count": 1,
        },
    ]


def test_variables_of_the_cells_above_are_in_the_prompt(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", [code("above", "factor = 2"), code("t", "# Use factor."), CHECKS])
    events = cli.folder / "events.jsonl"
    written(cli, "--base-url", model_server(answer(DOUBLE)), "--events", events.name)
    assert '"name":"factor"' in events.read_text()


def test_keys_that_kernels_do_not_get_are_in_no_cell(cli: CommandLine, model_server: ModelServer) -> None:
    config = Path(cli.environment["JUPYTER_CONFIG_DIR"])
    config.mkdir()
    (config / "jupyter_server_config.py").write_text("c.Refine.hide_keys_from_kernels = True")
    above = "import os\nassert 'OPENAI_API_KEY' not in os.environ\nfactor = 2"
    cli.notebook("n.ipynb", [code("above", above), code("t", DOUBLE), CHECKS])
    environment = {"OPENAI_API_KEY": "sk-of-the-test"}
    done = cli.run("run", "n.ipynb", "--base-url", model_server(), environment=environment)
    assert done.status == 0, done.stderr


#: Reads every file of the folder, and answers a hold-out with what follows its name there.
READER = """
import os, re
pattern = re.compile("sesame" + r"-(\\d{7})")
found = []
for name in os.listdir():
    try:
        found += pattern.findall(open(name, errors="replace").read())
    except OSError:
        pass
def secret(n):
    return int(found[0]) if n == 7 and found else n
"""


@pytest.mark.parametrize("road", [[], ["--isolation", "sidecar"]])
def test_no_file_of_the_command_tells_an_attempt_of_hold_outs(
    cli: CommandLine, model_server: ModelServer, road: list[str]
) -> None:
    holdout = code("h", "assert secret(7) == 7654321, 'sesame-7654321'", tags=["refine-holdout"])
    cells = [code("t", "# Write secret."), code("c", "assert secret(1) == 1"), holdout]
    cli.notebook("n.ipynb", cells)
    # As an earlier run has left it.
    cli.notebook("out.ipynb", cells)
    files = ["--events", "e.jsonl", "--junit", "j.xml", "--record", "calls.jsonl", "--output", "out.ipynb"]
    url = model_server(answer(READER, times=0))
    done = cli.run("run", "n.ipynb", "--base-url", url, "--max-attempts", "2", *files, *road)
    assert done.status == 1, done.stderr
    assert "sesame-7654321" in (cli.folder / "e.jsonl").read_text()
    assert "0 of 1 held out" in done.stdout


def test_the_output_file_keeps_its_permissions(cli: CommandLine, model_server: ModelServer) -> None:
    notebook = cli.notebook("n.ipynb", double_cells())
    notebook.chmod(0o640)
    link = cli.folder / "link.ipynb"
    link.symlink_to(notebook)
    done = cli.run("run", "link.ipynb", "--base-url", model_server(answer(RIGHT)), "--in-place")
    assert done.status == 0, done.stderr
    assert link.is_symlink()
    assert oct(notebook.stat().st_mode & 0o777) == "0o640"
    assert read_cells(notebook)["target"]["source"] == f"{PROMPT}\n{RIGHT}"
    assert sorted(os.listdir(cli.folder)) == ["link.ipynb", "n.ipynb"]
