"""Flags of ``jupyter refine run`` that continuous integration needs."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.etree import ElementTree

import pytest
from command import CommandLine, answer, code, read_cells

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


def test_quiet_still_reports_errors(cli: CommandLine) -> None:
    done = cli.run("check", "missing.ipynb", "--quiet")
    assert done.status == 2
    assert "missing.ipynb: there is no such file" in done.stderr


def test_project_gives_flags(cli: CommandLine, model_server: ModelServer) -> None:
    notebook(cli, "sub/n.ipynb")
    (cli.folder / "pyproject.toml").write_text(
        "[tool.jupyterlab-refine]\nmax-attempts = 1\njunit = 'j.xml'\n"
        + "[tool.jupyterlab-refine.run]\noutput-dir = 'out'\nevaluators = ['assertions', 'static']\n"
        + "[tool.jupyterlab-refine.check]\nworkers = 2\n"
    )
    url = model_server(answer("x = 2"), answer("x = 1", times=0))
    done = cli.run("run", "sub/n.ipynb", "--base-url", url, "--json")
    assert done.status == 1, done.stderr
    (target,) = done.results["notebooks"][0]["targets"]
    assert target["attempts"] == 1
    assert (cli.folder / "j.xml").exists()
    # What is given on the command line takes the place of the file's.
    done = cli.run("run", "sub/n.ipynb", "--base-url", url, "--max-attempts", "2", "--in-place")
    assert done.status == 0, done.stderr
    assert not (cli.folder / "out").exists()
    assert read_cells(cli.folder / "sub" / "n.ipynb")["target"]["source"].endswith("x = 1")
    done = cli.run("check", "sub/n.ipynb")
    assert done.status == 0, done.stderr


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("max-atempts = 1", "max-atempts: jupyter refine check has no flag --max-atempts."),
        ("base-url = 'http://evil/'", "base-url: it must be given on the command line"),
        ("allow-writes = true", "allow-writes: it must be given on the command line"),
        ("attempt-timeout = 'many'", "--attempt-timeout many: it must be a number"),
        (
            "[tool.jupyterlab-refine.check]\nmax-attempts = 2",
            "max-attempts: jupyter refine check has no flag --max-attempts.",
        ),
        ("max-attempts = ", "pyproject.toml cannot be read:"),
        ("check = 1", "check: it must be a table."),
    ],
)
def test_wrong_project_is_status_2(cli: CommandLine, line: str, said: str) -> None:
    notebook(cli, "n.ipynb")
    (cli.folder / "pyproject.toml").write_text(f"[tool.jupyterlab-refine]\n{line}\n")
    done = cli.run("check", "n.ipynb")
    assert done.status == 2, done.stderr
    assert said in done.stderr


def test_dry_run_shows_prompt_and_cost_and_sends_nothing(cli: CommandLine) -> None:
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
    done = cli.run(
        "run", "n.ipynb", *flags, "--in-place", "--max-attempts", "3", "--max-output-tokens", "100"
    )
    server.shutdown()
    assert done.status == 0, done.stderr
    assert set(asked) <= {"GET /v1/models"}
    assert "n.ipynb cell 1 [target]: at most 3 calls, about " in done.stdout
    assert "--- system\n" in done.stdout
    assert "--- user\n" in done.stdout
    assert "Write x." in done.stdout
    assert "assert x == 1" in done.stdout
    assert "Nothing was run or sent. All targets together: at most 3 calls" in done.stdout
    assert not (cli.folder / "ran").exists()
    assert "Wrote" not in done.stderr


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


def test_dry_run_as_json_counts_what_a_run_uses_at_most(cli: CommandLine, model_server: ModelServer) -> None:
    notebook(cli, "n.ipynb")
    notebook(cli, "plain.ipynb")
    (cli.folder / "plain.ipynb").write_text("{")
    url = model_server(answer("x = 2", times=0))
    flags = ["--base-url", url, "--max-attempts", "3", "--max-output-tokens", "200", "--json"]
    done = cli.run("run", "n.ipynb", "plain.ipynb", *flags, "--dry-run")
    # The notebook that cannot be read is reported, as in a run.
    assert done.status == 2, done.stderr
    (planned,) = json.loads(done.stdout)["targets"]
    assert planned["model"]["model"] == "scripted-model"
    ran = cli.run("run", "n.ipynb", *flags)
    assert ran.status == 1, ran.stderr
    used = ran.results["notebooks"][0]["targets"][0]["usage"]
    assert used["calls"] == planned["atMost"]["calls"] == 3
    assert 0 < used["promptTokens"] <= planned["atMost"]["promptTokens"]
    assert 0 < used["completionTokens"] <= planned["atMost"]["completionTokens"]
    limited = cli.run("run", "n.ipynb", *flags, "--dry-run", "--max-tokens", "1000")
    most = limited.results["targets"][0]["atMost"]
    assert most["promptTokens"] + most["completionTokens"] <= 1000


LINES = "::error::x\\n  ::add-mask::x\\r::stop-commands::x\\na ##[group]x"


@pytest.mark.parametrize("flags", [["--github"], ["--github", "--json"], []])
def test_no_text_of_a_notebook_is_a_command_to_the_runner(
    cli: CommandLine, model_server: ModelServer, flags: list[str]
) -> None:
    cells = [
        code("above ##[debug]x", f"print('{LINES}')\nnote = '{LINES}'"),
        code("::error::x", f"# {LINES}"),
        code("checks", f"assert x == 1, '{LINES}'\nassert note == 1"),
    ]
    cli.notebook("::warning::n.ipynb", cells)
    code_of_model = f'text = """\n{LINES.encode().decode("unicode_escape")}\n"""\nprint(text)\nx = 2'
    url = model_server(answer(code_of_model, thoughts=LINES, times=0))
    names = ["./::warning::n.ipynb", "--base-url", url, "--max-attempts", "2"]
    # Set by the runner, and read where the flag is missing.
    done = cli.run("run", *names, *flags, environment={"GITHUB_ACTIONS": "true"} if not flags else None)
    assert done.status == 1, done.stderr
    lines = re.split(r"\r\n|\r|\n", done.stdout + "\n" + done.stderr)
    commands = [line for line in lines if line.strip().startswith("::") or "##[" in line]
    expected = ["::error file=%3A%3Awarning%3A%3An.ipynb"] if "--github" in flags else []
    assert [command.split(",")[0] for command in commands] == expected
    assert "--json" not in flags or done.results["notebooks"][0]["targets"][0]["cellId"] == "::error::x"
