"""Attempts on macOS and Windows, simulated: the rows, feedback and words of Linux, in started processes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from live_kernel import LiveKernel, collect, job, no_child_stays, reasons, verdict
from systems import SYSTEMS, environment

NOTEBOOK = """
import pandas as pd, sqlite3
sales = pd.DataFrame({"region": ["n", "s", "n"], "amount": [1, 2, 3]})
def double(x):
    return 2 * x
conn = sqlite3.connect(":memory:")
secret = [7]
"""


@pytest.fixture(scope="module", params=("linux", *SYSTEMS))
def system(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def kernel(system: str, python: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKernel]:
    """A kernel whose attempts run in processes that it starts; on Linux as by the setting ``sidecar``."""
    before, temporary = dict(os.environ), str(tmp_path_factory.mktemp("temporary"))
    os.environ.update({"TMPDIR": temporary} if system == "linux" else environment(system, TMPDIR=temporary))
    try:
        live = LiveKernel(python, tmp_path_factory.mktemp("kernel"))
    finally:
        os.environ.clear()
        os.environ.update(before)
    try:
        live.call("hello")
        assert live.run(NOTEBOOK)["status"] == "ok"
        yield live
    finally:
        live.close()


def attempt(kernel: LiveKernel, candidate: str, *checks: str, **fields: Any) -> dict[str, Any]:
    return kernel.attempt(candidate, *checks, sidecar=True, **fields)


def test_the_isolation_says_what_is_open(kernel: LiveKernel, system: str) -> None:
    hello = kernel.call("hello")
    if system == "linux":
        assert hello["isolation"]["mode"] == "fork"
        return
    assert hello["isolation"] == hello["sidecar"]
    found = {key: hello["sidecar"][key] for key in ("mode", "memory", "files", "network")}
    assert found == {"mode": "sidecar", "memory": True, "files": "open", "network": False}


def test_a_pass_is_confirmed_with_copies(kernel: LiveKernel) -> None:
    execution = attempt(kernel, "n = double(len(sales))\nsales = None", "assert n == 6")
    assert verdict(execution) == "confirmed", execution
    assert kernel.run("print(len(sales), 'n' in globals())")["text"] == "3 False\n"


def test_frames_of_pandas_are_compared(kernel: LiveKernel) -> None:
    candidate = "totals = sales.groupby('region')['amount'].sum()"
    execution = attempt(
        kernel, candidate, "assert totals.to_dict() == {'n': 4, 's': 2}", "assert len(totals) == 2"
    )
    assert verdict(execution) == "confirmed", reasons(execution)


def test_hold_outs_run_in_the_judge_alone(kernel: LiveKernel) -> None:
    def run(candidate: str) -> list[str]:
        execution = attempt(kernel, candidate, "assert f(1) == 2", holdouts=("assert f(5) == 10",))
        assert "f(5)" not in str(execution)
        return [row["outcome"] for row in execution["assertions"]]

    assert run("def f(x):\n    return 2 * x") == ["passed", "passed"]
    assert run("def f(x):\n    return 2") == ["passed", "failed"]


def test_a_scorer_measures_with_data_that_no_candidate_sees(kernel: LiveKernel) -> None:
    scorer = {
        "cellId": "s",
        "index": 9,
        "source": "def score(ns):\n    return ns['guess'] - sum(ns['secret'])",
    }
    fields: dict[str, Any] = {"scorer": scorer, "hiddenData": ["secret"]}
    execution = attempt(kernel, "guess = 10", "assert guess > 0", **fields)
    assert execution["scored"]["value"] == 3
    assert attempt(kernel, "guess = secret[0]", "assert guess", **fields)["error"]["name"] == "NameError"


def test_what_cannot_be_copied_is_named(kernel: LiveKernel) -> None:
    refused = kernel.start(job("conn.execute('select 1')", "assert True", sidecar=True), 0)
    assert (refused["state"], refused["code"]) == ("refused", "cannot-copy")
    why = "conn: a sqlite3.Connection cannot be copied"
    assert refused["message"] == f"Some names of the attempt cannot be copied into a second kernel: {why}."


def test_stop_ends_it_with_its_output(kernel: LiveKernel) -> None:
    one = job("print('so far', flush=True)\nimport time; time.sleep(60)", "assert True", sidecar=True)
    assert kernel.start(one, 0)["state"] == "running"
    seen, end = "", time.monotonic() + 60
    while "so far" not in seen and time.monotonic() < end:
        seen += str(kernel.iopub(timeout=0.2))
    kernel.control("cancel", id=one["id"])
    execution = collect(kernel, one["id"])["execution"]
    assert (execution["stop"], execution["stdout"]) == ("stopped", "so far\n")


def test_a_timeout_is_reported_where_temporary_files_were_removed(kernel: LiveKernel) -> None:
    lines = [
        "import os, tempfile, time",
        "for one in os.scandir(tempfile.gettempdir()):",
        "    os.remove(one)",
    ]
    execution = attempt(kernel, "\n".join([*lines, "time.sleep(60)"]), "assert True", limits={"seconds": 1})
    assert (execution["stop"], execution["stopMessage"].split(", ")[-1]) == ("timeout", "in line 4")


def test_a_file_beside_the_notebook_is_no_module_of_the_standard_library(kernel: LiveKernel) -> None:
    beside = kernel.folder / "random.py"
    beside.write_text("raise ImportError('the file beside the notebook')")
    try:
        execution = attempt(kernel, "import random\nn = random.Random(1).randint(1, 1)", "assert n == 1")
    finally:
        beside.unlink()
    assert verdict(execution) == "confirmed", reasons(execution)


SLOW = """
import time
class Slow:
    def __reduce__(self):
        # Nothing ends a single long sleep where a thread cannot be sent a signal.
        while True:
            time.sleep(0.01)
slow = Slow()
"""


def test_stop_ends_the_copying(kernel: LiveKernel) -> None:
    kernel.run(SLOW)
    one = job("slow", "assert True", sidecar=True)
    answers: list[dict[str, Any]] = []
    thread = threading.Thread(target=lambda: answers.append(kernel.start(one, 0)))
    thread.start()
    time.sleep(1)
    end = time.monotonic() + 30
    while thread.is_alive() and time.monotonic() < end:
        kernel.control("cancel", id=one["id"])
        thread.join(0.2)
    assert [answer["execution"]["stop"] for answer in answers] == ["stopped"]


def test_a_spare_has_the_copies_of_the_last_attempt(kernel: LiveKernel) -> None:
    candidate = "n = len(sales)"
    attempt(kernel, candidate, "assert n == 3")
    assert kernel.call("prepare", allowNetwork=False, allowWrites=False, sidecar=True)["state"] == "ready"
    kernel.run("sales = sales.head(2)")
    assert verdict(attempt(kernel, candidate, "assert n == 2")) == "confirmed"


def test_no_process_and_no_folder_stays(kernel: LiveKernel) -> None:
    kernel.call("prepare", allowNetwork=False, allowWrites=False, sidecar=True)
    assert attempt(kernel, "n = 1", "assert n == 1")["status"] == "completed"
    # With a spare that has mapped the copies.
    kernel.run("import numpy; big = numpy.arange(10000)")
    attempt(kernel, "n = len(big)", "assert n")
    kernel.call("prepare", allowNetwork=False, allowWrites=False, sidecar=True)
    kernel.run("1")
    assert no_child_stays(kernel, 30)
    kernel.run("1")
    folder = kernel.run("import tempfile; print(tempfile.gettempdir())")["text"].strip()
    assert [name for name in os.listdir(folder) if name.startswith("refine-")] == []
