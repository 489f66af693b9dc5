"""Interrupts are taken in the main thread alone; elsewhere nothing is lost."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

from live_kernel import LiveKernel, children, job
from processes import descriptors, only_linux

from jupyterlab_refine.kernel.attempt import pipes

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True
pytestmark = only_linux


def in_thread(work: Any) -> list[str]:
    """Names of what it raised."""
    raised: list[str] = []

    def run() -> None:
        try:
            work()
        except Exception as error:
            raised.append(type(error).__name__)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return raised


def test_a_thread_without_interrupts_keeps_no_descriptor() -> None:
    before = descriptors()
    assert in_thread(pipes.Interrupts) == ["ValueError"]
    assert descriptors() == before


def _held(pid: int) -> set[str]:
    """Descriptors that stay open; the history's thread opens one for each write."""
    found = []
    for _ in range(10):
        found.append(set(os.listdir(f"/proc/{pid}/fd")))
        time.sleep(0.05)
    return set.intersection(*found)


def test_an_attempt_outside_of_the_main_thread_leaves_nothing(kernel: LiveKernel) -> None:
    request = kernel.expression({"op": "attempt", "job": job("1"), "graceMs": 0})
    kernel.run("import threading\nanswers = []")
    held = []
    for _ in range(2):
        kernel.run(f"thread = threading.Thread(target=lambda: answers.append({request}))\nthread.start()")
        answer = kernel.run("thread.join(); print(answers[-1]._repr_mimebundle_())")["text"]
        assert "'state': 'error'" in answer and "main thread" in answer
        held.append(_held(kernel.pid))
    assert held[0] == held[1]
    assert children(kernel) == []


def test_an_interrupt_is_seen_and_raises_nothing() -> None:
    before = signal.getsignal(signal.SIGINT)
    taken = pipes.Interrupts()
    try:
        os.kill(os.getpid(), signal.SIGINT)
        assert taken.seen.recv(1) == b"x"
    finally:
        taken.restore()
    assert signal.getsignal(signal.SIGINT) == before
