"""Kernels in which attempts cannot be isolated: nothing runs there without a flag for it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command import CommandLine, code, read_cells

ModelServer = Callable[..., str]


@pytest.fixture
def small_r(cli: CommandLine) -> str:
    """Name of an installed kernel of another language."""
    folder = Path(cli.environment["JUPYTER_DATA_DIR"]) / "kernels" / "small-r"
    folder.mkdir(parents=True)
    program = Path(__file__).parent / "small_r_kernel.py"
    argv = [sys.executable, str(program), "-f", "{connection_file}"]
    spec = {"argv": argv, "display_name": "Small R", "language": "R"}
    (folder / "kernel.json").write_text(json.dumps(spec))
    return folder.name


def r_notebook(cli: CommandLine, kernel: str) -> Path:
    return cli.notebook(
        "r.ipynb",
        [code("target", "# Write x."), code("checks", "stopifnot(x == 2)")],
        kernelspec={"name": kernel, "display_name": "R", "language": "R"},
    )


def r_answer(source: str) -> dict[str, str]:
    return {"text": f"A thought.\n\n```r\n{source}\n```\n"}


def test_it_is_refused_with_the_way_out(cli: CommandLine, small_r: str, model_server: ModelServer) -> None:
    notebook = r_notebook(cli, small_r)
    before = notebook.read_bytes()
    done = cli.run("run", "r.ipynb", "--base-url", model_server(r_answer("x <- 2")), "--in-place")
    assert done.status == 3, done.stderr
    assert "cannot be isolated" in done.stderr
    assert "--isolation live" in done.stderr
    assert notebook.read_bytes() == before


def test_it_is_allowed_on_the_command_line(cli: CommandLine, small_r: str, model_server: ModelServer) -> None:
    notebook = r_notebook(cli, small_r)
    url = model_server(r_answer("x <- 1"), r_answer("x <- 2"))
    done = cli.run("run", "r.ipynb", "--base-url", url, "--in-place", "--isolation", "live")
    assert done.status == 0, done.stderr
    assert "not isolated" in done.stderr
    cell = read_cells(notebook)["target"]
    assert cell["source"] == "# Write x.\nx <- 2"
    assert cell["metadata"]["jupyterlab_refine"]["result"]["isolation"]["mode"] == "live"
