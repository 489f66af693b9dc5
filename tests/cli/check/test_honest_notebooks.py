"""``jupyter refine check`` on notebooks as courses have them: the verdict is that of running all cells."""

from __future__ import annotations

import csv
from typing import Any

import pytest
from command import CommandLine, Finished, code
from test_grading import graded, solution
from test_warm import rows

DOUBLE = "def f(x): return x * 2"
TRIPLE = "def f(x): return x * 3"

CHECKS = {
    "time": "%%time\nassert f(2) == 4\nassert f(0) == 0",
    "capture": "%%capture out\nassert f(2) == 4",
    "raise": "if f(2) != 4:\n    raise AssertionError('f(2) should be 4')",
    "else": "try:\n    f(2)\nexcept TypeError:\n    pass\nelse:\n    if f(3) != 6: raise AssertionError",
    "helper": "def check(ok):\n    if not ok:\n        raise AssertionError('wrong')\ncheck(f(2) == 4)",
    "remark": "for x, want in [(1, 2), (2, 4)]:\n    assert f(x) == want\nprint('all passed')",
    "plot": "ax = [f(2)]\nimport matplotlib.pyplot as plt\nplt.show()\nassert ax == [4]\nplt.show()",
    "printed": "import io, contextlib\nwith contextlib.redirect_stdout(io.StringIO()) as out:\n"
    "    print(f(2))\nassert out.getvalue() == '4\\n'",
}


@pytest.fixture(scope="module")
def checked(shared_cli: CommandLine) -> Finished:
    """A right and a wrong notebook for each of the checks, in one command."""
    names = []
    for name, check in CHECKS.items():
        for kind, source in (("right", DOUBLE), ("wrong", TRIPLE)):
            names.append(f"{name}-{kind}.ipynb")
            shared_cli.notebook(names[-1], [code("f", source), code("check", check)])
    return shared_cli.run("check", *names, "--json", "--workers", "2")


@pytest.mark.full
@pytest.mark.parametrize("name", CHECKS)
def test_checks_as_courses_write_them_count(checked: Finished, name: str) -> None:
    place = 2 * list(CHECKS).index(name)
    right, wrong = rows(checked, place)["f"], rows(checked, place + 1)["f"]
    assert right["passed"], right["reason"]
    assert right["confirmed"]["n"] == right["confirmed"]["of"] >= 1, right["confirmed"]
    assert wrong["reason"]["kind"] == "wrong-value"


def test_a_module_of_tests_that_a_cell_above_imports(cli: CommandLine) -> None:
    (cli.folder / "unit_tests.py").write_text("def test_f(f):\n    assert f(2) == 4\n")
    for name, source in (("right", DOUBLE), ("wrong", TRIPLE)):
        cells = [code("i", "import unit_tests\nprint('ready')"), code("f", source)]
        cli.notebook(f"{name}.ipynb", [*cells, code("check", "unit_tests.test_f(f)")])
    done = cli.run("check", "right.ipynb", "wrong.ipynb", "--json")
    assert rows(done, 0)["f"]["confirmed"] == {"n": 1, "of": 1, "reasons": []}
    assert rows(done, 1)["f"]["reason"]["kind"] == "wrong-value"
    assert "assert f(2) == 4 (unit_tests.py, line 2)" in done.stderr


def test_a_file_of_tests_that_a_cell_writes_counts_once(cli: CommandLine) -> None:
    tests = "assert f(2) == 4\n"
    # As it stands there after the notebook has run.
    (cli.folder / "test_f.py").write_text(tests)
    cells = [
        code("f", DOUBLE),
        code("w", f"%%writefile test_f.py\n{tests}"),
        code("check", "%run -i test_f.py"),
    ]
    cli.notebook("n.ipynb", cells)
    done = cli.run("check", "n.ipynb", "--json")
    assert rows(done, 0)["f"]["confirmed"] == {"n": 1, "of": 1, "reasons": []}
    assert "  ✓ %run -i test_f.py" in done.stderr


