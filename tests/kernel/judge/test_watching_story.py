"""Checks that hold whatever the candidate does are not confirmed, and their honest neighbours are.

Four kinds (``watching_cases.txt``, with candidate and check of each): what the check compares with was
``changed`` by the candidate; the comparison is ``vacuous``, over nothing; it was ``decided`` by the
candidate's own class; the check sets its ``surroundings``: seeds, patches, attributes of modules, texts.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from live_kernel import LiveKernel, reasons, verdict

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True
#: What the reason contains, by kind.
WORDS = {"changed": "the candidate changed", "decided": "of the candidate's own class decided"}


class Case(NamedTuple):
    """A candidate that passes, and its check."""

    name: str
    kind: str
    is_confirmed: bool
    candidate: str
    check: str


def cases() -> list[Case]:
    found = []
    text = Path(__file__).with_name("watching_cases.txt").read_text()
    for part in text.split("=== ")[1:]:
        name, _, sources = part.partition("\n")
        candidate, check = sources.split("\n---\n")
        kind, _, rest = name.partition(", ")
        found.append(Case(name, kind, rest.startswith("confirmed"), candidate, check.strip("\n")))
    return found


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_case(kernel: LiveKernel, case: Case) -> None:
    execution = kernel.attempt(case.candidate, case.check)
    shown = reasons(execution), execution.get("error"), execution["assertions"]
    assert verdict(execution) == ("confirmed" if case.is_confirmed else "unconfirmed"), shown
    if not case.is_confirmed:
        assert WORDS.get(case.kind, "") in reasons(execution)[0]
        assert case.kind == "surroundings" or "in the separate process" not in reasons(execution)[0]


def test_there_are_cases_of_all_kinds() -> None:
    kinds = {(case.kind, case.is_confirmed) for case in cases()}
    assert len(kinds) == 8 and len(cases()) > 150
