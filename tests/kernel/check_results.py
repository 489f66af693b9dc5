"""Results of the checks of an attempt."""

from __future__ import annotations

from typing import Any


def outcomes(execution: dict[str, Any]) -> list[str]:
    return [result["outcome"] for result in execution["assertions"]]


def first(execution: dict[str, Any]) -> dict[str, Any]:
    return execution["assertions"][0]
