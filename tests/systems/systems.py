"""Processes that take their system for macOS or Windows; see ``simulated/sitecustomize.py``."""

from __future__ import annotations

import os
from pathlib import Path

SYSTEMS = ("win32", "darwin")
_FOLDER = Path(__file__).parent / "simulated"
#: Consoles of Windows have cp1252; files that are opened without an encoding have less here: ASCII.
_ENCODINGS = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}


def environment(system: str, **more: str) -> dict[str, str]:
    """For a process, and all Pythons that it starts."""
    more |= {"REFINE_SIMULATED": system, "PYTHONPATH": str(_FOLDER)}
    return {**os.environ, **more, **(_ENCODINGS if system == "win32" else {})}
