"""Refine notebook cells against assertions: the server's part."""

from __future__ import annotations

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


def load_ipython_extension(ipython: Any) -> None:
    """``%load_ext jupyterlab_refine``: the magics, for kernels that no page of JupyterLab serves."""
    from .magics import register

    register(ipython)
