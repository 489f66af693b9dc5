"""Temporary folders of attempts. A later kernel removes those of kernels that were killed."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
import tempfile
import time

_PREFIX = "refine-attempt-"
_STALE_SECONDS = 7 * 86400.0


def make() -> str:
    """A new folder; the caller removes it."""
    _remove_stale()
    return tempfile.mkdtemp(prefix=_PREFIX)


def remove(path: str | None) -> None:
    if path is not None:
        shutil.rmtree(path, ignore_errors=True)


def empty(path: str | None) -> None:
    """Remove what is in the folder. To be called when no process of the attempt writes there any more."""
    for entry in os.scandir(path) if path is not None else ():
        remove(entry.path) if entry.is_dir(follow_symlinks=False) else os.unlink(entry.path)


def _remove_stale() -> None:
    """Remove the folders of kernels that were killed, after a week."""
    for name in glob.glob(os.path.join(tempfile.gettempdir(), f"{_PREFIX}*")):
        with contextlib.suppress(OSError):
            if os.lstat(name).st_mtime < time.time() - _STALE_SECONDS:
                remove(name)
