"""Magics of a kernel: ``%%try``, and ``%%refine`` outside a notebook in JupyterLab."""

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


def try_cell(line: str, cell: str) -> None:
    """``%%try [SECONDS]``: run the cell in an isolated fork of this kernel, and keep nothing of it."""
    from IPython import get_ipython
    from IPython.display import publish_display_data

    from .attempts import attempt

    done = attempt(cell, shell=get_ipython(), seconds=float(line or 30))
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    for shown in done.displays:
        publish_display_data(shown)
    if done.traceback or done.message:
        print(done.traceback or done.message, file=sys.stderr)
    effects = [f"wrote {name}" for name in done.files_written] + list(done.denied)
    print("".join(f"; {what}" for what in ("Nothing was kept", *effects))[2:] + ".")


def register(ipython: Any) -> None:
    for kind in ("cell", "line"):
        ipython.register_magic_function(refine, kind, "refine")
    ipython.register_magic_function(try_cell, "cell", "try")
