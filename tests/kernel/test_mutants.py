"""The mutation run itself: which guards are taken out and how, which tests reach them, what is reported."""

from __future__ import annotations

import ast
import json
import time
from pathlib import Path

import mutate
import mutation_hits
import mutation_jobs
import mutation_plugin
import mutation_switches
import pytest
from mutants import Mutant, mutants

SOURCE = '''
"""Docstring."""
_LIMIT = 5 << 20
_NAMES = ("a", "b")


def guard(value: int | None = None) -> bool:
    """Docstring."""
    if value is None or value < 0:
        raise ValueError("message")
    try:
        os.close(value)
    except OSError:
        print("closed")
    found = [name for name in _NAMES if name]
    while found and value:
        found.pop()
    sys.tracer = None
    if found:
        return False
    return value == 3
'''


def changed(source: str, module: str = "module") -> set[tuple[str, str]]:
    """Operator, and the line that is different."""
    found = set()
    for mutant in mutants(module, source):
        after = mutant.apply(source)
        compile(after, "mutant", "exec")
        lines = zip(source.splitlines(), after.splitlines(), strict=True)
        (line,) = [new.strip() for old, new in lines if new != old]
        found.add((mutant.operator, line))
    return found


def test_each_guard_is_taken_out() -> None:
    assert changed(SOURCE) == {
        ("limit gone", "_LIMIT = ((5 << 20) * 1000)"),
        ("without 'a'", "_NAMES = ('b',)"),
        ("without 'b'", "_NAMES = ('a',)"),
        ("if False", "if False:"),
        ("operand out", "if False or value < 0:"),
        ("operand out", "if value is None or False:"),
        ("statement out", "pass"),
        ("except out", "raise"),
        ("filter out", "found = [name for name in _NAMES if True]"),
        ("while False", "while False:"),
        ("operand out", "while True and value:"),
        ("operand out", "while found and True:"),
        ("return False", "return False"),
        ("return True", "return True"),
    }


def test_what_says_something_only_is_left_alone() -> None:
    assert (
        changed('def f(a: int = 1) -> str:\n    """Docstring."""\n    return f"a message of {a}"\n') == set()
    )


def test_numbers_of_the_system_are_not_limits() -> None:
    assert changed("_CALL = 7\n", "seccomp") == {("number zero", "_CALL = 0")}


def test_a_guard_keeps_its_key_when_the_code_around_it_changes() -> None:
    longer = SOURCE.replace("    found = [", "    other = 1\n    found = [")
    before, after = mutants("module", SOURCE), mutants("module", longer)
    assert [mutant.key for mutant in before] == [mutant.key for mutant in after]
    assert len({mutant.key for mutant in before}) == len(before)
    inside = [(old.context, new.context) for old, new in zip(before, after, strict=True) if old.within]
    assert all(old != new for old, new in inside)


def test_a_sample_stays_the_same_while_other_code_changes() -> None:
    longer = "def other(value: int) -> None:\n    if value:\n        stop()\n\n\n" + SOURCE

    def drawn(source: str) -> list[str]:
        found = mutants("module", source)
        return [m.key for m in sorted(found, key=lambda mutant: mutate._drawn(mutant, 0))]

    before = drawn(SOURCE)
    after = drawn(longer)
    assert len(after) > len(before)
    assert [key for key in after if key in before] == before
    assert before != [mutant.key for mutant in mutants("module", SOURCE)]


def test_mutants_of_the_kernel_part_can_be_compiled() -> None:
    folder = Path(mutate.CHECKOUT, mutate.KERNEL)
    sources = {path.stem: path.read_text() for path in folder.glob("*.py")}
    found = [mutant for name, source in sources.items() for mutant in mutants(name, source)]
    assert len(found) > 1000
    # All of them take too long.
    for mutant in found[::10]:
        compile(mutant.apply(sources[mutant.module]), mutant.module, "exec")


