"""The warm process: frames, its compiled modules."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from jupyterlab_refine.warm.server import Frames


def framed(text: str) -> bytes:
    return struct.pack(">I", len(text)) + text.encode()


def test_a_request_is_read_without_the_next() -> None:
    reader, writer = os.pipe()
    os.write(writer, framed('{"text": "\\ud800"}') + framed('{"n": 2}'))
    # As a fork does, which has no bytes of the first reader.
    assert Frames(reader, -1).read() == {"text": "\ud800"}
    assert Frames(reader, -1).read() == {"n": 2}


def test_threads_do_not_mix_their_answers() -> None:
    reader, writer = os.pipe()
    sent = Frames(-1, writer)
    texts = [str(n) * 50_000 for n in range(8)]
    threads = [threading.Thread(target=sent.write, args=({"text": text},)) for text in texts]
    for thread in threads:
        thread.start()
    with open(reader) as lines:
        assert sorted(json.loads(lines.readline())["text"] for _ in texts) == texts


def test_an_end_within_a_request_is_the_end() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"\0\0\0\x09{")
    os.close(writer)
    assert Frames(reader, -1).read() is None


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "jupyterlab-refine"


#: Loads it as the warm process does, in a process of its own; prints whether it had to be compiled.
LOAD = """
import builtins, sys
sys.path.append(sys.argv[2])
import pack
from jupyterlab_refine.warm import compiled
seen = []
own = compile
builtins.compile = lambda *given, **more: seen.append(given[1]) or own(*given, **more)
compiled.load(sys.argv[1] or pack.version(), pack.pack())
is_compiled = any(name.startswith("<jupyterlab-refine/") for name in seen)
print(is_compiled, sys.modules["_jupyterlab_refine"].call is not None)
"""


def load(version: str = "") -> str:
    command = [sys.executable, "-c", LOAD, version, str(Path(__file__).parents[1] / "kernel")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_what_was_compiled_is_taken_from_the_cache(folder: Path) -> None:
    assert load() == "True True\n"
    (kept,) = folder.iterdir()
    written = kept.stat().st_mtime_ns
    assert load() == "False True\n"
    assert kept.stat().st_mtime_ns == written


def test_another_version_is_compiled_anew() -> None:
    assert [load(), load("another")] == ["True True\n", "True True\n"]


@pytest.mark.parametrize("damage", [b"", b"no cache", None])
def test_a_damaged_cache_is_none(folder: Path, damage: bytes | None) -> None:
    load()
    (kept,) = folder.iterdir()
    kept.write_bytes(kept.read_bytes()[:-1] if damage is None else damage)
    assert load() == "True True\n"


def test_a_folder_that_cannot_be_written_ends_nothing(folder: Path) -> None:
    folder.write_text("a file")
    assert load() == "True True\n"
