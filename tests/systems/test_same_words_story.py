"""What panel and command line ask of a kernel gets the answers of a fork on Linux, word for word."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from live_kernel import LiveKernel, collect, job, no_child_stays
from systems import SYSTEMS, environment, words

NOTEBOOK = """
import pandas as pd
sales = pd.DataFrame({"region": ["n", "s", "n"], "amount": [1, 2, 3]})
total = 0
def double(x):
    return 2 * x
"""
BROKEN = "part = sales['amonut'].sum()"
SCORER = {"cellId": "s", "index": 9, "source": "def score(ns):\n    return 2 * ns['guess']"}


def fix_error(kernel: LiveKernel) -> Any:
    """The error of a cell, as the model gets it, then the corrected cell without checks."""
    assert kernel.run(BROKEN)["status"] == "error"
    found = kernel.call("failure", source=BROKEN, name="KeyError", values="samples")
    return found, kernel.attempt(BROKEN), kernel.attempt(BROKEN.replace("amonut", "amount"))


def explain(kernel: LiveKernel) -> Any:
    """An error inside of a function, and the variables around it."""
    code = "def half(x):\n    return x / total\n\nhalf(4)"
    assert kernel.run(code)["status"] == "error"
    found = kernel.call("failure", source=code, name="ZeroDivisionError", values="samples")
    return found, kernel.call("inspect", names=["sales", "double", "total"], values="samples")


def draft(kernel: LiveKernel) -> Any:
    """What a model drafts from, then its drafts, tried on the code of the cell."""
    cell = "best = sales['amount'].max()"
    inspected = kernel.call("inspect", names=["sales"], values="types")
    return inspected, kernel.attempt(cell, "assert best == 3", "assert best > 5", "assert best.isnull()")


def refuse(kernel: LiveKernel) -> Any:
    """What is wrong with code before it runs."""
    code = "value = undefined_name + 1"
    cells = [{"cellId": "a", "index": 1, "role": "assertion", "source": "assert value", "statements": 1}]
    return kernel.call("static", source=code, cells=cells), kernel.attempt(
        code, "assert value", static="gate"
    )


def fail(kernel: LiveKernel) -> Any:
    """Values, differences, output and displays of one that fails."""
    code = "print('größer → ✓')\ndef f(x):\n    y = x - 1\n    return y\nsales.head(1)"
    return kernel.attempt(code, "assert f(1) == 2", "assert f(1) == [0, {'a': 1}]", "assert f(None)")


def raise_inside(kernel: LiveKernel) -> Any:
    return kernel.attempt("n = 1\nprint('so far')\nrows = [double(n) / 0 for n in range(3)]", "assert n")


def measure(kernel: LiveKernel) -> Any:
    return kernel.attempt("guess = 4", "assert guess", holdouts=("assert guess < 3",), scorer=SCORER)


def time_out(kernel: LiveKernel) -> Any:
    return kernel.attempt("n = 0\nwhile True: n += 1", "assert n", limits={"seconds": 1})


def wait(kernel: LiveKernel) -> Any:
    return kernel.attempt("import time\ntime.sleep(60)", "assert True", limits={"seconds": 1})


def crash(kernel: LiveKernel) -> Any:
    return kernel.attempt("import os\nos._exit(3)", "assert True")


def stop(kernel: LiveKernel) -> Any:
    one = job("import time\ntime.sleep(60)", "assert True")
    assert kernel.start(one, 0)["state"] == "running"
    kernel.control("cancel", id=one["id"])
    return collect(kernel, one["id"])


STORIES: tuple[Callable[[LiveKernel], Any], ...] = (
    *(fix_error, explain, draft, refuse, fail, raise_inside, measure, time_out, wait, crash, stop),
)


@pytest.fixture(scope="module")
def on_linux(python: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKernel]:
    live = LiveKernel(python, tmp_path_factory.mktemp("linux"))
    live.call("hello")
    live.run(NOTEBOOK)
    yield live
    live.close()


class WithCopies(LiveKernel):
    """As other systems do, on Linux by the setting ``sidecar``."""

    def start(self, one: dict[str, Any], grace_ms: float) -> dict[str, Any]:
        return super().start({**one, "sidecar": True}, grace_ms)


@pytest.fixture(scope="module", params=("linux", *SYSTEMS))
def elsewhere(
    request: pytest.FixtureRequest, python: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveKernel]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment(request.param).items() if request.param != "linux" else ():
            patch.setenv(name, value)
        live = WithCopies(python, tmp_path_factory.mktemp("elsewhere"))
    live.call("hello")
    live.run(NOTEBOOK)
    yield live
    live.close()


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_it_is_told_as_on_linux(
    story: Callable[[LiveKernel], Any], elsewhere: LiveKernel, on_linux: LiveKernel
) -> None:
    assert words(story(elsewhere)) == words(story(on_linux))
    assert no_child_stays(elsewhere, 30)
