"""The judge's process: which worker it uses, what ends it, and that nothing of it stays."""

from __future__ import annotations

import os
import time

import pytest
from live_kernel import LiveKernel, children, collect, job, kernel_module, no_child_stays, reasons, verdict
from processes import wait_until

from jupyterlab_refine.kernel.isolation import processes


def descendants(kernel: LiveKernel) -> list[int]:
    """Process ids of all that attempts have started."""
    return [one for pid in children(kernel) for one in [pid, *processes.descendants(pid)]]


#: Name: (candidate, fields): it cannot be run again, and is copied before the checks.
COPIED = {
    "it is slow": ("import time; time.sleep(0.4)\n", {}),
    "it may use the network": ("", {"allowNetwork": True}),
    "it may write": ("", {"allowWrites": True}),
    "it has written": ("open('made', 'w').write('1')\n", {}),
}


@pytest.mark.parametrize("name", COPIED)
def test_a_candidate_that_cannot_be_repeated_is_copied(kernel: LiveKernel, name: str) -> None:
    """The process that answers has the identity that the candidate took."""
    start, fields = COPIED[name]
    candidate = f"{start}import uuid, os\nmark = uuid.uuid4().hex\nprint(mark)\ndef f(): return mark"
    execution = kernel.attempt(candidate, "assert len(f()) == 32\nassert f() == mark", **fields)
    assert verdict(execution) == "confirmed", reasons(execution)
    (kernel.folder / "made").unlink(missing_ok=True)


def test_real_writes_are_not_done_twice(kernel: LiveKernel) -> None:
    log = kernel.folder / "runs"
    quick = (
        "import os\nlog = os.open('runs', os.O_WRONLY | os.O_APPEND | os.O_CREAT)\nos.write(log, b'x')\nz = 1"
    )
    execution = kernel.attempt(quick, "assert z == 1", allowWrites=True)
    assert verdict(execution) == "confirmed", reasons(execution)
    assert log.read_text() == "x"
    log.unlink()


def test_what_a_candidate_has_written_is_there_once(kernel: LiveKernel) -> None:
    candidate = "import os\nos.makedirs('made/deep')\nopen('made/deep/log', 'a').write('x')\nz = 1"
    execution = kernel.attempt(candidate, "assert open('made/deep/log').read() == 'x'", "assert z == 1")
    assert verdict(execution) == "confirmed", reasons(execution)
    assert any(path.endswith("made/deep/log") for path in execution["filesWritten"])
    assert not (kernel.folder / "made").exists()


def test_a_thread_of_the_candidate_is_there_for_the_checks(kernel: LiveKernel) -> None:
    candidate = (
        "import queue, threading\nasked, answers = queue.Queue(), queue.Queue()\n"
        "def work():\n    while True: answers.put(asked.get() * 2)\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "def f(x): asked.put(x); return answers.get(timeout=3)"
    )
    assert verdict(kernel.attempt(candidate, "assert f(4) == 8")) == "confirmed"


def test_stop_while_judging_leaves_no_process(kernel: LiveKernel) -> None:
    candidate = (
        "import os, subprocess, time\nparent = os.getppid()\n"
        "def f():\n    subprocess.Popen(['sleep', '100'])\n    time.sleep(100 if held else 0)\n"
        "    return 1\nheld = False"
    )
    one = job(
        candidate, "assert f() == 1", holdouts=("held = True\nassert f() == 1",), limits={"seconds": 60}
    )
    assert kernel.start(one, 0)["state"] == "running"
    assert wait_until(lambda: len(descendants(kernel)) >= 3)
    before = time.monotonic()
    assert kernel.control("cancel", id=one["id"]) == {"ok": True}
    execution = collect(kernel, one["id"])["execution"]
    assert time.monotonic() - before < 20
    assert verdict(execution) != "confirmed"
    assert no_child_stays(kernel)


def test_the_judge_has_the_time_limit_of_the_attempt(kernel: LiveKernel) -> None:
    candidate = "import os, time\nheld = False\ndef f(x):\n    if x > 100: time.sleep(60)\n    return x"
    execution = kernel.attempt(
        candidate, "assert f(5) == 5", holdouts=("assert f(500) == 500",), limits={"seconds": 1.5}
    )
    assert execution["assertions"][0]["confirmed"] is True
    assert execution["assertions"][1]["outcome"] == "failed"
    assert 1400 < execution["confirmMs"] < 20000
    assert no_child_stays(kernel)


def test_a_loop_that_a_lie_ends_is_not_confirmed(kernel: LiveKernel) -> None:
    execution = kernel.attempt(
        "class A:\n    def __eq__(s, o): return True\n    __ne__ = None\ndef g(): return A()",
        "while not g() == 1: pass\nassert g() == 1",
        limits={"seconds": 2},
    )
    assert verdict(execution) == "unconfirmed"


def test_memory_of_the_judgement_is_bounded(kernel: LiveKernel) -> None:
    candidate = (
        "import time\nkept = []\ndef f(x):\n"
        "    if x > 100: kept.append(b'x' * x * 3); time.sleep(30)\n    return x"
    )
    execution = kernel.attempt(
        candidate,
        "assert f(5) == 5",
        holdouts=("assert f(200_000_000) == 200_000_000",),
        limits={"seconds": 20, "memoryBytes": 300 << 20},
    )
    assert execution["confirmMs"] < 15_000
    assert verdict(execution) != "confirmed"
    assert no_child_stays(kernel)


