"""The cells above a target, where no kernel has run them: each attempt runs them before its candidate.

They are added in a process that runs nothing of a notebook's (``jupyterlab_refine/warm``) and compiled there
once; the forks of that process find them in its memory. In a user's kernel there are none. As in nbgrader,
that one raises ends nothing.
"""

from __future__ import annotations

import ast
import contextlib
import os
import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

from ..source import names
from . import running
from .tracebacks import CELL


class Cell(NamedTuple):
    """One cell above."""

    id: str
    source: str
    file_name: str
    #: None for one that only the shell can compile, with magics or an error.
    compiled: list[Any] | None
    #: From ``names.of_candidate``: found once here, not in each attempt.
    names: dict[str, list[str]]


#: Those of this process.
cells: list[Cell] = []
#: Whose modules the checks may import; None in a kernel, which has its own path.
_folder_of_checks: str | None = None


def add(more: Iterable[dict[str, Any]], shell: Any) -> None:
    """Add cells below the ones that are there."""
    for given in more:
        source, file_name = given["source"], f"{CELL}{given['index']}>"
        running.remember(file_name, source)
        compiled = running.compiled(source, file_name, shell)
        found = names.of_candidate(source, True)
        cells.append(Cell(given["cellId"], source, file_name, compiled, found))


def trust(folder: str | None) -> None:
    """In the process that forks: modules in this folder are of the author of the checks."""
    global _folder_of_checks
    _folder_of_checks = folder


def find_modules() -> None:
    """In a process that runs the notebook: as for a kernel, modules beside it are found first."""
    if _folder_of_checks is not None:
        sys.path.insert(0, "")


def find_modules_of_checks(sources: list[str]) -> bool:
    """In the judge: modules that the checks, or cells above, import, where no library has their name.

    :returns: whether the checks import any.
    """
    folder, imports = _folder_of_checks, [line for cell in cells for line in cell.names["imports"]]
    if folder is None:
        return False
    of_checks = _modules_of_checks(folder, sources)
    if of_checks or _modules_of_checks(folder, imports):
        sys.path.append(folder)
    return bool(of_checks)


def replace_modules_of_checks(sources: Iterable[str]) -> None:
    """In the attempt, once the candidate has ended: let the checks import the author's modules."""
    folder = _folder_of_checks
    if folder is None or os.path.realpath(folder) == os.path.realpath(os.curdir):
        return
    wanted = _modules_of_checks(folder, sources)
    if not wanted:
        return
    own = ("", os.curdir, os.getcwd())
    libraries = [path for path in sys.path if path not in own]
    sys.path[:] = [*libraries, folder, ""]
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in wanted and not _is_of(module, libraries):
            del sys.modules[name]


def _modules_of_checks(folder: str, sources: Iterable[str]) -> set[str]:
    wanted = {
        name.split(".")[0]
        for tree in names.trees(sources)
        for node in ast.walk(tree)
        for name in _imported(node)
    }
    ends = ("", ".py")
    return {name for name in wanted if any(os.path.exists(os.path.join(folder, name + end)) for end in ends)}


def _is_of(module: Any, folders: Iterable[str]) -> bool:
    """Whether the module was loaded from one of the folders, or is built in."""
    spec = getattr(module, "__spec__", None)
    origin = getattr(spec, "origin", None)
    if origin in ("built-in", "frozen"):
        return True
    return isinstance(origin, str) and any(origin.startswith(os.path.join(path, "")) for path in folders)


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []


def names_with(candidate: str) -> dict[str, list[str]]:
    """As :func:`names.of_candidate`, of the cells above and the candidate together."""
    every = [*(cell.names for cell in cells), names.of_candidate(candidate, True)]
    return {kind: list(dict.fromkeys(name for one in every for name in one[kind])) for kind in every[-1]}


async def run_again(runner: running.Runner) -> None:
    """In the worker, which reports nothing."""
    for cell in cells:
        with contextlib.suppress(BaseException):
            await runner.cell(cell.source, cell.file_name, cell.compiled)
