"""Files that contain the checks, which no attempt may read: notebook, its checkpoints, IPython's history.

Also files with results of ``jupyter refine check``.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any

_DATABASE = ("", "-journal", "-wal", "-shm")

#: Notebooks of this kernel, as jobs named them, and other files, by absolute path.
_known: dict[str, None] = {}


def remember_file(path: str) -> None:
    """Hide this file from all later attempts; a notebook with its copies.

    :param path: absolute.
    """
    _known[path] = None


def paths(shell: Any, notebook: str | None) -> tuple[str, ...]:
    """The hidden files that exist now, as real paths.

    :param notebook: of a job; absolute, or relative to the working directory or one of the folders above
        it, as a path of the Jupyter server is. It is remembered.
    """
    if notebook and notebook.endswith(".ipynb"):
        _known[notebook] = None
    wanted = {path: None for path in _known if not path.endswith(".ipynb")}
    # Set by the Jupyter server for the kernel of a session.
    for name in (*_known, os.environ.get("JPY_SESSION_NAME", "")):
        for path in _places(name):
            wanted.update(dict.fromkeys(_with_copies(path)))
    history = getattr(getattr(shell, "history_manager", None), "hist_file", None)
    # Listed even while they do not exist: a journal comes and goes, and would make a spare stale.
    database: list[str] = []
    if history and os.path.exists(history):
        # As SQLite does: what it adds lies beside the file that a link leads to.
        real = os.path.realpath(history)
        database = [real + suffix for suffix in _DATABASE]
    # Sources of cells, for the debugger.
    wanted[os.path.join(tempfile.gettempdir(), f"ipykernel_{os.getpid()}")] = None
    present = [os.path.realpath(path) for path in wanted if os.path.exists(path)]
    return tuple(dict.fromkeys([*present, *database]))


def _places(name: str) -> Iterator[str]:
    if not name.endswith(".ipynb"):
        return
    yield name
    # Paths of the server may start with its own root.
    name = name.lstrip("/")
    folder = os.getcwd()
    yield os.path.join(folder, os.path.basename(name))
    while True:
        yield os.path.join(folder, name)
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def _with_copies(notebook: str) -> list[str]:
    folder, name = os.path.split(notebook)
    checkpoints = os.path.join(folder, ".ipynb_checkpoints")
    stem = name[: -len(".ipynb")]
    try:
        # All versions: some contents managers keep several.
        kept = [os.path.join(checkpoints, n) for n in os.listdir(checkpoints) if n.startswith(stem)]
    except OSError:
        kept = []
    temporary = [os.path.join(folder, prefix + name) for prefix in (".~", "~")]
    return [notebook, *kept, *temporary, os.path.join(folder, ".jupyter_ystore.db")]


def identities(hidden: Iterable[str]) -> set[tuple[int, int]]:
    """Device and inode of each, by which an open descriptor is known."""
    found = set()
    for path in hidden:
        with contextlib.suppress(OSError):
            status = os.stat(path)
            found.add((status.st_dev, status.st_ino))
    return found
