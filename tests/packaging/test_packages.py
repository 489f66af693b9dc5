"""What the packages carry: the licences of all bundled code, and nothing of the machine that built them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LICENSES = ROOT / "jupyterlab_refine" / "cli" / "THIRD-PARTY-LICENSES.txt"


def test_every_package_of_the_command_line_has_its_licence_text() -> None:
    texts = re.split(r"\n-{78}\n", LICENSES.read_text(encoding="utf-8"))
    assert len(texts) > 10
    for text in texts:
        assert len(text) > 500, text
        assert "opyright" in text, text[:80]


def test_licences_that_the_builder_misses_are_added(tmp_path: Path) -> None:
    node = shutil.which("node")
    assert node
    path = tmp_path / "third-party-licenses.json"
    known = {"name": "openai", "versionInfo": "1", "licenseId": "Apache-2.0", "extractedText": "as it was"}
    path.write_text(json.dumps({"packages": [known]}), encoding="utf-8")
    subprocess.run([node, str(ROOT / "scripts" / "labextension-licenses.mjs"), str(path)], check=True)
    found = {entry["name"]: entry for entry in json.loads(path.read_text(encoding="utf-8"))["packages"]}
    assert found["openai"] == known
    assert {"diff", "zod", "@lezer/python", "@noble/hashes"} <= found.keys()
    assert "Redistribution and use" in found["diff"]["extractedText"]


@pytest.mark.full
def test_packages_name_no_folder_of_the_machine(tmp_path: Path) -> None:
    # What is built already is packed: the release build is not what is tested.
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "SKIP_JUPYTER_BUILDER": "1"},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    (sdist,) = tmp_path.glob("*.tar.gz")
    (wheel,) = tmp_path.glob("*.whl")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "sdist", filter="data")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "wheel")
    files = [path for kind in ("sdist", "wheel") for path in (tmp_path / kind).rglob("*") if path.is_file()]
    assert len(files) > 100
    naming = [path for path in files if str(ROOT).encode() in path.read_bytes()]
    assert naming == []
