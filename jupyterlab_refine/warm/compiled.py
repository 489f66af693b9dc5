"""Loads the kernel part, which comes as text and takes long to compile, from a cache of its compiled modules.

It lies in the user's cache folder, for one version of Python, as byte code of installed modules lies
beside them.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib.util
import marshal
import os
import sys
import tempfile
import types

_PACKAGE = "_jupyterlab_refine"


def load(version: str, source: str) -> None:
    """Make the package of the kernel part.

    :param version: of the source; what is kept of another one is replaced.
    """
    path = _path()
    # Of a file that is damaged, another user's or another version's nothing is used.
    with contextlib.suppress(Exception), open(path, "rb") as file:
        if hasattr(os, "getuid") and os.fstat(file.fileno()).st_uid != os.getuid():
            raise PermissionError
        kept, sources, install = marshal.load(file)
        if kept == version:
            names = {"__builtins__": builtins, "__name__": f"{_PACKAGE}_loader"}
            types.FunctionType(install, names)(version, sources)
            return
    exec(source, {"__name__": f"{_PACKAGE}_loader"})
    # Whole or not at all; a cache that cannot be written is none.
    with contextlib.suppress(OSError):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(path))
        with open(descriptor, "wb") as file:
            marshal.dump(sys.modules[_PACKAGE].parts(), file)
        os.replace(temporary, path)


def _path() -> str:
    folder = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    name = f"kernel.{sys.implementation.cache_tag}.{importlib.util.MAGIC_NUMBER.hex()}.bin"
    return os.path.join(folder, "jupyterlab-refine", name)
