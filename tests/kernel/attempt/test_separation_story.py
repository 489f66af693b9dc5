"""What the attempt's process can leave for the worker, which runs the same candidate."""

from __future__ import annotations

import pytest
from live_kernel import LiveKernel

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True

LEAVE = """
import os, sys, tempfile, time

def even(number):
    name = os.path.join(tempfile.gettempdir(), f"answer{number}")
    names = sys._getframe(1).f_globals
    if "expected" in names:
        open(name, "w").write(str(names["expected"]))
        return names["expected"]
    return open(name).read() == "True"
"""
CHECK = "for number, expected in [(2, True), (5, False)]:\n    assert even(number) == expected"


@pytest.mark.parametrize("pause", ["", "time.sleep(0.4)"])
def test_answers_in_temporary_files_are_not_found(kernel: LiveKernel, means: str, pause: str) -> None:
    # Without an overlay the files of a slow candidate stay for its copy.
    if means == "none" or (pause and means == "landlock"):
        return
    execution = kernel.attempt(LEAVE + pause, CHECK)
    assert [found["outcome"] for found in execution["assertions"]] == ["passed"]
    assert execution["assertions"][0]["confirmed"] is False, execution


def test_a_process_pool_that_is_denied_is_explained(kernel: LiveKernel, means: str) -> None:
    if means != "landlock":
        return
    candidate = "import multiprocessing\npool = multiprocessing.Pool(1)"
    execution = kernel.attempt(candidate, "assert pool")
    assert execution["error"]["name"] == "PermissionError", execution
    assert "process pool" in execution["denied"][0] and "not an error in the code" in execution["denied"][0]
