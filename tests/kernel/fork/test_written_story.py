"""What an attempt has written is read while it stands still."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from processes import only_linux, start_child, state, wait_until

from jupyterlab_refine.kernel.fork import family as families

pytestmark = only_linux


def make_files(folder: Path) -> None:
    number = 0
    while True:
        (folder / str(number)).touch()
        number += 1


def in_overlay(pid: int, layer: int) -> families.Family:
    found = families.Family(0)
    found.is_ready({"pid": pid, "layers": [["/work"], [layer]]})
    return found


@pytest.fixture
def family(tmp_path: Path) -> Iterator[tuple[int, int, families.Family]]:
    """A process that waits, one of its own that makes files all the time, and who looks at both."""
    layer = os.open(tmp_path, os.O_PATH)
    maker_file = tmp_path.with_suffix(".pid")

    def start() -> None:
        maker_file.write_text(str(start_child(lambda: make_files(tmp_path))))
        while True:
            signal.pause()

    pid = start_child(start)
    os.set_inheritable(layer, True)
    assert wait_until(lambda: maker_file.exists() and maker_file.read_text() != "")
    maker = int(maker_file.read_text())
    try:
        yield pid, maker, in_overlay(pid, layer)
    finally:
        for one in (maker, pid):
            os.kill(one, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(layer)


def test_what_makes_files_is_stopped_while_they_are_read(
    family: tuple[int, int, families.Family], tmp_path: Path
) -> None:
    pid, maker, files = family
    assert wait_until(lambda: len(os.listdir(tmp_path)) > 3)
    found = files.files_written()
    assert wait_until(lambda: {state(pid), state(maker)} == {"T"})
    # It may end one more call after it was told to stop.
    assert 0 <= min(200, len(os.listdir(tmp_path))) - len(found) <= 1


def test_an_attempt_goes_on_after_its_files_were_read(
    family: tuple[int, int, families.Family], tmp_path: Path
) -> None:
    pid, maker, files = family
    assert wait_until(lambda: len(os.listdir(tmp_path)) > 3)
    plan: Any = SimpleNamespace(allow_network=False)
    assert not files.is_repeatable(0.0, {"files": "overlay"}, plan)
    count = len(os.listdir(tmp_path))
    assert wait_until(lambda: len(os.listdir(tmp_path)) > count and state(pid) == "S")
    # Any 200 of them are listed.
    assert all(path.startswith("/work/") for path in files.by_candidate)
    assert len(files.by_candidate) > 3


def test_no_process_is_stopped_where_nothing_is_written(tmp_path: Path) -> None:
    layer = os.open(tmp_path, os.O_PATH)
    pid = start_child(signal.pause)
    try:
        files = in_overlay(pid, layer)
        assert files.files_written() == []
        assert wait_until(lambda: state(pid) == "S")
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(layer)
