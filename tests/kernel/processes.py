"""Processes of a test's own: a fork that does some work, and what it returns."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

only_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has it")


def start_child(work: Callable[[], object]) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    return pid


def in_child(work: Callable[[], object]) -> Any:
    """What a forked process returns; None when it fails."""
    reader, writer = os.pipe()
    pid = start_child(lambda: os.write(writer, json.dumps(work()).encode()))
    os.close(writer)
    with open(reader, "rb") as answer:
        text = answer.read()
    os.waitpid(pid, 0)
    return json.loads(text) if text else None


def state(pid: int) -> str:
    """``S`` for a process that waits, ``R`` for one that runs, ``T`` for one that is stopped."""
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


def wait_until(held: Callable[[], bool], seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while not held() and time.monotonic() < end:
        time.sleep(0.01)
    return held()
