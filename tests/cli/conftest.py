"""The command line and the model server that its tests use."""

from __future__ import annotations

import json
import subprocess
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


@pytest.fixture
def model_server(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Starts a scripted model server: ``model_server(answer, …)`` gives its base URL."""
    assert SCRIPTED_SERVER.exists(), "the model server is not built: run `jlpm build:testing`"
    started: list[subprocess.Popen[str]] = []

    def start(*answers: dict[str, Any], **script: Any) -> str:
        path = tmp_path / f"script{len(started)}.json"
        path.write_text(json.dumps({**script, "answers": list(answers)}), encoding="utf-8")
        process = subprocess.Popen(
            [node(), str(SCRIPTED_SERVER), "--script", str(path)], stdout=subprocess.PIPE, text=True
        )
        started.append(process)
        assert process.stdout is not None
        return f"{process.stdout.readline().strip()}/v1"

    yield start
    for process in started:
        process.terminate()
        process.wait(timeout=10)
