"""A pass is repeated in a fresh kernel: ``--clean``."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from command import CommandLine, answer, code, read_cells

ModelServer = Callable[..., str]

#: True in the first kernel that runs it in this folder, and in no other.
ONLY_ONCE = "import os\nfirst = not os.path.exists('seen')\nopen('seen', 'w').close()"


def once(target: str) -> list[dict[str, object]]:
    return [code("above", ONLY_ONCE), code("target", target), code("checks", "assert x is True")]


def test_a_pass_that_fails_in_a_fresh_kernel_is_not_accepted(
    cli: CommandLine, model_server: ModelServer
) -> None:
    cli.notebook("n.ipynb", once("# Set x."))
    url = model_server(answer("x = first"))
    done = cli.run("run", "n.ipynb", "--base-url", url, "--output", "out.ipynb", "--json", "--clean")
    assert done.status == 1, done.stderr
    (target,) = done.results["notebooks"][0]["targets"]
    assert target["stopReason"] == "passed"
    assert target["clean"]["passed"] is False
    assert "Passes here, but not in a fresh kernel" in target["message"]
    assert not (cli.folder / "out.ipynb").exists()
    cli.wait_for_no_process()


@pytest.mark.parametrize(
    ("source", "clean"),
    [("x = True", True), ("x = first", None)],
)
def test_provenance_says_what_was_repeated(
    cli: CommandLine, model_server: ModelServer, source: str, clean: bool | None
) -> None:
    cli.notebook("n.ipynb", once("# Set x."))
    url = model_server(answer(source))
    flags = ["--clean"] if clean else []
    done = cli.run("run", "n.ipynb", "--base-url", url, "--output", "out.ipynb", *flags)
    assert done.status == 0, done.stderr
    assert ("also passes in a fresh kernel" in done.stdout) is (clean is True)
    cells = read_cells(cli.folder / "out.ipynb")
    assert cells["target"]["metadata"]["jupyterlab_refine"]["result"].get("clean") is clean


@pytest.mark.full
def test_check_repeats_only_when_asked(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", once("x = first"))
    assert cli.run("check", "n.ipynb").status == 0
    assert not (cli.folder / "seen").exists()
    done = cli.run("check", "n.ipynb", "--clean")
    assert done.status == 1, done.stderr
    assert "not in a fresh kernel" in done.stdout


def test_a_cell_above_that_fails_in_a_fresh_kernel_is_named(cli: CommandLine) -> None:
    cells = once("x = True")
    cells.insert(1, code("needs", "assert_first = 1 / first"))
    cli.notebook("n.ipynb", cells)
    done = cli.run("check", "n.ipynb", "--clean")
    assert done.status == 1, done.stderr
    assert "failed in the fresh kernel" in done.stdout
    assert "[needs]" in done.stdout


#: Adds a line to a file each time it runs.
COUNT = "with open('runs.txt', 'a') as file:\n    file.write('ran\\n')\nbase = 1"


def runs(cli: CommandLine) -> int:
    return len((cli.folder / "runs.txt").read_text().splitlines())


def test_one_fresh_kernel_serves_all_targets(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook(
        "n.ipynb",
        [
            code("above", COUNT),
            code("first", "# Set x."),
            code("check1", "assert x == base"),
            code("second", "# Set y."),
            code("check2", "assert y == x + 1"),
        ],
    )
    url = model_server(answer("x = base"), answer("y = x + 1"))
    done = cli.run("run", "n.ipynb", "--base-url", url, "--in-place", "--clean")
    assert done.status == 0, done.stderr
    assert done.stdout.count("also passes in a fresh kernel") == 2
    assert runs(cli) == 2
    assert "Running in a fresh kernel: cell 0 [above], then the attempt.\n" in done.stderr
    assert "Running in a fresh kernel: cell 1 [first], cell 2 [check1], then the attempt.\n" in done.stderr


@pytest.mark.full
def test_a_skipped_cell_runs_once_and_costs_no_pass(cli: CommandLine) -> None:
    tagged = code("above", COUNT, tags=["refine-skip"])
    for target, said in (
        ("x = 1", "also passes in a fresh kernel"),
        ("x = base", "Cells tagged refine-skip that were skipped: 1."),
    ):
        cli.notebook("n.ipynb", [tagged, code("target", target), code("checks", "assert x == 1")])
        done = cli.run("check", "n.ipynb", "--clean")
        assert done.status == 0, done.stderr
        assert said in done.stdout + done.stderr
    assert runs(cli) == 2


HANGS_AGAIN = "import os\nwhile os.path.exists('seen'):\n    pass\nopen('seen', 'w').close()"


@pytest.mark.full
def test_a_fresh_run_ends_with_the_time_of_the_session(cli: CommandLine) -> None:
    cli.notebook(
        "n.ipynb", [code("above", HANGS_AGAIN), code("target", "x = 1"), code("checks", "assert x == 1")]
    )
    done = cli.run("check", "n.ipynb", "--clean", "--session-timeout", "5")
    assert done.status == 0, done.stderr
    assert "The run in a fresh kernel took longer than 5 s (sessionTimeout)." in done.stderr
    cli.wait_for_no_process()
