"""A real kernel with the packed kernel part, and the calls of its protocol."""

from __future__ import annotations

import json
import os
import queue
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pack
import pytest
from jupyter_client.manager import KernelManager

#: In the environment of every kernel; must never come out of an attempt.
CANARY_KEY = "canary-8f3b1c9e5d7a2046"


class LiveKernel:
    """A kernel with the packed part installed, and the calls of its protocol."""

    def __init__(self, python: str, folder: Path) -> None:
        self.folder = folder
        self.manager = KernelManager(kernel_name="python3")
        spec = self.manager.kernel_spec
        assert spec is not None
        spec.argv = [python, *spec.argv[1:]]
        environment = dict(os.environ, OPENAI_API_KEY=CANARY_KEY, IPYTHONDIR=str(folder / ".ipython"))
        self.manager.start_kernel(env=environment, cwd=str(folder))
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.install()

    def install(self) -> None:
        source = pack.pack()
        self.evaluate(f"exec({json.dumps(source)}, {{'__name__': '_jupyterlab_refine_loader'}})")

    @property
    def pid(self) -> int:
        provisioner: Any = self.manager.provisioner
        return int(provisioner.pid)

    def __enter__(self) -> LiveKernel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def send(self, code: str, expressions: dict[str, str] | None = None, silent: bool = False) -> str:
        """Send an execute request; returns its message id."""
        content = {
            "code": code,
            "silent": silent,
            "store_history": not silent,
            # What follows a cell that was interrupted is not aborted with it.
            "stop_on_error": False,
            "allow_stdin": False,
            "user_expressions": expressions or {},
        }
        message = self.client.session.msg("execute_request", content)
        self.client.shell_channel.send(message)
        return message["header"]["msg_id"]

    def reply(self, message_id: str, timeout: float = 60) -> dict[str, Any]:
        """The reply on the shell channel to that request; other replies are dropped."""
        end = time.monotonic() + timeout
        while True:
            message = self.client.get_shell_msg(timeout=max(0.01, end - time.monotonic()))
            if message["parent_header"].get("msg_id") == message_id:
                return message["content"]

    def evaluate(self, expression: str, timeout: float = 60) -> Any:
        content = self.reply(self.send("", {"r": expression}, silent=True), timeout)
        assert content["status"] == "ok", content
        result = content["user_expressions"]["r"]
        assert result["status"] == "ok", "\n".join(result["traceback"])
        return result["data"]

    @staticmethod
    def expression(request: dict[str, Any]) -> str:
        return f"__import__('sys').modules['_jupyterlab_refine'].call({json.dumps(json.dumps(request))})"

    def call(self, op: str, **fields: Any) -> dict[str, Any]:
        """One operation over the shell channel."""
        return self.evaluate(self.expression({"op": op, **fields}))["application/json"]

    def control(self, op: str, timeout: float = 60, **fields: Any) -> dict[str, Any]:
        """One operation over the control channel."""
        message = self.client.session.msg("refine_request", {"op": op, **fields})
        self.client.control_channel.send(message)
        end = time.monotonic() + timeout
        while True:
            answer = self.client.get_control_msg(timeout=max(0.01, end - time.monotonic()))
            if answer["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                assert answer["header"]["msg_type"] == "refine_reply"
                return answer["content"]

    def attempt(
        self, candidate: str, *assertions: str, holdouts: tuple[str, ...] = (), **fields: Any
    ) -> dict[str, Any]:
        """Run an attempt to its end; returns the execution."""
        answer = self.start(job(candidate, *assertions, holdouts=holdouts, **fields), 60000)
        assert answer["state"] == "done", answer
        return answer["execution"]

    def start(self, one: dict[str, Any], grace_ms: float) -> dict[str, Any]:
        """Start an attempt as the browser does."""
        return start(self.call, one, grace_ms)

    def run(self, code: str, timeout: float = 60) -> dict[str, Any]:
        """Run a cell of the user's; returns the reply and what it printed as ``text``."""
        self.iopub()
        message_id = self.send(code)
        content = self.reply(message_id, timeout)
        text = ""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            message = self.client.get_iopub_msg(timeout=timeout)
            if message["parent_header"].get("msg_id") != message_id:
                continue
            if message["msg_type"] == "stream":
                text += message["content"]["text"]
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                break
        return {**content, "text": text}

    def iopub(self, timeout: float = 0.0) -> list[dict[str, Any]]:
        """Messages that wait on IOPub."""
        found = []
        while True:
            try:
                found.append(self.client.get_iopub_msg(timeout=timeout))
            except queue.Empty:
                return found


def job(candidate: str, *assertions: str, holdouts: tuple[str, ...] = (), **fields: Any) -> dict[str, Any]:
    """An ``ExecutionJob``; each assertion is a cell of its own."""

    def cells(sources: tuple[str, ...], role: str) -> list[dict[str, Any]]:
        return [
            {"cellId": f"{role}-{i}", "index": i + 1, "role": role, "source": source, "statements": 1}
            for i, source in enumerate(sources)
        ]

    limits = {"seconds": 20, **fields.pop("limits", {})}
    return {
        "id": uuid.uuid4().hex,
        "candidate": candidate,
        "assertions": cells(assertions, "assertion"),
        "holdouts": cells(holdouts, "holdout"),
        "limits": limits,
        "contextValues": "samples",
        "allowNetwork": False,
        "allowWrites": False,
        **fields,
    }


_SECRET = ("holdouts", "scorer", "hiddenNames")
_OF_FORK = ("allowNetwork", "allowWrites", "notebookPath", "sidecar")


def start(call: Callable[..., dict[str, Any]], job: dict[str, Any], grace_ms: float) -> dict[str, Any]:
    """Start an attempt as the client does: one with hold-outs or a scorer in a fork that waits for it.

    :param call: asks the kernel part: an operation and its fields.
    """
    if any(job.get(key) for key in _SECRET):
        where = {key: job[key] for key in _OF_FORK if key in job}
        prepared = call("prepare", force=True, soon=True, **where)
        if prepared["state"] != "ready":
            return prepared
    return call("attempt", job=job, graceMs=grace_ms)


def verdict(execution: dict[str, Any]) -> str:
    """As the loop reads it: ``confirmed``, ``unconfirmed``, ``refused`` (tampering), ``failed``, its end."""
    if execution["status"] != "completed":
        return execution.get("stop") or "error"
    if {result["outcome"] for result in execution["assertions"]} - {"passed"}:
        return "failed"
    if execution["tampering"]:
        return "refused"
    return "unconfirmed" if reasons(execution) else "confirmed"


def reasons(execution: dict[str, Any]) -> list[str]:
    """Why its passed checks are not confirmed."""
    passed = [result for result in execution["assertions"] if result["outcome"] == "passed"]
    return [result.get("unconfirmed", "?") for result in passed if result.get("confirmed") is not True]


def outcomes(execution: dict[str, Any]) -> list[str]:
    return [result["outcome"] for result in execution["assertions"]]


def first(execution: dict[str, Any]) -> dict[str, Any]:
    """The result of the first check."""
    return execution["assertions"][0]


def kernel_module(name: str) -> str:
    """An expression for a module of the part in the kernel, such as ``fork.fork``."""
    return f"__import__('sys').modules['_jupyterlab_refine.{name}']"


def no_child_stays(kernel: LiveKernel, seconds: float = 10) -> bool:
    """Whether all processes of attempts end: what was killed may still be giving its memory back."""
    end = time.monotonic() + seconds
    while children(kernel) and time.monotonic() < end:
        time.sleep(0.02)
    return children(kernel) == []


def collect(kernel: LiveKernel, attempt_id: str, seconds: float = 20) -> dict[str, Any]:
    """The answer of an attempt that goes on after its grace."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        answer = kernel.control("collect", id=attempt_id)
        if answer["state"] != "running":
            return answer
        time.sleep(0.05)
    raise AssertionError("the attempt did not end")


def children(kernel: LiveKernel) -> list[int]:
    """Process ids, of those that have ended and wait to be reaped as well."""
    found: list[int] = []
    for task in os.listdir(f"/proc/{kernel.pid}/task"):
        try:
            found += map(int, Path(f"/proc/{kernel.pid}/task/{task}/children").read_text().split())
        except OSError:
            # A thread that has ended.
            continue
    return found


#: Switched off means, and what is left.
MEANS = {
    "overlay": "set()",
    "landlock": "{'overlay'}",
    "seccomp for signals": "{'landlock'}",
    "none": "{'overlay', 'landlock'}",
}
ISOLATED = [*MEANS][:3]


def on(*means: str) -> pytest.MarkDecorator:
    """Run a test with these alone."""
    return pytest.mark.parametrize("means", means, indirect=True)


def avoid(kernel: LiveKernel, names: str) -> dict[str, Any]:
    """Use the kernel part as if the named means did not work here."""
    module = "__import__('sys').modules['_jupyterlab_refine.isolation.isolation']"
    kernel.evaluate(f"setattr({module}, 'avoid', {names})")
    return kernel.call("hello")["isolation"]
