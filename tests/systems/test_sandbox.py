"""The text of the profile with which macOS confines attempts; nothing here runs it."""

from __future__ import annotations

from pathlib import Path

from jupyterlab_refine.kernel.spawn import sandbox


def test_writes_go_to_one_folder_and_the_network_is_closed(tmp_path: Path) -> None:
    lines = sandbox.profile(str(tmp_path), False, False, ["/n.ipynb"]).splitlines()
    assert lines[:2] == ["(version 1)", "(allow default)"]
    assert lines[4:8] == [
        "(deny network*)",
        f'(allow network-bind (local unix-socket (subpath "{tmp_path}")))',
        f'(allow network-outbound (remote unix-socket (subpath "{tmp_path}")))',
        "(deny file-write*)",
    ]
    assert lines[8].startswith(f'(allow file-write* (subpath "{tmp_path}") (literal "/dev/null")')
    assert lines[9:] == ['(deny file-read* (subpath "/n.ipynb"))']


def test_what_the_user_allows_is_not_denied(tmp_path: Path) -> None:
    signals = ["(deny signal)", "(allow signal (target self) (target same-sandbox))"]
    assert sandbox.profile(str(tmp_path), True, True).splitlines()[2:] == signals
    assert "file-write" not in sandbox.profile(str(tmp_path), False, True)
    assert "network" not in sandbox.profile(str(tmp_path), True, False)


def test_names_are_quoted() -> None:
    assert '(subpath "/a\\"b\\\\c")' in sandbox.profile('/a"b\\c', False, False)
    assert sandbox.command("(version 1)") == ["/usr/bin/sandbox-exec", "-p", "(version 1)"]
