"""Pyodide without its CDN, for the browser test of the Lite site: ``python lite/pyodide.py SITE FOLDER``.

Fills FOLDER with what the Python kernel of the built SITE loads at start, from npm and PyPI. The files are
those of the release, but packages that neither has (sqlite3, ssl and others that are compiled for Pyodide)
are empty: no test imports them.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

#: What the kernel installs at start; see ``initRuntime`` of jupyterlite-pyodide-kernel.
NEEDED = ("micropip", "ssl", "sqlite3", "jedi", "ipython", "packaging", "traitlets")

_ADDRESS = re.compile(r"cdn\.jsdelivr\.net/pyodide/v([\d.]+)/full/pyodide\.m?js")


def version_of(site: Path) -> str:
    """The release of Pyodide that the kernel of this site asks the CDN for."""
    for script in (site / "extensions" / "@jupyterlite").rglob("*.js"):
        found = _ADDRESS.search(script.read_text("utf-8"))
        if found:
            return found[1]
    sys.exit(f"{site} has no Pyodide kernel.")


def with_dependencies(packages: dict[str, Any], names: tuple[str, ...]) -> list[str]:
    """The names of these packages in the lock file, and of all that they depend on."""
    found: list[str] = []
    rest = list(names)
    while rest:
        name = rest.pop().lower().replace("_", "-")
        if name not in found and name in packages:
            found.append(name)
            rest += packages[name]["depends"]
    return found


def fetch(package: dict[str, Any], folder: Path) -> None:
    """The wheel of a package in ``folder``: that of PyPI, or an empty one where it is compiled."""
    name, version = package["name"], package["version"]
    target = folder / package["file_name"]
    if target.name.endswith("-none-any.whl"):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        command += ["--python-version=3.14", f"--dest={folder}", f"{name}=={version}"]
        subprocess.run(command, check=True)
    else:
        info = f"{name.replace('-', '_')}-{version}.dist-info"
        with zipfile.ZipFile(target, "w") as wheel:
            wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", "")
        package["depends"] = []
    package["sha256"] = hashlib.sha256(target.read_bytes()).hexdigest()


def main(site: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    command = ["npm", "pack", "--silent", f"--pack-destination={folder}", f"pyodide@{version_of(site)}"]
    packed = folder / subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    with tarfile.open(packed) as tar:
        for member in tar.getmembers():
            member.name = member.name.removeprefix("package/")
            tar.extract(member, folder, filter="data")
    packed.unlink()
    lock_file = folder / "pyodide-lock.json"
    lock = json.loads(lock_file.read_text("utf-8"))
    packages = {name.lower().replace("_", "-"): package for name, package in lock["packages"].items()}
    for name in with_dependencies(packages, NEEDED):
        fetch(packages[name], folder)
    lock_file.write_text(json.dumps(lock), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
