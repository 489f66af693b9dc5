"""Hold-outs are never where the candidate is, and one bit of them leaves the kernel."""

from __future__ import annotations

import ast
import json
import os
import textwrap
from pathlib import Path

import pytest
from live_kernel import LiveKernel, collect, job, kernel_module, reasons, verdict
from processes import wait_until

from jupyterlab_refine.kernel.isolation import processes

#: Ways to look for a text; each leaves what it found in `found`, a list of texts.
ROADS = {
    "frames": """
import sys
frame, found = sys._getframe(), []
while frame is not None:
    found += [repr(frame.f_code.co_consts)]
    for name, value in list(frame.f_locals.items()):
        if frame.f_locals is not globals():
            found.append(repr(value))
    frame = frame.f_back
""",
    "garbage collector": """
import gc
found = []
for thing in gc.get_objects() + gc.get_referrers(*[]):
    for inner in gc.get_referents(thing):
        if type(inner) is str and len(inner) > 15 or type(inner) is bytes:
            found.append(str(inner))
""",
    "the request": """
kernel = get_ipython().kernel
found = [repr(kernel.get_parent()), repr(getattr(kernel, "_parent_header", "")), repr(vars(kernel))]
""",
    "tasks": """
import asyncio
found = []
try:
    loop = asyncio.get_running_loop()
except RuntimeError:
    loop = asyncio.get_event_loop_policy().get_event_loop()
for task in asyncio.all_tasks(loop):
    coroutine = task.get_coro()
    while coroutine is not None:
        frame = getattr(coroutine, "cr_frame", None)
        found += [repr(value) for value in (frame.f_locals.values() if frame else [])]
        coroutine = getattr(coroutine, "cr_await", None)
""",
    "modules of the harness": """
import sys
found = []
for name, module in list(sys.modules.items()):
    if "refine" in name:
        for key, value in list(vars(module).items()):
            found.append(repr(value)[:100000])
            found.append(repr(getattr(value, "__dict__", ""))[:100000])
""",
    "memory of the kernel": """
import os
found = []
for name in ("mem", "environ", "maps", "cmdline"):
    try:
        found.append(open(f"/proc/{os.getppid()}/{name}", "rb").read(1 << 20).decode("latin-1"))
    except (OSError, ValueError) as error:
        pass
""",
    "pipes": """
import os, fcntl
found = []
for number in os.listdir("/proc/self/fd"):
    try:
        fcntl.fcntl(int(number), fcntl.F_SETFL, os.O_NONBLOCK)
        found.append(os.read(int(number), 1 << 20).decode("latin-1"))
    except OSError:
        pass
""",
}


#: Written so that no candidate holds it whole.
SECRET = "-".join(["SECRET", "of", "the", "holdout"])


def looking(road: str) -> str:
    """A candidate that looks when it runs, and whenever a check calls it."""
    body = textwrap.indent(road.strip(), "    ")
    return (
        f"def look():\n{body}\n"
        f"    return [text for text in found if '-'.join(['SECRET', 'of', 'the']) in text]\n"
        "at_first = look()\ndef f(x): return look() or at_first or x * x"
    )


@pytest.mark.parametrize("road", ROADS)
def test_hold_outs_are_not_to_be_found(kernel: LiveKernel, road: str) -> None:
    execution = kernel.attempt(
        looking(ROADS[road]), "assert f(3) == 9", holdouts=(f"assert f(4) == 16, '{SECRET}'",)
    )
    found = verdict(execution)
    # One that reads from the pipe of its own process breaks it, and fails.
    assert found == "confirmed" or (road == "pipes" and found in ("unconfirmed", "failed")), str(execution)[
        :3000
    ]


def test_the_roads_lead_somewhere(kernel: LiveKernel) -> None:
    """The test above can fail: what the candidate's own process holds is found."""
    kernel.run(f"held = '{SECRET}'")
    execution = kernel.attempt(looking(ROADS["garbage collector"]), "assert f(3) == 9")
    kernel.run("del held")
    assert verdict(execution) == "failed"


def test_secrets_that_arrive_before_their_fork_are_refused(kernel: LiveKernel) -> None:
    """The fork would have a copy of them."""
    one = job("z = 1", "assert z", holdouts=("assert z",))
    kernel.run("pass")
    answer = kernel.call("attempt", job=one, graceMs=0)
    assert (answer["state"], answer["code"]) == ("refused", "prepare-first")
    assert kernel.start(one, 10000)["state"] == "done"


