"""Packs the kernel part into one source text, as ``scripts/pack-kernel.mjs`` does."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

_LEFT_OUT = {"__init__.py", "_loader.py"}
FOLDER = Path(__file__).parents[2] / "jupyterlab_refine" / "kernel"


def _sources(folder: Path) -> str:
    paths = [path for path in folder.rglob("*.py") if path.name not in _LEFT_OUT]
    names = {".".join(path.relative_to(folder).with_suffix("").parts): path for path in paths}
    entries = []
    for name, path in sorted(names.items()):
        text = path.read_text(encoding="utf-8")
        if not text.isascii():
            raise ValueError(f"{name} must be ASCII: its source is sent as an ASCII literal")
        entries.append(f"{json.dumps(name)}: {json.dumps(text)}")
    return "{" + ", ".join(entries) + "}"


def version(folder: Path = FOLDER) -> str:
    """First 12 hex digits of the SHA-256 of the packed modules."""
    return hashlib.sha256(_sources(folder).encode("ascii")).hexdigest()[:12]


def pack(folder: Path = FOLDER) -> str:
    """The source text that defines all modules when it is executed in a kernel."""
    loader = (folder / "_loader.py").read_text(encoding="utf-8")
    loader = loader.replace("__REFINE_VERSION__", version(folder))
    return loader.replace("__REFINE_SOURCES__", _sources(folder))
