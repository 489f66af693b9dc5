"""Generates an assignment as students hand it in: right and wrong solutions, hangs, crashes and bombs."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

#: Solutions by how they end, with the share of the targets that have them.
SHARES = {
    "right": 0.70,
    "wrong": 0.15,
    "raises": 0.05,
    "syntax": 0.03,
    "module": 0.02,
    "hang": 0.02,
    "crash": 0.02,
    "memory": 0.01,
}

SOURCES = {
    "right": "def f{n}(values):\n    return [value + {n} for value in values]",
    "wrong": "def f{n}(values):\n    return [value - {n} - 1 for value in values]",
    "raises": "def f{n}(values):\n    return values.nothing",
    "syntax": "def f{n}(values:\n    return values",
    "module": "import no_such_module_{n}\ndef f{n}(values): return values",
    "hang": "while True:\n    pass",
    "crash": "import os\nos._exit(3)",
    "memory": "big = [b'x' * (1 << 28) for _ in range(1 << 10)]",
}


def code(name: str, source: str, nbgrader: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "id": name,
        "metadata": {"nbgrader": {"grade_id": name, "schema_version": 3, **nbgrader}} if nbgrader else {},
        "source": source,
        "execution_count": None,
        "outputs": [],
    }


def notebook(kinds: list[str]) -> dict[str, Any]:
    """A notebook with a target of each kind."""
    cells = [code("set-up", "import math\nimport numpy as np\nvalues = list(range(10))")]
    for n, kind in enumerate(kinds):
        tests = (
            f"assert f{n}([]) == []\nassert f{n}([1]) == [{n + 1}]\n### BEGIN HIDDEN TESTS\n"
            f"assert np.sum(f{n}(values)) == {45 + 10 * n}\n### END HIDDEN TESTS"
        )
        source = SOURCES[kind].format(n=n)
        cells.append(code(f"s{n}", source, {"solution": True, "grade": False, "locked": False}))
        cells.append(code(f"t{n}", tests, {"solution": False, "grade": True, "locked": True, "points": 2}))
    return _of(cells)


def _of(cells: list[dict[str, Any]]) -> dict[str, Any]:
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": spec}, "cells": cells}


def generate(folder: Path, count: int, targets: int = 5, seed: int = 7) -> dict[str, list[str]]:
    """Write the notebooks; the kinds of the targets of each, by path."""
    chosen = random.Random(seed)
    names, weights = list(SHARES), list(SHARES.values())
    made = {}
    for number in range(count):
        kinds = chosen.choices(names, weights, k=targets)
        path = folder / f"student{number:04}.ipynb"
        path.write_text(json.dumps(notebook(kinds)))
        made[str(path)] = kinds
    return made
