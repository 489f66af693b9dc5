"""The cells above a target, where no kernel has run them: each attempt runs them before its candidate.

They are added in a process that runs nothing of a notebook's (``jupyterlab_refine/warm``) and compiled there
once; the forks of that process find them in its memory. In a user's kernel there are none.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ..source import names
from . import running
from .tracebacks import CELL


class Cell(NamedTuple):
    """One cell above."""

    id: str
    source: str
    #: That it raises ends nothing: it is a check, or was a target itself.
    tolerated: bool
    #: Of the master's, which no student can change.
    locked: bool
    file_name: str
    #: None for one that only the shell can compile, with magics or an error.
    compiled: running.Compiled | None


_cells: list[Cell] = []
_left_out: set[str] = set()
#: So many cells, from the first, came to their end in an attempt.
_proven = 0
#: Whose modules the checks may import; None in a kernel, which has its own path.
_folder_of_checks: str | None = None
_names: dict[str, dict[str, list[str]]] = {}


def add(cells: Iterable[dict[str, Any]], left_out: Iterable[str], shell: Any) -> None:
    """Add cells below the ones that are there.

    :param left_out: ids of cells that attempts no longer run, since they ran into a limit.
    """
    _left_out.update(left_out)
    for cell in cells:
        file_name = f"{CELL}{cell['index']}>"
        running.remember(file_name, cell["source"])
        compiled = running.compiled(cell["source"], file_name, shell)
        flags = bool(cell["tolerated"]), bool(cell.get("locked"))
        _cells.append(Cell(cell["cellId"], cell["source"], *flags, file_name, compiled))


def trust(folder: str | None) -> None:
    """In the process that forks: modules in this folder are of the author of the checks."""
    global _folder_of_checks
    _folder_of_checks = folder


def find_modules() -> None:
    """In a process that runs the notebook: as for a kernel, modules beside it are found first."""
    if _folder_of_checks is not None:
        sys.path.insert(0, "")


def find_modules_of_checks(sources: Iterable[str]) -> None:
    """In the judge: modules that the checks import, where no library has their name."""
    folder = _folder_of_checks
    if folder is None:
        return
    wanted = {
        name.split(".")[0]
        for tree in names.trees(sources)
        for node in ast.walk(tree)
        for name in _imported(node)
    }
    if any(os.path.exists(os.path.join(folder, name + end)) for name in wanted for end in ("", ".py")):
        sys.path.append(folder)


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []


def numbered() -> Iterator[tuple[int, Cell]]:
    """The cells to run, with their numbers."""
    return ((number, cell) for number, cell in enumerate(_cells) if cell.id not in _left_out)


def locked_sources() -> list[str]:
    """Of the master's cells among them."""
    return [cell.source for _, cell in numbered() if cell.locked]


def cell_of(number: Any) -> Cell | None:
    """The cell of a number that an attempt's process has sent."""
    return _cells[number] if type(number) is int and 0 <= number < len(_cells) else None


def count() -> int:
    return len(_cells)


def is_proven(number: int) -> bool:
    """Whether an attempt reported on this cell before: it is not reported again."""
    return number < _proven


def prove(reached: int) -> int:
    """In the process that forks: an attempt came past so many cells. Returns the most so far."""
    global _proven
    _proven = max(_proven, reached)
    return _proven


def names_with(candidate: str) -> dict[str, list[str]]:
    """As :func:`names.of_candidate`, of the cells above and the candidate together."""
    found = names.of_candidate(candidate)
    if not _cells:
        return found
    for _, cell in numbered():
        if cell.id not in _names:
            _names[cell.id] = names.of_candidate(cell.source, True)
    parts = [*(_names[cell.id] for _, cell in numbered()), found]
    return {key: list(dict.fromkeys(name for part in parts for name in part[key])) for key in found}


async def run_again(runner: running.Runner) -> None:
    """In the worker, which reports nothing: what a tolerated cell raises ends nothing here either."""
    for _, cell in numbered():
        try:
            await runner.cell(cell.source, cell.file_name, cell.compiled)
        except BaseException:
            if not cell.tolerated:
                raise