def pipes_of(pid: int) -> set[str]:
    """The pipes that a process has open; none of one that even its own user cannot read."""
    try:
        return {os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()}
    except OSError:
        return set()


def test_no_candidate_has_a_pipe_of_a_judge(kernel: LiveKernel) -> None:
    """So none can answer in its place, in this attempt or in another one beside it."""
    running = [job("while True: pass", "assert 1", holdouts=("assert 1",)) for _ in range(2)]
    for one in running:
        assert kernel.start(one, 300)["state"] == "running"
    kernel.call("prepare", allowNetwork=False, allowWrites=False, force=True)
    attempts, spare = kernel_module("attempt.attempts"), kernel_module("attempt.spare")
    found = kernel.evaluate(
        f"[(c.family.judge, [__import__('os').fstat(end).st_ino for end in c[4:6]]) for c in "
        f"[*(s._child for s in {attempts}._attempts.values() if hasattr(s, '_child')), {spare}._spare.child]]"
    )
    judges = dict(ast.literal_eval(found["text/plain"]))
    private = {f"pipe:[{number}]" for numbers in judges.values() for number in numbers}
    assert len(private) == 6

    def others() -> list[int]:
        return [pid for judge in judges for pid in processes.descendants(judge)]

    # The spare's judge forks its own after the reply; a fork closes them before it reads a job.
    assert wait_until(lambda: len(others()) >= 6 and not any(private & pipes_of(pid) for pid in others()))
    for judge, numbers in judges.items():
        # Of its own alone.
        assert private & pipes_of(judge) <= {f"pipe:[{number}]" for number in numbers}
    for one in running:
        kernel.control("cancel", id=one["id"])
        collect(kernel, one["id"])


def test_a_forced_fork_is_made_beside_threads(kernel: LiveKernel) -> None:
    kernel.run("import threading\nstop = threading.Event()\nthreading.Thread(target=stop.wait).start()")
    try:
        execution = kernel.attempt("z = 1", "assert z == 1", holdouts=("assert z < 2",))
    finally:
        kernel.run("stop.set()")
    assert verdict(execution) == "confirmed"


#: All that is said.
UNJUDGED = "the reason is hidden because it could reveal the hold-out"
#: A hold-out that did not check anything is never confirmed.
OUTCOMES = {
    "both hold": (("assert f(4) == 16", "assert f(5) == 25"), "passed", True),
    "the first fails": (("assert f(4) == 0", "assert f(5) == 25"), "failed", None),
    "the last fails": (("assert f(4) == 16", "assert f(5) == 0"), "failed", None),
    "one raises": (("assert f(4) == 16", "assert missing"), "passed", False),
    "one cannot be parsed": (("assert f(4) == 16", "assert (1"), "failed", None),
}


def test_hidden_tests_of_a_check_cell_are_run(kernel: LiveKernel) -> None:
    """As nbgrader has them: visible and hidden tests are one cell."""
    one = job("def f(n): return n", "assert f(1) == 1", holdouts=("\nassert f(2) == 4",))
    one["holdouts"][0]["cellId"] = one["assertions"][0]["cellId"]
    execution = kernel.start(one, 60000)["execution"]
    outcomes = [result["outcome"] for result in execution["assertions"]]
    assert outcomes == ["passed", "failed"]


@pytest.mark.parametrize(("value", "outcome"), [(4, "passed"), (5, "failed")])
def test_hold_outs_without_a_visible_check_are_run(kernel: LiveKernel, value: int, outcome: str) -> None:
    """As nbgrader has a cell of hidden tests alone."""
    one = job("def f(n): return 2 * n", holdouts=(f"assert f(2) == {value}",))
    (result,) = kernel.start(one, 60000)["execution"]["assertions"]
    assert (result["role"], result["outcome"]) == ("holdout", outcome)


@pytest.mark.parametrize("name", OUTCOMES)
def test_hold_outs_have_one_common_outcome(kernel: LiveKernel, name: str) -> None:
    holdouts, outcome, confirmed = OUTCOMES[name]
    execution = kernel.attempt("def f(x): return x * x", "assert f(3) == 9", holdouts=holdouts)
    reported = execution["assertions"][1:]
    assert {result["outcome"] for result in reported} == {outcome}
    assert {result.get("confirmed") for result in reported} == {confirmed}
    assert {(result["source"], result["durationMs"]) for result in reported} == {("", 0)}
    known = {"id", "cellId", "role", "line", "source", "outcome", "durationMs", "confirmed", "unconfirmed"}
    assert {key for result in reported for key in result} <= known
    assert {result.get("unconfirmed", UNJUDGED) for result in reported} == {UNJUDGED}


