"""In a second kernel: load the variables that :mod:`share` wrote in the user's kernel."""

from __future__ import annotations

import base64
import hmac
import importlib
import linecache
import os
import pickle
import random
import stat
import sys
import tempfile
from typing import Any

from .. import texts
from ..values import describe

_NONCE = 32
_loaded: set[str] = set()
#: Files that arrive in parts, by nonce.
_parts: dict[str, str] = {}


def part(nonce: str, data: str) -> dict[str, Any]:
    """Take the next piece of a file that this kernel does not see."""
    if nonce not in _parts:
        descriptor, _parts[nonce] = tempfile.mkstemp(prefix="refine-share-")
        os.close(descriptor)
    with open(_parts[nonce], "ab") as file:
        file.write(base64.b64decode(data))
    return {"state": "part"}


def forget(nonce: str) -> dict[str, Any]:
    """Remove the parts of a file that will not be loaded."""
    path = _parts.pop(nonce, None)
    if path is not None:
        os.unlink(path)
    return {"state": "forgotten"}


def load(path: str | None, nonce: str, shell: Any) -> dict[str, Any]:
    """Replace what was loaded before; the file is removed, whatever happens.

    :param path: None for one that came in parts.
    """
    path = _parts.pop(nonce, "") if path is None else path
    file = _open(path, nonce)
    if file is None:
        return {"state": "unseen"}
    with file:
        for name in _loaded:
            shell.user_ns.pop(name, None)
        _loaded.clear()
        return _read(file, shell)


def _open(path: str, nonce: str) -> Any:
    """Open the file, if it is the one that was written: private to this user, with the nonce."""
    try:
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        file = open(os.open(path, flags), "rb")
    except OSError:
        return None
    status = os.fstat(file.fileno())
    private = not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o077)
    found = file.read(_NONCE)
    if (
        not stat.S_ISREG(status.st_mode)
        or not private
        or not hmac.compare_digest(found, nonce.encode("ascii"))
    ):
        file.close()
        return None
    try:
        os.unlink(path)
    except OSError:
        # Windows cannot remove open files; the kernel that wrote it removes it.
        return file
    return file


def _read(file: Any, shell: Any) -> dict[str, Any]:
    start = _NONCE + 8
    end = int.from_bytes(file.read(8), "big")
    file.seek(end)
    trailer = pickle.loads(file.read())
    file.seek(start)
    _surround(trailer)
    namespace = shell.user_ns
    doing = ""
    try:
        for doing, module in trailer["modules"].items():
            namespace[doing] = importlib.import_module(module)
            _loaded.add(doing)
        _import(trailer["submodules"])
        for doing, source in trailer["classes"].items():
            exec(compile(source, "<notebook>", "exec", dont_inherit=True), namespace)
            _loaded.add(doing)
        unpickler = pickle.Unpickler(file)
        for doing in trailer["names"]:
            name, namespace[doing] = unpickler.load()
            _loaded.add(name)
    except Exception as error:
        return {"state": "failed", "name": doing, "reason": _reason(error)}
    _restore_random(trailer)
    return {
        "state": "loaded",
        "types": {name: describe.type_name(namespace[name]) for name in trailer["names"]},
    }


def _reason(error: Exception) -> str:
    message = texts.plain(f"{type(error).__name__}: {error}").strip().splitlines()[0]
    return texts.cut_end(f"it could not be created in the second kernel: {message}", 300)


def _surround(trailer: dict[str, Any]) -> None:
    sys.path[:] = trailer["path"]
    if trailer["folder"] is not None and os.path.isdir(trailer["folder"]):
        os.chdir(trailer["folder"])
    os.environ.update(trailer["environment"])
    for name, text in trailer["files"].items():
        # Without a time, so that nothing searches for a file of that name.
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)


def _import(names: list[str]) -> None:
    for name in names:
        try:
            importlib.import_module(name)
        except Exception:
            continue


def _restore_random(trailer: dict[str, Any]) -> None:
    random.setstate(trailer["random"])
    if trailer["numpy"] is not None:
        importlib.import_module("numpy.random").set_state(trailer["numpy"])
