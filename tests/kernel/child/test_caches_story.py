"""The caches that real libraries write on first use are no files that an attempt wrote."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from live_kernel import MEANS, LiveKernel, avoid

from jupyterlab_refine.kernel.child.watch import is_cache

PLOT = """
import os
import matplotlib
matplotlib.use("agg")
import matplotlib.pyplot as plt
plt.plot([1, 2])
plt.title("text")
plt.gcf().canvas.draw()
cached = [name for name in os.listdir(matplotlib.get_cachedir()) if name.startswith("fontlist-")]
"""


@pytest.fixture(params=["home", "MPLCONFIGDIR"])
def fresh(
    request: pytest.FixtureRequest, python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[LiveKernel]:
    """A kernel of a user who never used matplotlib."""
    for folder in ("home", "work", "settings"):
        (tmp_path / folder).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("MPLCONFIGDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    if request.param == "MPLCONFIGDIR":
        monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path / "settings"))
    with LiveKernel(python, tmp_path / "work") as live:
        live.call("hello")
        if live.run("import matplotlib")["status"] != "ok":
            pytest.skip("matplotlib is not installed")
        yield live


@pytest.mark.parametrize("name", ["overlay", "landlock"])
def test_the_font_list_of_matplotlib_is_not_reported(fresh: LiveKernel, name: str, tmp_path: Path) -> None:
    avoid(fresh, MEANS[name])
    # Where writes are denied, matplotlib goes on without the file.
    written = "cached" if name == "overlay" else "plt"
    done = fresh.attempt(PLOT, f"assert {written}", limits={"seconds": 60})
    assert [one["outcome"] for one in done["assertions"]] == ["passed"], done
    assert done["filesWritten"] == []
    assert done["denied"] == []
    assert not [*tmp_path.rglob("fontlist-*")]


@pytest.mark.parametrize(
    "path", ["/home/u/report.json", "/home/u/matplotlib/plot.png", "/work/fontlist.json", "/work/cache/data"]
)
def test_files_with_a_similar_name_are_reported(path: str) -> None:
    assert not is_cache(path)
