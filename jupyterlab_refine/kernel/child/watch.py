"""Record denied actions of an attempt: hosts that it tried to reach, files that it tried to change."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

#: Audit events of what changes files; their arguments are paths, descriptors and numbers.
_CHANGING = frozenset(
    f"os.{name}" for name in "remove rename mkdir rmdir truncate chmod chown utime link symlink".split()
)
#: The first argument of these is only referred to.
_LINKING = ("os.link", "os.symlink")
_LOOPBACK = ("127.", "::1", "localhost")
_HARMLESS = ("/dev/", "/proc/")
_LIMIT = 50

#: Folders that only hold caches of libraries: an attempt may lose them, or be denied them.
_FOLDER = re.compile(
    r"/(?:__pycache__|\.(?:cache|fontconfig|hypothesis|matplotlib|pytest_cache)"
    r"|\.config/matplotlib|var/cache/fontconfig)(?:/|$)"
)
#: Compiled code of Python and numba; matplotlib's list of fonts and its lock, wherever they are.
_FILE = re.compile(
    r"(?:\.pyc|\.nbi|\.nbc|/fontlist-v[\w.]*\.json|\.matplotlib-lock)(?:\.\d+)?(?: \(deleted\))?$"
)


def is_cache(path: str) -> bool:
    """:param path: absolute; `` (deleted)`` may follow it."""
    return _FOLDER.search(path) is not None or _FILE.search(path) is not None


class Watch:
    """Collects denials from Python's audit events, as sentences of ``Execution.denied``."""

    def __init__(self, network_denied: bool, writable: list[str] | None) -> None:
        """:param writable: folders that take writes; None where writes are not denied at all."""
        self._network_denied = network_denied
        self._writable = writable
        self._own_server = False
        self._found: dict[str, None] = {}
        # References of our own, so that a candidate that patches os does not blind the watch.
        self._resolve = os.path.realpath
        self._is_folder = os.path.isdir
        sys.addaudithook(self._on_event)

    def found(self) -> list[str]:
        return list(self._found)

    def _on_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        try:
            if event.startswith("socket."):
                self._on_socket(event, arguments)
            elif event == "open" or event in _CHANGING:
                self._on_file(event, arguments)
        except Exception:
            # A hook that raises would break the candidate's own call. Descriptors are no paths, say.
            return

    def _on_socket(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.bind":
            self._own_server = True
        if not self._network_denied or event not in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
            return
        address = arguments[:2] if event == "socket.getaddrinfo" else arguments[1]
        if not isinstance(address, tuple) or not address[0]:
            return
        host = address[0].decode() if isinstance(address[0], bytes) else str(address[0])
        if self._own_server and host.startswith(_LOOPBACK):
            return
        port = f":{address[1]}" if len(address) > 1 and address[1] else ""
        self._add(f"tried to reach {host}{port}")

    def _on_file(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._writable is None:
            return
        if event == "open":
            path, mode, flags = arguments
            writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC) if flags is not None else 0
            if not writes and not (isinstance(mode, str) and set(mode) & set("wax+")):
                return
            self._check(path)
        elif event == "os.mkdir" and self._is_folder(arguments[0]):
            # As with `mkdir -p`: the folder exists, so nothing changes.
            return
        else:
            for path in arguments[event in _LINKING :]:
                if isinstance(path, (str, bytes, os.PathLike)):
                    self._check(path)

    def _check(self, path: Any) -> None:
        whole = self._resolve(os.fsdecode(path))
        if (
            whole.startswith(_HARMLESS)
            or is_cache(whole)
            or any(whole == folder or whole.startswith(folder + "/") for folder in self._writable or [])
        ):
            return
        self._add(f"tried to write {whole}")

    def _add(self, text: str) -> None:
        if len(self._found) < _LIMIT:
            self._found.setdefault(text)
