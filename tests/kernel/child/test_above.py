"""The cells above a target that each attempt runs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from jupyterlab_refine.kernel.child import above
from jupyterlab_refine.kernel.source import names

SHELL = SimpleNamespace(compile=SimpleNamespace(flags=0))


def cell(name: str, index: int) -> dict[str, Any]:
    return {"cellId": name, "index": index, "source": f"import os\n{name} = 1"}


@pytest.fixture(autouse=True)
def no_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    for field, empty in (("_cells", []), ("_left_out", set()), ("_names", {})):
        monkeypatch.setattr(above, field, empty)


def binds() -> list[str]:
    return above.names_with("candidate = a")["binds"]


def test_names_are_those_of_all_cells_and_the_candidate() -> None:
    assert above.names_with("y = x") == {"imports": [], "binds": ["y"], "reads": ["x"]}
    above.add([cell("a", 0), cell("b", 1)], [], SHELL)
    above.add([cell("c", 2)], [], SHELL)
    assert above.names_with("y = a") == {
        "imports": ["import os"],
        "binds": ["a", "b", "c", "y"],
        "reads": ["a"],
    }


def test_cells_left_out_have_no_names() -> None:
    above.add([cell("a", 0), cell("b", 1)], ["c"], SHELL)
    above.add([cell("c", 2)], ["a"], SHELL)
    assert binds() == ["b", "candidate"]


def test_a_cell_is_read_once_for_all_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    above.add([cell(f"v{index}", index) for index in range(20)], [], SHELL)
    read: list[str] = []
    original = names.of_candidate
    monkeypatch.setattr(names, "of_candidate", lambda source: read.append(source) or original(source))
    assert len(binds()) == 21
    assert read == ["candidate = a"]
