"""The warm process: its frames, and which interpreter runs the cells of a kernel specification."""

from __future__ import annotations

import json
import os
import struct
import sys
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_refine.warm.server import Frames, find_interpreter

LAUNCH = ["-m", "ipykernel_launcher", "-f", "{connection_file}"]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write the specification `mine` where Jupyter finds it first."""
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))

    def write(**spec: Any) -> None:
        folder = tmp_path / "kernels" / "mine"
        folder.mkdir(parents=True)
        (folder / "kernel.json").write_text(json.dumps(spec))

    return write


def test_plain_python_is_the_running_interpreter(write: Any) -> None:
    write(argv=["python", "-Xfrozen_modules=off", *LAUNCH])
    found = find_interpreter("Mine")
    assert found is not None and found.is_this


def test_own_interpreter_options_and_environment_are_kept(write: Any) -> None:
    write(argv=["/other/bin/python", "-Xutf8", *LAUNCH], env={"A": "b"})
    assert find_interpreter("mine") == (["/other/bin/python", "-Xutf8"], {"A": "b"})


def test_environment_alone_needs_another_process(write: Any) -> None:
    write(argv=["python3", *LAUNCH], env={"A": "b"})
    found = find_interpreter("mine")
    assert found is not None and found.command == [sys.executable]
    assert not found.is_this


@pytest.mark.parametrize(
    "argv",
    [
        ["deno", "jupyter", "--kernel", "--conn", "{connection_file}"],
        ["conda", "run", "python", *LAUNCH],
        ["python", *LAUNCH, "--profile", "mine"],
        ["python", "-m", "xpython", "-f", "{connection_file}"],
        [],
        "python",
    ],
)
def test_what_starts_something_else_needs_a_server(write: Any, argv: Any) -> None:
    write(argv=argv)
    assert find_interpreter("mine") is None


def test_provisioned_kernels_need_a_server(write: Any) -> None:
    write(argv=["python", *LAUNCH], metadata={"kernel_provisioner": {"provisioner_name": "remote"}})
    assert find_interpreter("mine") is None


def test_unknown_names_need_a_server(write: Any) -> None:
    assert find_interpreter("nowhere") is None


@pytest.mark.parametrize("name", ["/tmp", "..", "../mine", "a/b", "", "mine\n", "m ine"])
def test_a_name_is_no_path(write: Any, name: str) -> None:
    write(argv=["python", *LAUNCH])
    assert find_interpreter(name) is None


def framed(text: str) -> bytes:
    return struct.pack(">I", len(text)) + text.encode()


def test_a_request_is_read_without_the_next() -> None:
    reader, writer = os.pipe()
    os.write(writer, framed('{"text": "\\ud800"}') + framed('{"n": 2}'))
    # As a fork does, which has no bytes of the first reader.
    assert Frames(reader, -1).read() == {"text": "\ud800"}
    assert Frames(reader, -1).read() == {"n": 2}


def test_an_end_within_a_request_is_the_end() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"\0\0\0\x09{")
    os.close(writer)
    assert Frames(reader, -1).read() is None
