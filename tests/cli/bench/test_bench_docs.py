"""The page "Benchmarking a model": its commands run as they stand, on a scripted model instead of Ollama."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from command import ROOT, CommandLine, answer

ModelServer = Callable[..., str]

PAGE = (ROOT / "docs" / "benchmarking.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```bash\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
OLLAMA = "http://localhost:11434/v1"


def test_commands_of_the_page_do_what_it_says(
    cli: CommandLine, tmp_path: Path, model_server: ModelServer
) -> None:
    lines = [
        json.dumps({"task_id": n, "text": "f", "code": "def f(): return 1", "test_list": ["assert f() == 1"]})
        for n in range(1, 12)
    ]
    file = cli.folder / "mbpp.jsonl"
    program = tmp_path / "bin" / "jupyter"
    program.parent.mkdir()
    # As the installed command, with this checkout's package.
    program.write_text(f'#!/bin/sh\nshift\nexec {sys.executable} -m jupyterlab_refine "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{cli.environment['PATH']}"
    environment = {**cli.environment, "PATH": path, "PYTHONPATH": str(ROOT), "REFINE_TEST_RUN": cli.mark}
    url = model_server(*[answer("def f(): return 1")] * 100)

    def run(block: str, tasks: int) -> subprocess.CompletedProcess[str]:
        file.write_text("\n".join(lines[:tasks]) + "\n")
        return subprocess.run(
            f"set -e\n{block.replace(OLLAMA, url).replace('llama3.2:3b', 'scripted')}",
            shell=True,
            cwd=cli.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=100,
        )

    *three, last = BLOCKS
    first, sweep, compare = (run(block, tasks=1) for block in three)
    recipe = run(last, tasks=11)
    for done in (first, sweep, compare, recipe):
        assert done.returncode == 0, done.stderr
    assert "100.0 %" in first.stdout
    labels = [run["label"] for run in json.loads((cli.folder / "feedback.json").read_text())["runs"]]
    assert labels == [f"feedback={name}" for name in ("raw", "diff", "summary", "auto")]
    assert "Differences on the same tasks" in compare.stdout
    report = json.loads((cli.folder / "llama" / "report.json").read_text())
    assert [task["task"] for task in report["runs"][0]["tasks"]] == ["11"]
    assert "not run here" in PAGE


def test_flags_and_statuses_of_the_page_exist(cli: CommandLine) -> None:
    known = cli.run("help", "bench").stdout
    flags = set(re.findall(r"[` ](--[a-z]+(?:-[a-z]+)*)", PAGE))
    assert len(flags) > 10
    assert {flag for flag in flags if f"  {flag}" not in known} == set()
    assert re.findall(r"^\| (\d+) ", PAGE, re.MULTILINE) == ["0", "1", "2", "3", "130"]
