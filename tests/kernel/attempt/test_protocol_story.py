"""The calls between browser or command line and the kernel part, on a real kernel."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pack
import pytest
from live_kernel import CANARY_KEY, LiveKernel, children, collect, job, no_child_stays, verdict
from processes import wait_until

from jupyterlab_refine.kernel.isolation import processes

EVERY_KERNEL = True
ROOT = Path(__file__).resolve().parents[3]


def test_python_and_node_pack_the_same_text() -> None:
    script = "import('./scripts/pack-kernel.mjs').then(m => process.stdout.write(m.packKernel().source))"
    done = subprocess.run(["node", "-e", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == pack.pack()


def test_hello(kernel: LiveKernel) -> None:
    hello = kernel.call("hello")
    assert hello["version"] == pack.version()
    assert hello["control"] is True
    assert hello["isolation"]["mode"] == "fork"
    assert hello["isolation"]["memory"] is True


def test_nothing_enters_the_users_kernel(kernel: LiveKernel) -> None:
    look = (
        "import linecache as _l, builtins as _b, sys as _s\n"
        "print([n for n in sorted(globals()) if not n.startswith('_i')], len(_l.cache),"
        " sorted(vars(_b)), get_ipython().user_ns.get('Out'), get_ipython().execution_count)"
    )
    kernel.run(look)
    before = kernel.run(look)["text"]
    kernel.attempt("refine_z = 1\nrefine_z", "assert refine_z == 2")
    kernel.attempt("1/0")
    kernel.call("inspect", names=["_l"], values="samples")
    after = kernel.run(look)["text"]
    # The counter counts these two looks alone.
    count = int(before.split()[-1])
    assert after.split()[:-1] == before.split()[:-1]
    assert int(after.split()[-1]) == count + 1


def test_inspect(kernel: LiveKernel) -> None:
    kernel.run(
        "import numpy as np, pandas as pd\n"
        "frame = pd.DataFrame({'a': [1, 2], 'b': ['x', 'y']})\narray = np.zeros((2, 3))\nitems = [1, 2, 3]\n"
        "def area(w: int, h: int = 2) -> int:\n    'Area of a rectangle.'\n    return w * h\n"
        "api_key = 'abcdefgh12345678'\nnote = 'use sk-abcdefghijklmnopqrstuvwx'\n"
        "class Odd:\n    @property\n    def shape(self): raise SystemExit\n"
        "    def __repr__(self): raise ValueError\n"
        "odd = Odd()"
    )
    names = ["frame", "array", "items", "area", "api_key", "note", "odd", "missing"]
    reported = {v["name"]: v for v in kernel.call("inspect", names=names, values="types")["variables"]}
    assert list(reported) == names[:-1]
    assert reported["frame"]["type"].endswith("DataFrame")
    assert reported["frame"]["shape"] == [2, 2]
    assert reported["frame"]["columns"][0] == ["a", "int64"]
    assert reported["array"] == {
        "name": "array",
        "type": "numpy.ndarray",
        "shape": [2, 3],
        "dtype": "float64",
    }
    assert reported["items"] == {"name": "items", "type": "list", "length": 3}
    assert reported["area"]["signature"] == "(w: int, h: int = 2) -> int"
    assert reported["area"]["doc"] == "Area of a rectangle."
    assert reported["api_key"] == {"name": "api_key", "type": "str", "redacted": True}
    assert reported["note"] == {"name": "note", "type": "str", "redacted": True}
    assert reported["odd"] == {"name": "odd", "type": "Odd"}
    samples = {v["name"]: v for v in kernel.call("inspect", names=names, values="samples")["variables"]}
    assert samples["items"]["sample"] == "[1, 2, 3]"
    assert "sample" not in samples["api_key"]
    assert kernel.call("inspect", names=names, values="none") == {"variables": []}


def interrupt(kernel: LiveKernel, cell: str) -> None:
    """Interrupt a cell of the user's, which runs."""
    os.kill(kernel.pid, signal.SIGINT)
    assert kernel.reply(cell, 10)["ename"] == "KeyboardInterrupt"


