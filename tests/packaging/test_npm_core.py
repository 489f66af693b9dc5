"""The npm subpath ``jupyterlab-refine/core``: the program of the page "From Node", on the packed package."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

# Packing takes a quarter of a minute.
pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "npm.md").read_text(encoding="utf-8")
((PROGRAM, PRINTED),) = re.findall(r"```js\n(.*?)```.*?```text\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the packed package is installed, with the packages that it depends on."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("npm is needed to pack")
    folder = tmp_path_factory.mktemp("project")
    subprocess.run([node, "scripts/build.mjs", "core"], cwd=ROOT, check=True)
    pack = [npm, "pack", "--ignore-scripts", "--silent", "--pack-destination", str(folder)]
    subprocess.run(pack, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    (tarball,) = folder.glob("*.tgz")
    modules = folder / "node_modules"
    with tarfile.open(tarball) as archive:
        archive.extractall(folder, filter="data")
    modules.mkdir()
    (folder / "package").rename(modules / "jupyterlab-refine")
    for name in ("zod", "@lezer", "@noble"):
        (modules / name).symlink_to(ROOT / "node_modules" / name)
    return folder


def run(project: Path, program: str) -> str:
    (project / "program.mjs").write_text(program, encoding="utf-8")
    done = subprocess.run(
        ["node", "program.mjs"], cwd=project, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_program_of_the_page_prints_what_it_shows(project: Path) -> None:
    assert run(project, PROGRAM) == PRINTED


def test_each_name_of_the_page_is_there(project: Path) -> None:
    rows = re.findall(r"^\| (`[a-zA-Z].*?) +\|", PAGE, re.MULTILINE)
    names = [name for row in rows for name in re.findall(r"`(\w+)", row)]
    types = {"ILanguageModel", "IExecutor", "RefineEvent", "RefineRequest", "Outcome"}
    program = "import * as core from 'jupyterlab-refine/core'; console.log(Object.keys(core).sort().join());"
    assert run(project, program).strip().split(",") == sorted(set(names) - types)


def test_types_are_packed_beside_it(project: Path) -> None:
    package = project / "node_modules" / "jupyterlab-refine"
    if not (package / "lib" / "index.d.ts").exists():
        pytest.skip("the library is not built")
    types = (package / "lib" / "api.d.ts").read_text(encoding="utf-8")
    assert all(name in types for name in ("ILanguageModel", "IExecutor", "RefineEvent"))
