"""Honest solutions beside the cells that a master locks are confirmed."""

from __future__ import annotations

import csv
import json
from typing import Any

from command import CommandLine, code

FUNCTIONS = "def wanted(n): return n * n\ndef all_right(): return all(square(n) == wanted(n) for n in CASES)"
SQUARE = "def square(n): return n * n"
#: Name: (locked cell, solution, test).
HONEST: dict[str, tuple[str, str, str]] = {
    "a table": (
        "CASES = [(2, 4), (3, 9)]",
        SQUARE,
        "for n, want in CASES: assert square(n) == want",
    ),
    "functions": (f"CASES = [2, 3]\n{FUNCTIONS}", SQUARE, "assert all_right() and square(3) == wanted(3)"),
    "a class": (
        "class Node:\n    def __init__(self, v, after=None): self.v, self.after = v, after\n"
        "def listed(n): return [] if n is None else [n.v] + listed(n.after)",
        "def pushed(n, v): return Node(v, n)",
        "assert listed(pushed(pushed(None, 1), 2)) == [2, 1]\nassert isinstance(pushed(None, 1), Node)",
    ),
    "functions of all kinds": (
        "from functools import lru_cache, partial\nclass Node:\n    def __init__(self, v): self.v = v\n"
        "@lru_cache\ndef cube(n): return n ** 3\ntwice = partial(map, lambda x: 2 * x)\n"
        "OPS = {'neg': lambda x: -x}",
        "def f(n): return cube(n) + Node(1).v\ndef g(xs): return list(twice(xs))",
        "assert f(2) == cube(2) + 1 == 9\n"
        "assert g([1]) == list(twice([1])) == [2]\nassert OPS['neg'](f(0)) == -1",
    ),
    "data that a library changes": (
        "import heapq, random\nimport numpy as np\nheap = [5, 2, 9]\nheapq.heapify(heap)\n"
        "matrix = np.zeros((2, 2))\nnp.fill_diagonal(matrix, 1)\n"
        "random.seed(0)\nmixed = list(range(10)); random.shuffle(mixed)\n"
        "np.random.seed(0)\npoints = np.random.rand(4)",
        "def first(xs): return xs[0]",
        "assert first(heap) == 2 and first(matrix).tolist() == [1, 0]\n"
        "assert first(mixed) == mixed[0] and first(points) == points[0]",
    ),
}  # fmt: skip


def cells(name: str, locked: str, solution: str, test: str) -> list[dict[str, Any]]:
    """The cells of one task."""

    def cell(part: str, source: str, **fields: Any) -> dict[str, Any]:
        nbgrader = {"grade_id": f"{name} {part}", "grade": False, "locked": True, "solution": False, **fields}
        return code(f"{part}-{abs(hash(name))}", source, nbgrader=nbgrader)

    return [
        cell("locked", locked),
        cell("solution", solution, locked=False, solution=True),
        cell("test", test, grade=True, points=1),
    ]


def confirmed(cli: CommandLine, tasks: dict[str, tuple[str, str, str]]) -> dict[str, tuple[str, str, str]]:
    """Status, column `confirmed` and reason of each task, each in its own notebook."""
    paths = []
    for number, (name, task) in enumerate(tasks.items()):
        cli.notebook(f"{number}.ipynb", cells(name, *task))
        paths.append((f"{number}.ipynb", name))
    found = {}
    for path, name in paths:
        locked, _, test = tasks[name]
        cli.notebook("master.ipynb", cells(name, locked, "raise NotImplementedError", test))
        cli.run("check", path, "--tests", "master.ipynb", "--csv", "out.csv")
        with (cli.folder / "out.csv").open(newline="") as file:
            (row,) = csv.DictReader(file)
        found[name] = row["status"], row["confirmed"], row["reason"]
    return found


def test_honest_solutions_are_confirmed(cli: CommandLine) -> None:
    found = confirmed(cli, HONEST)
    assert {name: row[:2] for name, row in found.items()} == dict.fromkeys(HONEST, ("passed", "yes")), (
        json.dumps(found)
    )


def test_only_a_master_locks_cells(cli: CommandLine) -> None:
    """Without one, the notebook's own cells run in no process that judges."""
    evil = "import os\nCASES = [os.getpid()]\ndef wanted(n): return n"
    cli.notebook("n.ipynb", cells("own", evil, SQUARE, "assert len(CASES) == 1 and square(wanted(2)) == 4"))
    done = cli.run("check", "n.ipynb", "--json")
    assert done.status == 0, done.stderr


def test_a_variable_of_an_earlier_test_may_have_been_changed(cli: CommandLine) -> None:
    first = cells("f", "first = 1", "def f(xs): xs.sort()", "a = [2, 1]; f(a)\nassert a == [1, 2]")
    more = cells("g", "second = 1", "def g(xs): xs.reverse()", "a = [2, 5]; g(a)\nassert a == [5, 2]")
    for path in ("n.ipynb", "master.ipynb"):
        cli.notebook(path, [*first, *more])
    cli.run("check", "n.ipynb", "--tests", "master.ipynb", "--csv", "out.csv")
    with (cli.folder / "out.csv").open(newline="") as file:
        assert [row["confirmed"] for row in csv.DictReader(file)] == ["yes", "yes"]