def test_slow_attempt_leaves_the_kernel_to_the_user(kernel: LiveKernel) -> None:
    slow = job("import time\ntime.sleep(0.7)\nslow_z = 6", "assert slow_z == 6")
    assert kernel.call("attempt", job=slow, graceMs=100) == {"state": "running"}
    assert kernel.run("print(40 + 2)")["text"] == "42\n"
    # Collecting passes a running cell of the user's.
    cell = kernel.send("import time; time.sleep(60)")
    answer = collect(kernel, slow["id"])
    assert answer["state"] == "done"
    assert answer["execution"]["assertions"][0]["outcome"] == "passed"
    assert kernel.control("collect", id=slow["id"]) == {"state": "unknown"}
    interrupt(kernel, cell)


def test_time_limit_holds_while_a_cell_of_the_users_is_busy(kernel: LiveKernel) -> None:
    endless = job("while True: pass", "assert True", limits={"seconds": 1})
    kernel.call("attempt", job=endless, graceMs=0)
    cell = kernel.send("while True: pass")
    answer = collect(kernel, endless["id"])
    assert answer["execution"]["stop"] == "timeout"
    interrupt(kernel, cell)


def test_cancel(kernel: LiveKernel) -> None:
    endless = job("while True: pass", "assert True")
    kernel.call("attempt", job=endless, graceMs=0)
    start = time.monotonic()
    assert kernel.control("cancel", id=endless["id"]) == {"ok": True}
    execution = collect(kernel, endless["id"])["execution"]
    assert time.monotonic() - start < 8
    assert (execution["status"], execution["stop"]) == ("cut", "stopped")
    assert [a["outcome"] for a in execution["assertions"]] == ["not-run"]
    assert no_child_stays(kernel)


def test_cancel_before_the_start(kernel: LiveKernel) -> None:
    never = job("open('never.txt', 'w')", "assert True")
    kernel.control("cancel", id=never["id"])
    answer = kernel.call("attempt", job=never, graceMs=1000)
    assert answer["state"] == "done"
    assert answer["execution"]["stop"] == "stopped"
    assert answer["execution"]["durationMs"] == 0


def test_late_cancels_cost_no_result(kernel: LiveKernel) -> None:
    slow = job("import time\ntime.sleep(0.5)\nkept = 1", "assert kept == 1")
    kernel.call("attempt", job=slow, graceMs=0)
    for number in range(40):
        kernel.control("cancel", id=f"before its end {number}")
    assert no_child_stays(kernel)
    for number in range(40):
        kernel.control("cancel", id=f"after its end {number}")
    assert verdict(kernel.control("collect", id=slow["id"])["execution"]) == "confirmed"


def test_interrupts_leave_the_attempt_alone(kernel: LiveKernel) -> None:
    slow = job("import time\ntime.sleep(2)\nkept = 1", "assert kept == 1")
    message = kernel.send(
        "", {"r": kernel.expression({"op": "attempt", "job": slow, "graceMs": 10000})}, silent=True
    )
    time.sleep(0.7)
    for _ in range(5):
        os.kill(kernel.pid, signal.SIGINT)
        time.sleep(0.002)
    content = kernel.reply(message)
    assert content["user_expressions"]["r"]["data"]["application/json"] == {"state": "running"}
    execution = collect(kernel, slow["id"])["execution"]
    assert execution["assertions"][0]["outcome"] == "passed"
    assert kernel.run("print('alive')")["text"] == "alive\n"
    assert no_child_stays(kernel)
    # The user's own cells can still be interrupted.
    cell = kernel.send("import time; time.sleep(20)")
    time.sleep(0.5)
    interrupt(kernel, cell)


def test_previews(kernel: LiveKernel) -> None:
    kernel.iopub(0.2)
    one = job(
        "print('early', flush=True)\nimport time; time.sleep(0.3)\nprint('late')\np = 1", "assert p == 2"
    )
    message = kernel.send(
        "", {"r": kernel.expression({"op": "attempt", "job": one, "graceMs": 9000})}, silent=True
    )
    kernel.reply(message)
    events = [m for m in kernel.iopub(0.5) if m["msg_type"] == "refine_event"]
    assert {m["parent_header"]["msg_id"] for m in events} == {message}
    contents = [m["content"] for m in events]
    assert {c["id"] for c in contents} == {one["id"]}
    assert [c["type"] for c in contents if c["type"] != "output"] == ["started", "assertion", "finished"]
    assert "".join(c["text"] for c in contents if c["type"] == "output") == "early\nlate\n"
    assert not [m for m in kernel.iopub(0.1) if m["msg_type"] in ("stream", "display_data", "error")]