#: What a candidate may try when a check calls it: nothing of it is confirmed, and nothing stays.
ATTACKS = {
    "kills its parent": "os.kill(os.getppid(), 9)",
    "stops its parent": "os.kill(os.getppid(), 19)",
    "interrupts its parent": "os.kill(os.getppid(), 2)",
    "kills its group": "os.killpg(0, 9)",
    "kills all": "os.kill(-1, 9)",
    "kills the kernel": "os.kill({kernel}, 9)",
    "traces its parent": "ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0)",
    "reads its parent's memory": "open(f'/proc/{os.getppid()}/mem', 'rb').read(1)",
    "takes its parent's descriptors": "os.listdir(f'/proc/{os.getppid()}/fd')",
    "leaves a daemon": "os.fork() or (os.setsid(), os.fork() and os._exit(0), time.sleep(1000))",
    "leaves": "os._exit(0)",
    "closes all descriptors": "os.closerange(3, 5000)",
    "limits its parent": "resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (0, 0))",
}


@pytest.mark.parametrize("late", [False, True], ids=["run again", "copied"])
@pytest.mark.parametrize("name", ATTACKS)
def test_a_worker_cannot_end_or_read_the_judge(kernel: LiveKernel, name: str, late: bool) -> None:
    attack = ATTACKS[name].replace("{kernel}", str(kernel.pid))
    candidate = (
        f"import ctypes, os, resource, time\n{'time.sleep(0.4)' if late else ''}\ndef f(x):\n"
        f"    if x > 100:\n        try: {attack}\n        except OSError: pass\n    return x * x"
    )
    execution = kernel.attempt(
        candidate, "assert f(5) == 25", holdouts=("assert f(500) == 1",), limits={"seconds": 5}
    )
    assert verdict(execution) in ("failed", "unconfirmed"), execution
    assert kernel.run("print('alive')")["text"] == "alive\n"
    assert no_child_stays(kernel)


def test_the_judge_and_its_hold_outs_cannot_be_read(kernel: LiveKernel) -> None:
    candidate = """
import os, time
def look():
    opened, parent = [], f'/proc/{os.getppid()}/'
    numbers = [f'fd/{n}' for n in range(5000)]
    for name in ['mem', 'environ', 'maps', 'root/etc', 'cwd/.', 'stack', *numbers]:
        try:
            file = os.open(parent + name, os.O_RDONLY | os.O_NONBLOCK)
            os.read(file, 1)
        except OSError:
            continue
        opened.append(name)
    return opened
at_once = look()
"""
    execution = kernel.attempt(
        candidate, "assert at_once == []\nassert look() == []", holdouts=("assert look() == []",)
    )
    assert verdict(execution) == "confirmed", execution


def test_a_judge_that_is_killed_confirms_nothing(kernel: LiveKernel) -> None:
    assert no_child_stays(kernel)
    one = job("import time\ntime.sleep(10)\nz = 1", "assert z == 1")
    assert kernel.start(one, 0)["state"] == "running"
    assert wait_until(lambda: len(descendants(kernel)) >= 2)
    (judge,) = children(kernel)
    os.kill(judge, 9)
    execution = collect(kernel, one["id"]).get("execution", {"status": "cut", "stop": "crashed"})
    assert verdict(execution) == "crashed"
    assert no_child_stays(kernel)


def test_attempts_beside_each_other_are_judged_apart(kernel: LiveKernel) -> None:
    jobs = [job(f"import time\ntime.sleep(0.3)\nboth = {n}", f"assert both == {n}") for n in range(3)]
    for one in jobs:
        kernel.start(one, 0)
    assert [verdict(collect(kernel, one["id"])["execution"]) for one in jobs] == ["confirmed"] * 3


def prepare(kernel: LiveKernel) -> None:
    """Make a spare, as soon as nothing of earlier attempts runs any more."""
    kernel.evaluate(f"{kernel_module('attempt.spare')}.discard()")
    assert no_child_stays(kernel)
    assert wait_until(
        lambda: kernel.call("prepare", allowNetwork=False, allowWrites=False)["state"] == "ready"
    )


def test_a_spare_that_was_killed_is_replaced(kernel: LiveKernel) -> None:
    prepare(kernel)
    assert wait_until(lambda: len(descendants(kernel)) >= 3)
    os.kill(children(kernel)[0], 9)
    answer = kernel.call("attempt", job=job("z = 1", "assert z == 1"), graceMs=10000)
    assert answer["state"] in ("done", "refused"), answer
    assert verdict(kernel.attempt("z = 1", "assert z == 1")) == "confirmed"


def test_pairs_of_judge_and_worker_are_made_ahead(kernel: LiveKernel) -> None:
    """The spare waits as three processes: the judge, the attempt's process, and a worker."""
    kernel.run("pass")
    prepare(kernel)
    assert wait_until(lambda: len(descendants(kernel)) == 3)
    kernel.evaluate(f"{kernel_module('attempt.spare')}.discard()")
    assert no_child_stays(kernel)
