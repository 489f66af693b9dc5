"""Temporary folders of attempts."""

from __future__ import annotations

import os
import shutil
import tempfile


def make() -> str:
    """A new folder; the caller removes it."""
    return tempfile.mkdtemp(prefix="refine-attempt-")


def remove(path: str | None) -> None:
    if path is not None:
        shutil.rmtree(path, ignore_errors=True)


def empty(path: str | None) -> None:
    """Remove what is in the folder. To be called when no process of the attempt writes there any more."""
    for entry in os.scandir(path) if path is not None else ():
        remove(entry.path) if entry.is_dir(follow_symlinks=False) else os.unlink(entry.path)
