"""Runs the built command line as a user does, and sees what it leaves behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "jupyterlab_refine" / "cli" / "refine.mjs"
SCRIPTED_SERVER = ROOT / ".make" / "scripted-server.mjs"
DEMO = ROOT / "demo" / "fibonacci.ipynb"

#: Inherited by the server and its kernels: names the processes that a run started.
MARK = "REFINE_TEST_RUN"


@dataclass
class Finished:
    """A run that ended."""

    status: int
    stdout: str
    stderr: str

    @property
    def results(self) -> Any:
        """What ``--json`` printed."""
        return json.loads(self.stdout)


@dataclass
class CommandLine:
    """The command line in a folder of its own, without the keys and settings of this machine."""

    folder: Path
    environment: dict[str, str]
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    def start(self, *arguments: str, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        """Start it; the caller waits for it."""
        return subprocess.Popen(
            [node(), str(BUNDLE), *arguments],
            cwd=self.folder,
            env={**self.environment, MARK: self.mark, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, environment: Mapping[str, str] | None = None) -> Finished:
        """Run it to its end; no process of it is left then."""
        process = self.start(*arguments, environment=environment)
        return self.finish(process)

    def finish(self, process: subprocess.Popen[str]) -> Finished:
        """Wait for a started run."""
        stdout, stderr = process.communicate(timeout=120)
        return Finished(process.returncode, stdout, stderr)

    def install(self, folder: Path) -> None:
        """Put a `jupyter` on the path that is the installed command, with this checkout's package."""
        folder.mkdir()
        program = folder / "jupyter"
        program.write_text(f'#!/bin/sh\nshift\nexec {sys.executable} -m jupyterlab_refine "$@"\n')
        program.chmod(0o755)
        self.environment["PATH"] = f"{folder}{os.pathsep}{self.environment['PATH']}"
        self.environment["PYTHONPATH"] = str(ROOT)

    def shell(self, command: str) -> Finished:
        """Run a command of a page, as a shell does."""
        environment = {**self.environment, MARK: self.mark}
        done = subprocess.run(
            command, shell=True, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=100
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    def wait_for_event(self, kind: str, count: int = 1) -> None:
        """Wait until the file of ``--events events.jsonl`` has so many of a kind."""
        path = self.folder / "events.jsonl"
        wait_until(lambda: path.exists() and path.read_text().count(f'"{kind}"') >= count)

    def interrupt(self, process: subprocess.Popen[str]) -> Finished:
        """As Ctrl+C does; the run ends, and no process of it is left."""
        process.send_signal(signal.SIGINT)
        done = self.finish(process)
        assert done.status == 130, done.stderr
        self.wait_for_no_process()
        return done

    def processes(self) -> list[str]:
        """Command lines of the processes that a run started and that still live."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if f"{MARK}={self.mark}".encode() in (folder / "environ").read_bytes():
                    found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                continue
        return [command for command in found if command.strip()]

    def wait_for_no_process(self, seconds: float = 20) -> None:
        """Fails when a process of a run outlives ``seconds``."""
        end = time.monotonic() + seconds
        while self.processes() and time.monotonic() < end:
            time.sleep(0.1)
        left = self.processes()
        if left:
            pytest.fail("Still running: " + "; ".join(left))

    def notebook(self, name: str, cells: Sequence[Mapping[str, Any]], **metadata: Any) -> Path:
        """Write a notebook of such cells."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        content = {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {"kernelspec": kernelspec, **metadata},
            "cells": list(cells),
        }
        path.write_text(json.dumps(content), encoding="utf-8")
        return path

    def demo(self) -> Path:
        """A copy of the demo notebook."""
        return Path(shutil.copy(DEMO, self.folder))


def node() -> str:
    """The Node of this machine."""
    found = shutil.which("node")
    assert found, "Node is needed for these tests"
    return found


def code(cell_id: str, source: str, **metadata: Any) -> dict[str, Any]:
    """A code cell of nbformat 4.5."""
    return {
        "cell_type": "code",
        "id": cell_id,
        "metadata": metadata,
        "source": source,
        "execution_count": None,
        "outputs": [],
    }


def answer(source: str, thoughts: str = "A thought.", **more: Any) -> dict[str, Any]:
    """A scripted answer with one block of code."""
    return {"text": f"{thoughts}\n\n```python\n{source}\n```\n", **more}


def read_cells(path: Path) -> dict[str, dict[str, Any]]:
    """Cells of a notebook by id, sources joined."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return {cell["id"]: {**cell, "source": "".join(cell["source"])} for cell in cells}


def read_events(path: Path) -> list[dict[str, Any]]:
    """The events of an ``--events`` file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def clean_environment(home: Path) -> dict[str, str]:
    """This process's environment without keys, proxies, an Ollama, and Jupyter's own settings."""
    left_out = ("OPENAI_", "JUPYTER_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "REFINE_")
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith(left_out)}
    return {
        **kept,
        "REFINE_PYTHON": sys.executable,
        "OLLAMA_HOST": "127.0.0.1:1",
        "HOME": str(home),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "IPYTHONDIR": str(home / "ipython"),
    }


def wait_until(holds: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)
