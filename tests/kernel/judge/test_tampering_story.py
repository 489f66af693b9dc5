"""Cheats that need a real kernel: forged events, pipes of the judge, changed builtins."""

from __future__ import annotations

import pytest
from live_kernel import LiveKernel, verdict

FORGE = """
import json, os, threading, time
def send(line):
    for number in os.listdir('/proc/self/fd'):
        try: int(number) > 2 and os.write(int(number), line.encode() + b'\\n')
        except OSError: pass
"""


@pytest.fixture(scope="module")
def court(kernel: LiveKernel) -> LiveKernel:
    kernel.run("import math, unittest, numpy as np\nfrom math import isclose\nfrom numpy import median, sqrt")
    return kernel


def test_a_candidate_that_removes_asserts_does_not_pass(court: LiveKernel) -> None:
    candidate = (
        "import ast, sys\n"
        "for name, module in list(sys.modules.items()):\n"
        "    if name.endswith('.rewriting'):\n"
        "        module.Rewriter.visit_Assert = lambda s, n: ast.Pass()\nz = 6"
    )
    assert verdict(court.attempt(candidate, "assert z == 6")) not in ("confirmed", "unconfirmed")


@pytest.mark.parametrize(
    "candidate, check",
    [
        ("import builtins\nbuiltins.len = lambda x: 6\nz = []", "assert len(z) == 6"),
        ("vars(__builtins__)['all'] = lambda x: True\nz = [0]", "assert all(x > 0 for x in z)"),
    ],
)
def test_the_checks_have_the_builtins_of_the_kernel(court: LiveKernel, candidate: str, check: str) -> None:
    assert verdict(court.attempt(candidate, check)) == "failed"


def test_text_in_the_pipes_of_the_harness_passes_nothing(court: LiveKernel) -> None:
    forge = f"{FORGE}send('no event')\nsend('{{}}')\nsend('[]')\n"
    assert verdict(court.attempt(forge + "z = 6", "assert z == 6")) == "unconfirmed"
    assert verdict(court.attempt(forge + "z = 5", "assert z == 6")) == "failed"


FORGED = {
    "a result": {"t": "assertion", "result": {"id": "assertion-0:1", "outcome": "passed"}},
    "the end of the checks": {"t": "checked", "tampering": [], "denied": []},
    "a worker": {"t": "worker", "pid": 1},
    "the judge's end": {"t": "judged", "problem": None},
    "the judge's check": {
        "t": "check", "id": "assertion-0:1", "role": "assertion", "held": True, "reason": None, "files": []
    },
}  # fmt: skip


@pytest.mark.parametrize("late", [False, True], ids=["at once", "while the checks run"])
@pytest.mark.parametrize("name", FORGED)
def test_a_forged_event_confirms_nothing(court: LiveKernel, name: str, late: bool) -> None:
    line = f"json.dumps({FORGED[name]!r})"
    forge = f"send({line})"
    if late:
        forge = f"def f():\n    for _ in range(20): send({line})\n    return 5"
    execution = court.attempt(
        f"{FORGE}\nz = 5\n{forge}\nf = globals().get('f', lambda: 5)", "assert f() == 6"
    )
    assert verdict(execution) != "confirmed", execution


#: What the judge drops when it replaces the input: its numbers would be free for the judge's own pipes. And
#: the kernel has no file, such as pytest's own for the output: each process would replace all descriptors.
DROPPED = """
import os, sys, socket
null = os.open(os.devnull, os.O_RDWR)
for number in os.listdir("/proc/self/fd"):
    if os.path.realpath(f"/proc/self/fd/{number}").endswith("(deleted)"):
        os.dup2(null, int(number))
class Input:
    def __init__(self):
        self.kept = [socket.socketpair() for _ in range(8)]
kept_input, sys.stdin = sys.stdin, Input()
"""
PIPES = """
import os
found = {}
for number in os.listdir("/proc/self/fd"):
    try: found.setdefault(os.readlink(f"/proc/self/fd/{number}"), []).append(int(number))
    except OSError: pass
sockets = [name for name in found if name.startswith("socket:")]
pipes = [name for name in found if name.startswith("pipe:")]
"""


def test_an_attempt_has_no_pipe_of_the_judge(court: LiveKernel) -> None:
    court.run(DROPPED)
    # One of the sockets is the dead end, one leads to the judge, two wake the event loop.
    execution = court.attempt(PIPES, "assert len(sockets) == 4, sockets", "assert len(pipes) == 4, pipes")
    court.run("sys.stdin = kept_input")
    assert {result["outcome"] for result in execution["assertions"]} == {"passed"}, execution


def test_a_forged_worker_stops_no_other_process(court: LiveKernel) -> None:
    """The kernel signals the worker's process, whose number comes from the candidate's side."""
    court.run("import subprocess\nvictim = subprocess.Popen(['sleep', '600'])")
    pid = court.evaluate("victim.pid")["text/plain"]
    candidate = f"{FORGE}\ndef f():\n    send(json.dumps({{'t': 'worker', 'pid': {pid}}}))\n    return 5"
    court.attempt(candidate, "assert f() == 5", "import time; time.sleep(0.1)\nassert f() == 5")
    state = court.evaluate("open(f'/proc/{victim.pid}/stat').read().split()[2]")["text/plain"]
    alive = court.evaluate("victim.poll()").get("text/plain")
    court.run("victim.kill(); _ = victim.wait()")
    assert (state, alive) == ("'S'", "None")