class Resolved(ast.NodeTransformer):
    """What is left of a switched module when one switch is on."""

    def __init__(self, number: int) -> None:
        self.number = number

    def is_on(self, test: ast.expr) -> bool | None:
        if isinstance(test, ast.UnaryOp):
            value = self.is_on(test.operand)
            return None if value is None else not value
        if isinstance(test, ast.Subscript) and ast.unparse(test.value) == "_switches":
            return ast.literal_eval(test.slice) == self.number
        return None

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        is_on = self.is_on(node.test)
        return node if is_on is None else node.body if is_on else node.orelse

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        is_on = self.is_on(node.test)
        is_out = isinstance(node.test, ast.UnaryOp)
        return node if is_on is None else node.body if is_on else [ast.Pass()] if is_out else []

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        if self.is_on(getattr(node.body[0], "test", ast.Constant(0))):
            node.body = [ast.Raise()]
        self.generic_visit(node)
        return node


def plain(tree: ast.AST) -> str:
    return ast.dump(ast.parse(ast.unparse(ast.fix_missing_locations(tree))))


@pytest.mark.parametrize("module", ["module", "limits", "seccomp", "_loader"])
def test_a_switch_does_what_the_mutant_would(module: str) -> None:
    path = Path(mutate.CHECKOUT, mutate.KERNEL, f"{module}.py")
    source = path.read_text() if path.exists() else SOURCE
    found = mutants(module, source)
    text = mutation_switches.switched(source, {mutant: number for number, mutant in enumerate(found)})
    off = ast.parse(text)
    prelude = len(ast.parse(mutation_switches._PRELUDE).body)
    at = 1 if ast.get_docstring(off) else 0
    at += any(getattr(node, "module", "") == "__future__" for node in off.body)
    for number, mutant in enumerate(found):
        tree = ast.parse(text)
        del tree.body[at : at + prelude]
        assert plain(Resolved(number).visit(tree)) == plain(ast.parse(mutant.apply(source))), mutant
    del off.body[at : at + prelude]
    assert plain(Resolved(-1).visit(off)) == plain(ast.parse(source))


def test_a_place_that_is_not_found_is_told() -> None:
    (mutant, *_) = mutants("module", SOURCE)
    with pytest.raises(ValueError, match=r"module\.py:3 limit gone"):
        mutation_switches.switched("pass", {mutant: 0})


_GUARDED = """
LIMIT = 20


def is_short(text):
    return len(text) < LIMIT


def shout(text):
    if not text:
        raise ValueError("nothing to shout")
    return text.upper()


def hang(text):
    while text.endswith("!"):
        text = text[:-1]
    return text
"""
_TESTS = """
import time
import pytest
from jupyterlab_refine.kernel import guarded

state = {"kernels": 0}


@pytest.fixture(scope="module")
def kernel():
    state["kernels"] += 1
    yield state["kernels"]


def test_length():
    assert guarded.is_short("a") and not guarded.is_short("a" * 30)

def test_empty(kernel):
    with pytest.raises(ValueError):
        guarded.shout("")

def test_kernel(kernel):
    assert kernel == 1

def test_slow():
    assert guarded.hang("a!") == "a" or time.sleep(60)
"""


def test_pytest_goes_on_serving_tests(tmp_path: Path) -> None:
    """With mutants on and off, constants among them; a kernel is used again until a test fails."""
    tree = tmp_path / "tree"
    kernel, tests = tree / mutate.KERNEL, tree / mutation_jobs.TESTS
    kernel.mkdir(parents=True)
    tests.mkdir(parents=True)
    (tree / "pyproject.toml").write_text(
        "[tool.pytest.ini_options]\nasyncio_mode = 'auto'\npythonpath = ['.']\n"
    )
    for path in (kernel.parent, kernel):
        (path / "__init__.py").write_text("")
    (kernel / "pack.py").write_text("")
    (kernel / "guarded.py").write_text(_GUARDED)
    (tests / "test_it.py").write_text(_TESTS)
    found = mutants("guarded", _GUARDED)
    limit, guard, loop = (
        next(m for m in found if m.operator == name) for name in ("limit gone", "if False", "while False")
    )
    names = [f"tests/kernel/test_it.py::test_{name}" for name in ("length", "empty", "kernel", "slow")]
    job = mutation_jobs.Job(tree, tmp_path / "job", found)

    def ended(on: list[Mutant], wanted: list[str], fresh: bool = False) -> tuple[str, str]:
        run = job.run(on, wanted, [3.0 for _ in wanted], fresh)
        return run.ended, run.test.partition("test_it.py::test_")[2]

    try:
        assert ended([], names) == ("passed", "")
        assert ended([limit], names) == ("failed", "length")
        assert ended([], names) == ("failed", "kernel")
        assert ended([guard], names[1:]) == ("failed", "empty")
        assert ended([], names[:2]) == ("passed", "")
        assert ended([loop], names[3:]) == ("failed", "slow")
        assert ended([loop], names[:2]) == ("passed", "")
    finally:
        job.close()
    end = time.monotonic() + 10
    while mutation_plugin.kill_marked(str(tmp_path / "job"), set()):
        assert time.monotonic() < end


