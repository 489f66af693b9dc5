"""What holds for macOS and Windows and needs neither: imports, paths, job objects, the text of a profile."""

from __future__ import annotations

import ctypes
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
from jupyterlab_refine.kernel.spawn import job_object, spawn

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


class Kernel32:
    """Keeps the limits of one job, and the process that is in it."""

    def __init__(self, failing: str = "") -> None:
        self.limits: dict[str, int] = {}
        self.member = 0
        self.calls: list[str] = []
        for name in ("CreateJobObjectW", "GetCurrentProcess", "AssignProcessToJobObject"):
            setattr(self, name, self._function(name, failing))
        for name in ("SetInformationJobObject", "QueryInformationJobObject"):
            setattr(self, name, self._function(name, failing))

    def _function(self, name: str, failing: str) -> Any:
        def call(*arguments: Any) -> int:
            self.calls.append(name)
            return 0 if name == failing else getattr(self, f"_{name}")(*arguments)

        return call

    def _CreateJobObjectW(self, attributes: None, name: None) -> int:
        return 1 << 40

    def _GetCurrentProcess(self) -> int:
        return (1 << 64) - 1

    def _AssignProcessToJobObject(self, job: Any, process: Any) -> int:
        assert job.value == 1 << 40
        self.member = process.value
        return 1

    def _SetInformationJobObject(self, job: Any, kind: int, given: Any, size: int) -> int:
        assert (job.value, kind, size) == (1 << 40, 9, ctypes.sizeof(job_object.Limits))
        found = given._obj
        self.limits = {
            "flags": found.Basic.LimitFlags,
            "processes": found.Basic.ActiveProcessLimit,
            "memory": found.JobMemoryLimit,
        }
        return 1

    def _QueryInformationJobObject(self, job: Any, kind: int, found: Any, size: int, _: None) -> int:
        found._obj.PeakJobMemoryUsed = 5000
        return 1


def test_a_fault_is_no_exit_of_the_process() -> None:
    words = [forms.exit_words(code) for code in (0xC0000005, 0xC0000374, 3)]
    ended = "it ended the process itself, with exit status 3"
    assert words == ["killed by error 0xC0000005", "killed by error 0xC0000374", ended]


def test_the_layout_is_that_of_windows() -> None:
    wide = ctypes.sizeof(ctypes.c_void_p) == 8
    assert ctypes.sizeof(job_object.Limits) == (144 if wide else 112)
    assert job_object.Limits.JobMemoryLimit.offset == (120 if wide else 100)


def test_what_the_process_starts_ends_with_it() -> None:
    windows = Kernel32()
    job_object.Job(257, windows)
    assert windows.limits == {"flags": 0x2008, "processes": 257, "memory": 0}
    # Limited before it is entered.
    assert windows.member == (1 << 64) - 1 and windows.calls[-1] == "AssignProcessToJobObject"


def test_memory_is_limited_beyond_what_it_has_had() -> None:
    windows = Kernel32()
    job_object.Job(257, windows).limit_memory(1 << 31)
    assert windows.limits == {"flags": 0x2208, "processes": 257, "memory": 5000 + (1 << 31)}


def test_what_windows_refuses_is_an_error() -> None:
    for name in ("CreateJobObjectW", "SetInformationJobObject", "AssignProcessToJobObject"):
        with pytest.raises(OSError, match=f"{name} failed"):
            job_object.Job(257, Kernel32(name))
