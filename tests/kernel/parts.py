"""For tests of a part without a kernel: a process of its own, and a system that refuses."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

LINUX = sys.platform.startswith("linux")
only_linux = pytest.mark.skipif(not LINUX, reason="only Linux has it")


def anything(*_: Any, **__: Any) -> Any:
    return None


def refuse(*_: Any, **__: Any) -> Any:
    raise OSError(24, "Too many open files")


def descriptors() -> list[str]:
    return sorted(os.listdir("/proc/self/fd"))


def a_child(work: Callable[[], object]) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    return pid


def in_child(work: Callable[[], object]) -> Any:
    """What a forked process answers; None when it fails."""
    reader, writer = os.pipe()
    pid = a_child(lambda: os.write(writer, json.dumps(work()).encode()))
    os.close(writer)
    with open(reader, "rb") as answer:
        text = answer.read()
    os.waitpid(pid, 0)
    return json.loads(text) if text else None


def wait_until(held: Callable[[], bool]) -> bool:
    end = time.monotonic() + 10
    while not held() and time.monotonic() < end:
        time.sleep(0.01)
    return held()
