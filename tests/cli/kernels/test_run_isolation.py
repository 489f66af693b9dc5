"""Kernels that cannot be forked: attempts run in a second one, or live where a flag allows it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command import CommandLine, answer, code, read_cells

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


#: Starts its threads, which do not survive a fork.
ABOVE = """
import polars as pl, sqlite3
sales = pl.DataFrame({"region": ["n", "s", "n"], "amount": [1, 2, 3]})
by_region = sales.group_by("region").agg(pl.col("amount").sum())
conn = sqlite3.connect(":memory:")
"""


def cells(target: str, check: str) -> list[dict[str, object]]:
    return [code("above", ABOVE), code("t", target), code("a", check)]


def test_refined_beside_started_polars_pools(cli: CommandLine, model_server: ModelServer) -> None:
    notebook = cli.notebook("n.ipynb", cells("# Sum of the region n.", 'assert best == 4, "wrong"'))
    url = model_server(
        answer('best = sales.filter(pl.col("region") == "s").height\nsales = None'),
        answer('best = sales.filter(pl.col("region") == "n")["amount"].sum()'),
    )
    done = cli.run("run", "n.ipynb", "--base-url", url, "--in-place")
    assert done.status == 0, done.stderr
    assert "polars has started its threads" in done.stderr
    assert "Attempts run in a second kernel, with copies of: sales, pl" in done.stderr
    cell = read_cells(notebook)["t"]
    assert 'pl.col("region") == "n"' in cell["source"]
    result = cell["metadata"]["jupyterlab_refine"]["result"]
    assert result["isolation"]["mode"] == "sidecar"
    assert result["attempt"] == 2


@pytest.mark.full
def test_what_cannot_be_copied_is_named_with_the_way_out(cli: CommandLine, model_server: ModelServer) -> None:
    source = "one = conn.execute('select 1').fetchone()"
    cli.notebook("n.ipynb", cells("# A row of one 1.", "assert one == (1,)"))
    url = model_server(answer(source), answer(source))
    command = ("run", "n.ipynb", "--base-url", url, "--output", "out.ipynb")
    done = cli.run(*command)
    assert done.status == 3, done.stderr
    assert "conn: a sqlite3.Connection cannot be copied" in done.stderr
    live = cli.run(*command, "--isolation", "live")
    assert live.status == 0, live.stderr


def test_a_check_runs_the_cells_above_in_the_attempt(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", cells("one = conn.execute('select 1').fetchone()", "assert one == (1,)"))
    done = cli.run("check", "n.ipynb")
    assert done.status == 0, done.stderr
    assert "isolated: memory, files, network" in done.stderr