@pytest.mark.parametrize(
    ("check", "counts"),
    [
        ("assert f(2) == 4", 1),
        ("assert f(2) == len(open('log.txt').read())", 0),
        ("import helper\nassert f(2) == helper.size()", 0),
    ],
)
def test_a_file_that_a_cell_above_changes_matters_to_checks_that_read(
    cli: CommandLine, check: str, counts: int
) -> None:
    # As it stands there after the notebook has run.
    (cli.folder / "log.txt").write_text("ran ")
    (cli.folder / "helper.py").write_text("def size(): return len(open('log.txt').read())")
    cells = [code("w", "open('log.txt', 'w').write('anew')"), code("f", DOUBLE), code("check", check)]
    cli.notebook("n.ipynb", cells)
    done = cli.run("check", "n.ipynb", "--json")
    found = rows(done, 0)["f"]
    assert (found["status"], found["confirmed"]["n"]) == ("passed", counts), found


GRADED = {
    "any-error": "if f(2) != 4:\n    raise ValueError('f(2) should be 4')",
    "by-name": "import course_tests\ncourse_tests.check_q1(f)",
}


@pytest.mark.parametrize("check", GRADED.values(), ids=GRADED)
def test_graded_cell_counts_by_what_it_raises(cli: CommandLine, check: str) -> None:
    (cli.folder / "course_tests.py").write_text("def check_q1(f):\n    if f(2) != 4: raise Exception('no')\n")
    cli.notebook("right.ipynb", [solution("f", DOUBLE), graded("check", check, 3)])
    cli.notebook("wrong.ipynb", [solution("f", TRIPLE), graded("check", check, 3)])
    done = cli.run("check", "right.ipynb", "wrong.ipynb", "--json")
    assert [rows(done, n)["f"]["points"]["score"] for n in (0, 1)] == [3, 0], done.stderr


STATES = {
    "context variables": (
        "import numpy as np, decimal\nnp.set_printoptions(precision=2)\ndecimal.getcontext().prec = 4",
        "text = str(np.array([1.23456])), str(decimal.Decimal(1) / 3)",
        "assert text == ('[1.23]', '0.3333')",
    ),
    "last value": ("5 + 5", "ten = _", "assert ten == 10"),
    "warnings": (
        "import warnings\nwarnings.simplefilter('error')",
        "def f():\n    warnings.warn('old', DeprecationWarning)",
        "import pytest\nwith pytest.raises(DeprecationWarning):\n    f()",
    ),
}


@pytest.mark.parametrize(
    "cells",
    [
        STATES["context variables"],
        *(pytest.param(STATES[name], marks=pytest.mark.full) for name in [*STATES][1:]),
    ],
    ids=STATES,
)
def test_state_of_cells_above_lasts(cli: CommandLine, cells: tuple[str, str, str]) -> None:
    above, target, check = cells
    cli.notebook("n.ipynb", [code("above", above), code("t", target), code("check", check)])
    done = cli.run("check", "n.ipynb", "--json", "--strict")
    assert done.status == 0, rows(done)


def test_scratch_cell_that_raises_fails_no_target(cli: CommandLine) -> None:
    scratch = code("scratch", "xs = [1]\nxs[10]")
    cli.notebook("n.ipynb", [scratch, code("good", "y = xs[0]"), code("c1", "assert y == 1")])
    done = cli.run("check", "n.ipynb", "--json")
    assert done.status == 0, done.stderr
    assert "cell 0 [scratch]: IndexError" in done.stderr


LOCKED = {"grade_id": "l", "solution": False, "grade": False, "locked": True}
HELPER = code("helper", "def same(a, b):\n    assert a == b", nbgrader=LOCKED)
TEST = "same(f(2), 4)\nassert f(3) == 6"
#: Cells of a notebook after its first; the one with the id `f` is the target.
ROWS = {
    "locked helper": [solution("f", "{f}"), HELPER, graded("check", TEST)],
    "locked helper without grades": [code("f", "{f}"), HELPER, code("check", TEST)],
    "empty cell of a student": [
        solution("f", "{f}"),
        code("mine", "# mine"),
        graded("check", "assert f(2) == 4"),
    ],
    "read-only": [code("f", "{f}", editable=False), code("check", "assert f(2) == 4")],
    "read-only solution": [
        {**solution("f", "{f}"), "metadata": {**solution("f", "")["metadata"], "editable": False}},
        graded("check", "assert f(2) == 4"),
    ],
    "read-only checks": [code("f", "{f}"), code("check", "assert f(2) == 4", editable=False)],
    "other calls": [
        code("f", "import functools, os\n@functools.cache\n{f}"),
        code("check", "f.cache_clear()\nassert f(2) == 4"),
        code("more", "open('p', 'w').write('s')\nos.makedirs('d')\nassert f(3) == 6"),
    ],
    "text with values at the end": [
        code("f", "{f}"),
        code("check", "assert f(2) == 4\nprint(f'{f(2)} is right')"),
    ],
}


