"""The command-line part of docs/tour/tour.md, as a reader would paste it."""

from __future__ import annotations

import json
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import CommandLine

TOUR = Path(__file__).resolve().parents[2] / "docs" / "tour"
PORT = "8899"


@pytest.fixture
def recorded() -> Iterator[str]:
    """The URL of the tour's model server, on a free port."""
    command = [sys.executable, str(TOUR / "model.py"), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip().partition("=")[2]
        server.terminate()


def test_the_commands_of_the_tour_refine_the_notebook(cli: CommandLine, recorded: str) -> None:
    section = (TOUR / "tour.md").read_text(encoding="utf-8").split("## Run the same in CI")[1]
    match = re.search(r"```bash\n(.*?)```", section, re.DOTALL)
    assert match is not None
    folder, *lines = match[1].replace(f"http://127.0.0.1:{PORT}/v1", recorded).splitlines()
    assert folder == "cd docs/tour"
    shutil.copy(TOUR / "tour.ipynb", cli.folder)

    before, run, after = (cli.run(*arguments(line), fresh=True) for line in lines)

    assert before.status == 1
    assert before.stdout.count("failed") == 3
    assert (run.status, run.stdout.count("passed")) == (0, 3)
    assert "RMSE" in run.stdout
    assert (after.status, after.stdout.count("passed")) == (0, 3)
    cells = json.loads((cli.folder / "refined.ipynb").read_text(encoding="utf-8"))["cells"]
    assert any("def predict(x)" in "".join(cell["source"]) for cell in cells)


def test_the_server_explains_the_error_of_the_tour_and_no_other() -> None:
    answer_to = runpy.run_path(str(TOUR / "model.py"))["answer_to"]

    def asked(system: str, text: str) -> str | None:
        answer: str | None = answer_to([{"content": system}, {"content": text}])
        return answer

    # The cells above are in each prompt.
    above = "# Write slug(text): lower case"
    explain, draft = "You answer questions about one cell.", "You write the checks of one cell."
    assert "`price`" in str(asked(explain, f"{above}\nThe cell raised KeyError: 'amount'."))
    assert asked(explain, f"{above}\nThe cell raised NameError.") is None
    assert asked(draft, above) is None
    assert "def slug" in str(asked("You write the source of one cell.", above))


def arguments(line: str) -> list[str]:
    """The arguments after ``jupyter refine``, without what the shell does with the status."""
    program, subcommand, *rest = line.split(" || ")[0].split()
    assert (program, subcommand) == ("jupyter", "refine")
    return rest
