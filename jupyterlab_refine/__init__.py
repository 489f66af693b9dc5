"""Refine notebook cells against assertions: the server's part."""

from __future__ import annotations

import sys
from typing import Any

try:
    from ._version import __version__
except ImportError:  # a checkout that was never installed: the build writes _version.py
    __version__ = "0+unknown"

__all__ = ["__version__"]


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    return [{"src": "labextension", "dest": "jupyterlab-refine"}]


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    # Imported here so that the package can be used without a server.
    from .app import Refine

    return [{"module": "jupyterlab_refine", "app": Refine}]


HINT = (
    "Refine: nothing was refined. Run this cell in a notebook that is open in JupyterLab, "
    "or run `jupyter refine run NOTEBOOK`."
)


def load_ipython_extension(ipython: Any) -> None:
    """``%load_ext jupyterlab_refine``: the magics, for kernels that no page of JupyterLab serves.

    They print one sentence; JupyterLab replaces them before it runs such a cell.
    """

    def refine(line: str, cell: str = "") -> None:
        print(HINT, file=sys.stderr)

    for kind in ("cell", "line"):
        ipython.register_magic_function(refine, kind, "refine")
