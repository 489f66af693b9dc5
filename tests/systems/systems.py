"""Processes that take their system for macOS or Windows; see ``simulated/sitecustomize.py``."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

SYSTEMS = ("win32", "darwin")
_FOLDER = Path(__file__).parent / "simulated"
#: Consoles of Windows have cp1252; files that are opened without an encoding have less here: ASCII.
_ENCODINGS = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}


def environment(system: str, **more: str) -> dict[str, str]:
    """For a process, and all Pythons that it starts."""
    more |= {"REFINE_SIMULATED": system, "PYTHONPATH": str(_FOLDER)}
    return {**os.environ, **more, **(_ENCODINGS if system == "win32" else {})}


#: Of this run, or of the system.
_OWN = re.compile(r"used \d[\d.]* s|0x[0-9a-f]+|ipykernel_\d+/\d+|line \d+ of the candidate")
_MEASURED = set("id isolation durationMs confirmMs totalMs warnings".split())


def words(answer: Any) -> Any:
    """An answer without what is measured, and without the line on isolation."""
    if isinstance(answer, dict):
        return {key: words(value) for key, value in answer.items() if key not in _MEASURED}
    if isinstance(answer, (list, tuple)):
        return [words(value) for value in answer]
    return _OWN.sub("…", answer) if isinstance(answer, str) else answer
