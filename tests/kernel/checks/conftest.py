"""A kernel with the libraries that checks use."""

from __future__ import annotations

import pytest
from live_kernel import LiveKernel


@pytest.fixture(scope="module")
def checks(kernel: LiveKernel) -> LiveKernel:
    kernel.run("import numpy as np, pandas as pd, unittest, math")
    return kernel
