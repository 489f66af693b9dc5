"""An attempt while JupyterLab's debugger is attached, with a breakpoint in a function that it calls."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from live_kernel import LiveKernel

CELL = "def stops(x):\n    y = x + 1\n    return y\n"


class Debugger:
    """Sends requests of the debug adapter protocol over the control channel, as JupyterLab does."""

    def __init__(self, kernel: LiveKernel) -> None:
        self._kernel = kernel
        self._number = 0

    def request(self, command: str, **arguments: Any) -> dict[str, Any]:
        self._number += 1
        content = {"type": "request", "seq": self._number, "command": command, "arguments": arguments}
        client = self._kernel.client
        message = client.session.msg("debug_request", content)
        client.control_channel.send(message)
        end = time.monotonic() + 30
        while True:
            answer = client.get_control_msg(timeout=max(0.01, end - time.monotonic()))
            if answer["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                assert answer["content"].get("success"), answer["content"]
                return answer["content"]


@pytest.fixture
def debugged(kernel: LiveKernel) -> Iterator[LiveKernel]:
    debugger = Debugger(kernel)
    debugger.request("initialize", clientID="test", adapterID="python", linesStartAt1=True, pathFormat="path")
    debugger.request("attach")
    path = debugger.request("dumpCell", code=CELL)["body"]["sourcePath"]
    debugger.request("setBreakpoints", source={"path": path}, breakpoints=[{"line": 2}], sourceModified=False)
    debugger.request("configurationDone")
    kernel.run(CELL)
    yield kernel
    debugger.request("disconnect", restart=False, terminateDebuggee=False)


def test_a_breakpoint_stops_no_attempt(debugged: LiveKernel) -> None:
    candidate = "import sys\nz = stops(1)\ntraced = sys.gettrace()"
    execution = debugged.attempt(candidate, "assert z == 2", "assert traced is None and stops(2) == 3")
    assert [result["outcome"] for result in execution["assertions"]] == ["passed"] * 2, execution
    assert execution["tampering"] == []
    assert execution["stderr"] == ""
    # For the user it still stops.
    debugged.send("stops(5)")
    end, stopped = time.monotonic() + 20, False
    while not stopped and time.monotonic() < end:
        for message in debugged.iopub(0.1):
            stopped = stopped or message["content"].get("event") == "stopped"
    assert stopped
