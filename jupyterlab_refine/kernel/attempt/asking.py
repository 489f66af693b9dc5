"""Wait for the key of a spare's judge, which answers before it has an attempt."""

from __future__ import annotations

import json
import os
import select
import time
from typing import Any

from .fork import Child, ForkRefused

_SECONDS = 10.0
_READ = 1 << 16


def ask(child: Child, interrupted: int) -> dict[str, Any] | None:
    """The judge's answer; None when ``interrupted`` became readable before. Waits in this thread.

    :raises ForkRefused: when its processes have failed, or give no answer in time.
    """
    poller = select.poll()
    # Before an attempt the judge reports nothing but a failure.
    for descriptor in (child.answers, child.judge_events, interrupted):
        poller.register(descriptor, select.POLLIN)
    data, end = b"", time.monotonic() + _SECONDS
    while not data.endswith(b"\n"):
        found = [descriptor for descriptor, _ in poller.poll(max(0.0, end - time.monotonic()) * 1000)]
        if interrupted in found:
            return None
        part = os.read(child.answers, _READ) if child.answers in found else b""
        if not part and (not found or child.answers in found or child.judge_events in found):
            raise _failed(child)
        data += part
    answer: dict[str, Any] = json.loads(data)
    return answer


def _failed(child: Child) -> ForkRefused:
    """With the traceback of the process that failed, if it could report one."""
    trace = ""
    for descriptor in (child.events, child.judge_events):
        try:
            events = [json.loads(line) for line in os.read(descriptor, _READ).splitlines()]
        except (BlockingIOError, ValueError):
            # Nothing, or a part of something else.
            continue
        trace = next((event["traceback"] for event in events if event["t"] == "failed"), trace)
    reason = trace.strip().rpartition("\n")[2] or "its processes gave no answer"
    return ForkRefused("child-failed", f"The forked kernel could not start: {reason}", trace)
