"""Honest code by the hundred: the references of MBPP pass and are confirmed."""

from __future__ import annotations

import ast
import builtins
import random
from typing import Any

import pytest
from live_kernel import LiveKernel, reasons
from mbpp import DATA, tasks

pytestmark = pytest.mark.skipif(
    not DATA.is_file(), reason=f"no MBPP at {DATA}; REFINE_MBPP=/path/to/mbpp.jsonl names it"
)
SAMPLE, SEED = 60, 974
#: Their set-up uses what the code defines.
IN_ORDER = (367, 927)


def sample(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Always the same; those that need an order or are named as builtins are among them."""
    wanted = [task for task in found if task["task_id"] in IN_ORDER or shadows(task)]
    return wanted + random.Random(SEED).sample([task for task in found if task not in wanted], SAMPLE)


def shadows(task: dict[str, Any]) -> bool:
    """Whether its function has the name of a builtin."""
    return any(hasattr(builtins, name) for name in asked(task))


def objections(kernel: LiveKernel, task: dict[str, Any]) -> list[str]:
    """Why the reference of a task is not accepted, or not confirmed."""
    checks = "\n".join([task["test_setup_code"], *task["test_list"]])
    execution = kernel.attempt(task["code"], checks, limits={"seconds": 60}, askedNames=asked(task))
    found = [f"{result['outcome']}: {result['source']}" for result in execution["assertions"]]
    found = [text for text in found if not text.startswith("passed: ")]
    if execution["status"] != "completed":
        reported = execution.get("stopMessage") or execution.get("error")
        found.append(f"{execution['status']}: {reported}")
    if len(execution["assertions"]) < len(task["test_list"]):
        found.append(f"only {len(execution['assertions'])} of {len(task['test_list'])} were reported")
    return found + execution["tampering"] + reasons(execution)


def asked(task: dict[str, Any]) -> list[str]:
    """What the prompt asks for: functions that the checks call and the code defines."""
    defined = {node.name for node in ast.parse(task["code"]).body if isinstance(node, ast.FunctionDef)}
    called = {
        node.func.id
        for check in task["test_list"]
        for node in ast.walk(ast.parse(check.strip()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    return sorted(defined & called)


def refused(kernel: LiveKernel, chosen: list[dict[str, Any]]) -> dict[int, list[str]]:
    reported = {}
    for task in chosen:
        reported[task["task_id"]] = objections(kernel, task)
        # ZeroMQ drops what nobody reads.
        kernel.iopub()
    return {number: found for number, found in reported.items() if found}


def test_a_sample_of_references_is_confirmed(kernel: LiveKernel) -> None:
    assert refused(kernel, sample(tasks())) == {}


def test_a_wrong_reference_is_not(kernel: LiveKernel) -> None:
    """The test above can fail: each task's checks refuse the code of the next task."""
    chosen = sample(tasks())[:10]
    swapped = [{**task, "code": other["code"]} for task, other in zip(chosen, chosen[1:], strict=False)]
    assert set(refused(kernel, swapped)) == {task["task_id"] for task in swapped}


def test_functions_named_as_builtins_are_in_the_sample() -> None:
    assert any(map(shadows, sample(tasks())))


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_every_reference_is_confirmed(kernel: LiveKernel) -> None:
    found = tasks()
    assert len(found) == 974
    assert refused(kernel, found) == {}
