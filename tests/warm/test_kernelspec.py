"""Which interpreter runs the cells of a kernel specification."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_refine.warm import kernelspec

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
    assert kernelspec.find("Mine").is_this


def test_own_interpreter_options_and_environment_are_kept(write: Any) -> None:
    write(argv=["/other/bin/python", "-Xutf8", *LAUNCH], env={"A": "b"})
    assert kernelspec.find("mine") == (["/other/bin/python", "-Xutf8"], {"A": "b"})


def test_environment_alone_needs_another_process(write: Any) -> None:
    write(argv=["python3", *LAUNCH], env={"A": "b"})
    found = kernelspec.find("mine")
    assert found.command == [sys.executable]
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
    with pytest.raises(kernelspec.Unsupported):
        kernelspec.find("mine")


def test_provisioned_kernels_need_a_server(write: Any) -> None:
    write(argv=["python", *LAUNCH], metadata={"kernel_provisioner": {"provisioner_name": "remote"}})
    with pytest.raises(kernelspec.Unsupported):
        kernelspec.find("mine")


def test_unknown_names_need_a_server(write: Any) -> None:
    with pytest.raises(kernelspec.Unsupported, match="nowhere"):
        kernelspec.find("nowhere")


@pytest.mark.parametrize("name", ["/tmp", "..", "../mine", "a/b", "", "mine\n", "m ine"])
def test_a_name_is_no_path(write: Any, name: str) -> None:
    write(argv=["python", *LAUNCH])
    with pytest.raises(kernelspec.Unsupported, match="is not the name of a kernel"):
        kernelspec.find(name)
