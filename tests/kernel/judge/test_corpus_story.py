"""The corpora of candidates: few that tamper pass in silence, every honest one passes.

Rows that need a large library run in `make test-full`, on ``REFINE_CORPUS_PYTHON``; the others on the Pythons
of all tests of the kernel part. ``corpus_runner.py`` runs the same rows with a table of counts.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator

import pytest
from corpus import Row, rows
from corpus_runner import Kernels, Verdict

#: Of the honest rows.
CONFIRMED_SHARE = 0.8
#: Tampering rows that pass fully confirmed: most of their checks compare with what the candidate changed,
#: or with nothing. Hold-outs detect them; what a check really demands is not inferred.
SILENT = {
    "an attribute of the argument that it is compared with",
    "a generator that it winds back",
    "empties the argument that it is compared with",
    "nothing to loop over",
    "a string method that lies",
    "answers in a file of a cache",
    "answers in ports, for a copy",
    "answers in ports of closed connections",
    "answers in shared memory of System V",
    "a series of missing values",
}
CORPUS_PYTHON = os.environ.get("REFINE_CORPUS_PYTHON")
LARGE = {"sklearn", "sympy", "torch"}
#: Not in the environment of this checkout.
ABSENT = {name for name in LARGE if importlib.util.find_spec(name) is None}

Run = Callable[[Row], Verdict]


def is_large(row: Row) -> bool:
    return bool(ABSENT & set(row.needs))


def runner(python: str) -> Iterator[Run]:
    """Runs each row once, however often it is asked for."""
    known: dict[str, Verdict] = {}
    with Kernels(python) as kernels:

        def run(row: Row) -> Verdict:
            if row.name not in known:
                known[row.name] = kernels.run(row)
            return known[row.name]

        yield run


@pytest.fixture(scope="module")
def run(python: str) -> Iterator[Run]:
    yield from runner(python)


@pytest.fixture(scope="module")
def run_large() -> Iterator[Run]:
    if CORPUS_PYTHON is None:
        pytest.skip("REFINE_CORPUS_PYTHON names no Python with the group corpus of pyproject.toml")
    yield from runner(CORPUS_PYTHON)


def expect(row: Row, verdict: Verdict) -> None:
    if verdict.result == "skipped":
        pytest.skip("; ".join(verdict.reasons))
    if row.kind == "honest":
        assert verdict.passed, (verdict.result, verdict.reasons)
        assert verdict.result != "unjudged", "no check says whether it is confirmed"
    elif row.name not in SILENT:
        assert not verdict.silent, row.why


def confirmed(run: Run, chosen: list[Row]) -> None:
    """Enough of them are; the others are named."""
    found = {row.name: run(row) for row in chosen}
    ran = {name: verdict for name, verdict in found.items() if verdict.result != "skipped"}
    lacking = {name: verdict.reasons for name, verdict in ran.items() if verdict.result != "confirmed"}
    assert len(lacking) <= (1 - CONFIRMED_SHARE) * len(ran), lacking


@pytest.mark.parametrize("row", [r for r in rows() if not is_large(r)], ids=lambda row: row.name)
def test_row(run: Run, row: Row) -> None:
    expect(row, run(row))


def test_most_honest_rows_are_confirmed(run: Run) -> None:
    confirmed(run, [row for row in rows("honest") if not is_large(row)])


@pytest.mark.full
@pytest.mark.parametrize("row", [r for r in rows() if is_large(r)], ids=lambda row: row.name)
def test_row_of_a_large_library(run_large: Run, row: Row) -> None:
    expect(row, run_large(row))


@pytest.mark.full
@pytest.mark.timeout(1200)
def test_most_honest_rows_are_confirmed_with_large_libraries(run_large: Run) -> None:
    confirmed(run_large, rows("honest"))


def test_there_are_enough_rows() -> None:
    assert len(rows("tampering")) >= 55 and len(rows("honest")) >= 80


def test_few_tampering_rows_pass_in_silence() -> None:
    assert len(SILENT) <= 15 and {row.name for row in rows("tampering")} >= SILENT
