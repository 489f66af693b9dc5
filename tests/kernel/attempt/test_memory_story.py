"""Limits of memory, where the attempt has run the cells above itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from jupyterlab_refine.kernel.attempt import limits
from jupyterlab_refine.kernel.attempt.limits import Watch
from jupyterlab_refine.kernel.fork.family import Family

_MB = 1 << 20


@contextmanager
def process(size: int) -> Iterator[int]:
    """A process that has so many bytes of its own."""
    code = f"data = b'x' * {size}; print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as started:
        assert started.stdout is not None and started.stdout.readline()
        yield started.pid
        started.kill()


def test_what_the_cells_above_use_is_not_the_attempts() -> None:
    bounds = limits.read({"seconds": 1, "memoryBytes": 60 * _MB})
    with process(100 * _MB) as large, process(0) as judge, process(200 * _MB) as larger:
        fresh, warm = Watch(bounds, Family(judge)), Watch(bounds, Family(judge))
        assert warm.measure(large, "above") is None
        assert warm.measure(large, "candidate") is None
        for watch, pid in ((fresh, large), (warm, larger)):
            assert (watch.measure(pid, "candidate") or ("",))[0] == "memory"
