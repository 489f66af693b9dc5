"""Files that no attempt may read, where paths are those of Windows, long ones as well."""

from __future__ import annotations

import ntpath
from types import SimpleNamespace
from typing import Any

import pytest

from jupyterlab_refine.kernel.secrecy import hidden_files


def found(monkeypatch: pytest.MonkeyPatch, folder: str, notebook: str, *files: str) -> tuple[str, ...]:
    """The hidden files of a kernel in that folder, where these exist."""
    known = {ntpath.normpath(name) for name in files}

    def names(path: str) -> list[str]:
        return [ntpath.basename(name) for name in known if ntpath.dirname(name) == ntpath.normpath(path)]

    path = SimpleNamespace(
        **{name: getattr(ntpath, name) for name in ("join", "split", "basename", "dirname")},
        exists=lambda name: ntpath.normpath(name) in known,
        realpath=ntpath.normpath,
    )
    windows: Any = SimpleNamespace(
        path=path, environ={}, getcwd=lambda: folder, getpid=lambda: 1, listdir=names
    )
    monkeypatch.setattr(hidden_files, "os", windows)
    monkeypatch.setattr(hidden_files, "_notebooks", {})
    return hidden_files.paths(SimpleNamespace(), notebook)


def test_a_notebook_is_found_by_its_path_on_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = "C:\\Users\\Ada\\course\\week 1"
    checkpoint = f"{folder}\\.ipynb_checkpoints\\n-checkpoint.ipynb"
    files = (f"{folder}\\n.ipynb", checkpoint, f"{folder}\\m.ipynb")
    assert found(monkeypatch, folder, "course/week 1/n.ipynb", *files) == files[:2]


def test_a_long_path_is_one_too(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = "\\\\?\\C:\\" + "\\".join(["a folder with a long name"] * 20)
    notebook = f"{folder}\\n.ipynb"
    assert len(notebook) > 260
    assert found(monkeypatch, folder, notebook, notebook) == (notebook,)
    share = "\\\\server\\share\\n.ipynb"
    assert found(monkeypatch, "\\\\server\\share", "n.ipynb", share) == (share,)
