"""What an attempt has written is read while it stands still."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from processes import only_linux, start_child, state, wait_until

from jupyterlab_refine.kernel.fork import written
from jupyterlab_refine.kernel.isolation import overlay

pytestmark = only_linux


def make_files(folder: Path) -> None:
    number = 0
    while True:
        (folder / str(number)).touch()
        number += 1


@pytest.fixture
def family(tmp_path: Path) -> Iterator[tuple[int, int, written.Written]]:
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
        yield pid, maker, written.Written(pid, overlay.of(("/work",), (layer,)))
    finally:
        for one in (maker, pid):
            os.kill(one, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(layer)


def test_what_makes_files_is_stopped_while_they_are_read(
    family: tuple[int, int, written.Written], tmp_path: Path
) -> None:
    pid, maker, files = family
    assert wait_until(lambda: len(os.listdir(tmp_path)) > 3)
    found = files.found()
    assert wait_until(lambda: {state(pid), state(maker)} == {"T"})
    # It may end one more call after it was told to stop.
    assert 0 <= min(200, len(os.listdir(tmp_path))) - len(found) <= 1


def test_an_attempt_goes_on_after_its_files_were_read(
    family: tuple[int, int, written.Written], tmp_path: Path
) -> None:
    pid, maker, files = family
    assert wait_until(lambda: len(os.listdir(tmp_path)) > 3)
    files.before_checks()
    count = len(os.listdir(tmp_path))
    assert wait_until(lambda: len(os.listdir(tmp_path)) > count and state(pid) == "S")
    # Any 200 of them are listed.
    assert all(path.startswith("/work/") for path in files.by_candidate)
    assert len(files.by_candidate) > 3


@pytest.mark.parametrize("how", ["another folder", "closed"])
def test_a_layer_that_its_process_has_hidden_is_reported(tmp_path: Path, how: str) -> None:
    layer = os.open(tmp_path, os.O_PATH)
    (tmp_path / "empty").mkdir()
    hidden = tmp_path / "hidden"

    def hide() -> None:
        if how == "closed":
            os.close(layer)
        else:
            os.dup2(os.open(tmp_path / "empty", os.O_PATH), layer)
        hidden.touch()
        signal.pause()

    pid = start_child(hide)
    try:
        files = written.Written(pid, overlay.of(("/work",), (layer,)))
        assert wait_until(hidden.exists)
        files.before_checks()
        assert files.by_candidate == files.found() == ["/work"]
        assert files.after_checks(None).changed == ["work"]
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(layer)
    assert files.found() == []


def test_a_folder_that_the_kernel_cannot_read_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A candidate takes it from itself, and gives it back when it is run again."""
    (tmp_path / "locked").mkdir()
    (tmp_path / "open").touch()
    scan = os.scandir

    def scandir(path: str) -> object:
        if path.endswith("locked"):
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    layer = os.open(tmp_path, os.O_PATH)
    pid = start_child(signal.pause)
    monkeypatch.setattr(os, "scandir", scandir)
    try:
        after = written.Written(pid, overlay.of(("/work",), (layer,))).after_checks(None)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(layer)
    assert after.files == ["/work/open", "/work/locked (unreadable)"]
    assert "locked (unreadable)" in after.changed


def test_no_process_is_stopped_where_nothing_is_written(tmp_path: Path) -> None:
    layer = os.open(tmp_path, os.O_PATH)
    pid = start_child(signal.pause)
    try:
        files = written.Written(pid, overlay.of(("/work",), (layer,)))
        assert files.found() == []
        assert wait_until(lambda: state(pid) == "S")
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(layer)
