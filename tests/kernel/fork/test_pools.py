"""Thread pools around a fork: which are detected, and which are reset in the child."""

from __future__ import annotations

import concurrent.futures
import concurrent.futures.thread
import signal
import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from processes import in_child

from jupyterlab_refine.kernel.attempt import forms
from jupyterlab_refine.kernel.fork import fork, pools

MODULES: Any = sys.modules


# Kernels that cannot be forked


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process in which nothing has been started, on Linux."""
    monkeypatch.setattr(pools, "_names_of_threads", lambda: ["python", "IOPub", "barracuda"])
    for name in ("torch", "jax._src.xla_bridge"):
        monkeypatch.delitem(sys.modules, name, raising=False)


CUDA = ["CUDA is initialised, which does not survive a fork"]


def test_cuda_that_was_started(quiet: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for started in (True, False):
        torch = SimpleNamespace(cuda=SimpleNamespace(is_initialized=lambda started=started: started))
        monkeypatch.setitem(sys.modules, "torch", torch)
        assert pools.hostile() == CUDA * started


def test_jax_is_hostile_once_it_runs(quiet: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for backends in ({}, {"cpu": object()}):
        monkeypatch.setitem(sys.modules, "jax._src.xla_bridge", SimpleNamespace(_backends=backends))
        reported = ["jax has started its runtime, which does not survive a fork"] if backends else []
        assert pools.hostile() == reported


def test_a_kernel_that_cannot_be_forked_is_not_forked_for_a_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork, "hostile", lambda: CUDA)
    monkeypatch.setattr(fork, "plan", lambda *_: pytest.fail("it was tried"))
    assert forms.probe(True)["reasons"][:1] == CUDA


# Pools that work again in the child


class Own(concurrent.futures.ThreadPoolExecutor):
    """As users write them."""


@pytest.fixture(params=[concurrent.futures.ThreadPoolExecutor, Own])
def executor(request: pytest.FixtureRequest) -> Iterator[concurrent.futures.ThreadPoolExecutor]:
    with request.param(1) as made:
        made.submit(int).result()
        yield made


Executor = concurrent.futures.ThreadPoolExecutor


def computes(executor: Executor) -> int | str:
    # In a child, which may wait for a lock for ever.
    signal.alarm(20)
    pools.revive()
    try:
        return executor.submit(lambda: 6).result(10)
    except concurrent.futures.TimeoutError:
        return "hangs"


def test_an_executor_whose_thread_is_idle_works_in_the_child(executor: Executor) -> None:
    assert in_child(lambda: computes(executor)) == 6


def test_a_busy_executor_does_nothing_twice(executor: Executor) -> None:
    """What waits in it is the kernel's, which does it."""
    gate, done = threading.Event(), []
    executor.submit(gate.wait)
    executor.submit(done.append, "by the kernel")
    try:
        assert in_child(lambda: [computes(executor), done]) == [6, []]
    finally:
        gate.set()


def test_an_executor_that_is_just_being_used_works_in_the_child(executor: Executor) -> None:
    """Another thread's lock: who would give it back is not there."""
    with executor._shutdown_lock:
        assert in_child(lambda: computes(executor)) == 6


def test_a_broken_executor_prevents_no_attempt(executor: Executor) -> None:
    """The error that IPython keeps refers to it."""
    with pytest.raises(ValueError, match="max_workers") as kept:
        type(executor)(max_workers=0)
    assert in_child(lambda: computes(executor)) == 6
    assert kept.value


def test_a_process_waits_for_no_thread_of_the_kernel(
    executor: Executor,
) -> None:
    """Python waits for all threads of executors before a process ends."""
    gate = threading.Event()
    executor.submit(gate.wait)

    def work() -> str:
        computes(executor)
        threading._shutdown()  # type: ignore[attr-defined]
        return "ended"

    try:
        assert in_child(work) == "ended"
    finally:
        gate.set()
