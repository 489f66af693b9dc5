"""The page "Grading a course": its commands run as they stand, and print what it shows."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command import ROOT, CommandLine
from test_grading import graded, hidden, solution

PAGE = (ROOT / "docs" / "grading.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^```bash\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
TEXTS = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)

WORDS = "def words(text): return len(text.split({}))"


def assignment(square: str, words: str, tests: bool = True) -> list[dict[str, Any]]:
    secret = hidden("assert square(1) == 1", "assert square(-3) == 9") if tests else "assert square(1) == 1"
    set_up = {**graded("set-up", "import math", 0)}
    set_up["metadata"] = {
        "nbgrader": {"grade_id": "set-up", "locked": True, "grade": False, "solution": False}
    }
    return [
        set_up,
        solution("square", square),
        graded("square-test", secret, 2),
        solution("words", words),
        graded("words-test", "assert words('a') == 1\nassert words('a b') == 2", 4),
    ]


@pytest.fixture
def course(cli: CommandLine, tmp_path: Path) -> CommandLine:
    """The folder of the page, with `jupyter` on the path."""
    right, wrong = "def square(n): return n * n", "def square(n): return n * abs(n)"
    cli.notebook("source/ps1.ipynb", assignment("# YOUR CODE", "# YOUR CODE"))
    cli.notebook("submitted/ada/ps1.ipynb", assignment(right, WORDS.format(""), tests=False))
    cli.notebook(
        "submitted/bob/ps1.ipynb", assignment(wrong, "def words(text): return len(text)", tests=False)
    )
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "jupyter"
    # As the installed command, with this checkout's package.
    program.write_text(f'#!/bin/sh\nshift\nexec {sys.executable} -m jupyterlab_refine "$@"\n')
    program.chmod(0o755)
    cli.environment["PATH"] = f"{folder}{os.pathsep}{cli.environment['PATH']}"
    cli.environment["PYTHONPATH"] = str(ROOT)
    return cli


def run(course: CommandLine, command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        shell=True,
        cwd=course.folder,
        env={**course.environment, "REFINE_TEST_RUN": course.mark},
        capture_output=True,
        text=True,
        timeout=100,
    )


def test_the_page_has_its_commands() -> None:
    assert len(COMMANDS) == 4
    assert all(command.startswith("jupyter refine check ") for command in COMMANDS)


def test_the_first_command_prints_what_the_page_shows(course: CommandLine) -> None:
    done = run(course, COMMANDS[0])
    assert done.returncode == 1, done.stderr
    assert done.stdout == TEXTS[1]


def test_the_table_has_the_columns_of_the_page(course: CommandLine) -> None:
    done = run(course, COMMANDS[1])
    assert done.returncode == 1, done.stderr
    with (course.folder / "grades.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    sentence = PAGE.split("has a row for each test cell:")[1].split("`grades.xml`")[0]
    assert list(rows[0]) == re.findall(r"`(\w+)`", sentence)
    assert [float(row["points"]) for row in rows] == [2, 4, 0, 0]
    assert (course.folder / "grades.xml").exists()


def test_partial_credit_and_hidden_tests_as_the_page_says(course: CommandLine) -> None:
    partial, shown = run(course, COMMANDS[2]), run(course, COMMANDS[3])
    assert "1 of 2 points" in partial.stdout
    assert "2 of 4 points" in partial.stdout
    assert "square(-3)" not in partial.stdout + partial.stderr
    assert "assert square(-3) == 9" in shown.stdout


def test_every_kind_of_reason_is_on_the_page() -> None:
    source = (ROOT / "src" / "headless" / "report" / "reasons.ts").read_text()
    union = source.split("export type ReasonKind =")[1].split(";")[0]
    kinds = re.findall(r"'([\w-]+)'", union)
    assert len(kinds) > 10
    table = PAGE.split("| kind ")[1].split("\n\n")[0]
    assert set(re.findall(r"`([\w-]+)`", table)) >= set(kinds)
