"""A throw-away view of the file system: read-only, but for folders whose writes are discarded.

Needs user namespaces, overlayfs in them (Linux 5.11) and ``mount_setattr`` (5.12).
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..attempt.limits import LAYER_BYTES, LAYER_FILES
from ..child import watch
from . import linux

SHARED_MEMORY = "/dev/shm"
_TERMINALS = "/dev/pts"
_REPORTED = 200


class Layers(NamedTuple):
    """Where the writes of an attempt go."""

    #: The folders that take writes, outermost only.
    folders: tuple[str, ...]
    #: Descriptors of their upper layers, in the child.
    uppers: tuple[int, ...]
    #: Files that are open for writing there, each with the time of its last change.
    unchanged: tuple[tuple[str, int], ...] = ()


def writable_folders() -> list[str]:
    """Working directory, home and temporary folders; none that another one covers."""
    wanted = [os.getcwd(), os.path.expanduser("~"), tempfile.gettempdir(), "/tmp", "/var/tmp"]
    chosen: list[str] = []
    for path in sorted({os.path.realpath(p) for p in wanted}, key=len):
        if path == "/" or not os.path.isdir(path) or not os.access(path, os.W_OK | os.X_OK):
            continue
        inside = any(path.startswith(f + "/") and _covers(f, path) for f in chosen)
        if not inside:
            chosen.append(path)
    return chosen


def _mount_points() -> list[str]:
    with open("/proc/self/mountinfo") as file:
        return [line.split()[4].encode().decode("unicode_escape") for line in file]


def _covers(folder: str, path: str) -> bool:
    """Whether writes to a path within a folder can go through the overlay over that folder.

    Not across another file system; and a folder of another user cannot be copied
    to the upper layer, where only the own user exists.
    """
    uid = os.getuid()
    while path != folder:
        if path in _mount_points() or (uid != 0 and os.stat(path).st_uid != uid):
            return False
        path = os.path.dirname(path)
    return True


def apply(folders: list[str]) -> Layers:
    """Set up the view; in a new user and mount namespace.

    :raises OSError: when the system refuses; the child must end then.
    """
    cwd = os.getcwd()
    mounts = sorted(set(_mount_points()), key=len)
    inner = [m for m in mounts if any(m.startswith(f + "/") for f in folders)]
    # Descriptors, since paths may hold what the options of a mount cannot, and are hidden later.
    below = {path: os.open(path, os.O_PATH) for path in {*folders, *inner} if os.path.isdir(path)}
    linux.make_mounts_read_only()
    linux.mount("tmpfs", SHARED_MEMORY, "tmpfs", 0, f"size={LAYER_BYTES},nr_inodes={LAYER_FILES},mode=755")
    uppers: list[int] = []
    for path in sorted(below, key=len):
        if path not in folders:
            linux.mount(f"/proc/self/fd/{below[path]}", path, None, linux.MS_BIND)
            continue
        upper, work = f"{SHARED_MEMORY}/u{len(uppers)}", f"{SHARED_MEMORY}/w{len(uppers)}"
        os.mkdir(upper)
        os.mkdir(work)
        # The root of an overlay has the mode of its upper layer.
        os.chmod(upper, stat.S_IMODE(os.stat(f"/proc/self/fd/{below[path]}").st_mode))
        uppers.append(os.open(upper, os.O_PATH | os.O_DIRECTORY))
        options = f"lowerdir=/proc/self/fd/{below[path]},upperdir={upper},workdir={work},userxattr"
        linux.mount("overlay", path, "overlay", 0, options)
    linux.unmount(SHARED_MEMORY)
    linux.mount("tmpfs", SHARED_MEMORY, "tmpfs", 0, f"size=1g,nr_inodes={LAYER_FILES},mode=1777")
    if os.path.isdir(_TERMINALS):
        # New ones: a read-only mount keeps nobody from writing to the user's.
        linux.mount("devpts", _TERMINALS, "devpts", 0, "newinstance,ptmxmode=0666")
    for descriptor in below.values():
        os.close(descriptor)
    os.chdir(cwd)
    return Layers(tuple(p for p in sorted(below, key=len) if p in folders), tuple(uppers))


def cover(hidden: Iterable[str]) -> None:
    """Mount an empty file, or folder, over each; in a mount namespace of the child's own.

    :raises OSError: when the system refuses.
    """
    present = [path for path in hidden if os.path.exists(path)]
    if not present:
        return
    linux.mount("tmpfs", SHARED_MEMORY, "tmpfs", 0, "size=16m,mode=700")
    for number, path in enumerate(present):
        cover_path = f"{SHARED_MEMORY}/{number}"
        if os.path.isdir(path):
            os.mkdir(cover_path, 0o700)
        else:
            os.close(os.open(cover_path, os.O_CREAT | os.O_WRONLY, 0o600))
        linux.mount(cover_path, path, None, linux.MS_BIND)
    linux.unmount(SHARED_MEMORY)


def is_untouched(pid: int, layers: Layers) -> bool:
    """In the kernel, while that process lives: whether nothing was written at all."""
    try:
        return not any(os.listdir(f"/proc/{pid}/fd/{descriptor}/") for descriptor in layers.uppers)
    except OSError:
        return False


def _new(pid: int, layers: Layers) -> Iterator[tuple[str, os.stat_result | None]]:
    """Files and folders of the layers, the outermost first; without a status where one cannot be read."""
    for folder, descriptor in zip(layers.folders, layers.uppers, strict=True):
        # No recursion: the candidate decides how deep it goes, and how long a path becomes.
        rest = [(folder, f"/proc/{pid}/fd/{descriptor}/")]
        while rest:
            shown, at = rest.pop()
            try:
                names = os.listdir(at)
            except (FileNotFoundError, ProcessLookupError):
                # The process has ended.
                continue
            except OSError:
                yield shown, None
                continue
            for name in names:
                status = None
                with contextlib.suppress(OSError):
                    status = os.lstat(os.path.join(at, name))
                yield os.path.join(shown, name), status
                if status is not None and stat.S_ISDIR(status.st_mode):
                    rest.append((os.path.join(shown, name), os.path.join(at, name)))


def changes(pid: int, layers: Layers) -> list[str]:
    """In the kernel, while the child lives (stopped): files that it wrote, made or deleted.

    With what cannot be read, such as a path that is too long; without those that no user wants to read of:
    of caches, and after the 200 outermost.
    """
    found: set[str] = set()
    unchanged = dict(layers.unchanged)
    for path, status in _new(pid, layers):
        if watch.is_cache(path) or "/.ipython/" in path:
            continue
        if status is None:
            found.add(path)
        elif not stat.S_ISDIR(status.st_mode) and unchanged.get(path) != status.st_ctime_ns:
            # Overlayfs marks what was deleted with a character device 0/0.
            found.add(f"{path} (deleted)" if stat.S_ISCHR(status.st_mode) else path)
    return sorted(found, key=lambda path: (path.count("/"), path))[:_REPORTED]


def made(pid: int, layers: Layers) -> list[str]:
    """In the kernel, while that process lives (stopped): files and folders it made, the innermost first."""
    new = dict.fromkeys(path for path, _ in _new(pid, layers))
    return [path for path in reversed(new) if not os.path.lexists(path)]
