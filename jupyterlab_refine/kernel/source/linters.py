"""Run ruff or pyflakes, where the kernel's environment has one, in a process with a time limit."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import sysconfig
from typing import Any

from .. import texts

_SECONDS = 2.0
_LIMIT = 50
_RUFF = ("check", "--isolated", "--no-cache", "--select", "F", "--output-format", "json", "-")
#: Rules that our own inspection covers better, as it knows the kernel's names; or meaningless in a cell.
_OURS = frozenset(
    ("F403", "F404", "F405", "F406", "F701", "F702", "F704", "F706", "F707", "F722", "F821", "F822")
)
_PYFLAKES_LINE = re.compile(r"<stdin>:(\d+):(?:(\d+):?)? (.*)")
_PYFLAKES_OURS = re.compile(
    "undefined name|unable to detect|may be undefined|outside function|outside loop|syntax error"
)


def findings(text: str) -> list[dict[str, Any]]:
    """The linter's findings, all as warnings: errors are found without a linter."""
    try:
        command = _ruff()
        if command is not None:
            return _of_ruff(_output(command, text))
        if importlib.util.find_spec("pyflakes") is not None:
            return _of_pyflakes(_output(_module("pyflakes"), text))
    except (OSError, ValueError, KeyError, TypeError, subprocess.SubprocessError):
        # A linter that is broken, too slow or of an unknown version gives no findings.
        return []
    return []


def _ruff() -> list[str] | None:
    for folder in (os.path.dirname(sys.executable), sysconfig.get_path("scripts")):
        path = os.path.join(folder, "ruff")
        if os.access(path, os.X_OK):
            return [path, *_RUFF]
    return [*_module("ruff"), *_RUFF] if importlib.util.find_spec("ruff") is not None else None


def _module(name: str) -> list[str]:
    # Not a file of that name in the notebook's folder.
    return [sys.executable, "-P" if sys.version_info >= (3, 11) else "-I", "-m", name]


def _output(command: list[str], text: str) -> str:
    done = subprocess.run(
        command,
        input=text.encode("utf-8", "replace"),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=_SECONDS,
        check=False,
    )
    return done.stdout.decode("utf-8", "replace")


def _of_ruff(output: str) -> list[dict[str, Any]]:
    found = []
    for item in json.loads(output or "[]"):
        code, place = item["code"] or "", item["location"]
        if re.fullmatch(r"F\d+", code) and code not in _OURS:
            found.append(_finding(place["row"], place["column"], code, item["message"]))
    return found[:_LIMIT]


def _of_pyflakes(output: str) -> list[dict[str, Any]]:
    found = []
    for line in output.splitlines():
        match = _PYFLAKES_LINE.fullmatch(line)
        if match is not None and not _PYFLAKES_OURS.search(match[3]):
            found.append(_finding(int(match[1]), int(match[2] or 1), "pyflakes", match[3]))
    return found[:_LIMIT]


def _finding(line: int, column: int, code: str, message: str) -> dict[str, Any]:
    text = texts.cut_end(texts.plain(message), 300)
    return {"line": line, "column": column, "code": code, "message": text, "severity": "warning"}