@pytest.mark.parametrize("candidate", ["def f(x): return 0", "1 / 0"], ids=["a check fails", "the candidate"])
def test_hold_outs_run_only_after_a_pass(kernel: LiveKernel, candidate: str) -> None:
    execution = kernel.attempt(candidate, "assert f(3) == 9", holdouts=("assert f(4) == 16",))
    assert execution["assertions"][1]["outcome"] == "not-run"


#: Ways for a candidate to push out what a hold-out has passed in, in every call.
PUSHES = {
    "prints": "print(x); import sys; print(x, file=sys.stderr); import os; os.write(1, str(x).encode())",
    "warns": "import warnings, logging; warnings.warn(str(x)); logging.getLogger(str(x)).error(str(x))",
    "displays": "display(x); display({'text/html': str(x)}, raw=True)",
    "writes files": "open(f'file-{x}', 'w').write(str(x))",
    "denied files": "\n    try: open(f'/etc/file-{x}', 'w')\n    except OSError: pass",
    "denied hosts": (
        "import socket\n    try: socket.create_connection((f'host-{x}.example.org', 80), 0.1)\n"
        "    except OSError: pass"
    ),
    "raises": "\n    if x == 77_713_031: raise ValueError(x)",
    "replaces builtins": "\n    if x > 1000: import builtins; builtins.len = lambda y: x",
    "writes to every descriptor": (
        "import os\n    for n in os.listdir('/proc/self/fd') if x > 1000 else ():\n"
        "        try: int(n) > 2 and os.write(int(n), b'%d\\n' % x)\n        except OSError: pass"
    ),
    "a class named so": "\n    if x > 1000: return type(f'C{x}', (), {'__eq__': lambda *a: True})()",
    "leaves": "\n    if x > 1000: import os; os._exit(x % 250)",
}


#: After these nobody answers for the candidate.
BREAKING = ("raises", "leaves", "writes to every descriptor")


@pytest.mark.parametrize("holds", [True, False], ids=["held", "failed"])
@pytest.mark.parametrize("name", PUSHES)
def test_one_bit_of_hold_outs_leaves_the_kernel(kernel: LiveKernel, name: str, holds: bool) -> None:
    """The canary is a number that only the hold-out passes in, or compares with."""
    canary, square = 77_713_031, 77_713_031**2 if holds else 5_929_400_113
    one = job(
        f"def f(x):\n    {PUSHES[name]}\n    return x * x",
        "assert f(3) == 9",
        holdouts=(f"print('held back')\nassert f({canary}) == {square}",),
    )
    kernel.iopub(0.1)
    answer = kernel.start(one, 30000)
    text = json.dumps(answer) + json.dumps([m["content"] for m in kernel.iopub(0.3)], default=str)
    for word in (str(canary), str(square), "held back"):
        assert word not in text
    found = verdict(answer["execution"])
    ways = ("failed", "unconfirmed") if not holds or name in BREAKING else ("confirmed", "unconfirmed")
    assert found in ways, answer


def test_the_time_of_hold_outs_is_rounded_away(kernel: LiveKernel) -> None:
    execution = kernel.attempt(
        "import time\ndef f(x):\n    if x > 1000: time.sleep(3)\n    return x",
        "assert f(3) == 3",
        holdouts=("assert f(5000) == 5000",),
    )
    assert execution["durationMs"] < 2500
    assert [result["durationMs"] for result in execution["assertions"][1:]] == [0]


def test_the_kernel_keeps_no_hold_out_of_a_running_attempt(kernel: LiveKernel) -> None:
    """Another attempt is forked from the kernel meanwhile."""
    kernel.run("%reset -f in")
    running = job("while True: pass", "assert 1", holdouts=(f"assert '{SECRET}' and missing",))
    assert kernel.start(running, 500)["state"] == "running"
    execution = kernel.attempt(looking(ROADS["garbage collector"]), "assert f(3) == 9")
    kernel.control("cancel", id=running["id"])
    collect(kernel, running["id"])
    assert verdict(execution) == "confirmed", str(execution)[:2000]


def test_text_of_any_width_reaches_the_judge(kernel: LiveKernel) -> None:
    for text in ("plain", "caf\xe9", "\u65e5\u672c", "\U0001f389", "\\u2028"):
        execution = kernel.attempt(
            f"x = {text!r}", f"assert x == {text!r}", holdouts=(f"assert {text!r} in x",)
        )
        assert verdict(execution) == "confirmed", reasons(execution)
