"""What keeps an attempt apart, for each means that this system offers."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_kernel import LiveKernel

#: Switched off means, and what is left.
MEANS = {
    "overlay": "set()",
    "landlock": "{'overlay'}",
    "seccomp for signals": "{'landlock'}",
    "none": "{'overlay', 'landlock'}",
}


def avoid(kernel: LiveKernel, names: str) -> dict[str, Any]:
    """Use the kernel part as if the named means did not work here."""
    module = "__import__('sys').modules['_jupyterlab_refine.isolation']"
    kernel.evaluate(f"setattr({module}, 'avoid', {names})")
    kernel.evaluate(f"setattr({module}._Probe, 'done', False)")
    return kernel.call("hello")["isolation"]


@pytest.fixture(params=MEANS)
def means(request: pytest.FixtureRequest, kernel: LiveKernel) -> Iterator[str]:
    avoid(kernel, MEANS[request.param])
    (kernel.folder / "keep.txt").write_text("keep")
    yield request.param
    avoid(kernel, "set()")


@pytest.fixture
def server() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"('127.0.0.1', {listening.getsockname()[1]})"


def test_what_is_told(kernel: LiveKernel, means: str) -> None:
    told = kernel.call("hello")["isolation"]
    assert (told["mode"], told["memory"]) == ("fork", True)
    expected = {"overlay": ("overlay", True), "landlock": ("denied", True), "none": ("open", False)}
    assert (told["files"], told["network"]) == expected.get(means, ("overlay", True))
    if means == "none":
        assert any("overlay" in reason for reason in told["reasons"])
        assert any("denied" in reason for reason in told["reasons"])
    assert kernel.attempt("1")["isolation"] == told


def test_files(kernel: LiveKernel, means: str) -> None:
    if means == "none":
        return
    candidate = (
        "import os, tempfile\nos.makedirs('made/deep', exist_ok=True)\nopen('made/deep/f', 'w').write('x')\n"
        "os.remove('keep.txt')\nread = open('made/deep/f').read()"
    )
    execution = kernel.attempt(candidate, "assert read == 'x'")
    kept = kernel.folder / "keep.txt"
    assert kept.read_text() == "keep"
    assert not (kernel.folder / "made").exists()
    if means == "landlock":
        assert execution["error"]["name"] == "PermissionError"
        assert execution["denied"] == [f"tried to write {kernel.folder / 'made/deep'}"] or execution["denied"]
        temporary = kernel.attempt(
            "import tempfile\nwith tempfile.TemporaryFile() as f: f.write(b'x')\nt = 1", "assert t"
        )
        assert temporary["assertions"][0]["outcome"] == "passed"
    else:
        assert execution["assertions"][0]["outcome"] == "passed"
        written = [str(kernel.folder / "made/deep/f"), f"{kept} (deleted)"]
        assert sorted(execution["filesWritten"]) == sorted(written)


def test_writes_elsewhere_are_denied_and_told(kernel: LiveKernel, means: str) -> None:
    if means == "none":
        return
    execution = kernel.attempt("open('/etc/refine-probe', 'w')")
    assert execution["status"] == "error"
    assert execution["denied"] == ["tried to write /etc/refine-probe"]
    assert not Path("/etc/refine-probe").exists()


def test_network(kernel: LiveKernel, means: str, server: str) -> None:
    if means == "none":
        return
    candidate = f"import socket\ns = socket.create_connection({server}, 2)"
    execution = kernel.attempt(candidate)
    assert execution["status"] == "error"
    assert execution["denied"] == [f"tried to reach 127.0.0.1:{server.split()[1][:-1]}"]
    allowed = kernel.attempt(candidate, allowNetwork=True)
    assert (allowed["status"], allowed["denied"]) == ("completed", [])
    assert allowed["isolation"]["network"] is False


def test_allowed_writes_are_real(kernel: LiveKernel, means: str) -> None:
    execution = kernel.attempt("open('real.txt', 'w').write('r')", allowWrites=True)
    assert (execution["status"], execution["isolation"]["files"]) == ("completed", "open")
    real = kernel.folder / "real.txt"
    assert real.read_text() == "r"
    real.unlink()


def test_the_kernel_cannot_be_reached(kernel: LiveKernel, means: str) -> None:
    if means == "none":
        return
    candidate = """
import ctypes, os, signal
kernel = os.getppid()
libc = ctypes.CDLL(None, use_errno=True)
tried = {}
def attempt(name, work):
    try:
        tried[name] = work() or "done"
    except BaseException as error:
        tried[name] = type(error).__name__
attempt("kill", lambda: os.kill(kernel, signal.SIGKILL))
attempt("group", lambda: os.killpg(os.getpgid(kernel), signal.SIGKILL))
attempt("memory", lambda: open(f"/proc/{kernel}/mem", "rb").read(1))
attempt("root", lambda: os.listdir(f"/proc/{kernel}/root"))
attempt("environment", lambda: open(f"/proc/{kernel}/environ").read())
attempt("thread", lambda: libc.pthread_kill and libc.syscall(234, kernel, kernel, 9))
attempt("ptrace", lambda: libc.ptrace(16, kernel, 0, 0))
"""
    check = """
assert tried["kill"] == tried["group"] == "PermissionError"
assert tried["ptrace"] == tried["thread"] == -1
assert tried["root"] == "PermissionError"
assert tried["memory"] == "PermissionError"
assert tried["environment"] == "PermissionError"
"""
    execution = kernel.attempt(candidate, check)
    assert [a["outcome"] for a in execution["assertions"]] == ["passed"] * 5, execution
    assert kernel.run("print(1)")["text"] == "1\n"


def test_no_temporary_file_stays(kernel: LiveKernel, means: str) -> None:
    def ours() -> list[str]:
        return [name for name in os.listdir("/tmp") if name.startswith("refine-attempt-")]

    kernel.attempt("import tempfile; name = tempfile.mkdtemp()", "assert 1 == 2")
    # The verdict does not wait for the tidying up.
    end = time.monotonic() + 3
    while time.monotonic() < end and ours():
        time.sleep(0.02)
    assert ours() == []
