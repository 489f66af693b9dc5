"""The Python whose kernels are tested here."""

from __future__ import annotations

import os
import sys

import pytest


@pytest.fixture(scope="module")
def python() -> str:
    return os.environ.get("REFINE_TEST_PYTHONS", "").split(os.pathsep)[0] or sys.executable
