"""The notebook that a scorer measures."""

from __future__ import annotations

import pytest
from live_kernel import LiveKernel


@pytest.fixture(scope="module")
def data(kernel: LiveKernel) -> LiveKernel:
    kernel.run("import math, unittest, statistics, numpy as np, pandas as pd\nfrom math import sqrt, fsum")
    kernel.run(
        "X_train = np.arange(20.0).reshape(10, 2)\ny_train = 3 * X_train[:, 0]\n"
        "X_test = 100 + np.arange(20.0).reshape(10, 2)\ny_test = 3 * X_test[:, 0]\n"
        "def predict(X): return 0 * X[:, 0]\nscores = [1.5, 2.5]"
    )
    return kernel
