"""``%%refine`` and ``%refine`` of a kernel, outside a notebook in JupyterLab."""

from __future__ import annotations

import sys
from typing import Any

HINT = (
    "Refine: nothing was refined. Run this cell in a notebook that is open in JupyterLab, "
    "or run `jupyter refine run NOTEBOOK`."
)


def refine(line: str, cell: str = "") -> None:
    """Print one sentence to stderr; JupyterLab replaces this magic before it runs such a cell."""
    print(HINT, file=sys.stderr)


def register(ipython: Any) -> None:
    for kind in ("cell", "line"):
        ipython.register_magic_function(refine, kind, "refine")
