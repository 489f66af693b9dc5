"""What holds for macOS and Windows and needs neither: imports, paths, the text of a profile."""

from __future__ import annotations

import json
import ntpath
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from systems import SYSTEMS, environment

from jupyterlab_refine.kernel.attempt import forms
from jupyterlab_refine.kernel.secrecy import hidden_files
from jupyterlab_refine.kernel.spawn import spawn

_PROGRAM = """
import importlib, json, pkgutil, sys, jupyterlab_refine
rooms = ("jupyterlab_refine.kernel.fork.", "jupyterlab_refine.kernel.isolation.")
found = [one.name for one in pkgutil.walk_packages(jupyterlab_refine.__path__, "jupyterlab_refine.")]
failed = {}
names = [name for name in found if not name.startswith(rooms) and not name.endswith(("__main__", "_loader"))]
for name in names:
    try:
        importlib.import_module(name)
    except BaseException as error:
        failed[name] = repr(error)
leaked = [name for name in sys.modules if name.startswith(rooms)]
print(json.dumps({"names": names, "failed": failed, "leaked": leaked}))
"""


@pytest.mark.parametrize("system", SYSTEMS)
def test_all_other_modules_are_imported(system: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], env=environment(system), capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(found["names"]) > 80
    assert (found["failed"], found["leaked"]) == ({}, [])


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_simulation_hides_what_the_system_lacks(system: str) -> None:
    program = (
        "import jupyterlab_refine; space = {'__name__': 'jupyterlab_refine.x'}\n"
        "exec('import os, sys, signal, select', space)\n"
        "os, sys, signal, select = (space[name] for name in ('os', 'sys', 'signal', 'select'))\n"
        "print(sys.platform, hasattr(os, 'getuid'), hasattr(signal, 'SIGRTMIN'), hasattr(select, 'epoll'))\n"
        "exec('try: open(\"/proc/self/stat\")\\nexcept OSError as error: print(error.errno)', space)\n"
        "exec('import fcntl', space)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(system), capture_output=True, text=True
    )
    assert done.stdout.splitlines() == [f"{system} {system == 'darwin'} False False", "2"]
    assert ("No module named 'fcntl'" in done.stderr) == (system == "win32")


def test_writes_go_to_one_folder_and_the_network_is_closed(tmp_path: Path) -> None:
    lines = spawn.profile(str(tmp_path), False, False, ["/n.ipynb"]).splitlines()
    assert lines[:2] == ["(version 1)", "(allow default)"]
    assert lines[4:8] == [
        "(deny network*)",
        f'(allow network-bind (local unix-socket (subpath "{tmp_path}")))',
        f'(allow network-outbound (remote unix-socket (subpath "{tmp_path}")))',
        "(deny file-write*)",
    ]
    assert lines[8].startswith(f'(allow file-write* (subpath "{tmp_path}") (literal "/dev/null")')
    assert lines[9:] == ['(deny file-read* (subpath "/n.ipynb"))']


def test_what_the_user_allows_is_not_denied(tmp_path: Path) -> None:
    signals = ["(deny signal)", "(allow signal (target self) (target same-sandbox))"]
    assert spawn.profile(str(tmp_path), True, True).splitlines()[2:] == signals
    assert "file-write" not in spawn.profile(str(tmp_path), False, True)
    assert "network" not in spawn.profile(str(tmp_path), True, False)


def test_names_are_quoted() -> None:
    assert '(subpath "/a\\"b\\\\c")' in spawn.profile('/a"b\\c', False, False)


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
    monkeypatch.setattr(hidden_files, "_known", {})
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


def test_a_fault_is_no_exit_of_the_process() -> None:
    words = [forms.exit_words(code) for code in (0xC0000005, 0xC0000374, 3)]
    ended = "it ended the process itself, with exit status 3"
    assert words == ["killed by error 0xC0000005", "killed by error 0xC0000374", ended]