@pytest.mark.full
def test_cells_around_a_solution_leave_it_its_row(cli: CommandLine) -> None:
    names = []
    for name, cells in ROWS.items():
        for kind, source in (("right", DOUBLE), ("wrong", TRIPLE)):
            names.append(f"{name}-{kind}.ipynb".replace(" ", "-"))
            made = [{**cell, "source": cell["source"].replace("{f}", source)} for cell in cells]
            cli.notebook(names[-1], [code("first", "import math"), *made])
    done = cli.run("check", *names, "--json", "--workers", "2")
    for place, name in enumerate(ROWS):
        right, wrong = rows(done, 2 * place), rows(done, 2 * place + 1)
        assert list(right) == list(wrong) == ["f"], name
        assert (right["f"]["passed"], wrong["f"]["passed"]) == (True, False), name
        assert right["f"]["confirmed"]["n"] == right["f"]["confirmed"]["of"], name
        assert "helper" not in [test["cellId"] for test in right["f"]["tests"]], name


def test_checks_that_do_not_count_are_named(cli: CommandLine) -> None:
    work = code("work", "x = f(2)\nassert x == 4\nx.bit_length()")
    cli.notebook("n.ipynb", [code("f", DOUBLE), work])
    cli.notebook("m.ipynb", [code("f", DOUBLE), code("c", "assert f(2) == 4"), code("g", ""), work, work])
    done = cli.run("check", "n.ipynb", "m.ipynb")
    assert done.status == 2, done.stderr
    for label in ("n.ipynb cell 1 [work]", "m.ipynb cell 3 [work]"):
        assert f"{label} has checks among other code, which do not count" in done.stderr


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


def task(name: str, locked: str, source: str, test: str) -> list[dict[str, Any]]:
    """A locked cell, a solution and its test."""
    return [
        code(f"{name}-locked", locked, nbgrader={**LOCKED, "grade_id": f"{name}-locked"}),
        solution(name, source),
        graded(f"{name}-test", test),
    ]


def confirmed(cli: CommandLine) -> list[tuple[str, str]]:
    """Status and column `confirmed` of each row of `n.ipynb`, with the tests of `master.ipynb`."""
    cli.run("check", "n.ipynb", "--tests", "master.ipynb", "--csv", "out.csv")
    with (cli.folder / "out.csv").open(newline="") as file:
        return [(row["status"], row["confirmed"]) for row in csv.DictReader(file)]


@pytest.mark.parametrize("name", HONEST)
def test_honest_solutions_are_confirmed(cli: CommandLine, name: str) -> None:
    locked, source, test = HONEST[name]
    cli.notebook("n.ipynb", task("f", locked, source, test))
    cli.notebook("master.ipynb", task("f", locked, "raise NotImplementedError", test))
    assert confirmed(cli) == [("passed", "yes")]


def test_only_a_master_locks_cells(cli: CommandLine) -> None:
    """Without one, the notebook's own cells run in no process that judges."""
    evil = "import os\nCASES = [os.getpid()]\ndef wanted(n): return n"
    cli.notebook("n.ipynb", task("own", evil, SQUARE, "assert len(CASES) == 1 and square(wanted(2)) == 4"))
    done = cli.run("check", "n.ipynb", "--json")
    assert done.status == 0, done.stderr


def test_a_variable_of_an_earlier_test_may_have_been_changed(cli: CommandLine) -> None:
    first = task("f", "first = 1", "def f(xs): xs.sort()", "a = [2, 1]; f(a)\nassert a == [1, 2]")
    more = task("g", "second = 1", "def g(xs): xs.reverse()", "a = [2, 5]; g(a)\nassert a == [5, 2]")
    for path in ("n.ipynb", "master.ipynb"):
        cli.notebook(path, [*first, *more])
    assert confirmed(cli) == [("passed", "yes")] * 2
