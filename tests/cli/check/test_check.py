"""``jupyter refine check``: what the targets hold, without a model."""

from __future__ import annotations

from command import CommandLine, code


def test_counts_each_target(cli: CommandLine) -> None:
    notebook = cli.notebook(
        "n.ipynb",
        [
            code("t1", "def f(n): return n"),
            code("a1", "assert f(1) == 1\nassert f(2) == 3"),
            code("between", "y = f(1)"),
            code("t2", "z = y"),
            code("a2", "assert z == 1", tags=["refine-assert"]),
            code("h2", "assert z == 2", tags=["refine-holdout"]),
            code("t3", "w = z"),
            code("a3", "assert w == 1"),
        ],
    )
    before = notebook.read_bytes()
    done = cli.run("check", "n.ipynb", "--json")
    assert done.status == 1, done.stderr
    (row,) = done.results["notebooks"]
    found = [
        (target["cellId"], target["passed"], target["assertions"], target["holdouts"])
        for target in row["targets"]
    ]
    assert found == [
        ("t1", False, {"passed": 1, "total": 2}, {"passed": 0, "total": 0}),
        ("t2", False, {"passed": 1, "total": 1}, {"passed": 0, "total": 1}),
        ("t3", True, {"passed": 1, "total": 1}, {"passed": 0, "total": 0}),
    ]
    assert done.results["exitStatus"] == 1
    assert notebook.read_bytes() == before


def test_all_passing_is_status_0(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", [code("t", "x = 1"), code("a", "assert x == 1\nassert x > 0")])
    done = cli.run("check", "n.ipynb")
    assert done.status == 0, done.stderr
    assert done.stdout == "passed  n.ipynb cell 0 [t]: 2 of 2; current code\n"


def test_attempts_leave_the_kernel_as_it_was(cli: CommandLine) -> None:
    cli.notebook(
        "n.ipynb",
        [
            code("above", "items = [1]"),
            code("t1", "items.append(2)\nx = undefined_name"),
            code("a1", "assert x"),
            code("t2", "count = len(items)"),
            code("a2", "assert count == 2"),
        ],
    )
    done = cli.run("check", "n.ipynb", "--cell", "t2", "--json")
    assert done.status == 0, done.stderr
    assert "cell 1 [t1]: NameError" in done.stderr
    # As targets of one run the first is checked, then run for real, where its error is an outcome.
    done = cli.run("check", "n.ipynb", "--json")
    assert [target["passed"] for target in done.results["notebooks"][0]["targets"]] == [False, True]


def test_check_of_a_target_that_was_not_chosen_ends_nothing(cli: CommandLine) -> None:
    cli.notebook(
        "n.ipynb",
        [code("t1", "x = 1"), code("a1", "assert x == 2"), code("t2", "y = x"), code("a2", "assert y == 1")],
    )
    done = cli.run("check", "n.ipynb", "--cell", "t2")
    assert done.status == 0, done.stderr
    assert "n.ipynb cell 1 [a1]: AssertionError\n" in done.stderr


def test_language_of_the_kernel_wins_over_a_stale_one(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", [code("t", "x = 1"), code("a", "assert x == 1")], language_info={"name": "julia"})
    for flags in ([], ["--kernel", "python3"]):
        done = cli.run("check", "n.ipynb", *flags)
        assert done.status == 0, done.stderr
