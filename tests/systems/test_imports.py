"""Every module but those of the rooms `fork` and `isolation` can be imported on macOS and Windows."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from systems import SYSTEMS, environment

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
    assert len(found["names"]) > 100
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
