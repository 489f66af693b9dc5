"""The command line on macOS and Windows, simulated."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from systems import SYSTEMS, environment

from jupyterlab_refine.demo import NOTEBOOK

pytestmark = pytest.mark.timeout(600)


def refine(system: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "jupyterlab_refine", *arguments],
        cwd=folder,
        env=environment(system),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
    )


# Stories of attempts there are in tests/systems.
@pytest.mark.parametrize(
    "system",
    [system if system == "win32" else pytest.param(system, marks=pytest.mark.full) for system in SYSTEMS],
)
def test_the_demo_is_refined_and_checked(system: str, tmp_path: Path) -> None:
    shutil.copyfile(NOTEBOOK, tmp_path / "demo.ipynb")
    to_file = ("--profile", "demo", "--strict", "--output", "done.ipynb")
    refused = refine(system, tmp_path, "run", "demo.ipynb", *to_file)
    assert refused.returncode == 3
    assert "Run again with --allow-writes to allow it." in refused.stdout + refused.stderr
    done = refine(system, tmp_path, "run", "demo.ipynb", "--allow-writes", *to_file)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "expected  'ValueError'" in said and "observed  0" in said
    assert "4 of 4 and 1 held out" in said and "not confirmed" not in said
    # It runs what the user has written: nobody is asked.
    # Shells of Windows leave patterns as they are.
    checked = refine(system, tmp_path, "check", "do*.ipynb" if system == "win32" else "done.ipynb")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "4 of 4 and 1 held out; current code" in checked.stdout + checked.stderr
