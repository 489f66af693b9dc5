"""Temporary folders of attempts. The next kernel removes those of kernels that were killed."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import tempfile

_NAME = re.compile(r"refine-attempt-([0-9a-f]{8})-(\d+)-")


def make() -> str:
    """A new folder; the caller removes it."""
    return tempfile.mkdtemp(prefix=f"refine-attempt-{_machine()}-{os.getpid()}-")


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
    """Remove the folders of kernels of this user on this machine that have ended."""
    folder, machine = tempfile.gettempdir(), _machine()
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        found = _NAME.match(name)
        path = os.path.join(folder, name)
        if found and found[1] == machine and not _is_alive(int(found[2])) and _is_ours(path):
            remove(path)


def _machine() -> str:
    """An id of the scope of process ids: machines and containers can share the folder."""
    try:
        scope = os.readlink("/proc/self/ns/pid")
        with open("/proc/sys/kernel/random/boot_id") as file:
            scope += file.read()
    except OSError:
        # Equal to no other.
        return secrets.token_hex(4)
    return hashlib.sha256(scope.encode()).hexdigest()[:8]


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def _is_ours(path: str) -> bool:
    try:
        return hasattr(os, "getuid") and os.lstat(path).st_uid == os.getuid()
    except OSError:
        return False
