"""What is reported of values and errors: differences in words, and values that resist being looked at."""

from __future__ import annotations

import time
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from live_kernel import LiveKernel

from jupyterlab_refine.kernel.checks.explain import difference
from jupyterlab_refine.kernel.values import describe


class Refuses:
    """Nothing can be asked of it."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no")

    __hash__ = None  # type: ignore[assignment]


LONG = "x" * 200
MANY = {f"k{n}": n for n in range(8)}
DIFFERENCES: dict[str, tuple[Any, Any, str | None]] = {
    "nan": (float("nan"), 1.0, "nan is never equal to anything, use math.isnan"),
    "too high": (7, 5, "2 too high"),
    "rounding": (0.1 + 0.2, 0.3, "equal except for rounding (difference 5.55e-17)"),
    "numpy against Python": (np.int64(14), 10, "4 too high"),
    "numpy's bool": (np.bool_(True), True, None),
    "decimal and float": (Decimal("1.5"), 1.25, "0.25 too high"),
    "equal numbers": (1, 1.0, None),
    "infinite": (float("inf"), 1.0, None),
    "bool and int": (True, 1, "type bool, expected int"),
    "lines": ("a\nb", "a\nc", "--- expected\n+++ observed\n@@ -1,2 +1,2 @@\n a\n-c\n+b"),
    "line ends": ("a\n", "a", "only the line ends differ, or lines after the first 2000"),
    "space": (" a", "a", "only white space at the start or the end differs"),
    "too short": ("ab", "ab" + LONG, f"ends after 2 characters, {LONG[:60]!r} is missing"),
    "too long": ("ab" + LONG, "ab", f"{LONG[:60]!r} is extra at the end"),
    "character": (
        "ab" + LONG,
        "ay" + LONG,
        f"first differs at character 2: {('b' + LONG)[:40]!r}, expected {('y' + LONG)[:40]!r}",
    ),
    "no key": ({}, {"a": 1}, "no key 'a'"),
    "many keys": ({}, MANY, "no key 'k0', 'k1', 'k2', 'k3', 'k4' and 3 more"),
    "many values": (
        dict.fromkeys(MANY, -1),
        MANY,
        "; ".join(f"at 'k{n}': -1, expected {n}" for n in range(5)) + "; and 3 more values differ",
    ),
    "two sets": ({1, 2}, {2, 3}, "missing: 3; too much: 1"),
    "an item": ([1, 2, 3], [1, 5, 3], "first differs at index 1: 2, expected 5"),
    "more items": ([1, 2], [1], "2 items, expected 1; too much: 2"),
    "tuple": ((1, 2), [1, 2], "tuple, expected list"),
    "an item that cannot be compared": ([Refuses(), 1], [2, 1], "first differs at index 0: "),
    "shape": (np.zeros(2), np.zeros(3), "shape (2,), expected (3,)"),
    "dtype": (np.array([1]), np.array([1.0]), "dtype int64, expected float64"),
    "elements": (
        np.array([[1.0, np.nan], [3.0, 9.0]]),
        np.array([[1.0, np.nan], [4.0, 9.0]]),
        "1 of 4 elements differ, first at index (1, 0): 3.0, expected 4.0",
    ),
    "one axis": (
        np.array([1, 2]),
        np.array([1, 3]),
        "1 of 2 elements differ, first at index 1: 2, expected 3",
    ),
    "values of a series": (
        pd.Series([1.0, np.nan, 3.0]),
        pd.Series([1.0, np.nan, 4.0]),
        "Series are different: ",
    ),
    "equal frames": (pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [1]}), None),
    "nothing can be asked": (Refuses(), 1, None),
}


def test_a_column_whose_values_differ_is_named() -> None:
    found = difference(pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [1, 3]}))
    assert found is not None and 'column name="a"' in found
    assert found.endswith("[observed]: [1, 2]\n[expected]: [1, 3]")


@pytest.mark.parametrize("name", DIFFERENCES)
def test_difference(name: str) -> None:
    observed, expected, reported = DIFFERENCES[name]
    found = difference(observed, expected)
    if reported is not None and reported.endswith(": "):
        assert found is not None and found.startswith(reported.removesuffix(": "))
    else:
        assert found == reported


class OddArray(np.ndarray):
    @property
    def shape(self) -> Any:  # type: ignore[override]
        raise RuntimeError("no shape")


class OddFrame(pd.DataFrame):
    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def head(self, n: int = 5) -> Any:
        return self


def test_values_that_resist() -> None:
    odd = np.zeros(3).view(OddArray)
    assert describe.describe_shape(odd) is None
    assert describe.describe_shape(type("Shaped", (), {"shape": (2, "x")})()) is None
    reported = describe.variables(
        ["odd", "frame", "built_in"],
        "samples",
        {
            "odd": odd,
            "frame": OddFrame({"a": [1]}),
            "built_in": dict.fromkeys,
        },
    )
    by_name = {entry["name"]: entry for entry in reported}
    assert "shape" not in by_name["odd"]
    assert by_name["frame"]["columns"] == [["a", "int64"]]
    assert "sample" not in by_name["frame"]
    assert by_name["built_in"]["doc"].startswith("Create a new dictionary")


def test_an_error_whose_parts_resist(kernel: LiveKernel) -> None:
    candidate = (
        "class Odd(Exception):\n    def __str__(self): raise RuntimeError('no text')\n"
        "    @property\n    def __notes__(self): raise RuntimeError('no notes')\n"
        "    @property\n    def __cause__(self): raise RuntimeError('no cause')\n"
        "raise Odd()"
    )
    execution = kernel.attempt(candidate)
    assert "error" in execution, execution
    error = execution["error"]
    assert (error["name"], error["candidateLine"]) == ("Odd", 7)
    assert error["traceback"]


def test_a_long_value_is_cut(kernel: LiveKernel) -> None:
    (reported,) = kernel.attempt("x = 'k' * 5000", "assert x == 5")["assertions"]
    assert 1000 < len(reported["observed"]["repr"]) < 1600


def test_a_comparison_that_raises_when_it_is_explained(kernel: LiveKernel) -> None:
    candidate = (
        "class Once:\n    calls = 0\n    def __lt__(self, other):\n        Once.calls += 1\n"
        "        if Once.calls > 1: raise RuntimeError('again')\n        return True\nz = Once()"
    )
    (result,) = kernel.attempt(candidate, "assert z < 5 < 3")["assertions"]
    assert (result["outcome"], result["operator"]) == ("failed", "<")


def test_cells_that_neither_python_nor_ipython_can_read(kernel: LiveKernel) -> None:
    for source in ("assert (", "!", "%%nothing\n\x00", "\x00"):
        execution = kernel.attempt("z = 6", source, "assert z == 6")
        assert execution["assertions"][-1]["outcome"] == "passed", source
        assert kernel.attempt(source)["status"] in ("error", "completed"), source


@pytest.mark.parametrize(("base", "outcome"), [("Exception", "error"), ("AssertionError", "failed")])
def test_a_check_whose_error_has_no_text(kernel: LiveKernel, base: str, outcome: str) -> None:
    candidate = (
        f"class Odd({base}):\n    def __str__(self): raise RuntimeError('no text')\n"
        "def f(): raise Odd()\ndef test_f(): f()\nz = 6"
    )
    execution = kernel.attempt(candidate, "assert f()", "test_f()", "assert z == 6")
    reported = [result["outcome"] for result in execution["assertions"]]
    assert reported == [outcome, outcome, "passed"], execution
    message = execution["assertions"][0]["error"]["message"]
    assert message == "(its message could not be created: RuntimeError)"


def test_a_time_limit_repeats_after_one_within_it() -> None:
    ended = []

    def work() -> None:
        describe.bounded(lambda: None, None)
        for _ in range(2):
            started = time.monotonic()
            try:
                while time.monotonic() < started + 2:
                    pass
            except BaseException:
                # As where a check runs.
                ended.append(time.monotonic() - started)

    describe.bounded(work, None, 0.05)
    assert len(ended) == 2
