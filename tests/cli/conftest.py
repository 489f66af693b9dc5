"""The command line and the model server that its tests use."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from command import BUNDLE, SCRIPTED_SERVER, CommandLine, clean_environment, node


@contextmanager
def command_line(parent: Path) -> Iterator[CommandLine]:
    """The built command line; whatever a test does, no process of it may be left."""
    assert BUNDLE.exists(), "the command line is not built: run `jlpm build:cli`"
    folder = parent / "work"
    folder.mkdir()
    home = parent / "home"
    home.mkdir()
    line = CommandLine(folder, clean_environment(home))
    yield line
    line.wait_for_no_process()


@pytest.fixture
def cli(tmp_path: Path) -> Iterator[CommandLine]:
    with command_line(tmp_path) as line:
        yield line


@pytest.fixture(scope="module")
def shared_cli(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandLine]:
    """For one command whose notebooks are the cases of a module."""
    with command_line(tmp_path_factory.mktemp("shared")) as line:
        yield line


class ScriptedServers:
    """Scripted model servers, each for one test at a time."""

    def __init__(self) -> None:
        assert SCRIPTED_SERVER.exists(), "the model server is not built: run `jlpm build:testing`"
        self.free: list[str] = []
        self._processes: list[subprocess.Popen[str]] = []

    def take(self, script: dict[str, Any]) -> str:
        """URL of one that answers from the script alone."""
        url = self.free.pop() if self.free else self._start()
        with urllib.request.urlopen(f"{url}/__script", json.dumps(script).encode(), timeout=10):
            return url

    def _start(self) -> str:
        process = subprocess.Popen([node(), str(SCRIPTED_SERVER)], stdout=subprocess.PIPE, text=True)
        self._processes.append(process)
        assert process.stdout is not None
        return process.stdout.readline().strip()

    def close(self) -> None:
        for process in self._processes:
            process.terminate()
            process.wait(timeout=10)


@pytest.fixture(scope="session")
def scripted_servers() -> Iterator[ScriptedServers]:
    servers = ScriptedServers()
    yield servers
    servers.close()


@pytest.fixture
def model_server(scripted_servers: ScriptedServers) -> Iterator[Callable[..., str]]:
    """Prepares a scripted model server: ``model_server(answer, …)`` gives its base URL."""
    used: list[str] = []

    def start(*answers: dict[str, Any], **script: Any) -> str:
        used.append(scripted_servers.take({**script, "answers": list(answers)}))
        return f"{used[-1]}/v1"

    yield start
    scripted_servers.free += used
