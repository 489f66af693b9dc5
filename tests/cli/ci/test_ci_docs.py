"""The page "In CI": the commands of its workflow run as they stand, and its table of flags is true."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import ROOT, CommandLine, answer, code, read_cells

ModelServer = Callable[..., str]

PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
(WORKFLOW,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
(PROJECT,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def project(cli: CommandLine, tmp_path: Path, model_server: ModelServer) -> CommandLine:
    """A repository with two notebooks, recorded calls, and `jupyter` on the path."""
    cli.notebook("notebooks/good.ipynb", [code("t", "x = 1"), code("c", "assert x == 1")])
    cli.notebook(
        "notebooks/open.ipynb",
        [code("t", "# Write a, b: c, 100%."), code("c", "assert x == 1\nassert 'a, b: 5%' == x or x == 1")],
    )
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "jupyter"
    # As the installed command, with this checkout's package.
    program.write_text(f'#!/bin/sh\nshift\nexec {sys.executable} -m jupyterlab_refine "$@"\n')
    program.chmod(0o755)
    cli.environment["PATH"] = f"{folder}{os.pathsep}{cli.environment['PATH']}"
    cli.environment["PYTHONPATH"] = str(ROOT)
    flags = ["--base-url", model_server(answer("x = 1")), "--record", "calls.jsonl"]
    done = cli.run("run", "notebooks/good.ipynb", "notebooks/open.ipynb", *flags)
    assert done.status == 0, done.stderr
    return cli


def run(cli: CommandLine, command: str) -> subprocess.CompletedProcess[str]:
    environment = {**cli.environment, "REFINE_TEST_RUN": cli.mark, "GITHUB_WORKSPACE": str(cli.folder.parent)}
    return subprocess.run(
        command, shell=True, cwd=cli.folder, env=environment, capture_output=True, text=True, timeout=100
    )


def test_commands_of_the_workflow_do_what_the_page_says(project: CommandLine) -> None:
    steps: list[dict[str, Any]] = yaml.safe_load(WORKFLOW)["jobs"]["notebooks"]["steps"]
    install, check, refine = (step["run"] for step in steps if "run" in step)
    assert install == 'pip install "jupyterlab-refine[cli]" ipykernel'
    upload = steps[-1]["with"]["path"].split()
    # After a step that fails, GitHub runs only the steps whose `if` asks for it.
    [after_failure] = [step["run"] for step in steps if step.get("if") == "failure()"]
    assert after_failure == refine

    done = run(project, check)
    assert done.returncode == 1, done.stderr
    annotations = [line for line in done.stderr.splitlines() if line.startswith("::")]
    (error,) = annotations
    found = re.fullmatch(r"::error file=work/notebooks/open.ipynb,line=1,title=cell 0 \[t\]::(.+)", error)
    assert found, error
    assert "NameError" in found[1]

    done = run(project, refine)
    assert done.returncode == 0, done.stderr
    assert "::error" not in done.stderr
    assert read_cells(project.folder / "refined" / "open.ipynb")["t"]["source"].endswith("x = 1")
    assert upload == ["results.xml", "refined"]
    assert (project.folder / "results.xml").exists()


def test_project_of_the_page_is_read(project: CommandLine) -> None:
    (project.folder / "pyproject.toml").write_text(PROJECT)
    done = run(project, "jupyter refine run notebooks/open.ipynb --replay calls.jsonl --json")
    assert done.returncode == 0, done.stderr
    assert "::" not in done.stderr
    assert (project.folder / "refined" / "open.ipynb").exists()
    assert run(project, "jupyter refine check notebooks/good.ipynb").returncode == 0


def test_annotations_name_problems_and_cannot_be_forged(cli: CommandLine) -> None:
    forged = "print('::error::forged')\nraise ValueError('a%0A\\n::error::forged')"
    cli.notebook("n.ipynb", [code("above", "a = 1"), code("t", forged), code("c", "assert x == 1")])
    done = cli.run("check", "n.ipynb", "missing.ipynb", "--github", "--quiet")
    assert done.status == 2, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("::")]
    assert len(lines) == 2
    assert lines[0].startswith("::error file=n.ipynb,line=1,title=cell 1 [t]::ValueError: a%250A")
    assert lines[1] == "::error file=missing.ipynb::missing.ipynb: there is no such file or folder."


def test_every_flag_of_the_page_is_a_flag(cli: CommandLine) -> None:
    known = "".join(cli.run("help", name).stdout for name in ("run", "check"))
    flags = set(re.findall(r"`(--[a-z-]+)", PAGE))
    assert len(flags) > 10
    assert {flag for flag in flags if f"  {flag}" not in known} == set()
    statuses = re.findall(r"^\| (\d+) ", PAGE, re.MULTILINE)
    assert statuses == ["0", "1", "2", "3", "130"]


def test_flags_that_a_file_must_not_give_are_on_the_page() -> None:
    source = (ROOT / "src" / "headless" / "cli" / "project.ts").read_text()
    refused = re.findall(r"'([\w-]+)'", source.split("const NOT_FROM_A_FILE = [")[1].split("]")[0])
    named = re.findall(
        r"`([\w-]+)`", PAGE.split("since a file may come from somebody else:")[1].split("\n\n")[0]
    )
    assert set(named) == set(refused) - {"help", "version"}
