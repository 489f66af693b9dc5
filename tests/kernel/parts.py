"""For tests of a part without a kernel: a process of its own, and a system that refuses."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import sys
import time
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from jupyterlab_refine.kernel.judge import judging, wire, worker

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


@contextlib.contextmanager
def judged(source: str, **known: Any) -> Iterator[judging.Judge]:
    """A judge, here, and in a process of its own a worker that has run this candidate.

    :param known: what both have from the notebook.
    """
    ours, theirs = socket.socketpair()
    ours.settimeout(20)
    namespace = {"__name__": "__main__", **known}

    def work() -> None:
        ours.close()
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        # As in a kernel: where classes are found when they are pickled.
        module = sys.modules["__main__"] = types.ModuleType("__main__")
        vars(module).update(namespace)
        shell = types.SimpleNamespace(user_ns=vars(module))
        before = dict(vars(module))
        exec(compile(source, "<candidate>", "exec"), vars(module))
        worker.serve(wire.Link(theirs), shell, before, loop)

    pid = a_child(work)
    theirs.close()
    try:
        yield judging.Judge(wire.Link(ours), {"__name__": "__main__", **known}, known)
    finally:
        ours.close()
        os.waitpid(pid, 0)


def of_notebook(source: str) -> dict[str, Any]:
    """Names that cells of the user's have made."""
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source, "<cell>", "exec"), space)
    return {name: value for name, value in space.items() if not name.startswith("__")}


def wait_until(held: Callable[[], bool]) -> bool:
    end = time.monotonic() + 10
    while not held() and time.monotonic() < end:
        time.sleep(0.01)
    return held()
