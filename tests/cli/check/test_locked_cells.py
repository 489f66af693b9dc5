"""What the master's locked cells define: solutions that replace it are labelled, honest ones are not."""

from __future__ import annotations

import csv
import json
from typing import Any

from command import CommandLine, code

DATA = "import pandas as pd\nframe = pd.DataFrame({'a': [1, 2]})"
FUNCTIONS = "def wanted(n): return n * n\ndef all_right(): return all(square(n) == wanted(n) for n in CASES)"
SQUARE = "def square(n): return n * n"
WRONG = "def square(n): return 0"
#: Name: (locked cell, solution, test); the solution replaces what the locked cell defines.
REPLACED: dict[str, tuple[str, str, str]] = {
    "a table": (
        "CASES = [(2, 4), (3, 9)]",
        f"CASES = [(0, 0)]\n{WRONG}",
        "for n, want in CASES: assert square(n) == want",
    ),
    "a table, in place": (
        "CASES = [(2, 4), (3, 9)]",
        f"CASES[:] = [(0, 0)]\n{WRONG}",
        "for n, want in CASES: assert square(n) == want",
    ),
    "a table, when it is called": (
        "CASES = [(0, 0), (3, 9)]",
        "def square(n):\n    CASES.clear()\n    return 0",
        "for n, want in CASES: assert square(n) == want",
    ),
    "a table that is made in steps": (
        "CASES = []\nfor n in range(2, 4): CASES.append((n, n * n))",
        f"CASES = [(0, 0)]\n{WRONG}",
        "for n, want in CASES: assert square(n) == want",
    ),
    "a number": ("LIMIT = 0.1", f"LIMIT = 1e9\n{WRONG}", "assert abs(square(3) - 9) < LIMIT"),
    "a function": (FUNCTIONS, f"def wanted(n): return 0\n{WRONG}", "assert square(3) == wanted(3)"),
    "a function that others call": (
        f"CASES = [2, 3]\n{FUNCTIONS}",
        f"def wanted(n): return 0\n{WRONG}",
        "assert all_right()",
    ),
    "code of a function": (
        FUNCTIONS,
        f"wanted.__code__ = (lambda n: 0).__code__\n{WRONG}",
        "assert square(3) == wanted(3)",
    ),
    "a frame": (
        DATA,
        "frame['a'] = 0\ndef total(): return 0",
        "assert total() == frame.a.sum()",
    ),
}  # fmt: skip
#: The same with honest solutions.
HONEST: dict[str, tuple[str, str, str]] = {
    "a table": (
        "CASES = [(2, 4), (3, 9)]",
        SQUARE,
        "for n, want in CASES: assert square(n) == want",
    ),
    "a table that is made in steps": (
        "CASES = []\nfor n in range(2, 4): CASES.append((n, n * n))\nprint(len(CASES))",
        SQUARE,
        "for n, want in CASES: assert square(n) == want",
    ),
    "functions": (f"CASES = [2, 3]\n{FUNCTIONS}", SQUARE, "assert all_right() and square(3) == wanted(3)"),
    "a function as an argument": (
        "def cube(x): return x ** 3",
        "def total(f): return sum(f(i) for i in range(2000))",
        "assert total(cube) == sum(cube(i) for i in range(2000))",
    ),
    "a class": (
        "class Node:\n    def __init__(self, v, after=None): self.v, self.after = v, after\n"
        "def listed(n): return [] if n is None else [n.v] + listed(n.after)",
        "def pushed(n, v): return Node(v, n)",
        "assert listed(pushed(pushed(None, 1), 2)) == [2, 1]\nassert isinstance(pushed(None, 1), Node)",
    ),
    "a frame": (DATA, "def total(): return int(frame.a.sum())", "assert total() == frame.a.sum() == 3"),
    "a frame with more columns": (DATA, "more = frame.assign(b=2)", "assert more.b.tolist() == [2, 2]"),
    "random numbers": (
        "import random\nNUMBERS = [random.random() for _ in range(5)]",
        "def largest(xs): return sorted(xs)[-1]",
        "assert largest(NUMBERS) == max(NUMBERS)",
    ),
    "what calls the solution": (
        "def shown(): return square(2)\nCASES = [2]",
        SQUARE,
        "assert shown() == 4 and square(CASES[0]) == 4",
    ),
    "a placeholder": ("answer = None", "answer = 42", "assert answer == 42"),
    "modules": (
        "import math as m\nfrom fractions import Fraction",
        SQUARE,
        "assert m.sqrt(square(3)) == Fraction(3)",
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


def test_what_is_replaced_is_labelled(cli: CommandLine) -> None:
    found = confirmed(cli, REPLACED)
    assert {name: row[:2] for name, row in found.items()} == dict.fromkeys(REPLACED, ("passed", "no")), (
        json.dumps(found)
    )
    other = found.pop("a table, when it is called")
    assert "is False" in other[2]
    assert all("which was defined before, was changed" in row[2] for row in found.values()), json.dumps(found)


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
