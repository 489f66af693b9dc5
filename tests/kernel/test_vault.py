"""The fork that keeps hidden data aside, by itself: what it takes over of the kernel, and whom it tells."""

from __future__ import annotations

import gc
import json
import mmap
import os
import posix
import select
import signal
import warnings
from typing import Any

import numpy as np
import pytest

from jupyterlab_refine.kernel import vault


def served(asked: bytes, parent: int | None = None) -> bytes:
    """What it tells that has been asked so, and what it has made of itself."""
    asks_r, asks_w = os.pipe()
    data_r, data_w = os.pipe()
    wakes_r, wakes_w = os.pipe()
    os.set_blocking(wakes_w, False)
    os.write(asks_w, asked)
    pid = os.fork()
    if pid == 0:
        try:
            os.close(asks_w)
            signal.set_wakeup_fd(wakes_w)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            gc.enable()
            vault._serve(["x"], {"x": 5}, asks_r, data_w, os.getppid() if parent is None else parent)
            state = [os.getsid(0) == os.getpid(), signal.set_wakeup_fd(-1), gc.isenabled()]
            os.write(data_w, json.dumps([*state, signal.getsignal(signal.SIGINT) is signal.SIG_IGN]).encode())
        finally:
            os._exit(0)
    for descriptor in (asks_r, asks_w, data_w, wakes_w):
        os.close(descriptor)
    with open(data_r, "rb") as data:
        told = data.read()
    os.waitpid(pid, 0)
    os.close(wakes_r)
    return told


def test_it_answers_nobody_but_the_kernel() -> None:
    """No interrupt of the user's reaches it, none of its own wakes the kernel, and no object ends in it."""
    assert json.loads(served(b"")) == [True, -1, False, True]
    assert json.loads(served(b"y")) == [True, -1, False, True]
    assert served(b"x").startswith(b'{"name": "x", "size": ')


def test_the_data_of_a_kernel_that_is_gone_is_told_nobody() -> None:
    assert b"name" not in served(b"x", parent=os.getpid() + 1)


def test_signals_reach_the_kernel_as_before() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    kept = vault.make(["x"], {"x": 5})
    assert kept is not None
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before
    kept.close()


def test_the_fork_warns_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Newer Pythons warn of each fork beside threads, and every kernel has some."""

    def fork() -> int:
        warnings.warn("threads", DeprecationWarning, stacklevel=2)
        raise OSError(11, "no process")

    monkeypatch.setattr(posix, "fork", fork)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert vault.make(["x"], {"x": 5}) is None


def test_a_vault_that_has_told_all_wakes_nobody() -> None:
    kept = vault.make(["x"], {"x": 5})
    assert kept is not None
    kept.ask()
    poller = select.poll()
    told = b""
    while not told.endswith(bytes(4)):
        kept.register(poller, True)
        assert poller.poll(10000)
        told += kept.chunk()
    kept.register(poller, True)
    assert poller.poll(0) == []
    kept.close()


def test_data_that_is_too_large_is_not_copied() -> None:
    """Untouched memory costs nothing."""
    large: Any = np.frombuffer(mmap.mmap(-1, vault.LIMIT + (1 << 20)), dtype=np.uint8)
    assert vault.LIMIT == 512 << 20
    with pytest.raises(vault._TooLarge):
        vault._pickled(large, vault.LIMIT)
    with pytest.raises(vault._TooLarge):
        vault._pickled([b"x" * 1000], 999)
    assert sum(map(len, vault._pickled([b"x" * 1000], 2000))) > 1000
