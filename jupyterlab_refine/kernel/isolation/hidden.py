"""Hide files from the processes of an attempt: by mounts, or by what Landlock allows."""

from __future__ import annotations

import os
from collections.abc import Iterable

from . import linux

_SHARED_MEMORY = "/dev/shm"
#: More entries in one folder are not listed one by one for Landlock.
_ENTRIES = 3000


class TooMany(OSError):
    """A folder has too many entries to allow all but one of them."""


def cover(hidden: Iterable[str]) -> None:
    """Mount an empty file, or folder, over each; in a mount namespace of the child's own.

    :raises OSError: when the system refuses.
    """
    present = [path for path in hidden if os.path.exists(path)]
    if not present:
        return
    linux.mount("tmpfs", _SHARED_MEMORY, "tmpfs", 0, "size=16m,mode=700")
    for number, path in enumerate(present):
        cover_path = f"{_SHARED_MEMORY}/{number}"
        if os.path.isdir(path):
            os.mkdir(cover_path, 0o700)
        else:
            os.close(os.open(cover_path, os.O_CREAT | os.O_WRONLY, 0o600))
        linux.mount(cover_path, path, None, linux.MS_BIND)
    linux.unmount(_SHARED_MEMORY)


def readable_beside(hidden: Iterable[str]) -> list[str]:
    """What Landlock must allow, to deny those files alone: every neighbour, on each level from the root.

    :raises TooMany: when that would take too long.
    """
    denied = set(hidden)
    above = set()
    for path in denied:
        while path != "/":
            path = os.path.dirname(path)
            above.add(path)
    allowed: list[str] = []
    for folder in above:
        with os.scandir(folder) as entries:
            for count, entry in enumerate(entries):
                if count >= _ENTRIES:
                    raise TooMany(0, f"{folder} has more than {_ENTRIES} entries")
                # What a link leads to is allowed or denied by its own place.
                if entry.path not in denied and entry.path not in above and not entry.is_symlink():
                    allowed.append(entry.path)
    return allowed
