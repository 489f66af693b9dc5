"""Values that were there before and that checks use: a change is told, and is no tampering."""

from __future__ import annotations

import pytest
from live_kernel import LiveKernel

SETUP = (
    "import numpy as np, pandas as pd\n"
    "expected = [1, 2]\nnested = {'a': [{'b': 1}]}\narray = np.arange(5)\n"
    "frame = pd.DataFrame({'x': [1, 2]})\nlimit = 10\ndef helper(x): return x\n"
)
CHANGES = {
    "rebound": ("expected = [1]", "assert expected", "expected"),
    "in place": ("expected.append(3)", "assert expected", "expected"),
    "deep in place": ("nested['a'][0]['b'] = 2", "assert nested", "nested"),
    "array in place": ("array[2] = 7", "assert array.size", "array"),
    "frame in place": ("frame.loc[0, 'x'] = 9", "assert len(frame)", "frame"),
    "number": ("limit = 11", "assert limit < 100", "limit"),
    "used in a test": ("limit = 11", "def test_limit():\n    assert limit < 100", "limit"),
}


@pytest.fixture(scope="module")
def used(kernel: LiveKernel) -> LiveKernel:
    kernel.run(SETUP)
    return kernel


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_value_is_named(used: LiveKernel, change: str) -> None:
    candidate, check, name = CHANGES[change]
    execution = used.attempt(candidate, check)
    assert execution["assertions"][0]["outcome"] == "passed", execution
    assert execution["warnings"] == [f"{name}, which was there before and which the checks use, was changed"]
    assert execution["tampering"] == []


def test_what_a_holdout_uses(used: LiveKernel) -> None:
    execution = used.attempt("limit = 11", "assert True", holdouts=("assert limit < 100",))
    assert len(execution["warnings"]) == 1


def test_nothing_is_told_without_a_change(used: LiveKernel) -> None:
    execution = used.attempt(
        "fresh = sum(expected) + len(frame)\nother = 1\ndef helper(x): return x + 1",
        "assert fresh == 5 and expected and nested and len(frame) == 2 and array.size == 5",
        "limit = 3\nassert limit == 3 and helper(1) == 2",
        holdouts=("assert fresh == 5 and limit",),
    )
    assert [result["outcome"] for result in execution["assertions"]] == ["passed"] * 3, execution
    assert execution["warnings"] == []
