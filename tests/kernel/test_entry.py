"""How the kernel part is loaded, takes over from an older one, and answers: without a kernel."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_refine.kernel import entry

PACKAGE = "_jupyterlab_refine"


# The loader


@pytest.fixture(autouse=True)
def said(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What loaded parts have said; all are unloaded at the end."""
    found: list[str] = []
    monkeypatch.setattr(sys, "refine_test_said", found, raising=False)
    yield found
    for name in loaded():
        del sys.modules[name]


def loaded() -> list[str]:
    return sorted(name for name in sys.modules if name.split(".")[0] == PACKAGE)


ENTRY = """import sys
def call(text): return text
def call_in_frame(text, names): return text
def shutdown(): sys.refine_test_said.append(__version__)
"""


def install(version: str, **sources: str) -> Any:
    template = Path(entry.__file__).with_name("_loader.py").read_text(encoding="utf-8")
    packed = {"entry": ENTRY, **sources}
    text = template.replace("__REFINE_VERSION__", version).replace("__REFINE_SOURCES__", repr(packed))
    exec(compile(text, "<loader>", "exec"), {"__name__": "loader"})
    package: Any = sys.modules[PACKAGE]
    for name in sources:
        package.load(name)
    return package


def test_a_newer_version_takes_over(monkeypatch: pytest.MonkeyPatch, said: list[str]) -> None:
    install("1", old="")
    monkeypatch.setitem(sys.modules, f"{PACKAGE}_of_somebody_else", types.ModuleType("other"))
    before = {*sys.modules} - {*loaded()}
    package = install("2", new="x = 5")
    assert said == ["1"]
    assert loaded() == [PACKAGE, f"{PACKAGE}.entry", f"{PACKAGE}.new"]
    assert before <= {*sys.modules}
    assert (package.__version__, package.new.__version__, package.new.x) == ("2", "2", 5)
    package.shutdown()
    assert said == ["1", "2"]
    assert package.call("text") == "text"


def test_a_version_that_cannot_be_loaded_leaves_nothing() -> None:
    before = {*sys.modules}
    with pytest.raises(ZeroDivisionError):
        install("1", entry="from . import broken", broken="1 / 0")
    assert loaded() == []
    assert before <= {*sys.modules}
