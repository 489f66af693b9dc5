"""Find the interpreter of a kernel specification, without the packages that Jupyter needs for it."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import NamedTuple

#: What a kernel specification of ipykernel runs after its interpreter and the options of that.
_LAUNCH = ["-m", "ipykernel_launcher", "-f", "{connection_file}"]
#: As Jupyter: a notebook names its kernel, and a path would lead to a file that lies beside it.
_NAME = re.compile(r"[a-z0-9._-]*[a-z0-9_-][a-z0-9._-]*")


class Interpreter(NamedTuple):
    """What runs the cells of a kernel specification."""

    #: The program and its own options.
    command: list[str]
    environment: dict[str, str]

    @property
    def is_this(self) -> bool:
        return self.command == [sys.executable] and not self.environment


def find(name: str) -> Interpreter | None:
    """The interpreter of ipykernel's specification of that name; None: none, or one that starts more."""
    if not _NAME.fullmatch(name.lower()):
        return None
    from jupyter_core.paths import jupyter_path

    for folder in jupyter_path():
        file = os.path.join(folder, "kernels", name.lower(), "kernel.json")
        try:
            with open(file, encoding="utf-8") as opened:
                spec = json.load(opened)
        except (OSError, ValueError):
            continue
        return _interpreter(spec, os.path.dirname(file))
    # ipykernel's own, which Jupyter has without a file.
    return Interpreter([sys.executable], {}) if name.lower() == "python3" else None


def _interpreter(spec: dict[str, object], folder: str) -> Interpreter | None:
    given, environment = spec.get("argv"), spec.get("env") or {}
    if not isinstance(given, list) or not isinstance(environment, dict):
        return None
    argv = [str(part).replace("{resource_dir}", folder) for part in given]
    options = [part for part in argv[1:] if part not in _LAUNCH]
    is_plain = all(option.startswith("-X") for option in options)
    if not argv or argv[-4:] != _LAUNCH or not is_plain or "kernel_provisioner" in str(spec.get("metadata")):
        return None
    major, minor = sys.version_info[:2]
    own = ("python", f"python{major}", f"python{major}.{minor}")
    program = sys.executable if argv[0] in own else argv[0]
    # An option that only quietens the debugger needs no other process.
    needed = [option for option in options if option != "-Xfrozen_modules=off"]
    return Interpreter([program, *needed], {str(key): str(value) for key, value in environment.items()})
