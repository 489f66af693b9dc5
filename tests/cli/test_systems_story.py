"""The command line on macOS and Windows, simulated: rows and words of Linux, and no process is left."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import CommandLine, answer, clean_environment, code, read_events
from systems import SYSTEMS, environment, words

from jupyterlab_refine.demo import NOTEBOOK

pytestmark = pytest.mark.timeout(600)
CELLS = [
    code("data", "import pandas as pd\nsales = pd.DataFrame({'region': list('nsn'), 'amount': [1, 2, 3]})"),
    code("target", "# Sum the amounts of each region as `totals`, a Series."),
    code("checks", "assert totals['n'] == 4\nassert len(totals) == 2"),
    code("held", "assert totals.sum() == 6", tags=["refine-holdout"]),
    code("scorer", "def score(ns):\n    return float(ns['totals'].max())", tags=["refine-scorer"]),
]
ANSWERS = (
    answer("totals = sales.groupby('region')['amount'].count()"),
    answer("totals = sales.groupby('region')['amount'].sum()"),
)
HANGS = [code("target", "n = 0\nwhile True: n += 1"), code("checks", "assert n")]


@pytest.fixture(params=("linux", *SYSTEMS))
def line(request: pytest.FixtureRequest, tmp_path: Path) -> CommandLine:
    for name in ("home", "work"):
        (tmp_path / name).mkdir()
    own = clean_environment(tmp_path / "home")
    return CommandLine(
        tmp_path / "work", own if request.param == "linux" else {**own, **_added(request.param)}
    )


def _added(system: str) -> dict[str, str]:
    own = environment(system)
    return {name: own[name] for name in own if name.startswith(("REFINE_SIM", "PYTHON", "LC_ALL"))}


#: What was told first, on Linux.
_told: dict[str, Any] = {}


def is_as_on_linux(story: str, told: Any) -> None:
    assert words(told) == _told.setdefault(story, words(told))


def test_pandas_hold_outs_and_a_scorer(line: CommandLine, model_server: Callable[..., str]) -> None:
    line.notebook("n.ipynb", CELLS)
    model = ("--base-url", model_server(*ANSWERS), "--allow-writes", "--strict", "--max-attempts", "2")
    done = line.run("run", "n.ipynb", *model, "--output", "done.ipynb", "--events", "events.jsonl", "--json")
    assert done.status == 0, done.stderr
    events = read_events(line.folder / "events.jsonl")
    is_as_on_linux("refined", [one["execution"] for one in events if one["type"] == "execution-end"])
    line.wait_for_no_process()


def test_a_time_out(line: CommandLine) -> None:
    line.notebook("n.ipynb", HANGS)
    done = line.run("check", "n.ipynb", "--attempt-timeout", "2", "--json")
    (target,) = done.results["notebooks"][0]["targets"]
    assert (done.status, target["status"]) == (1, "failed"), done.stderr
    is_as_on_linux("late", target["reason"]["message"])
    line.wait_for_no_process()


def test_stop(line: CommandLine) -> None:
    line.notebook("n.ipynb", HANGS)
    process = line.start("check", "n.ipynb", "--events", "events.jsonl", "--json")
    line.wait_for_event("execution-start")
    (target,) = line.interrupt(process).results["notebooks"][0]["targets"]
    assert target["status"] == "interrupted"


def refine(system: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "jupyterlab_refine", *arguments],
        cwd=folder,
        env=environment(system),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
    )


# The other system differs in what the stories of attempts compare.
@pytest.mark.parametrize(
    "system",
    [system if system == "win32" else pytest.param(system, marks=pytest.mark.full) for system in SYSTEMS],
)
def test_the_demo_is_refined_and_checked(system: str, tmp_path: Path) -> None:
    shutil.copyfile(NOTEBOOK, tmp_path / "demo.ipynb")
    to_file = ("--profile", "demo", "--strict", "--output", "done.ipynb")
    refused = refine(system, tmp_path, "run", "demo.ipynb", *to_file)
    assert refused.returncode == 3
    assert "Run again with --allow-writes to allow it." in refused.stdout + refused.stderr
    done = refine(system, tmp_path, "run", "demo.ipynb", "--allow-writes", *to_file)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "expected  'ValueError'" in said and "observed  0" in said
    assert "4 of 4 and 1 held out" in said and "not confirmed" not in said
    # It runs what the user has written: nobody is asked.
    # Shells of Windows leave patterns as they are.
    checked = refine(system, tmp_path, "check", "do*.ipynb" if system == "win32" else "done.ipynb")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "4 of 4 and 1 held out; current code" in checked.stdout + checked.stderr
