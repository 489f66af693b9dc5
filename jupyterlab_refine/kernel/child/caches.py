"""Which files are caches of libraries: an attempt may lose them, or be denied them, and no user is asked."""

from __future__ import annotations

import re

#: Folders that only hold caches.
FOLDERS = (
    "__pycache__",
    ".cache",
    ".fontconfig",
    ".hypothesis",
    ".matplotlib",
    ".pytest_cache",
)

_NAMES = "|".join(map(re.escape, FOLDERS))
_FOLDER = re.compile(rf"/(?:{_NAMES}|\.config/matplotlib|var/cache/fontconfig)(?:/|$)")
#: Compiled code of Python and numba; matplotlib's list of fonts and its lock, wherever they are.
_FILE = re.compile(
    r"(?:\.pyc|\.nbi|\.nbc|/fontlist-v[\w.]*\.json|\.matplotlib-lock)(?:\.\d+)?(?: \(deleted\))?$"
)


def is_cache(path: str) -> bool:
    """:param path: absolute; `` (deleted)`` may follow it."""
    return _FOLDER.search(path) is not None or _FILE.search(path) is not None
