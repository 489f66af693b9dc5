"""Attempts beside JupyterLab's debugger, and in a frame where it has stopped the kernel."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_kernel import LiveKernel, collect, job, start

EVERY_KERNEL = True
CELL = """def area(width, sides, state):
    width = width + 1
    return width
value = area(2, [2, 3], {'a': 1})"""
HELD = "\"(3, [2, 3], {'a': 1}, {'n': [1]})\""
SECRET = 918273645


class Debugger:
    """Sends requests of the debug adapter protocol over the control channel, as JupyterLab does."""

    def __init__(self, kernel: LiveKernel, cell: str, line: int, **attach: bool) -> None:
        """Attach, with a breakpoint in that line of the cell."""
        self.kernel = kernel
        self._number = 0
        self.request("initialize", clientID="test", adapterID="python", linesStartAt1=True, pathFormat="path")
        self.request("attach", **attach)
        path = self.request("dumpCell", code=cell)["sourcePath"]
        self.request(
            "setBreakpoints", source={"path": path}, breakpoints=[{"line": line}], sourceModified=False
        )
        self.request("configurationDone")

    def request(self, command: str, **arguments: Any) -> dict[str, Any]:
        self._number += 1
        content = {"type": "request", "seq": self._number, "command": command, "arguments": arguments}
        client = self.kernel.client
        message = client.session.msg("debug_request", content)
        client.control_channel.send(message)
        end = time.monotonic() + 60
        while True:
            answer = client.get_control_msg(timeout=max(0.01, end - time.monotonic()))
            if answer["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                assert answer["content"].get("success"), answer["content"]
                return answer["content"].get("body") or {}

    def detach(self) -> None:
        self.request("disconnect", restart=False, terminateDebuggee=False)

    def stopped(self) -> int:
        end = time.monotonic() + 30
        while time.monotonic() < end:
            for message in self.kernel.iopub(0.1):
                if message["content"].get("event") == "stopped":
                    return message["content"]["body"]["threadId"]
        raise AssertionError("the debugger has not stopped")


class Paused(Debugger):
    """A kernel that is stopped in ``area``."""

    def __init__(self, kernel: LiveKernel) -> None:
        # It stops the threads of libraries, too, such as that of IPython's history.
        super().__init__(kernel, CELL, 3, justMyCode=False)
        kernel.iopub()
        self._cell = kernel.send(CELL)
        self._thread = self.stopped()
        stack = self.request("stackTrace", threadId=self._thread)
        self._frame = stack["stackFrames"][0]["id"]

    def evaluate(self, expression: str) -> str:
        answer = self.request("evaluate", expression=expression, frameId=self._frame, context="clipboard")
        return answer["result"]

    def call(self, op: str, **fields: Any) -> dict[str, Any]:
        text = json.dumps(json.dumps({"op": op, **fields}))
        result = self.evaluate(
            f"__import__('sys').modules['_jupyterlab_refine'].call_in_frame({text}, locals())"
        )
        return json.loads(base64.b64decode(result.strip("'")))

    def attempt(self, candidate: str, *checks: str, **fields: Any) -> dict[str, Any]:
        one = job(candidate, *checks, **fields)
        answer = start(self.call, one, 200)
        if answer["state"] == "running":
            answer = collect(self.kernel, one["id"], 30)
        assert answer["state"] == "done", answer
        return answer["execution"]

    def go_on(self) -> None:
        self.request("continue", threadId=self._thread)
        self.kernel.reply(self._cell)
        self.detach()


@pytest.fixture(scope="module")
def paused(kernel: LiveKernel) -> Iterator[Paused]:
    kernel.run("shared = {'n': [1]}")
    found = Paused(kernel)
    yield found
    found.go_on()
    # The paused call went on with what it had.
    assert kernel.run("print(value, shared)")["text"] == "3 {'n': [1]}\n"
    assert kernel.run("print({'width', 'sides', 'state'} & set(globals()))")["text"] == "set()\n"


def test_the_first_request_of_a_kernel_is_answered_in_a_frame(python: str, tmp_path: Path) -> None:
    with LiveKernel(python, tmp_path) as kernel:
        paused = Paused(kernel)
        # It tries in forks how far attempts can be isolated.
        assert paused.call("hello")["isolation"]["mode"] == "fork"
        assert paused.attempt("sides.append(9)", "assert sides == [2, 3, 9]")["status"] == "completed"
        assert paused.evaluate("sides") == "[2, 3]"
        paused.go_on()
        assert kernel.run("print(value)")["text"] == "3\n"
        # The history of cells is still written.
        assert "print(value)" in kernel.run("%history -n")["text"]


def copies_end(kernel: LiveKernel) -> bool:
    """Whether all forks of the kernel end, but for those that wait for the next attempt."""
    line = Path(f"/proc/{kernel.pid}/cmdline").read_bytes()
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if len([path for path in Path("/proc").glob("[0-9]*/cmdline") if read(path) == line]) <= 3:
            return True
        time.sleep(0.1)
    return False


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


TRICKS = {
    "objects of the frame": "sides.append(9); state['a'] = 2; shared['n'].append(5); width = 99",
    "frames": (
        "import sys, gc\n"
        "for frame in sys._current_frames().values():\n"
        "    while frame:\n"
        "        for k in list(frame.f_locals):\n"
        "            if k in ('width', 'sides', 'state'): frame.f_locals[k] = None\n"
        "        frame = frame.f_back\n"
        "for thing in gc.get_objects():\n"
        "    if type(thing) is list and thing[:2] == [2, 3]: thing.clear()"
    ),
    "inherited descriptors": (
        "import os\n"
        "for fd in range(3, 512):\n"
        "    try: os.write(fd, b'Content-Length: 2\\r\\n\\r\\n{}' * 20)\n"
        "    except OSError: pass"
    ),
}


@pytest.mark.parametrize("trick", TRICKS)
def test_a_candidate_leaves_the_paused_call_alone(paused: Paused, trick: str) -> None:
    paused.attempt(TRICKS[trick], "assert True or width")
    assert paused.evaluate("str((width, sides, state, shared))") == HELD
    assert copies_end(paused.kernel)


def test_an_endless_candidate_ends_with_its_time(paused: Paused) -> None:
    execution = paused.attempt("while True: pass", "assert width == 3", limits={"seconds": 1})
    assert execution["stop"] == "timeout"
    assert paused.evaluate("width") == "3"


SEARCHES = {
    "frames": (
        "import sys\nfound = []\nfor frame in sys._current_frames().values():\n"
        "    while frame:\n"
        "        found += [repr(v)[:100000] for k, v in list(frame.f_locals.items()) if k != 'found']\n"
        "        frame = frame.f_back"
    ),
    "the request": (
        "kernel = get_ipython().kernel\nfound = [repr(kernel.get_parent(c)) for c in ('shell', 'control')]\n"
        "found += [repr(vars(kernel)), repr(vars(kernel.debugger))]"
    ),
}


@pytest.mark.parametrize("search", SEARCHES)
def test_no_hold_out_is_in_reach(paused: Paused, search: str) -> None:
    source = (
        "def f(n):\n    return n\n" + SEARCHES[search] + f"\nwanted = str({SECRET - 1} + 1)\n"
        "hits = [text[:300] for text in found if wanted in text]\ndel found"
    )
    # The first request with the hold-out is over when the second is forked.
    for _ in range(2):
        execution = paused.attempt(
            source, "assert hits == []", "assert f(width) == 3", holdouts=(f"assert f({SECRET}) == {SECRET}",)
        )
    shown = [result for result in execution["assertions"] if result["role"] == "assertion"]
    assert [result["outcome"] for result in shown] == ["passed", "passed"], execution


def test_a_breakpoint_stops_no_attempt(python: str, tmp_path: Path) -> None:
    with LiveKernel(python, tmp_path) as kernel:
        cell, _, _ = CELL.rpartition("\n")
        debugger = Debugger(kernel, cell, 2)
        kernel.run(cell)
        candidate = "import sys\nz = area(1, [], {})\ntraced = sys.gettrace()"
        execution = kernel.attempt(
            candidate, "assert z == 2", "assert traced is None and area(2, [], {}) == 3"
        )
        assert [result["outcome"] for result in execution["assertions"]] == ["passed"] * 2, execution
        assert (execution["tampering"], execution["stderr"]) == ([], "")
        # For the user it still stops.
        kernel.send("area(5, [], {})")
        assert debugger.stopped()
        debugger.detach()