def test_readers_of_a_constant_judge_it() -> None:
    sources = {
        "one": "LIMIT = 20\n_TWICE = (LIMIT * 2, 1)\n\n\ndef f(a):\n    return a < LIMIT\n\n\n"
        "def g(a):\n    return a in _TWICE\n\n\ndef h(a):\n    return a\n",
        "two": "from .one import LIMIT\n\n\ndef k(a):\n    return a > LIMIT\n",
    }
    blocks = mutation_hits.Blocks()
    for name, source in sources.items():
        blocks.instrument(name, source)
    reached = {
        blocks.around(module, line): [test]
        for module, line, test in (("one", 6, "f"), ("one", 10, "g"), ("one", 14, "h"), ("two", 5, "k"))
    }
    seen = mutate.Map(blocks, dict.fromkeys("fghk", 0.1), reached, sources, frozenset())  # type: ignore[arg-type]
    found = [mutant for mutant in mutants("one", sources["one"]) if not mutant.within]
    assert [seen.tests(mutant) for mutant in found] == [["f", "g", "k"], ["g"], ["g"]]


def test_blocks_that_run_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = 'def f(a):\n    """Docstring."""\n    if a:\n        return "\u00e9"\n    return 2\n'
    hits = tmp_path / "hits"
    hits.write_bytes(bytes(4096))
    monkeypatch.setenv("REFINE_MUTATION_HITS", str(hits))
    blocks = mutation_hits.Blocks()
    text = blocks.instrument("module", source)
    assert text.isascii()
    names: dict[str, object] = {}
    exec(text, names)
    assert names["f"](0) == 2  # type: ignore[operator]
    seen = [number for number, byte in enumerate(hits.read_bytes()) if byte]
    assert seen == [blocks.around("module", 5)]
    assert blocks.around("module", 3) == blocks.around("module", 5) != blocks.around("module", 4)
    assert blocks.around("module", 1) is None
    assert names["f"](1) == "\u00e9"  # type: ignore[operator]
    assert hits.read_bytes()[blocks.around("module", 4) or 0]


def test_a_survivor_is_open_until_somebody_gave_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = mutate.Journal(tmp_path / "journal.jsonl")
    chosen = mutants("module", SOURCE)[:4]
    for mutant, result in zip(chosen, ("killed", "survived", "survived", "unreached"), strict=True):
        journal.write(mutant, result, "tests/test_x.py::test_y")

    def looked_at(mutant: Mutant) -> str:
        return "Nothing reads it." if mutant.key == chosen[1].key else ""

    monkeypatch.setattr(mutate, "accepted", lambda: looked_at)
    again = mutate.Journal(tmp_path / "journal.jsonl")
    text, is_open = mutate.report(chosen, again, {"module": SOURCE})
    assert is_open == 2
    assert "| module | 1 |  | 1 | 1 | 1 |  |" in text
    assert "Nothing reads it." in text
    assert "+_NAMES = ('a',)" in text
    assert again.of(chosen[0]._replace(context="other")) is None


def test_a_reason_for_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = {"module": "module", "within": "gone", "reason": "It is not there any more."}
    (tmp_path / "mutants_accepted.json").write_text(json.dumps([entry]))
    monkeypatch.setattr(mutate, "ACCEPTED", tmp_path / "mutants_accepted.json")
    chosen = mutants("module", SOURCE)
    assert mutate.stale(chosen) == [entry]
    assert mutate.stale(mutants("other", SOURCE)) == []
    entry["within"] = "guard"
    (tmp_path / "mutants_accepted.json").write_text(json.dumps([entry]))
    assert mutate.stale(chosen) == []
    assert mutate.accepted()(chosen[-1]) == "It is not there any more."
