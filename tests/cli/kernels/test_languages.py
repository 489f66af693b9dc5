"""Real kernels of other languages and makers, R's among them: what holds passes, what does not never does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command import CommandLine, answer, code, read_cells, read_events

pytestmark = pytest.mark.full

#: Of an environment with the group kernels of ``pyproject.toml``.
PYTHON = os.environ.get("REFINE_KERNELS_PYTHON", "")

TSLAB = (
    Path(__file__).parents[3] / "ui-tests" / "kernels" / "tslab" / "node_modules" / "tslab" / "bin" / "tslab"
)

FILE = ("-f", "{connection_file}")
ARGUMENTS = {
    "bash": (PYTHON, "-m", "bash_kernel", *FILE),
    "deno": (str(Path(PYTHON).parent / "deno"), "jupyter", "--kernel", "--conn", "{connection_file}"),
    "octave": (PYTHON, "-m", "octave_kernel", *FILE),
    "tslab": ("node", str(TSLAB), "kernel", "--config-path", "{connection_file}"),
    "xpython": (PYTHON, "-m", "xpython_launcher", *FILE),
    "missing": (PYTHON, "-m", "no_such_kernel", *FILE),
}
LANGUAGES = {"deno": "typescript", "tslab": "typescript", "xpython": "python", "missing": "python"}

Check = Callable[..., tuple[int, str]]


@pytest.fixture
def check(cli: CommandLine) -> Check:
    """Check a notebook of these cells in a kernel; exit status and everything shown."""
    if not PYTHON:
        pytest.skip("REFINE_KERNELS_PYTHON names no environment with the group kernels of pyproject.toml")

    def run(
        kernel: str, *sources: str, tags: tuple[str, ...] = (), flags: tuple[str, ...] = ()
    ) -> tuple[int, str]:
        if kernel == "octave" and shutil.which("octave") is None:
            pytest.skip("Octave is not installed (Debian: octave)")
        folder = Path(cli.environment["JUPYTER_DATA_DIR"]) / "kernels" / kernel
        folder.mkdir(parents=True, exist_ok=True)
        names = {"display_name": kernel, "language": LANGUAGES.get(kernel, kernel)}
        spec = {"argv": ARGUMENTS[kernel], **names}
        (folder / "kernel.json").write_text(json.dumps(spec))
        *above, last = sources
        cells = [code(f"cell{n}", source) for n, source in enumerate(above)]
        cells.append(code("check", last, tags=list(tags)))
        cli.notebook("k.ipynb", cells, kernelspec={"name": kernel, **names})
        done = cli.run("check", "k.ipynb", *flags)
        return done.status, done.stdout + done.stderr

    return run


LIVE = ("--isolation", "live")
TAGGED = ("refine-assert",)


@pytest.mark.parametrize("tags", [(), TAGGED])
@pytest.mark.parametrize(
    ("kernel", "target", "source"),
    [
        ("bash", "x={}", "[ $x = 4 ]"),
        ("bash", "x={}", "[[ $x == 4 ]]\ntest 1"),
        ("bash", "x={}", "if [ $x != 4 ]; then\n  echo wrong\n  exit 1\nfi"),
        ("deno", "const x = {}", 'if (x !== 4) throw new Error("wrong")'),
        ("deno", "const x = {}", 'import assert from "node:assert"\nassert.equal(x, 4)'),
        ("tslab", "const x: number = {}", 'if (x !== 4) throw new Error("wrong")'),
    ],
)
def test_a_check_holds_or_fails(
    check: Check, kernel: str, target: str, source: str, tags: tuple[str, ...]
) -> None:
    status, shown = check(kernel, target.format(4), source, tags=tags, flags=LIVE)
    assert (status, "1 of 1" in shown) == (0, True), shown
    assert "not trusted" not in shown
    status, shown = check(kernel, target.format(5), source, tags=tags, flags=LIVE)
    assert (status, "0 of 1" in shown) == (1, True), shown


@pytest.mark.parametrize(
    ("kernel", "target", "source", "way_out"),
    [
        ("deno", "const x = 5", "console.assert(x === 4)", "if (!(…)) throw"),
        ("deno", "const x = 5", 'Deno.test("x", () => { if (x !== 4) throw "no" })', "if (!(…)) throw"),
        ("bash", "x=5", "[ $x = 4 ] || echo wrong", "[ … ]"),
    ],
)
def test_a_check_that_cannot_fail_is_no_pass(
    check: Check, kernel: str, target: str, source: str, way_out: str
) -> None:
    status, shown = check(kernel, target, source, tags=TAGGED, flags=LIVE)
    assert status == 1, shown
    assert "never fails in this kernel; write " in shown
    assert way_out in shown


@pytest.mark.parametrize("value", [4, 5])
def test_a_kernel_that_replies_ok_to_errors_is_not_trusted(check: Check, value: int) -> None:
    status, shown = check("octave", f"x = {value};", "assert(x, 4)", flags=LIVE)
    assert status == 1, shown
    assert "The kernel lets “error('canary')” pass, so its checks prove nothing." in shown


def test_another_language_is_refused_with_the_way_out(check: Check) -> None:
    status, shown = check("bash", "x=4", "[ $x = 4 ]")
    assert status == 3
    assert "cannot be isolated" in shown
    assert "--isolation live" in shown


def test_another_python_kernel_runs_live_where_allowed(check: Check) -> None:
    assert check("xpython", "x = 4", "assert x == 4", flags=LIVE)[0] == 0
    status, shown = check("xpython", "x = 5", "assert x == 4", flags=LIVE)
    assert status == 1
    assert "`assert x == 4` is false" in shown


def test_another_python_kernel_is_not_called_isolated(check: Check) -> None:
    status, shown = check("xpython", "x = 4", "assert x == 4")
    assert status == 3
    assert "this is another Python kernel" in shown
    assert "isolated: memory" not in shown


def test_a_kernel_that_does_not_start_is_named(check: Check) -> None:
    status, shown = check("missing", "x = 4", "assert x == 4", flags=LIVE)
    assert status == 3
    assert "`jupyter kernel --kernel=missing` shows why." in shown


def test_an_error_without_a_traceback_keeps_its_message(check: Check) -> None:
    """tslab replies with neither traceback nor message, and prints what was thrown."""
    status, shown = check(
        "tslab", "const x: number = 5", 'if (x !== 4) throw new Error("five is wrong")', flags=LIVE
    )
    assert status == 1, shown
    assert "five is wrong" in shown


ModelServer = Callable[..., str]


def r_answer(source: str) -> dict[str, str]:
    return {"text": f"A thought.\n\n```r\n{source}\n```\n"}


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
    cell = read_cells(notebook)["t"]
    assert 'pl.col("region") == "n"' in cell["source"]
    result = cell["metadata"]["jupyterlab_refine"]["result"]
    assert result["isolation"]["mode"] == "sidecar"
    assert result["attempt"] == 2


def test_a_check_runs_the_cells_above_in_the_attempt(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", cells("one = conn.execute('select 1').fetchone()", "assert one == (1,)"))
    done = cli.run("check", "n.ipynb")
    assert done.status == 0, done.stderr
    assert "isolated: memory, files, network" in done.stderr


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
    assert failed["message"] == "total(base) == 14 is not TRUE"


@pytest.mark.usefixtures("r_kernel")
def test_an_expression_that_is_only_shown_is_no_check(cli: CommandLine) -> None:
    cells = [code("target", "x <- 2"), code("check", "x == 3", tags=["refine-assert"])]
    cli.notebook("r.ipynb", cells, kernelspec={"name": "ir", "display_name": "R", "language": "R"})
    done = cli.run("check", "r.ipynb", "--isolation", "live")
    assert done.status == 1, done.stdout + done.stderr
