"""Calls between judge and worker: arguments, results, errors, callbacks, and what the judge refuses."""

from __future__ import annotations

import unittest
from typing import Any

import numpy as np
import pytest
from judge_and_worker import judged, names_after

from jupyterlab_refine.kernel.judge import judge_peer
from jupyterlab_refine.kernel.judge.exchange.peer import Unconfirmable

CANDIDATE = """
import asyncio, collections, functools, sys, types, warnings
def double(x): return 2 * x
def same(x): return x
def grow(x): x.append(len(x))
def put(d, key): d[key] = key; return d
def both(a, b): return a is b
def nest(x): x[0].append(9); return x
def scale(array): array *= 2
def rename(frame): frame['b'] = 1
def call(f, *a, **k): return f(*a, **k)
def key(items, f): return sorted(items, key=f)
class Odd(ValueError):
    def __init__(self, code, extra=None): super().__init__(code); self.code, self.extra = code, extra
    def __str__(self): return f'odd {self.code}'
class Strange(Odd, KeyError): pass
def fail(kind, *a): raise kind(*a)
def odd(): raise Odd(7, [1])
def strange(): raise Strange('s') from ValueError('cause')
def stop(): raise StopIteration(5)
def leave(): raise SystemExit(3)
def interrupt(): raise KeyboardInterrupt
def recursive(n): return recursive(n + 1)
def deep(n):
    x = []
    for _ in range(n): x = [x]
    return x
def say(x):
    print(x); print('e', file=sys.stderr)
    warnings.warn('w', UserWarning)
def quit(): import os; os._exit(0)
"""


def names(judge: judge_peer.Judge, *wanted: str) -> list[Any]:
    return [judge.ask("name", name) for name in wanted]


def test_arguments_are_changed_in_place() -> None:
    with judged(CANDIDATE) as judge:
        grow, put, nest, scale = names(judge, "grow", "put", "nest", "scale")
        items: list[Any] = [1]
        assert grow(items) is None and items == [1, 1]
        table: dict[str, str] = {}
        assert put(table, "k") is table and table == {"k": "k"}
        inner: list[int] = []
        outer = [inner, inner]
        assert nest(outer) is outer and inner == [9] and outer[1] is inner
        array = np.arange(3.0)
        view = array[1:]
        scale(array)
        assert (array.tolist(), view.tolist()) == ([0, 2, 4], [2, 4])
        assert judge.problems == []


def test_arguments_that_do_not_change_are_not_written_to() -> None:
    with judged(CANDIDATE) as judge:
        (same,) = names(judge, "same")
        array = np.arange(3.0)
        array.flags.writeable = False
        assert same(array).tolist() == [0, 1, 2]
        assert judge.problems == []


def test_identity_holds_across_processes() -> None:
    with judged(CANDIDATE) as judge:
        both, same = names(judge, "both", "same")
        one: list[int] = []
        assert both(one, one) and not both(one, [])
        assert same(one) is one
        assert names(judge, "both")[0] is both
        assert both(same, same)


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


#: As a check cell: its functions are the notebook's.
CALLBACKS = """
assert call(lambda *a, **k: heard.append((a, k)) or 5, 1, b=[2]) == 5
assert key(["bb", "a"], lambda text: len(text)) == ["a", "bb"]
def fails(): raise LookupError("mine")
try:
    call(fails)
except LookupError as error:
    assert error.args == ("mine",)
else:
    raise AssertionError
"""


def test_objects_of_a_check_come_back_as_themselves() -> None:
    class Mine:
        def __init__(self) -> None:
            self.n = 1

    with judged(CANDIDATE) as judge:
        same, both, call = names(judge, "same", "both", "call")
        mine = Mine()
        assert same(mine) is mine
        assert same([mine, (mine,)]) == [mine, (mine,)]
        assert both(mine, mine) and not both(mine, Mine())
        assert call(lambda x: x is mine, mine) is True


def test_classes_of_the_notebook_are_each_sides_own() -> None:
    known = names_after(
        "import enum, collections\nclass P:\n    def __init__(self, a): self.a = a\n"
        "    def __eq__(self, o): return self.a == o.a\n"
        "class Color(enum.Enum):\n    RED = 1\nPair = collections.namedtuple('Pair', 'a b')\n"
        "def helper(x): return x + 1"
    )
    with judged(
        "def same(x): return x\ndef make(): return P(5)\ndef of(f, x): return f(x)", **known
    ) as judge:
        same, make, of = names(judge, "same", "make", "of")
        assert type(make()) is known["P"] and make() == known["P"](5)
        assert same(known["Color"].RED) is known["Color"].RED
        assert type(same(known["Pair"](1, [2]))) is known["Pair"] and same(known["Pair"](1, [2])) == (1, [2])
        assert same(known["helper"]) is known["helper"] and same(known["P"]) is known["P"]
        assert of(known["helper"], 5) == 6
        assert judge.notes == []


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
