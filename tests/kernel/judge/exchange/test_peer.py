"""Calls between judge and worker: errors, limits, and what the judge refuses."""

from __future__ import annotations

import unittest
from typing import Any

import numpy as np
import pytest
from judge_and_worker import judged

from jupyterlab_refine.kernel.judge import judge_peer
from jupyterlab_refine.kernel.judge.exchange.peer import Unconfirmable

CANDIDATE = """
def double(x): return 2 * x
def same(x): return x
def stop(): raise StopIteration(5)
def leave(): raise SystemExit(3)
def interrupt(): raise KeyboardInterrupt
def recursive(n): return recursive(n + 1)
def deep(n):
    x = []
    for _ in range(n): x = [x]
    return x
def quit(): import os; os._exit(0)
"""


def names(judge: judge_peer.Judge, *wanted: str) -> list[Any]:
    return [judge.ask("name", name) for name in wanted]


def test_arguments_that_do_not_change_are_not_written_to() -> None:
    with judged(CANDIDATE) as judge:
        (same,) = names(judge, "same")
        array = np.arange(3.0)
        array.flags.writeable = False
        assert same(array).tolist() == [0, 1, 2]
        assert judge.problems == []


def test_errors_that_end_a_process_arrive() -> None:
    with judged(CANDIDATE) as judge:
        leave, interrupt, double = names(judge, "leave", "interrupt", "double")
        with pytest.raises(SystemExit) as found:
            leave()
        assert found.value.args == (3,)
        with pytest.raises(KeyboardInterrupt):
            interrupt()
        assert double(2) == 4


@pytest.mark.parametrize("kind", ["unittest.SkipTest", "pytest.skip.Exception", "pytest.xfail.Exception"])
def test_a_test_runner_takes_no_error_for_its_own(kind: str) -> None:
    module = kind.partition(".")[0]
    with judged(
        f"import {module}\nclass Own({kind}): pass\ndef f(own): raise (Own if own else {kind})('no')"
    ) as judge:
        (f,) = names(judge, "f")
        for own in (False, True):
            with pytest.raises(BaseException) as found:
                f(own)
            is_runners = isinstance(
                found.value, (unittest.SkipTest, pytest.skip.Exception, pytest.xfail.Exception)
            )
            assert judge.problems or not is_runners


def test_an_early_end_of_an_iteration_is_a_problem() -> None:
    with judged(CANDIDATE) as judge:
        (stop,) = names(judge, "stop")
        with pytest.raises(StopIteration):
            stop()
        assert judge.problems == ["the candidate raised StopIteration"]


def test_the_end_of_the_worker_is_a_problem_no_check_can_catch() -> None:
    with judged(CANDIDATE) as judge:
        quit_, double = names(judge, "quit", "double")
        for f in (quit_, double):
            with pytest.raises(Unconfirmable):
                try:
                    f()
                except Exception:
                    pytest.fail("caught")
        assert judge.problems[0] == "the candidate's process ended"


LIMITS = {
    "too deep a result": "deep(100_000)",
    "too deep an argument": "same(mine)",
    "an endless recursion": "recursive(0)",
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_value_that_cannot_be_sent_keeps_the_link_open(name: str) -> None:
    mine: Any = []
    for _ in range(100_000):
        mine = [mine]
    with judged(CANDIDATE) as judge:
        deep, same, recursive, double = names(judge, "deep", "same", "recursive", "double")
        with pytest.raises((Unconfirmable, RecursionError)):
            eval(LIMITS[name])
        assert double(4) == 8


def test_a_part_that_cannot_travel_stays_behind_as_a_stub() -> None:
    with judged(
        "import io, threading\ndef f(): return {'door': io.BytesIO(b'ab'), 'n': 1, 'lock': threading.Lock()}"
    ) as judge:
        found = names(judge, "f")[0]()
        assert found["n"] == 1 and found["door"].read() == b"ab"
        with found["lock"]:
            assert found["lock"].locked()
