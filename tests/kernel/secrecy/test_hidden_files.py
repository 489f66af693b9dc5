"""Files that hold checks: which they are, and how a candidate is kept from reading them."""

from __future__ import annotations

import importlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from processes import in_child

from jupyterlab_refine.kernel.isolation import landlock, linux, overlay
from jupyterlab_refine.kernel.secrecy import hidden_files

CHECK = "assert secret(3) == 4"


@pytest.fixture
def notebooks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The working directory, with files of two notebooks."""
    folder = tmp_path / "work"
    (folder / ".ipynb_checkpoints").mkdir(parents=True)
    for name in ("nb.ipynb", ".~nb.ipynb", "other.ipynb", ".jupyter_ystore.db"):
        (folder / name).touch()
    for name in ("nb-checkpoint.ipynb", "nb-2.ipynb", "other-checkpoint.ipynb"):
        (folder / ".ipynb_checkpoints" / name).touch()
    monkeypatch.chdir(folder)
    # No notebook is known yet.
    importlib.reload(hidden_files)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    # Without what the debugger keeps.
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    yield folder


def hidden(shell: Any, notebook: str | None, folder: Path) -> list[str]:
    found = hidden_files.paths(shell, notebook)
    return sorted(os.path.relpath(path, folder) for path in found)


KEPT = [
    *(".ipynb_checkpoints/nb-2.ipynb", ".ipynb_checkpoints/nb-checkpoint.ipynb", ".jupyter_ystore.db"),
    *(".~nb.ipynb", "nb.ipynb"),
]
NAMED = ("nb.ipynb", "work/nb.ipynb", "/work/nb.ipynb", "elsewhere/nb.ipynb", "{}/work/nb.ipynb")


@pytest.mark.parametrize("name", NAMED)
def test_files_of_a_notebook(notebooks: Path, name: str) -> None:
    """As a path of the server, below a folder that the kernel does not know, or as one of the system."""
    name = name.format(notebooks.parent)
    assert hidden(None, name, notebooks) == KEPT
    # It is known from then on.
    assert hidden(None, None, notebooks) == KEPT


def test_files_of_a_notebook_that_is_elsewhere(
    monkeypatch: pytest.MonkeyPatch, notebooks: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    assert hidden(None, str(notebooks / "nb.ipynb"), notebooks) == KEPT


@pytest.mark.parametrize("name", [None, "", "notes.txt", "gone.ipynb"])
def test_no_file_is_hidden_without_a_notebook(notebooks: Path, name: str | None) -> None:
    (notebooks / "notes.txt").touch()
    (notebooks / ".jupyter_ystore.db").unlink()
    assert hidden(None, name, notebooks) == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux mounts so")
def test_an_empty_file_or_folder_replaces_what_is_hidden(tmp_path: Path) -> None:
    notebook, folder = tmp_path / "nb.ipynb", tmp_path / "folder"
    folder.mkdir()
    (folder / "inner").write_text(CHECK)
    notebook.write_text(CHECK)

    def work() -> object:
        try:
            linux.unshare(0)
        except OSError as error:
            return str(error)
        overlay.cover([str(notebook), str(tmp_path / "gone"), str(folder)])
        mode = stat.S_IMODE(notebook.stat().st_mode)
        # Where it shares memory with its processes, all is as it was.
        return [notebook.read_text(), os.listdir(folder), mode, os.path.exists(shared.name)]

    with tempfile.NamedTemporaryFile(dir="/dev/shm") as shared:
        reported = in_child(work)
        if isinstance(reported, str):
            pytest.skip(reported)
        assert reported == ["", [], 0o600, True]
        assert notebook.read_text() == CHECK and os.path.exists(shared.name)


def test_neighbours_of_what_is_hidden_stay_readable(tmp_path: Path) -> None:
    inner = tmp_path / "a"
    inner.mkdir()
    for path in (inner / "secret", inner / "other", tmp_path / "beside"):
        path.touch()
    (inner / "link").symlink_to(inner / "secret")
    allowed = landlock.readable_beside([str(inner / "secret")])
    assert sorted(path for path in allowed if path.startswith(str(tmp_path))) == [
        str(inner / "other"),
        str(tmp_path / "beside"),
    ]
    assert not {str(tmp_path), *map(str, tmp_path.parents)} & set(allowed)
