"""A notebook with data for a scorer, and an attempt with a scorer."""

from __future__ import annotations

from typing import Any

from live_kernel import LiveKernel

RMSE = """
goal = "min"
name = "rmse"
unit = "EUR"

def score(ns):
    difference = ns["predict"](ns["X_test"]) - ns["y_test"]
    return float(np.sqrt(np.mean(difference ** 2)))
"""
HIDDEN = ["X_test", "y_test"]
SCORED = {"goal": "min", "name": "rmse", "unit": "EUR"}
#: True is y = 3 x; this is off by 1 everywhere.
NEARLY = "def predict(X): return 3 * X[:, 0] + 1"


def score(
    kernel: LiveKernel,
    candidate: str,
    source: str,
    *checks: str,
    hidden: list[str] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    scorer = {"cellId": "scorer-0", "source": source}
    fields = {"ownNames": ["predict"], **fields}
    return kernel.attempt(candidate, *checks, scorer=scorer, hiddenData=hidden or [], **fields)
