"""Every scenario on a real kernel: how it ends, and that nothing of it is left behind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from live_kernel import LiveKernel
from scenarios import FINGERPRINT, SCENARIOS, SETUP

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True


def ending(execution: dict[str, Any]) -> str:
    if execution["status"] == "cut":
        return execution["stop"]
    if execution["status"] == "error":
        return "error"
    outcomes = {result["outcome"] for result in execution["assertions"]}
    return "pass" if outcomes == {"passed"} else "fail"


def differences(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """What is not the same; of lists what is in one of the two only."""
    found = {}
    for key in before:
        left, right = before[key], after[key]
        if left != right and isinstance(left, list):
            left = [item for item in before[key] if before[key].count(item) != after[key].count(item)]
            right = [item for item in after[key] if before[key].count(item) != after[key].count(item)]
        if before[key] != after[key]:
            found[key] = (left, right)
    return found


def fingerprint(kernel: LiveKernel) -> dict[str, Any]:
    reply = kernel.run(FINGERPRINT)
    assert reply["status"] == "ok", reply
    return json.loads(reply["text"])


@pytest.fixture(scope="module")
def prepared(kernel: LiveKernel) -> LiveKernel:
    reply = kernel.run(SETUP)
    assert reply["status"] == "ok", reply
    # The first ones load what ipykernel needs to print and to send a large reply.
    fingerprint(kernel)
    kernel.attempt("z = 6; print('x' * 300000)", "assert z == 6")
    return kernel


@pytest.fixture(params=["best", pytest.param("landlock", marks=pytest.mark.full)])
def means(request: pytest.FixtureRequest, prepared: LiveKernel) -> Iterator[str]:
    """With the throw-away overlay where it is to be had, and without."""
    avoid = "__import__('sys').modules['_jupyterlab_refine.isolation.isolation'].avoid"
    if request.param == "landlock":
        prepared.evaluate(f"{avoid}.add('overlay')")
    yield request.param
    prepared.evaluate(f"{avoid}.clear()")


#: Defects of the product, to be fixed.
NAMES = list(SCENARIOS)


@pytest.mark.parametrize("name", NAMES)
def test_scenario(prepared: LiveKernel, name: str, means: str) -> None:
    scenario = SCENARIOS[name]
    before = fingerprint(prepared)
    execution = prepared.attempt(scenario.candidate, *scenario.assertions, limits=scenario.limits)
    after = fingerprint(prepared)
    reported = json.dumps(execution, ensure_ascii=False)
    assert ending(execution) in scenario.ends.split(), reported
    assert scenario.holds in reported.replace("\\\\", "\\"), reported
    assert differences(before, after) == {}
