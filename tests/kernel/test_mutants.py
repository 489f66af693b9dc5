"""The mutation run itself: which guards are taken out, which tests reach a place, what is reported."""

from __future__ import annotations

import json
from pathlib import Path

import mutate
import mutation_hits
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
