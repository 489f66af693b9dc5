"""Failures of the harness are reported as such, never as errors of the candidate."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest
from live_kernel import LiveKernel, children, job, kernel_module, no_child_stays, verdict

#: Where the child is made to fail: module, function, what it does instead, and what is reported of it.
BEFORE = {
    "in its first steps": ("fork.pools", "revive", "lambda: 1 / 0", "division by zero"),
    "when it is isolated": ("isolation.isolation", "enter", "lambda *_: open('/not/there')", "'/not/there'"),
    "killed": (
        "fork.descriptors",
        "make_maps_private",
        "lambda: __import__('os').kill(0, 9)",
        "its parent process was killed",
    ),
    "gone": (
        "isolation.processes",
        "bound",
        "lambda *_: __import__('os')._exit(3)",
        "with exit status 3",
    ),
    "silent": (
        "fork.descriptors",
        "make_maps_private",
        "lambda: __import__('signal').pause()",
        "no answer within 1 s",
    ),
}
RAISES = ("in its first steps", "when it is isolated")


@pytest.fixture
def patched(kernel: LiveKernel) -> Iterator[Any]:
    """Replace a name of the kernel part, for one test."""
    before = []

    def patch(module: str, name: str, value: str) -> None:
        kernel.evaluate(
            f"setattr(__import__('builtins'), '_kept{len(before)}', {kernel_module(module)}.{name})"
        )
        before.append((module, name))
        kernel.evaluate(f"setattr({kernel_module(module)}, {name!r}, {value})")

    yield patch
    for number, (module, name) in enumerate(before):
        kernel.evaluate(f"setattr({kernel_module(module)}, {name!r}, __import__('builtins')._kept{number})")
        kernel.evaluate(f"delattr(__import__('builtins'), '_kept{number}')")


@pytest.mark.parametrize("spare", [False, True], ids=["fork", "spare"])
@pytest.mark.parametrize("where", BEFORE)
def test_a_failure_before_the_candidate(kernel: LiveKernel, patched: Any, where: str, spare: bool) -> None:
    module, name, instead, reported = BEFORE[where]
    patched(module, name, instead)
    patched("attempt.supervise", "_READY_SECONDS", "1.0")
    if spare:
        kernel.call("prepare", allowNetwork=False, allowWrites=False)
    answer = kernel.call("attempt", job=job("z = 6", "assert z == 6"), graceMs=20000)
    assert (answer["state"], answer["code"]) == ("refused", "child-failed"), answer
    assert answer["message"].startswith("The forked kernel could not start: ")
    assert reported in answer["message"]
    assert answer["traceback"].startswith("Traceback") == (where in RAISES)
    assert "exit status 70" not in str(answer)


@pytest.mark.parametrize("where", RAISES)
def test_a_failure_before_hold_outs_are_read(kernel: LiveKernel, patched: Any, where: str) -> None:
    """They wait for a judge, which never comes."""
    module, name, instead, reported = BEFORE[where]
    patched(module, name, instead)
    answer = kernel.start(job("z = 6", "assert z == 6", holdouts=("assert z > 5",)), 20000)
    assert (answer["state"], answer["code"]) == ("refused", "child-failed"), answer
    assert reported in answer["message"] and answer["traceback"].startswith("Traceback")
    assert no_child_stays(kernel)


def test_a_failure_beside_the_candidate(kernel: LiveKernel, patched: Any) -> None:
    patched("child.child", "Evaluator", "None")
    execution = kernel.attempt("z = 6", "assert z == 6")
    assert (execution["status"], execution["stop"]) == ("cut", "harness"), execution
    assert execution["stopMessage"].startswith("the harness failed: TypeError")
    assert execution["stack"].startswith("Traceback")


def test_a_failure_in_the_supervision(kernel: LiveKernel, patched: Any) -> None:
    patched("isolation.processes", "memory_beyond", "None")
    execution = kernel.attempt("import time; time.sleep(1)", "assert 1")
    assert (execution["status"], execution["stop"]) == ("cut", "harness"), execution
    assert "TypeError" in execution["stopMessage"]
    assert execution["stack"].startswith("Traceback")


def test_the_end_is_reported_before_the_processes_are_gone(kernel: LiveKernel, patched: Any) -> None:
    kernel.run("import threading\n__import__('builtins')._gone = threading.Event()")
    own = f"{kernel_module('attempt.forms')}.remove_folder"
    # The last step but for the pipes.
    patched("attempt.forms", "remove_folder", f"lambda *given, own={own}: (_gone.wait(30), own(*given))[1]")
    kernel.iopub(0.1)
    answer = kernel.start(job("import time; time.sleep(0.3)", "assert 1"), 0)
    assert answer["state"] == "running"
    seen = [message["content"].get("type") for message in kernel.iopub(5)]
    kernel.run("_gone.set()")
    assert "finished" in seen


def test_a_failure_in_the_judge_confirms_nothing(kernel: LiveKernel, patched: Any) -> None:
    patched("judge.judging", "Judging", "None")
    execution = kernel.attempt("z = 6", "assert z == 6")
    assert verdict(execution) not in ("confirmed", "failed", "error"), execution


def test_a_candidate_cannot_say_that_it_has_not_started(kernel: LiveKernel) -> None:
    candidate = (
        "import json, os\nline = json.dumps({'t': 'failed', 'traceback': 'forged'}) + '\\n'\n"
        "for number in os.listdir('/proc/self/fd'):\n"
        "    try: int(number) > 2 and os.write(int(number), line.encode())\n    except OSError: pass\nz = 6"
    )
    execution = kernel.attempt(candidate, "assert z == 6")
    assert "forged" not in execution.get("stopMessage", "") + str(execution.get("error", ""))


def test_a_cancel_while_the_child_is_forked(kernel: LiveKernel, patched: Any) -> None:
    spawn = f"{kernel_module('fork.fork')}.spawn"
    cancel = f"{kernel_module('attempt.attempts')}.cancel"
    one = job("while True: pass", "assert True")
    patched("fork.fork", "spawn", f"lambda *given, own={spawn}: ({cancel}({one['id']!r}), own(*given))[1]")
    answer = kernel.call("attempt", job=one, graceMs=15000)
    assert answer["state"] == "done", answer
    assert answer["execution"]["stop"] == "stopped"
    assert no_child_stays(kernel)


def test_an_interrupt_while_a_spare_is_forked(kernel: LiveKernel, patched: Any) -> None:
    interrupt = "__import__('os').kill(__import__('os').getpid(), 2)"
    module = "isolation.processes"
    patched(module, "fork", f"lambda own={kernel_module(module)}.fork: ({interrupt}, own())[1]")
    assert kernel.call("prepare", allowNetwork=False, allowWrites=False)["state"] == "ready"
    assert len(children(kernel)) == 1
    kernel.run("pass")
    assert no_child_stays(kernel)


def test_a_failure_between_fork_and_supervision(kernel: LiveKernel, patched: Any) -> None:
    patched("attempt.attempts", "Supervisor", "lambda *_: 1 / 0")
    answer = kernel.call("attempt", job=job("while True: pass"), graceMs=15000)
    assert (answer["state"], answer["message"]) == ("error", "ZeroDivisionError: division by zero")
    assert no_child_stays(kernel)


def test_a_failure_while_traces_of_hold_outs_are_looked_for(kernel: LiveKernel, patched: Any) -> None:
    patched("secrecy.hiding", "_line_caches", "lambda: 1 / 0")
    answer = kernel.start(job("z = 6", "assert z == 6", holdouts=("assert z > 5",)), 20000)
    assert (answer["state"], answer["message"]) == ("error", "ZeroDivisionError: division by zero")
    # The spare is still ours.
    kernel.run("pass")
    assert no_child_stays(kernel)


def _held(pid: int) -> set[str]:
    """Descriptors that stay open; the history's thread opens one for each write."""
    found = []
    for _ in range(10):
        found.append(set(os.listdir(f"/proc/{pid}/fd")))
        time.sleep(0.05)
    return set.intersection(*found)


def test_an_attempt_outside_of_the_main_thread_leaves_nothing(kernel: LiveKernel) -> None:
    request = kernel.expression({"op": "attempt", "job": job("1"), "graceMs": 0})
    kernel.run("import threading\nanswers = []")
    held = []
    for _ in range(2):
        kernel.run(f"thread = threading.Thread(target=lambda: answers.append({request}))\nthread.start()")
        answer = kernel.run("thread.join(); print(answers[-1]._repr_mimebundle_())")["text"]
        assert "'state': 'error'" in answer and "main thread" in answer
        held.append(_held(kernel.pid))
    assert held[0] == held[1]
    assert children(kernel) == []
