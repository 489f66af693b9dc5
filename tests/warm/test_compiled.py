"""The cache of the compiled kernel part."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyterlab_refine.warm import compiled


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "jupyterlab-refine"


def run(source: str) -> object:
    """The value of ``x`` after the source, compiled through the cache."""
    with compiled.cache() as cached:
        code = cached(source, "<part>", "exec", dont_inherit=True)
    names: dict[str, object] = {}
    exec(code, names)
    return names["x"]


def test_what_was_compiled_is_taken_from_the_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("x = 1") == 1
    (kept,) = folder.iterdir()
    written = kept.stat().st_mtime_ns
    monkeypatch.setattr(compiled, "compile", None, raising=False)
    assert run("x = 1") == 1
    assert kept.stat().st_mtime_ns == written


def test_a_changed_source_is_compiled_anew() -> None:
    assert [run("x = 1"), run("x = 2"), run("x = 1")] == [1, 2, 1]


@pytest.mark.parametrize("damage", [b"", b"no cache", None])
def test_a_damaged_cache_is_none(folder: Path, damage: bytes | None) -> None:
    run("x = 1")
    (kept,) = folder.iterdir()
    kept.write_bytes(kept.read_bytes()[:-1] if damage is None else damage)
    assert run("x = 1") == 1


def test_a_folder_that_cannot_be_written_ends_nothing(folder: Path) -> None:
    folder.write_text("a file")
    assert run("x = 1") == 1
