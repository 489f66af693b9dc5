"""In continuous integration: flags, files, recorded calls, and the page about it."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from command import ROOT, CommandLine, answer, code, read_cells

ModelServer = Callable[..., str]

CHECK = code("checks", "assert x == 1")


def notebook(cli: CommandLine, name: str, task: str = "Write x.") -> None:
    cli.notebook(name, [code("target", f"# {task}"), CHECK])


def test_many_notebooks_go_to_a_folder(cli: CommandLine, model_server: ModelServer) -> None:
    notebook(cli, "a/n.ipynb")
    notebook(cli, "b/n.ipynb", "Fail.")
    notebook(cli, "b/last.ipynb")
    url = model_server(answer("x = 2", match="Fail.", times=0), answer("x = 1", times=0))
    flags = ["--workers", "2", "--junit", "results.xml", "--quiet", "--max-attempts", "2"]
    names = ["a/n.ipynb", "b/n.ipynb", "b/last.ipynb"]
    before = [(cli.folder / name).read_bytes() for name in names]
    done = cli.run("run", *names, "--base-url", url, "--output-dir", "made/out", *flags)
    assert done.status == 1, done.stderr
    assert done.stderr == ""
    assert [line.split()[:2] for line in done.stdout.splitlines()[:3]] == [
        ["passed", names[0]],
        ["failed", names[1]],
        ["passed", names[2]],
    ]
    out = cli.folder / "made" / "out"
    assert sorted(str(path.relative_to(out)) for path in out.rglob("*.ipynb")) == [
        "a/n.ipynb",
        "b/last.ipynb",
    ]
    assert read_cells(out / "a" / "n.ipynb")["target"]["source"] == "# Write x.\nx = 1"
    assert [(cli.folder / name).read_bytes() for name in names] == before
    suites = ElementTree.parse(cli.folder / "results.xml").getroot()
    assert suites.get("name") == "jupyter refine run"
    assert [suite.get("name") for suite in suites] == names
    assert [suite.get("failures") for suite in suites] == ["0", "1", "0"]
    (failure,) = suites.iter("failure")
    assert "expected 1, observed 2" in str(failure.get("message"))


def test_dry_run_shows_prompts_and_sends_nothing(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", [code("above", "open('ran', 'w').close()"), code("target", "# Write x."), CHECK])
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(f"GET {self.path}")
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"object": "list", "data": [{"id": "gpt-4o-mini"}]}')

        def do_POST(self) -> None:
            asked.append(f"POST {self.path}")

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    flags = ["--base-url", f"http://127.0.0.1:{server.server_port}/v1", "--model", "gpt-4o-mini", "--dry-run"]
    (cli.folder / "plain.ipynb").write_text("{")
    done = cli.run("run", "n.ipynb", "plain.ipynb", *flags, "--in-place", "--max-attempts", "3")
    server.shutdown()
    # The notebook that cannot be read is reported, as in a run.
    assert done.status == 2, done.stderr
    assert set(asked) <= {"GET /v1/models"}
    assert "n.ipynb cell 1 [target]: at most 3 attempts" in done.stdout
    assert "--- system\n" in done.stdout
    assert "--- user\n" in done.stdout
    assert "Write x." in done.stdout
    assert "assert x == 1" in done.stdout
    assert not (cli.folder / "ran").exists()
    assert "Wrote" not in done.stderr
    # Before there is a model, too.
    done = cli.run("run", "n.ipynb", "--dry-run")
    assert done.status == 0, done.stderr
    assert "assert x == 1" in done.stdout
    assert done.stderr == "No model is configured; a run needs one.\n"


def test_the_first_request_uses_the_settings_of_prompts(cli: CommandLine, model_server: ModelServer) -> None:
    cells = [code("above", "note = 'above'"), code("target", "# Write x."), CHECK]
    cli.notebook("n.ipynb", cells)
    flags = ["run", "n.ipynb", "--base-url", model_server(), "--dry-run", "--json"]
    prompt = "Only this: {{task}} {{context}}"
    own = ["--system-prompt", "Answer in {{language}}.", "--generator-prompt", prompt]

    def sent(*more: str) -> list[str]:
        done = cli.run(*flags, *more)
        assert done.status == 0, done.stderr
        (target,) = done.results["targets"]
        return [message["content"] for message in target["messages"]]

    assert "note = 'above'" in sent()[1]
    system, user = sent(*own)
    assert system.startswith("Answer in Python.")
    assert user.startswith("Only this: ")
    assert "note = 'above'" in user


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
    assert "observed 2, expected 3" in calls[1]["messages"][1]["content"]
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
    assert any(line.startswith("-") and "Write x." in line for line in lines)
    assert any(line.startswith("+") and "Write x well." in line for line in lines)


def test_wrong_recordings_are_status_2(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", CELLS)
    (cli.folder / "bad.jsonl").write_text('{"role": "generator"}\n')
    for flags, said in (
        (["--replay", "none.jsonl"], "--replay none.jsonl: there is no such file"),
        (["--replay", "bad.jsonl"], "--replay bad.jsonl: line 1 is not a recorded call."),
        (["--replay", "bad.jsonl", "--model", "m"], "--replay and --model cannot be combined"),
        (["--replay", "bad.jsonl", "--record", "a.jsonl"], "--replay and --record cannot be combined"),
    ):
        done = cli.run("run", "n.ipynb", *flags)
        assert done.status == 2, done.stderr
        assert said in done.stderr


PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
(WORKFLOW,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def project(cli: CommandLine, tmp_path: Path, model_server: ModelServer) -> CommandLine:
    """A repository with two notebooks, recorded calls, and `jupyter` on the path."""
    cli.notebook("notebooks/good.ipynb", [code("t", "x = 1"), code("c", "assert x == 1")])
    cli.notebook(
        "notebooks/open.ipynb",
        [code("t", "# Write a, b: c, 100%."), code("c", "assert x == 1\nassert 'a, b: 5%' == x or x == 1")],
    )
    cli.install(tmp_path / "bin")
    flags = ["--base-url", model_server(answer("x = 1")), "--record", "calls.jsonl"]
    done = cli.run("run", "notebooks/good.ipynb", "notebooks/open.ipynb", *flags)
    assert done.status == 0, done.stderr
    return cli


def test_commands_of_the_workflow_do_what_the_page_says(project: CommandLine) -> None:
    steps: list[dict[str, Any]] = yaml.safe_load(WORKFLOW)["jobs"]["notebooks"]["steps"]
    install, check, refine = (step["run"] for step in steps if "run" in step)
    assert install == 'pip install "jupyterlab-refine[cli]" ipykernel'
    upload = steps[-1]["with"]["path"].split()
    # After a step that fails, GitHub runs only the steps whose `if` asks for it.
    [after_failure] = [step["run"] for step in steps if step.get("if") == "failure()"]
    assert after_failure == refine

    done = project.shell(check)
    assert done.status == 1, done.stderr
    assert "NameError" in (project.folder / "results.xml").read_text()

    done = project.shell(refine)
    assert done.status == 0, done.stderr
    assert read_cells(project.folder / "refined" / "open.ipynb")["t"]["source"].endswith("x = 1")
    assert upload == ["results.xml", "refined"]
    assert (project.folder / "results.xml").exists()
