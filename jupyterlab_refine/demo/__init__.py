"""The demo: a notebook and the recorded answers for it."""

from __future__ import annotations

from pathlib import Path

NOTEBOOK = Path(__file__).parent / "fibonacci.ipynb"
ANSWERS = Path(__file__).parent / "answers.json"

#: Where a copy of it is put, below the folder that a user works in.
FOLDER = "refine-demo"
