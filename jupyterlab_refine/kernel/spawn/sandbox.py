"""The profile with which macOS confines the processes of an attempt."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

_PROGRAM = "/usr/bin/sandbox-exec"
_DEVICES = ("/dev/null", "/dev/zero", "/dev/tty", "/dev/dtracehelper")


def exists() -> bool:
    return sys.platform == "darwin" and os.path.exists(_PROGRAM)


def command(profile: str) -> list[str]:
    """What is written before the program and its arguments."""
    return [_PROGRAM, "-p", profile]


def profile(scratch: str, allow_network: bool, allow_writes: bool, hidden: Iterable[str] = ()) -> str:
    """All is allowed but the network, writes outside of a folder, and reading of hidden files."""
    lines = ["(version 1)", "(allow default)"]
    if not allow_network:
        # Sockets that were opened before stay: those to the kernel.
        lines.append("(deny network*)")
    if not allow_writes:
        # As the system names it: `/var` is a link.
        folder = os.path.realpath(scratch)
        places = [f"(subpath {_quoted(folder)})", *(f"(literal {_quoted(name)})" for name in _DEVICES)]
        lines += ["(deny file-write*)", f"(allow file-write* {' '.join(places)})"]
    lines += [f"(deny file-read* (subpath {_quoted(path)}))" for path in hidden]
    return "\n".join(lines)


def _quoted(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
