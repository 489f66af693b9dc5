"""Processes that take their system for macOS or Windows; see ``simulated/sitecustomize.py``."""

from __future__ import annotations

import os
from pathlib import Path

SYSTEMS = ("win32", "darwin")
_FOLDER = Path(__file__).parent / "simulated"


def environment(system: str, **more: str) -> dict[str, str]:
    """For a process, and all Pythons that it starts."""
    return {**os.environ, **more, "REFINE_SIMULATED": system, "PYTHONPATH": str(_FOLDER)}
