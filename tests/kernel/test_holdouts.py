"""Hold-outs and assertions are out of a candidate's reach until it has ended, by every road tried."""

from __future__ import annotations

import pytest
from live_kernel import LiveKernel

#: Each leaves what it found in `found`, a list of texts.
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
        if type(inner) is str and len(inner) > 30 or type(inner) is bytes:
            found.append(str(inner))
""",
    "the request": """
kernel = get_ipython().kernel
found = [repr(kernel.get_parent()), repr(getattr(kernel, "_parent_header", "")), repr(vars(kernel))]
""",
    "tracebacks": """
try:
    1 / 0
except ZeroDivisionError as error:
    frame = error.__traceback__.tb_frame
    found = []
    while frame is not None:
        found += [repr(value) for value in frame.f_locals.values() if type(value) in (dict, list, str, tuple)]
        frame = frame.f_back
""",
    "tasks": """
import asyncio
found = []
for task in asyncio.all_tasks():
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


@pytest.mark.parametrize("spare", [False, True], ids=["fork", "spare"])
@pytest.mark.parametrize("road", ROADS)
def test_road(kernel: LiveKernel, road: str, spare: bool) -> None:
    # Written so that neither the candidate nor this test's own text holds it whole.
    parts = ["SECRET", "of", "the", "holdout"]
    whole = "-".join(parts)
    candidate = (
        ROADS[road] + "\nhits = [text for text in found if '-'.join(['SECRET', 'of', 'the']) in text]\n"
    )
    if spare:
        kernel.call("prepare", allowNetwork=False, allowWrites=False)
    execution = kernel.attempt(
        candidate,
        f"assert '{whole}-a' != hits",
        "assert hits == []",
        holdouts=(f"assert '{whole}' and hits == []",),
    )
    assert execution["error"] if "error" in execution else True
    assert [result["outcome"] for result in execution["assertions"]] == ["passed"] * 3, str(execution)[:3000]


@pytest.mark.parametrize("text", ["plain", "caf\xe9", "\u65e5\u672c", "\U0001f389"])
def test_the_request_is_forgotten_whatever_its_characters(kernel: LiveKernel, text: str) -> None:
    execution = kernel.attempt(f"x = {text!r}", f"assert x == {text!r}", holdouts=(f"assert {text!r} in x",))
    assert [result["outcome"] for result in execution["assertions"]] == ["passed"] * 2, str(execution)[:2000]
