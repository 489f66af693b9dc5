"""Real kernels for the tests of the kernel part: one per module and Python."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_kernel import MEANS, LiveKernel, avoid

PYTHONS = [p for p in os.environ.get("REFINE_TEST_PYTHONS", "").split(os.pathsep) if p] or [sys.executable]


#: Set by `make test-full`: modules that do not say ``EVERY_KERNEL`` are run on every Python as well.
EVERY = bool(os.environ.get("REFINE_EVERY_KERNEL"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One kernel for each Python; the first alone for what does not depend on it."""
    if "python" in metafunc.fixturenames:
        every = EVERY or getattr(metafunc.module, "EVERY_KERNEL", False)
        metafunc.parametrize(
            "python",
            PYTHONS if every else PYTHONS[:1],
            indirect=True,
            scope="module",
            ids=lambda path: Path(path).parent.parent.name,
        )


@pytest.fixture(scope="module")
def python(request: pytest.FixtureRequest) -> str:
    """Path of the interpreter whose ipykernel is tested."""
    return request.param


@pytest.fixture(scope="module")
def kernel(python: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKernel]:
    """A kernel for all tests of a module; its working directory is ``kernel.folder``."""
    with LiveKernel(python, tmp_path_factory.mktemp("kernel")) as live:
        live.call("hello")
        yield live


@pytest.fixture(params=MEANS)
def means(request: pytest.FixtureRequest, kernel: LiveKernel) -> Iterator[str]:
    avoid(kernel, MEANS[request.param])
    (kernel.folder / "keep.txt").write_text("keep")
    yield request.param
    avoid(kernel, "set()")


@pytest.fixture(scope="module")
def checks(kernel: LiveKernel) -> LiveKernel:
    """A kernel with the libraries that checks use."""
    kernel.run("import numpy as np, pandas as pd, unittest, math")
    return kernel


@pytest.fixture(scope="module")
def data(kernel: LiveKernel) -> LiveKernel:
    """The notebook that a scorer measures."""
    kernel.run("import math, unittest, statistics, numpy as np, pandas as pd\nfrom math import sqrt, fsum")
    kernel.run(
        "X_train = np.arange(20.0).reshape(10, 2)\ny_train = 3 * X_train[:, 0]\n"
        "X_test = 100 + np.arange(20.0).reshape(10, 2)\ny_test = 3 * X_test[:, 0]\n"
        "def predict(X): return 0 * X[:, 0]\nscores = [1.5, 2.5]"
    )
    return kernel
