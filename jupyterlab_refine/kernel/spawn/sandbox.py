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
    """All is allowed but signals to others, the network, writes outside of a folder, and hidden files."""
    # As the system names it: `/var` is a link.
    folder = f"(subpath {_quoted(os.path.realpath(scratch))})"
    lines = ["(version 1)", "(allow default)", "(deny signal)"]
    lines.append("(allow signal (target self) (target same-sandbox))")
    if not allow_network:
        # Sockets that were opened before stay: those to the kernel.
        lines.append("(deny network*)")
        # For processes that an attempt starts.
        lines.append(f"(allow network-bind (local unix-socket {folder}))")
        lines.append(f"(allow network-outbound (remote unix-socket {folder}))")
    if not allow_writes:
        places = [folder, *(f"(literal {_quoted(name)})" for name in _DEVICES)]
        lines += ["(deny file-write*)", f"(allow file-write* {' '.join(places)})"]
    lines += [f"(deny file-read* (subpath {_quoted(path)}))" for path in hidden]
    return "\n".join(lines)


def _quoted(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
