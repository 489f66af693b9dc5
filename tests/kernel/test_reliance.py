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


#: Ways to make a result anew, of which an earlier run has left another value: `total` is 4 there.
ANEW = {
    "assigned": "total = 6",
    "annotated": "total: int = 6",
    "unpacked": "total, other = 6, 1",
    "in a loop": "for total in (5, 6): pass",
    "in a block": "if len(expected):\n    total = 6\nelse:\n    total = 0",
    "assigned, then changed": "total = 5\ntotal += 1",
    "read by a function only": "def half(): return total / 2\ntotal = 6",
}
#: Ways that build on the value that was there.
ON_TOP = {
    "changed": "total += 2",
    "made from itself": "total = total + 2",
    "read before": "print(total)\ntotal = 6",
    "not by a name": "globals()['total'] = 6",
}


@pytest.mark.parametrize("way", ANEW)
def test_a_target_makes_its_own_result_again(used: LiveKernel, way: str) -> None:
    used.run("expected = [1, 2]; total = 4")
    execution = used.attempt(ANEW[way], "assert total == 6 and expected", ownNames=["total"])
    assert execution["assertions"][0]["outcome"] == "passed", execution
    assert execution["warnings"] == []


@pytest.mark.parametrize("way", ON_TOP)
def test_a_result_that_builds_on_an_older_one_is_named(used: LiveKernel, way: str) -> None:
    used.run("total = 4")
    execution = used.attempt(ON_TOP[way], "assert total == 6", ownNames=["total"])
    assert execution["assertions"][0]["outcome"] == "passed", execution
    assert execution["warnings"] == ["total, which was there before and which the checks use, was changed"]


def test_what_is_not_its_own_is_named_however_it_is_made(used: LiveKernel) -> None:
    used.run("total = 4")
    execution = used.attempt("total = 6", "assert total == 6", ownNames=["other"])
    assert len(execution["warnings"]) == 1
