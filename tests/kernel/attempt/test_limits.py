"""Each limit ends the attempt with its own message: what, how much was allowed, how much was used, where."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from live_kernel import LiveKernel, kernel_module

from jupyterlab_refine.kernel.attempt import limits
from jupyterlab_refine.kernel.fork.family import Family

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True

BEYOND = "tried to write more than attempts may, 1.0 GB in one file, "
SLEEPERS = "import subprocess, time\nown = [subprocess.Popen(['sleep', '60']) for _ in range({})]"
MB = 1 << 20


@pytest.fixture
def limit(kernel: LiveKernel) -> Iterator[Any]:
    """Set a constant of the kernel part, for one test."""
    before = []

    def set_constant(module: str, name: str, value: int) -> None:
        data = kernel.evaluate(f"{kernel_module(module)}.{name}")
        before.append((module, name, data["text/plain"]))
        kernel.evaluate(f"setattr({kernel_module(module)}, {name!r}, {value})")

    yield set_constant
    for module, name, value in before:
        kernel.evaluate(f"setattr({kernel_module(module)}, {name!r}, {value})")


def test_one_file(kernel: LiveKernel) -> None:
    candidate = "z = 1\nwith open('large', 'wb') as f:\n    f.truncate(2 << 30)"
    execution = kernel.attempt(candidate, "assert z")
    assert (execution["error"]["name"], execution["error"]["candidateLine"]) == ("OSError", 3), execution
    assert execution["denied"][0].startswith(BEYOND)
    assert not (kernel.folder / "large").exists()


def test_what_else_was_denied_hides_no_limit(kernel: LiveKernel) -> None:
    elsewhere = "import socket\ntry: socket.create_connection(('192.0.2.1', 80), 0.1)\nexcept OSError: pass\n"
    elsewhere += "try: open('/etc/refine-probe', 'w')\nexcept OSError: pass\n"
    execution = kernel.attempt(f"{elsewhere}raise OSError(28, 'No space left on device')", "assert True")
    assert len(execution["denied"]) > 1 and execution["denied"][-1].startswith(BEYOND), execution


def test_all_files_together(kernel: LiveKernel, limit: Any) -> None:
    if kernel.call("hello")["isolation"]["files"] != "overlay":
        return
    limit("isolation.overlay", "LAYER_BYTES", 1 << 20)
    candidate = "for n in range(9):\n    open(f'part-{n}', 'wb').write(b'x' * 500_000)"
    execution = kernel.attempt(candidate, "assert True")
    assert (execution["error"]["name"], execution["error"]["candidateLine"]) == ("OSError", 2), execution
    assert execution["denied"][0].startswith(BEYOND)


MAKE = ["open(f'many/{n}', 'w').close()", "os.mkdir(f'many/{n}')", "os.symlink('x', f'many/{n}')"]


@pytest.mark.parametrize("make", MAKE)
def test_the_number_of_files(kernel: LiveKernel, limit: Any, make: str) -> None:
    if kernel.call("hello")["isolation"]["files"] != "overlay":
        return
    limit("isolation.overlay", "LAYER_FILES", 300)
    candidate = f"import os\nos.makedirs('many')\nfor n in range(COUNT): {make}\nz = 1"
    execution = kernel.attempt(candidate.replace("COUNT", "1000"), "assert z")
    assert (execution["error"]["name"], execution["error"]["candidateLine"]) == ("OSError", 3), execution
    assert "or 30,000 files together" in execution["denied"][0]
    execution = kernel.attempt(candidate.replace("COUNT", "100"), "assert z")
    assert execution["assertions"][0]["outcome"] == "passed", execution
    assert not (kernel.folder / "many").exists()


def test_no_file_limit_where_writes_are_allowed(kernel: LiveKernel) -> None:
    candidate = "with open('sparse', 'wb') as f:\n    f.truncate(2 << 30)\nz = 1"
    try:
        execution = kernel.attempt(candidate, "assert z", allowWrites=True)
        assert execution["assertions"][0]["outcome"] == "passed", execution
    finally:
        (kernel.folder / "sparse").unlink(missing_ok=True)


def test_processes(kernel: LiveKernel, limit: Any) -> None:
    limit("attempt.limits", "PROCESSES", 5)
    execution = kernel.attempt(f"{SLEEPERS.format(7)}\ntime.sleep(60)", "assert True")
    assert (execution["status"], execution["stop"]) == ("cut", "processes"), execution
    assert re.fullmatch(r"processes: limit 5, used [67], in line [23]", execution["stopMessage"])
    assert '"<candidate>", line ' in execution["stack"]


def test_memory_in_place(kernel: LiveKernel) -> None:
    """Copies that writing makes: no allocation fails."""
    kernel.run("import numpy as np; much = np.ones(60_000_000)")
    candidate = "import time\nmuch[:] = 2\ntime.sleep(60)"
    execution = kernel.attempt(candidate, "assert True", limits={"memoryBytes": 200 << 20})
    assert (execution["status"], execution["stop"]) == ("cut", "memory"), execution
    assert execution["stopMessage"].startswith("memory: limit 200 MB, used ")
    assert " in line " in execution["stopMessage"]


#: Five processes, each of which alone stays below the limit.
FAMILIES = {
    # What a process shares with its children is not its own: 60 MB at a time, 300 MB together.
    "shared with its children": """
import os, time
held = []
for n in range(5):
    held.append(bytearray(b"x") * (60 << 20))
    if os.fork() == 0:
        time.sleep(60)
time.sleep(60)
""",
    "started programs": """
import subprocess, sys, time
code = "import time; held = bytearray(b'x') * (60 << 20); time.sleep(60)"
own = [subprocess.Popen([sys.executable, "-c", code]) for n in range(5)]
time.sleep(60)
""",
}


@pytest.mark.parametrize("family", FAMILIES)
def test_memory_of_all_processes_together(kernel: LiveKernel, family: str) -> None:
    execution = kernel.attempt(FAMILIES[family], "assert True", limits={"memoryBytes": 200 << 20})
    assert (execution["status"], execution["stop"]) == ("cut", "memory"), execution
    assert re.search(
        r"^memory: limit 200 MB, used \d+ MB in [456] processes, in line", execution["stopMessage"]
    )


def test_memory_of_the_kernel_is_not_counted_for_any_process(kernel: LiveKernel) -> None:
    kernel.run("import numpy as np; much = np.ones(60_000_000)")
    candidate = """
import os, time
for n in range(5):
    if os.fork() == 0:
        total = much.sum()
        time.sleep(60)
total = much.sum()
time.sleep(0.8)
"""
    execution = kernel.attempt(candidate, "assert total == 60_000_000", limits={"memoryBytes": 200 << 20})
    assert execution["assertions"][0]["outcome"] == "passed", execution


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
    bounds = limits.memory_bytes({"seconds": 1, "memoryBytes": 60 * MB})
    with process(100 * MB) as large, process(0) as judge, process(200 * MB) as larger:
        fresh, warm = limits.Watch(bounds, Family(judge)), limits.Watch(bounds, Family(judge))
        assert warm.measure(large, "above") is None
        assert warm.measure(large, "candidate") is None
        for watch, pid in ((fresh, large), (warm, larger)):
            assert (watch.measure(pid, "candidate") or ("",))[0] == "memory"
