"""Honest code by the hundred: the references of MBPP pass, with nothing held against them."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from live_kernel import LiveKernel

#: The data is not part of this repository: https://github.com/google-research/google-research, mbpp.
_BESIDE_THE_CHECKOUT = Path(__file__).parents[3] / "shared" / "data" / "mbpp" / "mbpp.jsonl"
DATA = Path(os.environ.get("REFINE_MBPP") or _BESIDE_THE_CHECKOUT)
pytestmark = pytest.mark.skipif(
    not DATA.is_file(), reason=f"no MBPP at {DATA}; REFINE_MBPP=/path/to/mbpp.jsonl names it"
)
SAMPLE, SEED = 60, 974
#: Their set-up uses what the code defines.
IN_ORDER = (367, 927)


def tasks() -> list[dict[str, Any]]:
    with open(DATA, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def sample(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Always the same; those that need an order are among them."""
    others = [task for task in found if task["task_id"] not in IN_ORDER]
    chosen = random.Random(SEED).sample(others, SAMPLE - len(IN_ORDER))
    return [task for task in found if task["task_id"] in IN_ORDER] + chosen


def objections(kernel: LiveKernel, task: dict[str, Any]) -> list[str]:
    """Why the reference of a task is not accepted."""
    checks = "\n".join([task["test_setup_code"], *task["test_list"]])
    execution = kernel.attempt(task["code"], checks, limits={"seconds": 60})
    found = [f"{result['outcome']}: {result['source']}" for result in execution["assertions"]]
    found = [text for text in found if not text.startswith("passed: ")]
    if execution["status"] != "completed":
        told = execution.get("stopMessage") or execution.get("error")
        found.append(f"{execution['status']}: {told}")
    if len(execution["assertions"]) < len(task["test_list"]):
        found.append(f"only {len(execution['assertions'])} of {len(task['test_list'])} were told")
    return found + execution["tampering"]


def refused(kernel: LiveKernel, chosen: list[dict[str, Any]]) -> dict[int, list[str]]:
    told = {}
    for task in chosen:
        told[task["task_id"]] = objections(kernel, task)
        # ZeroMQ drops what nobody reads.
        kernel.iopub()
    return {number: found for number, found in told.items() if found}


def test_a_sample_of_references_is_accepted(kernel: LiveKernel) -> None:
    assert refused(kernel, sample(tasks())) == {}


def test_a_wrong_reference_is_not(kernel: LiveKernel) -> None:
    """The test above can fail: each task's checks refuse the code of the next task."""
    chosen = sample(tasks())[:10]
    swapped = [{**task, "code": other["code"]} for task, other in zip(chosen, chosen[1:], strict=False)]
    assert set(refused(kernel, swapped)) == {task["task_id"] for task in swapped}


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_every_reference_is_accepted(kernel: LiveKernel) -> None:
    found = tasks()
    assert len(found) == 974
    assert refused(kernel, found) == {}
