"""Grading: points, hidden tests, masters, tables, and the page about it."""

from __future__ import annotations

import csv
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from command import ROOT, CommandLine, code


def solution(name: str, source: str) -> dict[str, Any]:
    return code(name, source, nbgrader={"grade_id": name, "solution": True, "grade": False, "locked": False})


def graded(name: str, source: str, points: float = 1) -> dict[str, Any]:
    nbgrader = {"grade_id": name, "solution": False, "grade": True, "locked": True, "points": points}
    return code(name, source, nbgrader=nbgrader)


def hidden(visible: str, secret: str) -> str:
    return f"{visible}\n### BEGIN HIDDEN TESTS\n{secret}\n### END HIDDEN TESTS"


SQUARE = solution("square", "def square(n): return n * n if n < 3 else 0")
TESTS = [
    graded("small", hidden("assert square(1) == 1", "assert square(2) == 4"), 2),
    graded("large", hidden("assert square(0) == 0", "assert square(98765) == 9754525225"), 3),
    graded("half", "assert square(1) == 1\nassert square(4) == 16", 4),
]


def points(done: Any, notebook: int = 0) -> dict[str, float]:
    """Score of each target of a notebook."""
    return {
        target["cellId"]: target["points"]["score"]
        for target in done.results["notebooks"][notebook]["targets"]
    }


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_each_test_cell_earns_its_own_points(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", [SQUARE, *TESTS])
    done = cli.run("check", "n.ipynb", "--csv", "out.csv", "--json")
    assert done.status == 1, done.stderr
    assert points(done) == {"square": 2}
    found = {
        row["test"]: (row["points"], row["max_points"], row["status"])
        for row in table(cli.folder / "out.csv")
    }
    assert found == {
        "small": ("2", "2", "passed"),
        "large": ("0", "3", "failed"),
        "half": ("0", "4", "failed"),
    }


def test_an_empty_test_cell_earns_nothing_and_says_why(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", [SQUARE, graded("empty", "# The tests of square were here.", 2)])
    done = cli.run("check", "n.ipynb", "--json")
    assert done.status == 1, done.stderr
    rows = {target["cellId"]: target for target in done.results["notebooks"][0]["targets"]}
    assert rows["empty"]["points"] == {"score": 0, "max": 2}
    assert "this test cell has no checks" in rows["empty"]["message"]


def test_tests_run_after_a_cell_that_raised_as_in_nbgrader(cli: CommandLine) -> None:
    cli.notebook(
        "n.ipynb", [solution("s", "def f(): return 1\nprint(f() / 0)"), graded("t", "assert f() == 1", 2)]
    )
    done = cli.run("check", "n.ipynb", "--json")
    assert done.status == 1, done.stderr
    assert points(done) == {"s": 2}
    assert done.results["notebooks"][0]["targets"][0]["reason"]["kind"] == "error"


@pytest.mark.parametrize(
    ("between", "first", "secret"),
    [
        ("", "import math\nassert f(1) == 2", "assert f(9) == math.floor(9.5)"),
        ("def good(n): return n", "assert f(1) == 2", "assert f(9) == good(9)"),
        ("", hidden("assert f(0) == 0", "def good(n): return n\nassert f(1) == 2"), "assert f(9) == good(9)"),
        ("", "good = abs\nf('a')\nassert f(1) == 2", "assert f(9) == good(9)"),
        ("", hidden("assert f(0) == 0", "good = abs\nf('a')\nassert f(1) == 2"), "assert f(9) == good(9)"),
    ],
    ids=["visible", "between", "hidden", "visible and raises", "hidden and raises"],
)
@pytest.mark.parametrize("body", ["n + 0", "n + 0 if n < 9 else 0"], ids=["right", "wrong"])
def test_what_an_earlier_test_set_up_is_there_for_a_later_one(
    cli: CommandLine, between: str, first: str, secret: str, body: str
) -> None:
    second = graded("b", hidden("assert f(0) == 0", secret))
    helper = [code("helper", between)] if between else []
    cli.notebook("n.ipynb", [solution("s", f"def f(n): return {body}"), *helper, graded("a", first), second])
    done = cli.run("check", "n.ipynb", "--json")
    tests = {test["gradeId"]: test for test in done.results["notebooks"][0]["targets"][0]["tests"]}
    assert tests["a"]["passed"] < tests["a"]["total"]
    assert (tests["b"]["passed"] == tests["b"]["total"]) == (body == "n + 0")


def test_hidden_tests_do_not_show_their_text(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", [SQUARE, TESTS[1]])
    files = ["--csv", "o.csv", "--junit", "o.xml"]
    done = cli.run("check", "n.ipynb", "--json", *files)
    written = "".join((cli.folder / name).read_text() for name in files[1::2])
    assert "98765" not in done.stdout + done.stderr + written
    assert "9754525225" not in done.stdout + done.stderr + written
    assert "a hidden test failed" in done.stdout


def test_tests_come_from_the_master(cli: CommandLine) -> None:
    cli.notebook("master.ipynb", [solution("square", "# YOUR CODE"), *TESTS])
    easy = graded("large", "assert True or square", 30)
    extra = graded("extra", "assert square(1) == 1", 100)
    own = {**SQUARE, "metadata": {**SQUARE["metadata"], "tags": ["refine-skip"]}}
    cli.notebook("edited.ipynb", [own, graded("small", "assert square(1) == 1", 2), easy, extra])
    done = cli.run("check", "edited.ipynb", "--tests", "master.ipynb", "--json")
    assert done.status == 1, done.stderr
    (row,) = done.results["notebooks"]
    notes = {note["gradeId"]: note["what"] for note in row["notes"]}
    # The visible part alone is what students get.
    assert notes == {"large": "edited", "half": "missing", "extra": "added"}
    assert "test large was edited" in done.stderr
    (target,) = row["targets"]
    assert [(test["gradeId"], test["maxPoints"]) for test in target["tests"]] == [
        ("small", 2),
        ("large", 3),
        ("half", 4),
    ]
    assert target["points"] == {"score": 2, "max": 9}


def test_a_master_without_grade_ids_is_refused(cli: CommandLine) -> None:
    cells = [code("f", "def f(n): return n"), code("t", "assert f(1) == 1")]
    cli.notebook("master.ipynb", cells)
    cli.notebook("n.ipynb", [*cells[:1], code("t", "assert True or f")])
    done = cli.run("check", "n.ipynb", "--tests", "master.ipynb")
    assert done.status == 2
    assert "master.ipynb has no nbgrader cells" in done.stderr
    assert not done.stdout


def test_no_attempt_reads_the_master(cli: CommandLine) -> None:
    found = "import pathlib\nfound = '98765' in pathlib.Path('master.ipynb').read_text()"
    cheat = f"{found}\ndef square(n): return n * n if found else 0"
    cli.notebook("master.ipynb", [solution("square", ""), TESTS[1]])
    cli.notebook("n.ipynb", [solution("square", cheat), TESTS[1]])
    done = cli.run("check", "n.ipynb", "--tests", "master.ipynb", "--json")
    assert done.status == 1, done.stderr
    assert done.results["notebooks"][0]["targets"][0]["reason"]["kind"] == "hidden-test"


def test_junit_has_a_case_for_every_target(cli: CommandLine) -> None:
    cells = [SQUARE, TESTS[2], solution("ok", "x = '<&\"'"), graded("g", "assert x")]
    cli.notebook("a.ipynb", cells)
    (cli.folder / "broken.ipynb").write_text("{")
    done = cli.run("check", "a.ipynb", "broken.ipynb", "--junit", "out.xml")
    assert done.status == 2, done.stderr
    suites = ElementTree.parse(cli.folder / "out.xml").getroot()
    assert [(s.get("name"), s.get("tests"), s.get("failures"), s.get("errors")) for s in suites] == [
        ("a.ipynb", "2", "1", "0"),
        ("broken.ipynb", "1", "0", "1"),
    ]
    failure = suites.find(".//failure")
    assert failure is not None
    assert failure.get("message") == "`assert square(4) == 16`: expected 16, observed 0"


def test_an_interruption_leaves_whole_files(cli: CommandLine) -> None:
    cli.notebook("a.ipynb", [solution("s", "x = 1"), graded("t", "assert x == 1")])
    slow = "import time\ntime.sleep(60)\nx = 1"
    cli.notebook("b.ipynb", [solution("s", slow), graded("t", "assert x == 1")])
    files = ["--csv", "out.csv", "--junit", "out.xml", "--events", "events.jsonl"]
    process = cli.start("check", "a.ipynb", "b.ipynb", *files, "--attempt-timeout", "90")
    cli.wait_for_event("session-end")
    cli.interrupt(process)
    assert table(cli.folder / "out.csv")[0]["status"] == "passed"
    assert "a.ipynb" in (cli.folder / "out.xml").read_text(encoding="utf-8")


def table_of(cli: CommandLine, cells: list[dict[str, Any]]) -> tuple[int, dict[str, dict[str, str]]]:
    """Exit status and rows by test, of a notebook with these cells and the tests of ``master.ipynb``."""
    cli.notebook("bob/n.ipynb", cells)
    done = cli.run("check", "bob/n.ipynb", "--tests", "master.ipynb", "--csv", "out.csv")
    return done.status, {row["test"]: row for row in table(cli.folder / "out.csv")}


WHOLE = hidden("assert square(1) == 1", "assert square(25) == 625")
#: It finds the hidden tests in a text, if they are there.
CHEAT = "def square(n): return n * n if n < 3 or '625' in text else 0"


def test_a_module_beside_the_notebook_is_the_students_code(cli: CommandLine) -> None:
    # The second has the name of a library that a hidden test imports.
    library = "import colorsys\nassert colorsys.rgb_to_hls(0, 0, 0) == (0, 0, square(0))"
    tests = [graded("t", WHOLE), graded("u", hidden("assert square(0) == 0", library))]
    cli.notebook("master.ipynb", [solution("square", ""), *tests])
    (cli.folder / "bob").mkdir()
    patch = """
import sys
def square(n): return n * n if n < 3 else 0
for name, module in list(sys.modules.items()):
    if name.endswith('.judge.judging'):
        async def checks(self, role):
            for cell in self._command['cells']:
                if cell['role'] == role:
                    for s in sys.modules['_jupyterlab_refine.checks.statements'].split(cell):
                        if s.checks:
                            yield dict(id=s.id, role=role, held=True, reason=None, unjudged=False)
        module.Judging.checks = checks
"""
    for name in ("mine", "colorsys"):
        (cli.folder / "bob" / f"{name}.py").write_text(patch)
    cells = [solution("square", "from mine import square"), *tests]
    status, found = table_of(cli, cells)
    assert (status, found["t"]["points"], found["t"]["kind"]) == (1, "0", "hidden-test")
    # Alone, with the library's own module.
    assert (found["u"]["points"], found["u"]["confirmed"]) == ("1", "yes")


def test_checks_import_modules_beside_the_master(cli: CommandLine) -> None:
    test = graded("t", hidden("assert square(1) == 1", "import helper\nassert helper.is_square(square, 5)"))
    cli.notebook("master.ipynb", [solution("square", ""), test])
    (cli.folder / "helper.py").write_text("def is_square(f, n): return f(n) == n * n")
    (cli.folder / "bob").mkdir()
    (cli.folder / "bob" / "helper.py").write_text("def is_square(f, n): return True")
    status, found = table_of(cli, [solution("square", "def square(n): return n"), test])
    assert (status, found["t"]["kind"]) == (1, "hidden-test")
    status, found = table_of(cli, [solution("square", "def square(n): return n * n"), test])
    assert (status, found["t"]["confirmed"]) == (0, "yes")


@pytest.mark.parametrize("tests", ["master.ipynb", None])
def test_the_text_of_hidden_tests_is_in_no_memory_of_an_attempt(cli: CommandLine, tests: str | None) -> None:
    scan = """
import re
text = ''
for line in open('/proc/self/maps'):
    place, access = line.split()[:2]
    if access.startswith('rw'):
        start, end = (int(part, 16) for part in place.split('-'))
        try:
            with open('/proc/self/mem', 'rb', 0) as memory:
                memory.seek(start)
                if re.search(rb'square[(]25[)] == 62[5]', memory.read(end - start)):
                    text = str(600 + 25)
        except (OSError, ValueError, OverflowError):
            pass
"""
    # Two cells with hidden tests: each runs again by itself, after both ran together.
    cells = [solution("square", scan + CHEAT), graded("t", WHOLE), graded("u", WHOLE)]
    cli.notebook("master.ipynb", cells)
    cli.notebook("n.ipynb", cells)
    done = cli.run("check", "n.ipynb", "--json", *(["--tests", tests] if tests else []))
    assert done.status == 1, done.stderr
    assert points(done) == {"square": 0}


def test_no_attempt_reads_the_results_of_others(cli: CommandLine) -> None:
    read = "import pathlib\ntext = ''.join(f.read_text() for f in pathlib.Path('.').glob('out.*'))\n"
    shown = "assert square(1) == 1\nassert square(25) == 625"
    cli.notebook("a.ipynb", [solution("square", "def square(n): return n"), graded("t", shown)])
    cli.notebook("b.ipynb", [solution("square", read + CHEAT), graded("t", WHOLE)])
    files = ["--csv", "out.csv", "--junit", "out.xml", "--events", "out.events"]
    # The second time, the files of the first are there.
    for _ in range(2):
        done = cli.run("check", "a.ipynb", "b.ipynb", "--json", *files)
        assert "625" in (cli.folder / "out.csv").read_text()
        assert points(done, 1) == {"square": 0}


def test_points_that_nothing_confirms_are_labelled(cli: CommandLine) -> None:
    equal = "class Any:\n  def __eq__(self, other): return True\ndef square(n): return Any()"
    cli.notebook("master.ipynb", [solution("square", ""), graded("t", WHOLE)])
    status, found = table_of(cli, [solution("square", equal), graded("t", WHOLE)])
    row = found["t"]
    assert (status, row["points"], row["confirmed"]) == (0, "1", "no")
    assert row["reason"].startswith("not confirmed: `Any.__eq__`")


def changed(cell: dict[str, Any], **fields: Any) -> dict[str, Any]:
    metadata = {**cell["metadata"], **fields.pop("metadata", {})}
    return {**cell, "metadata": metadata, **fields}


LAST = [solution("words", "def words(t): return t.split()"), graded("w", "assert words('a b') == ['a', 'b']")]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([changed(SQUARE, cell_type="markdown"), TESTS[1]], "hidden-test"),
        ([changed(SQUARE, metadata={"editable": False}), TESTS[1]], "hidden-test"),
        ([TESTS[1], SQUARE], "not-checked"),
        ([TESTS[1]], "not-checked"),
        ([changed(SQUARE, source="%%refine\nx"), TESTS[1]], "not-checked"),
    ],
    ids=["text", "locked", "below", "deleted", "magic"],
)
def test_no_test_of_the_master_is_left_out(cli: CommandLine, cells: list[dict[str, Any]], kind: str) -> None:
    cli.notebook("master.ipynb", [SQUARE, TESTS[1], *LAST])
    status, found = table_of(cli, [*cells, *LAST])
    assert (status, found["large"]["points"], found["large"]["max_points"]) == (1, "0", "3")
    assert found["large"]["kind"] == kind
    assert found["w"]["points"] == "1"


def test_the_kernel_is_the_masters(cli: CommandLine) -> None:
    cli.notebook("master.ipynb", [SQUARE, TESTS[2]])
    mine = {"name": "no-such-kernel", "display_name": "x", "language": "python"}
    cli.notebook("n.ipynb", [SQUARE, TESTS[2]], kernelspec=mine, language_info={"name": "r"})
    done = cli.run("check", "n.ipynb", "--tests", "master.ipynb", "--json")
    assert done.status == 1, done.stderr
    assert done.results["notebooks"][0]["targets"][0]["reason"]["kind"] == "wrong-value"


def test_a_link_to_the_master_is_no_solution(cli: CommandLine) -> None:
    cli.notebook("master.ipynb", [SQUARE, TESTS[2]])
    (cli.folder / "n.ipynb").symlink_to("master.ipynb")
    done = cli.run("check", "n.ipynb", "--tests", "master.ipynb")
    assert (done.status, "is a link to master.ipynb" in done.stderr) == (2, True)


def test_the_id_of_a_cell_forges_no_row(cli: CommandLine) -> None:
    name = "s]: 1 of 1\npassed  n.ipynb cell 0 [s"
    cli.notebook("n.ipynb", [changed(SQUARE, id=name), TESTS[2]])
    done = cli.run("check", "n.ipynb")
    (line,) = done.stdout.splitlines()
    assert line.startswith("failed  n.ipynb cell 0 [cell-0]:")


PAGE = (ROOT / "docs" / "grading.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^```bash\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
TEXTS = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)

WORDS = "def words(text): return len(text.split({}))"


def assignment(square: str, words: str, tests: bool = True) -> list[dict[str, Any]]:
    secret = hidden("assert square(1) == 1", "assert square(-3) == 9") if tests else "assert square(1) == 1"
    set_up = {**graded("set-up", "import math", 0)}
    set_up["metadata"] = {
        "nbgrader": {"grade_id": "set-up", "locked": True, "grade": False, "solution": False}
    }
    return [
        set_up,
        solution("square", square),
        graded("square-test", secret, 2),
        solution("words", words),
        graded("words-test", "assert words('a') == 1\nassert words('a b') == 2", 4),
    ]


@pytest.fixture
def course(cli: CommandLine, tmp_path: Path) -> CommandLine:
    """The folder of the page, with `jupyter` on the path."""
    right, wrong = "def square(n): return n * n", "def square(n): return n * abs(n)"
    cli.notebook("source/ps1.ipynb", assignment("# YOUR CODE", "# YOUR CODE"))
    cli.notebook("submitted/ada/ps1.ipynb", assignment(right, WORDS.format(""), tests=False))
    cli.notebook(
        "submitted/bob/ps1.ipynb", assignment(wrong, "def words(text): return len(text)", tests=False)
    )
    cli.install(tmp_path / "bin")
    return cli


def test_the_first_command_prints_what_the_page_shows(course: CommandLine) -> None:
    done = course.shell(COMMANDS[0])
    assert done.status == 1, done.stderr
    assert done.stdout == TEXTS[1]


def test_the_table_has_the_columns_of_the_page(course: CommandLine) -> None:
    done = course.shell(COMMANDS[1])
    assert done.status == 1, done.stderr
    with (course.folder / "grades.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    sentence = PAGE.split("has a row for each test cell:")[1].split("`grades.xml`")[0]
    assert list(rows[0]) == re.findall(r"`(\w+)`", sentence)
    assert [float(row["points"]) for row in rows] == [2, 4, 0, 0]
    assert (course.folder / "grades.xml").exists()


def test_every_kind_of_reason_is_on_the_page() -> None:
    source = (ROOT / "src" / "headless" / "report" / "reasons.ts").read_text()
    union = source.split("export type ReasonKind =")[1].split(";")[0]
    kinds = re.findall(r"'([\w-]+)'", union)
    assert len(kinds) > 10
    table = PAGE.split("| kind ")[1].split("\n\n")[0]
    assert set(re.findall(r"`([\w-]+)`", table)) >= set(kinds)
