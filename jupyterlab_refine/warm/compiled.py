"""A cache of compiled modules of the kernel part, which comes as text and takes long to compile.

It lies in the user's cache folder, for one version of Python, as byte code of installed modules lies
beside them.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import marshal
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

Compile = Callable[..., Any]


@contextlib.contextmanager
def cache() -> Iterator[Compile]:
    """A ``compile`` that takes from the cache what it has; what it had to compile is kept at the end."""
    path = _path()
    known = _read(path)
    used: dict[str, Any] = {}

    def cached(source: str, file_name: str, mode: str, **options: Any) -> Any:
        key = hashlib.sha256(f"{file_name}\0{mode}\0{source}".encode()).hexdigest()
        code = known.get(key)
        used[key] = compile(source, file_name, mode, **options) if code is None else code
        return used[key]

    yield cached
    if not used.keys() <= known.keys():
        _write(path, used)


def _path() -> str:
    folder = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(folder, "jupyterlab-refine", f"kernel.{sys.implementation.cache_tag}.bin")


def _read(path: str) -> dict[str, Any]:
    """What was kept; nothing of a file that is damaged, another user's or another Python's."""
    try:
        with open(path, "rb") as file:
            if hasattr(os, "getuid") and os.fstat(file.fileno()).st_uid != os.getuid():
                return {}
            head, digest, body = file.read(len(_head())), file.read(32), file.read()
        found = marshal.loads(body) if head == _head() and digest == _sum(body) else {}
    except Exception:
        return {}
    return found if isinstance(found, dict) else {}


def _write(path: str, used: dict[str, Any]) -> None:
    """Whole or not at all; a cache that cannot be written is none."""
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        body = marshal.dumps(used)
        descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(path))
        with open(descriptor, "wb") as file:
            file.write(_head() + _sum(body) + body)
        os.replace(temporary, path)
    except OSError:
        return


def _head() -> bytes:
    return importlib.util.MAGIC_NUMBER + sys.version.encode()


def _sum(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()
