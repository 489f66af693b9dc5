"""A judge in this process, and a worker that has run a candidate in another: no kernel, no attempt."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
import types
from collections.abc import Iterator
from typing import Any

from processes import start_child

from jupyterlab_refine.kernel.judge import judge_peer, worker
from jupyterlab_refine.kernel.judge.exchange import wire


@contextlib.contextmanager
def judged(source: str, **known: Any) -> Iterator[judge_peer.Judge]:
    """The judge of this candidate.

    :param known: what both processes have from the notebook.
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
        before = dict(vars(module))
        exec(compile(source, "<candidate>", "exec"), vars(module))
        worker.Worker(wire.Link(theirs), vars(module), before, loop).run()

    pid = start_child(work)
    theirs.close()
    try:
        yield judge_peer.Judge(wire.Link(ours), {"__name__": "__main__", **known}, known)
    finally:
        ours.shutdown(socket.SHUT_RDWR)
        os.waitpid(pid, 0)


def names_after(source: str) -> dict[str, Any]:
    """The names that a cell of the user's has made."""
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source, "<cell>", "exec"), space)
    return {name: value for name, value in space.items() if not name.startswith("__")}
