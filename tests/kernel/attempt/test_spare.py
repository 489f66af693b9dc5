"""The warm spare: used while the kernel is unchanged, discarded as soon as something has happened."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from live_kernel import LiveKernel, children, reasons, verdict

EVERY_KERNEL = True


def spare_pid(kernel: LiveKernel) -> int | None:
    """The child that waits, seen from outside: the youngest, since an older one may be about to be reaped."""
    living = []
    for pid in children(kernel):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                living.append(pid)
        except OSError:
            continue
    return max(living, default=None)


def none_waits(kernel: LiveKernel) -> bool:
    """What was killed may still be giving its memory back."""
    end = time.monotonic() + 3
    while spare_pid(kernel) is not None and time.monotonic() < end:
        time.sleep(0.02)
    return spare_pid(kernel) is None


def prepare(kernel: LiveKernel, **fields: bool) -> str:
    return kernel.call("prepare", **{"allowNetwork": False, "allowWrites": False, **fields})["state"]


def child_of(kernel: LiveKernel) -> int:
    """Process id of the judge of an attempt: the parent of the process that it runs in."""
    return int(kernel.attempt("import os; print(os.getppid())", "assert True")["stdout"])


def test_an_attempt_uses_the_spare(kernel: LiveKernel) -> None:
    kernel.run("spared = [1, 2]")
    assert prepare(kernel) == "ready"
    waiting = spare_pid(kernel)
    assert prepare(kernel) == "ready"
    assert spare_pid(kernel) == waiting
    assert child_of(kernel) == waiting
    assert none_waits(kernel)
    assert child_of(kernel) != waiting


def test_no_execution_comes_between(kernel: LiveKernel) -> None:
    prepare(kernel)
    waiting = spare_pid(kernel)
    kernel.run("spared = [3]")
    assert spare_pid(kernel) is None
    assert not os.path.exists(f"/proc/{waiting}")
    assert kernel.attempt("pass", "assert spared == [3]")["assertions"][0]["outcome"] == "passed"


def test_a_silent_execution_comes_between_as_well(kernel: LiveKernel) -> None:
    prepare(kernel)
    kernel.reply(kernel.send("spared.append(4)", silent=True))
    assert kernel.attempt("pass", "assert spared[-1] == 4")["assertions"][0]["outcome"] == "passed"


@pytest.mark.parametrize("request_type", ["complete_request", "inspect_request", "comm_msg"])
def test_requests_that_can_change_state(kernel: LiveKernel, request_type: str) -> None:
    prepare(kernel)
    contents = {
        "complete_request": {"code": "spa", "cursor_pos": 3},
        "inspect_request": {"code": "spared", "cursor_pos": 3, "detail_level": 0},
        "comm_msg": {"comm_id": "none", "data": {}},
    }
    kernel.client.shell_channel.send(kernel.client.session.msg(request_type, contents[request_type]))
    assert none_waits(kernel)


def test_other_permissions_need_another_child(kernel: LiveKernel) -> None:
    prepare(kernel, allowWrites=True)
    waiting = spare_pid(kernel)
    execution = kernel.attempt("open('not-real.txt', 'w').write('x'); import os; print(os.getppid())")
    assert not (kernel.folder / "not-real.txt").exists()
    assert int(execution["stdout"]) != waiting
    assert none_waits(kernel)


def test_another_working_folder_needs_another_child(kernel: LiveKernel) -> None:
    prepare(kernel)
    (kernel.folder / "other").mkdir()
    kernel.evaluate(f"__import__('os').chdir({str(kernel.folder / 'other')!r})")
    try:
        assert kernel.attempt("import os; print(os.getcwd())")["stdout"].strip().endswith("other")
    finally:
        kernel.evaluate(f"__import__('os').chdir({str(kernel.folder)!r})")


def test_none_while_threads_or_tasks_of_the_user_run(kernel: LiveKernel) -> None:
    kernel.run(
        "import threading\nstop = threading.Event()\n"
        "worker = threading.Thread(target=stop.wait)\nworker.start()"
    )
    assert prepare(kernel) == "not-now"
    kernel.run("stop.set(); worker.join()")
    assert prepare(kernel) == "ready"
    kernel.run(
        "import asyncio\nasync def tick():\n    await asyncio.sleep(30)\ntask = asyncio.create_task(tick())"
    )
    assert prepare(kernel) == "not-now"
    kernel.run("task.cancel()")
    assert prepare(kernel) == "ready"


def test_signals_are_blocked_as_before(kernel: LiveKernel) -> None:
    look = "__import__('signal').pthread_sigmask(0, [])"
    kernel.run("import signal\n_ = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])")
    try:
        before = kernel.evaluate(look)["text/plain"]
        assert "SIGTERM" in before and "SIGINT" not in before
        assert prepare(kernel) == "ready"
        assert kernel.evaluate(look)["text/plain"] == before
        assert kernel.attempt(f"print({look})", "assert True")["stdout"].strip() == before
    finally:
        kernel.run("_ = signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])")


def test_random_numbers_are_those_of_a_fork(kernel: LiveKernel) -> None:
    kernel.run("import random; random.seed(5)")
    for ready in (False, True):
        if ready:
            assert prepare(kernel) == "ready"
        execution = kernel.attempt("r = random.random()", "assert r == 0.6229016948897019")
        assert verdict(execution) == "confirmed", reasons(execution)