@pytest.mark.parametrize("count", [1, 40])
def test_previews_do_not_wait_for_the_next_event(kernel: LiveKernel, count: int) -> None:
    kernel.iopub(0.2)
    # Of many at once the last ones are batched in the child as well.
    candidate = f"import time\nfor n in range({count}): print(n)\ntime.sleep(3)"
    one, last = job(candidate), f"{count - 1}\n"
    kernel.send("", {"r": kernel.expression({"op": "attempt", "job": one, "graceMs": 0})}, silent=True)
    start, text = time.monotonic(), ""
    while last not in text and time.monotonic() < start + 10:
        for message in kernel.iopub(0.05):
            text += message["content"].get("text", "") if message["msg_type"] == "refine_event" else ""
    assert last in text
    assert kernel.control("collect", id=one["id"])["state"] == "running"
    kernel.control("cancel", id=one["id"])
    execution = collect(kernel, one["id"])["execution"]
    assert execution["stdout"] == "".join(f"{n}\n" for n in range(count))


def test_a_cut_attempt_keeps_what_it_printed(kernel: LiveKernel) -> None:
    candidate = "print('one')\nprint('two')\nwhile True: pass"
    assert kernel.attempt(candidate, limits={"seconds": 0.5})["stdout"] == "one\ntwo\n"


def test_no_key_leaves_an_attempt(kernel: LiveKernel) -> None:
    kernel.run("import os; copied = os.environ['OPENAI_API_KEY']")
    kernel.iopub(0.2)
    candidate = (
        "import os, subprocess, sys\nprint(dict(os.environ))\nprint(open('/proc/self/environ').read())\n"
        "print(copied); print(repr(copied), file=sys.stderr)\nfor c in copied: print(c, end='', flush=True)\n"
        "subprocess.run(['env']); display(copied)\nshown = copied\n"
        "raise ValueError(copied)"
    )
    texts = [str(kernel.attempt(candidate, "assert copied == 1"))]
    texts.append(str(kernel.attempt("shown = copied", "assert shown == 1, shown")))
    texts += [str(message) for message in kernel.iopub(0.3)]
    assert "***" in texts[0]
    for text in texts:
        assert CANARY_KEY not in text
    assert kernel.run("print(os.environ['OPENAI_API_KEY'] == copied)")["text"] == "True\n"


def test_variables_that_the_server_names_hold_keys(kernel: LiveKernel) -> None:
    kernel.run("import os; os.environ['CORP_GATEWAY'] = held = 'canary-0f3e9a7c'")
    candidate = "import os\nprint(held)\nz = os.environ.get('CORP_GATEWAY')"
    assert kernel.attempt(candidate, "assert z == held")["stdout"] == "canary-0f3e9a7c\n"
    kernel.call("hello", keyVariables=["CORP_GATEWAY"])
    execution = kernel.attempt(candidate, "assert z is None")
    assert execution["assertions"][0]["outcome"] == "passed"
    assert execution["stdout"] == "***\n"
    assert kernel.run("print(os.environ['CORP_GATEWAY'] == held)")["text"] == "True\n"


def test_a_users_shadowed_builtins_do_no_harm(kernel: LiveKernel) -> None:
    kernel.run("len = print = str = type = isinstance = dict = list = 7\nimport types as json, types as os")
    try:
        execution = kernel.attempt("shadow = 5", "assert shadow == 6", "assert shadow == 5")
        assert [a["outcome"] for a in execution["assertions"]] == ["failed", "passed"]
        assert execution["assertions"][0]["observed"]["repr"] == "5"
        assert execution["tampering"] == []
    finally:
        kernel.run("del len, print, str, type, isinstance, dict, list, json, os")


