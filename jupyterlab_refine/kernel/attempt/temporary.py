"""Temporary folders of attempts. A later kernel removes those of kernels that were killed."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
import tempfile
import time

_PREFIX = "refine-attempt-"
_STALE_SECONDS = 86400.0


def make() -> str:
    """A new folder; the caller removes it."""
    return tempfile.mkdtemp(prefix=_PREFIX)


def remove(path: str | None) -> None:
    if path is not None:
        shutil.rmtree(path, ignore_errors=True)


def snapshot(path: str | None) -> dict[str, tuple[int, ...]]:
    """All files and folders in it, the innermost first, each with what shows whether it was changed."""
    found: dict[str, tuple[int, ...]] = {}
    for folder, names, files in os.walk(path or "", topdown=False):
        for name in files + names:
            whole = os.path.join(folder, name)
            status = os.lstat(whole)
            found[whole] = (status.st_ino, status.st_mode, status.st_size, status.st_ctime_ns)
    return found


def remove_new(path: str | None, before: dict[str, tuple[int, ...]]) -> list[str]:
    """Remove what is not in the snapshot; returns the names of what was changed or removed since.

    To be called when no process of the attempt writes there any more.
    """
    now = snapshot(path)
    changed = [os.path.basename(name) for name, status in before.items() if now.get(name) != status]
    for name in now:
        if name not in before:
            (os.rmdir if os.path.isdir(name) and not os.path.islink(name) else os.unlink)(name)
    return changed


def remove_stale() -> None:
    """Remove the folders of kernels of this user that were killed, after a day."""
    for name in glob.glob(os.path.join(tempfile.gettempdir(), f"{_PREFIX}*")):
        with contextlib.suppress(OSError):
            status = os.lstat(name)
            if status.st_uid == os.getuid() and status.st_mtime < time.time() - _STALE_SECONDS:
                remove(name)
