"""Many attempts in one kernel, and interrupts at random moments: nothing grows, nothing is left."""

from __future__ import annotations

import os
import random
import signal
import tempfile
import time
from pathlib import Path

import pytest
from live_kernel import LiveKernel, job
from processes import wait_until

EVERY_KERNEL = True
CHECK, HOLDOUT = "assert z(1) == 1", "assert z(2) == 2"
#: Candidate, check, hold-outs: passes, failures, ends, and a worker that ends while it is judged.
KINDS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("def z(x): return x", CHECK, (HOLDOUT,)),
    ("def z(x): return x", CHECK, ()),
    ("def z(x): return 1", CHECK, (HOLDOUT,)),
    ("import os\ndef z(x): return os._exit(0) if x == 2 else x", CHECK, (HOLDOUT,)),
    ("1 / 0", CHECK, ()),
    ("import os; os._exit(1)", CHECK, ()),
    ("open('f', 'w').write('x'); print('x' * 10000)", CHECK, ()),
)


def figures(kernel: LiveKernel) -> dict[str, int]:
    """Descriptors, threads, children, memory (kB) of the kernel, and our temporary files."""
    status = Path(f"/proc/{kernel.pid}/status").read_text()
    return {
        "descriptors": len(os.listdir(f"/proc/{kernel.pid}/fd")),
        "threads": len(os.listdir(f"/proc/{kernel.pid}/task")),
        "children": len(Path(f"/proc/{kernel.pid}/task/{kernel.pid}/children").read_text().split()),
        "memory": int(status.split("VmRSS:")[1].split()[0]),
        "files": len(
            [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("refine-attempt-")]
        ),
    }


def settled(kernel: LiveKernel, before: dict[str, int], *names: str) -> dict[str, int]:
    """The figures once no child is left and the named ones are at most what they were, or after 20 s."""

    def is_settled() -> bool:
        after = figures(kernel)
        return not after["children"] and all(after[name] <= before[name] for name in names)

    wait_until(is_settled, 20)
    return figures(kernel)


def endure(kernel: LiveKernel, count: int) -> None:
    for number in range(count):
        candidate, check, holdouts = KINDS[number % len(KINDS)]
        kernel.attempt(candidate, check, holdouts=holdouts)
        # ZeroMQ drops what nobody reads, the end of the next cell with it.
        kernel.iopub()
        if number % 3 == 0:
            kernel.call("prepare", allowNetwork=False, allowWrites=False)
    kernel.run("pass")
    time.sleep(0.5)


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("count", [28, pytest.param(2000, marks=pytest.mark.full)])
def test_nothing_grows(kernel: LiveKernel, count: int) -> None:
    endure(kernel, 14)
    before = figures(kernel)
    endure(kernel, count)
    after = settled(kernel, before, "descriptors", "threads")
    assert after["memory"] - before["memory"] < 8000 + 5 * count
    # Other kernels of this machine may have files of their own.
    assert (after["children"], after["files"] <= before["files"]) == (0, True)
    assert (after["descriptors"], after["threads"]) == (before["descriptors"], before["threads"])


@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [12, pytest.param(150, marks=pytest.mark.full)])
def test_interrupts_and_cancels_at_random_moments(kernel: LiveKernel, count: int) -> None:
    chance = random.Random(count)
    endure(kernel, 2)
    before = figures(kernel)
    for _ in range(count):
        one = job(
            chance.choice(["while True: pass", "import time; time.sleep(0.05)", "z = 6"]), "assert True"
        )
        request = {"op": "attempt", "job": one, "graceMs": chance.choice([0, 50, 500])}
        kernel.send("", {"r": kernel.expression(request)}, silent=True)
        for _ in range(chance.randrange(4)):
            time.sleep(chance.random() * 0.03)
            os.kill(kernel.pid, signal.SIGINT)
        time.sleep(chance.random() * 0.1)
        kernel.control("cancel", id=one["id"])
    after = settled(kernel, before, "threads")
    assert (after["children"], after["files"] <= before["files"]) == (0, True)
    assert after["threads"] <= before["threads"]
    assert kernel.run("print('alive')")["text"] == "alive\n"
    assert kernel.attempt("z = 6", "assert z == 6")["assertions"][0]["outcome"] == "passed"