def test_refuses_to_fork_beside_started_polars_pools(kernel: LiveKernel) -> None:
    start = (
        "import ctypes, threading\ngo_on = threading.Event()\n"
        "def pool():\n    ctypes.CDLL(None).prctl(15, b'polars-0', 0, 0, 0)\n    go_on.wait()\n"
        "threading.Thread(target=pool).start()\nimport time; time.sleep(0.2)"
    )
    kernel.run(start)
    try:
        answer = kernel.call("attempt", job=job("1"), graceMs=1000)
        assert (answer["state"], answer["code"]) == ("refused", "fork-unsafe")
        assert "polars" in answer["message"]
        isolation = kernel.call("hello")["isolation"]
        assert (isolation["mode"], isolation["memory"]) == ("sidecar", True)
        assert "polars" in isolation["reasons"][0]
    finally:
        kernel.run("go_on.set()")


def test_unknown_operation(kernel: LiveKernel) -> None:
    answer = kernel.call("dance")
    assert answer == {"state": "error", "code": "unknown-op", "message": "unknown operation 'dance'"}
    assert kernel.control("hello")["code"] == "unknown-op"


def test_installed_again_it_ends_what_ran(kernel: LiveKernel) -> None:
    endless = job("while True: pass")
    kernel.call("attempt", job=endless, graceMs=0)
    assert len(children(kernel)) == 1
    kernel.install()
    assert no_child_stays(kernel)
    assert kernel.call("collect", id=endless["id"]) == {"state": "unknown"}
    kernel.call("hello")
    assert kernel.attempt("again = 1", "assert again == 1")["assertions"][0]["outcome"] == "passed"


def _is_there(pid: int) -> bool:
    return os.path.exists(f"/proc/{pid}")


@pytest.mark.parametrize("how", ["kill", "restart"])
def test_the_kernels_end_is_the_attempts(python: str, tmp_path: Path, how: str) -> None:
    with LiveKernel(python, tmp_path) as live:
        live.call("hello")
        live.call("attempt", job=job("while True: pass"), graceMs=0)
        found = children(live)
        assert len(found) == 1
        # The judge forks the process of the candidate.
        end = time.monotonic() + 5
        while len(below := processes.descendants(found[0])) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        found += below
        if how == "kill":
            os.kill(live.pid, signal.SIGKILL)
        else:
            live.manager.restart_kernel(now=True)
        end = time.monotonic() + 5
        while (left := list(filter(_is_there, found))) and time.monotonic() < end:
            time.sleep(0.05)
        assert left == []


@pytest.mark.parametrize("seconds", [0, 0.3], ids=["runs again", "is copied"])
def test_the_kernels_end_after_a_result(python: str, tmp_path: Path, seconds: float) -> None:
    """While the processes are stopped, and not yet killed."""
    start = "subprocess.Popen(['sleep', '600'], start_new_session=True)"
    candidate = f"import os, subprocess, time\n{start}\nos.fork() or time.sleep(600)\ntime.sleep({seconds})"
    with LiveKernel(python, tmp_path) as live:
        live.call("hello")
        before = {*os.listdir("/proc")}
        live.attempt(candidate, "assert True", allowNetwork=seconds > 0)
        os.kill(live.pid, signal.SIGKILL)
        assert wait_until(lambda: not _stay(tmp_path, before), 5)


def test_a_daemon_ends_with_an_attempt_in_processes(kernel: LiveKernel) -> None:
    # Its parent is the system's first process.
    fork = "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(600)\n    os._exit(0)\n"
    before = {*os.listdir("/proc")}
    kernel.attempt(f"import os, time\n{fork}z = 1", "assert z == 2", sidecar=True)
    assert wait_until(lambda: not _stay(kernel.folder, before), 5)


def _stay(folder: Path, before: set[str]) -> list[str]:
    """Processes since then that a kernel in this folder or its attempts have started."""
    new = {pid for pid in os.listdir("/proc") if pid.isdigit()} - before
    return [pid for pid in new if f"IPYTHONDIR={folder}" in _environment(pid)]


def _environment(pid: str) -> str:
    """Empty for a process that has ended."""
    try:
        return Path(f"/proc/{pid}/environ").read_text(errors="replace")
    except OSError:
        return ""
