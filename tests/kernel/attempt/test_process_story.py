"""What the process of an attempt is: signals, limits, streams, and what it has not from the kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from live_kernel import LiveKernel

from jupyterlab_refine.kernel.attempt import limits

_MB = 1 << 20


def holds(kernel: LiveKernel, candidate: str, *checks: str, **fields: Any) -> None:
    execution = kernel.attempt(candidate, *(f"assert {check}" for check in checks), **fields)
    reported = [
        (result["outcome"], result["source"], result.get("message")) for result in execution["assertions"]
    ]
    assert [outcome for outcome, *_ in reported] == ["passed"] * len(checks), (
        reported,
        execution.get("error"),
    )


@pytest.fixture
def own(python: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKernel]:
    """A kernel for one test, which changes it for good."""
    with LiveKernel(python, tmp_path_factory.mktemp("own")) as live:
        live.call("hello")
        yield live


def test_signals(own: LiveKernel) -> None:
    own.run(
        "import signal, socket\nnumbers = (signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD, signal.SIGINT)\n"
        "for number in numbers:\n"
        "    _ = signal.signal(number, lambda *_: None)\n_ = signal.signal(signal.SIGPIPE, signal.SIG_DFL)\n"
        "left, right = socket.socketpair(); left.setblocking(False)\n"
        "_ = signal.set_wakeup_fd(left.fileno())\n_ = signal.setitimer(signal.ITIMER_REAL, 1000)"
    )
    holds(
        own,
        "import signal",
        "signal.getsignal(signal.SIGTERM) == signal.SIG_DFL",
        "signal.getsignal(signal.SIGALRM) == signal.SIG_DFL",
        "signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL",
        "signal.getsignal(signal.SIGINT) is signal.default_int_handler",
        "signal.getsignal(signal.SIGPIPE) == signal.SIG_IGN",
        "signal.set_wakeup_fd(-1) == -1",
        "signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)",
        "not signal.pthread_sigmask(signal.SIG_BLOCK, [])",
    )


def test_process(kernel: LiveKernel) -> None:
    holds(
        kernel,
        "import ctypes, faulthandler, gc, os, sys\nlibc = ctypes.CDLL(None)\nflag = ctypes.c_int()\n"
        "def asked(option):\n    assert libc.prctl(option, ctypes.byref(flag), 0, 0, 0) == 0\n"
        "    return flag.value",
        "os.getsid(0) == os.getpgrp() == os.getpid()",
        "os.read(0, 1) == b''",
        "open('/proc/self/oom_score_adj').read() == '1000\\n'",
        "asked(2) == 9",
        "asked(37) == 1",
        "faulthandler.is_enabled()",
        "gc.get_freeze_count() > 0",
        "sys.dont_write_bytecode",
        "(sys.stdout.isatty(), sys.stdout.fileno(), sys.stderr.fileno()) == (False, 1, 2)",
        "get_ipython().history_manager.enabled is False",
    )


def test_tracing_stays_in_the_kernel(own: LiveKernel) -> None:
    own.run(
        "import sys, threading\ndef trace(*_): pass\n"
        "threading.settrace(trace); threading.setprofile(trace); sys.setprofile(trace)"
    )
    holds(
        own,
        "import sys, threading",
        "threading.gettrace() is None",
        "threading.getprofile() is None",
        "sys.getprofile() is None",
    )


def test_monitoring_stays_in_the_kernel(own: LiveKernel) -> None:
    if own.run("import sys; print(hasattr(sys, 'monitoring'))")["text"] != "True\n":
        pytest.skip("Python 3.12 has sys.monitoring first")
    own.run(
        "monitoring, seen = sys.monitoring, []\nmonitoring.use_tool_id(4, 'mine')\n"
        "_ = monitoring.register_callback(4, monitoring.events.PY_START, lambda code, _: seen.append(code))\n"
        "monitoring.set_events(4, monitoring.events.PY_START)"
    )
    holds(own, "seen.clear()\ndef f(): return 6\nz = f()", "z == 6 and seen == []")


def test_no_core_file_and_no_bound_on_addresses(kernel: LiveKernel) -> None:
    """Threads, libraries and mapped files reserve far more than they use."""
    holds(
        kernel,
        "import mmap, resource, threading\nlarge = mmap.mmap(-1, 4 << 30, prot=mmap.PROT_READ)\n"
        "done = threading.Event()\nthreads = [threading.Thread(target=done.wait) for _ in range(200)]\n"
        "for t in threads: t.start()\ndone.set()\nlimits = resource.getrlimit(resource.RLIMIT_CORE)",
        "limits == (0, 0)",
        "len(threads) == 200 and len(large) == 4 << 30",
        limits={"memoryBytes": 200 * _MB},
    )


def test_the_supervisor_never_waits_for_more_output(kernel: LiveKernel) -> None:
    """As much as it reads at once, and no more to come."""
    candidate = "import os\nos.write(1, b'x' * 65536)\nwhile True: pass"
    execution = kernel.attempt(candidate, limits={"seconds": 1})
    assert execution["stop"] == "timeout"
    assert kernel.run("print('alive')")["text"] == "alive\n"


def test_long_output_keeps_both_ends(kernel: LiveKernel) -> None:
    limit = limits.OUTPUT_BYTES
    candidate = f"print('a' * {limit} + 'b' * 200_000 + 'c' * 20, end='')\nprint('d' * 10, end='')"
    execution = kernel.attempt(candidate)
    kept = limit // 4
    note = f"\n... ({200_030 - kept} characters left out) ...\n"
    assert execution["stdout"] == "a" * limit + note + "b" * (kept - 30) + "c" * 20 + "d" * 10


def test_a_candidate_cannot_ask_for_input(kernel: LiveKernel) -> None:
    shell = "get_ipython().kernel"
    for asks in (
        "input()",
        "import getpass; getpass.getpass()",
        f"{shell}.raw_input('')",
        f"{shell}.getpass('')",
    ):
        execution = kernel.attempt(asks)
        assert execution["error"]["name"] == "EOFError", asks
        assert execution["error"]["message"].startswith("input() is not available"), asks
    holds(kernel, "import sys\nz = sys.stdin.read()", "z == ''")


def test_displays(kernel: LiveKernel) -> None:
    candidate = (
        "from IPython.display import display\n"
        "display({'text/html': '<b>', 'text/plain': 'plain'}, raw=True)\n"
        "display({'application/x-mine': '1'}, raw=True)\n"
        "display({'application/json': {'a': 1}}, raw=True)\n"
        "display({'image/png': 'x' * (5 << 20)}, raw=True)\n6"
    )
    execution = kernel.attempt(candidate)
    assert execution["displays"] == [
        {"mime": "text/html", "data": "<b>", "text": "plain"},
        {"mime": "application/x-mine", "data": "", "leftOut": 1},
        {"mime": "application/json", "data": '{"a": 1}'},
        {"mime": "image/png", "data": "", "leftOut": 5 << 20},
        {"mime": "text/plain", "data": "6"},
    ]


def test_a_character_that_is_written_in_two_parts_is_whole(kernel: LiveKernel) -> None:
    candidate = (
        "import os, time\n"
        "for part in (b'caf\\xc3', b'\\xa9 \\xf0\\x9f\\x90', b'\\x8d'):\n"
        "    _ = os.write(1, part); time.sleep(0.1)\nz = 6"
    )
    assert kernel.attempt(candidate, "assert z == 6")["stdout"] == "caf\u00e9 \U0001f40d"


#: Source: what it displays.
SHOWN = {
    "1; 2": ["2"],
    "1 + 1;": [],
    "x = 1": [],
    "# nothing": [],
    "import asyncio\nawait asyncio.sleep(0, 5)": ["5"],
}


@pytest.mark.parametrize("source", SHOWN)
def test_the_last_expression_is_shown(kernel: LiveKernel, source: str) -> None:
    assert [shown["data"] for shown in kernel.attempt(source)["displays"]] == SHOWN[source]


def test_hooks_of_the_users_run_around_the_candidate(own: LiveKernel) -> None:
    own.run(
        "heard = []\nfor name in ('pre_execute', 'post_execute'):\n"
        "    get_ipython().events.register(name, lambda name=name: heard.append(name))"
    )
    holds(
        own, "heard[:] = [*heard[-1:], 'candidate']", "heard == ['pre_execute', 'candidate', 'post_execute']"
    )
