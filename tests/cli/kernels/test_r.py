"""A real R: attempts run in the live IRkernel, with an interrupt at their limit."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command import CommandLine, code, read_cells, read_events

ModelServer = Callable[..., str]

pytestmark = pytest.mark.full


@pytest.fixture
def r_kernel(cli: CommandLine, tmp_path: Path) -> str:
    """Registers IRkernel for this test alone; its name."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        pytest.skip("R is not installed (Debian: r-cran-irkernel)")
    found = subprocess.run([rscript, "-e", "library(IRkernel)"], capture_output=True, text=True)
    if found.returncode != 0:
        pytest.skip("R has no package IRkernel (Debian: r-cran-irkernel)")
    prefix = tmp_path / "r"
    # It asks the `jupyter` on the path where kernels go.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [rscript, "-e", f"IRkernel::installspec(user = FALSE, prefix = {str(prefix)!r})"],
        capture_output=True,
        text=True,
        env={**cli.environment, "PATH": path},
    )
    assert done.returncode == 0, done.stderr
    cli.environment["JUPYTER_PATH"] = str(prefix / "share" / "jupyter")
    return "ir"


def write(cli: CommandLine, target: str, *checks: str) -> Path:
    cells = [code("above", "base <- c(1, 2, 3)"), code("target", target)]
    cells += [code(f"check{n}", check) for n, check in enumerate(checks)]
    return cli.notebook("r.ipynb", cells, kernelspec={"name": "ir", "display_name": "R", "language": "R"})


def r_answer(source: str) -> dict[str, str]:
    return {"text": f"A thought.\n\n```r\n{source}\n```\n"}


FLAGS = ("--in-place", "--isolation", "live", "--events", "events.jsonl")


@pytest.mark.usefixtures("r_kernel")
def test_it_is_refined_until_its_checks_hold(cli: CommandLine, model_server: ModelServer) -> None:
    notebook = write(
        cli,
        "# Define total(x), the sum of the squares.",
        "stopifnot(total(base) == 14)",
        'stopifnot("empty is 0" = total(c()) == 0)',
    )
    url = model_server(
        r_answer("total <- function(x) sum(x)"),
        r_answer("total <- function(x) stop('not yet')"),
        r_answer("total <- function(x) sum(as.numeric(x)^2)"),
    )
    done = cli.run("run", "r.ipynb", "--base-url", url, *FLAGS)
    assert done.status == 0, done.stderr
    assert "not isolated" in done.stderr
    cell = read_cells(notebook)["target"]
    assert cell["source"].splitlines() == [
        "# Define total(x), the sum of the squares.",
        "total <- function(x) sum(as.numeric(x)^2)",
    ]
    assert cell["metadata"]["jupyterlab_refine"]["result"]["isolation"]["mode"] == "live"
    ends = [e["execution"] for e in read_events(cli.folder / "events.jsonl") if e["type"] == "execution-end"]
    reported = [[a["outcome"] for a in execution["assertions"]] for execution in ends]
    assert reported[-3:] == [["failed", "passed"], ["error", "error"], ["passed", "passed"]]
    assert all(execution["tampering"] == [] for execution in ends)
    failed = ends[-3]["assertions"][0]["error"]
    assert failed["message"] == "Error: total(base) == 14 is not TRUE"


@pytest.mark.usefixtures("r_kernel")
def test_an_error_in_the_cell_and_a_time_out_go_back(cli: CommandLine, model_server: ModelServer) -> None:
    notebook = write(cli, "# Write x.", "stopifnot(x == 2)")
    url = model_server(r_answer("x <- missing_thing"), r_answer("repeat {}"), r_answer("x <- 2"))
    done = cli.run("run", "r.ipynb", "--base-url", url, *FLAGS, "--attempt-timeout", "3")
    assert done.status == 0, done.stderr
    ends = [e["execution"] for e in read_events(cli.folder / "events.jsonl") if e["type"] == "execution-end"]
    error, cut, passed = ends[-3:]
    assert error["status"] == "error"
    assert "object 'missing_thing' not found" in error["error"]["message"]
    assert (cut["status"], cut["stop"]) == ("cut", "timeout")
    assert passed["assertions"][0]["outcome"] == "passed"
    assert read_cells(notebook)["target"]["source"] == "# Write x.\nx <- 2"


@pytest.mark.usefixtures("r_kernel")
def test_an_expression_that_is_only_shown_is_no_check(cli: CommandLine) -> None:
    cells = [code("target", "x <- 2"), code("check", "x == 3", tags=["refine-assert"])]
    cli.notebook("r.ipynb", cells, kernelspec={"name": "ir", "display_name": "R", "language": "R"})
    done = cli.run("check", "r.ipynb", "--isolation", "live")
    assert done.status == 1, done.stdout + done.stderr


@pytest.mark.usefixtures("r_kernel")
def test_it_is_not_run_unasked(cli: CommandLine) -> None:
    write(cli, "x <- 2", "stopifnot(x == 2)")
    done = cli.run("check", "r.ipynb")
    assert done.status == 3
    assert "cannot be isolated" in done.stderr
