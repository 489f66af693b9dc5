"""How the kernel part is loaded, takes over from an older one, and answers: without a kernel."""

from __future__ import annotations

import importlib.util
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
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


def test_the_package_is_like_others() -> None:
    package = install("1", part="from . import other", other="from .entry import call")
    assert package.part.other.call("text") == "text"
    assert importlib.util.find_spec(f"{PACKAGE}.nowhere") is None
    assert importlib.util.resolve_name(".other", package.part.__package__) == f"{PACKAGE}.other"


def test_modules_of_a_room_import_each_other() -> None:
    sources = {
        "room.first": "from . import second\nfrom .. import top\nfrom ..other.third import value",
        "room.second": "name = __name__",
        "other.third": "from ..room import second\nvalue = second.name",
        "top": "from .room.second import name",
    }
    package = install("1", **sources)
    assert package.room.first.value == package.top.name == f"{PACKAGE}.room.second"
    assert package.room.first.top is package.top
    assert package.room.first.__package__ == f"{PACKAGE}.room"


def test_a_version_that_cannot_be_loaded_leaves_nothing() -> None:
    before = {*sys.modules}
    with pytest.raises(ZeroDivisionError):
        install("1", entry="from . import broken", broken="1 / 0")
    assert loaded() == []
    assert before <= {*sys.modules}


# Answers


def test_the_control_channel_where_the_kernel_has_one() -> None:
    for kernel in (
        SimpleNamespace(),
        SimpleNamespace(control_handlers=None, control_stream=1),
        SimpleNamespace(control_handlers={}),
    ):
        assert not entry._install_control(kernel)
    sent: list[Any] = []
    session = SimpleNamespace(send=lambda *arguments, **fields: sent.append((arguments, fields)))
    kernel = SimpleNamespace(control_handlers={"own": 1}, control_stream=1, session=session)
    assert entry._install_control(kernel)
    kernel.control_handlers["refine_request"]("stream", ["id"], {"content": {"op": "ping"}})
    (arguments, fields), *_ = sent
    assert arguments == ("stream", "refine_reply", {"ok": True})
    assert fields["ident"] == ["id"]
