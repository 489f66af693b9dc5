"""Real kernels for the tests of the kernel part: one per module and Python."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_kernel import LiveKernel

PYTHONS = [p for p in os.environ.get("REFINE_TEST_PYTHONS", "").split(os.pathsep) if p] or [sys.executable]


@pytest.fixture(scope="module", params=PYTHONS, ids=lambda path: Path(path).parent.parent.name)
def python(request: pytest.FixtureRequest) -> str:
    """Path of the interpreter whose ipykernel is tested."""
    return request.param


@pytest.fixture(scope="module")
def kernel(python: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKernel]:
    """A kernel for all tests of a module; its working directory is ``kernel.folder``."""
    live = LiveKernel(python, tmp_path_factory.mktemp("kernel"))
    try:
        live.call("hello")
        yield live
    finally:
        live.close()
