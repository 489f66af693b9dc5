"""Interrupts are taken in the main thread alone; elsewhere nothing is lost."""

from __future__ import annotations

import os
import signal
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from live_kernel import job
from parts import descriptors, only_linux

from jupyterlab_refine.kernel import interrupts
from jupyterlab_refine.kernel.attempt import attempts, spare

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


def test_a_thread_that_cannot_take_interrupts_keeps_no_descriptor() -> None:
    before = descriptors()
    assert in_thread(interrupts.Interrupts) == ["ValueError"]
    assert descriptors() == before


def test_an_attempt_outside_of_the_main_thread_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts.hidden_files, "paths", lambda *_: ())
    monkeypatch.setattr(attempts.isolation, "plan", lambda *_: None)
    taken: list[str] = []
    monkeypatch.setattr(spare, "take", lambda *_: taken.append("a spare"))
    monkeypatch.setattr(attempts.isolation, "scratch_for", lambda *_: taken.append("a folder"))
    before = descriptors()
    assert in_thread(lambda: attempts.start(job("1"), 0, SimpleNamespace(kernel=None))) == ["ValueError"]
    assert (descriptors(), taken) == (before, [])


def test_an_interrupt_is_seen_and_raises_nothing() -> None:
    before = signal.getsignal(signal.SIGINT)
    taken = interrupts.Interrupts()
    try:
        os.kill(os.getpid(), signal.SIGINT)
        assert os.read(taken.seen, 1) == b"x"
    finally:
        taken.restore()
    assert signal.getsignal(signal.SIGINT) == before
