"""The attempts of this kernel: running ones, and results until they are collected."""

from __future__ import annotations

import os
import select
import threading
import time
import uuid
from typing import Any

from . import (
    forget,
    fork,
    hidden_files,
    isolation,
    limits,
    outcome,
    processes,
    redact,
    scoring,
    spare,
    statements,
    temporary,
)
from .interrupts import Interrupts
from .previews import Previews
from .supervise import NotBegun, Supervisor

_KEPT = 32
_MORE_INTERRUPTS_SECONDS = 0.1

_lock = threading.RLock()
_running: dict[str, Supervisor] = {}
#: Answers until they are collected.
_results: dict[str, dict[str, Any]] = {}
#: Cancelled before they began.
_cancelled: dict[str, None] = {}


def start(job: dict[str, Any], grace_ms: float, shell: Any) -> dict[str, Any]:
    """Fork an attempt in this (main) thread and wait for its end for at most ``grace_ms``.

    An interrupt of the kernel ends the waiting, never the attempt.
    """
    attempt_id = job["id"]
    with _lock:
        if _cancelled.pop(attempt_id, attempt_id) is None:
            return {"state": "done", "execution": _stopped(job)}
        if attempt_id in _running or attempt_id in _results:
            return collect(attempt_id)
    hidden = hidden_files.paths(shell, job.get("notebookPath"))
    plan = isolation.plan(job["allowNetwork"], job["allowWrites"], hidden)
    bounds = limits.read(job["limits"])
    scratch: str | None = None
    try:
        fork.check_descriptors()
    except fork.ForkRefused as refused:
        return refused.told()
    done_r, done_w = os.pipe()
    interrupts = Interrupts()
    # Until somebody supervises it.
    child: fork.Child | None = None
    kept: scoring.Scoring | None = None
    try:
        ready = spare.take(plan, shell)
        if ready is not None:
            child, scratch = ready.child, ready.scratch
        else:
            scratch = isolation.scratch_for(plan)
            child = fork.spawn(uuid.uuid4().hex, attempt_id, plan, scratch, shell)
        kept = scoring.keep(job, shell)
        previews = Previews(shell.kernel, attempt_id, _parent(shell.kernel))
        supervisor = Supervisor(job, bounds, child, plan, scratch, shell.user_ns, previews, kept)
        with _lock:
            _running[attempt_id] = supervisor
            forget.holders[attempt_id] = supervisor.held
            if _cancelled.pop(attempt_id, attempt_id) is None:
                # While it was forked.
                supervisor.cancel()
        thread = threading.Thread(
            target=_supervise,
            args=(supervisor, attempt_id, previews, done_w),
            name="refine-attempt",
            daemon=True,
        )
        thread.start()
        child = None
        done_w = -1
        _wait(done_r, interrupts.seen, grace_ms)
    except fork.ForkRefused as refused:
        temporary.remove(scratch)
        return refused.told()
    finally:
        if child is not None:
            _abandon(child, scratch, attempt_id)
            if kept is not None:
                kept.close()
        interrupts.restore()
        os.close(done_r)
        if done_w >= 0:
            os.close(done_w)
    return collect(attempt_id, "running")


def _abandon(child: fork.Child, scratch: str | None, attempt_id: str) -> None:
    """End a child that nobody will supervise; the error that led here is told by who called."""
    with _lock:
        _running.pop(attempt_id, None)
        forget.holders.pop(attempt_id, None)
    fork.end(child)
    temporary.remove(scratch)


def collect(attempt_id: str, otherwise: str = "unknown") -> dict[str, Any]:
    """The result, once: it is forgotten then."""
    with _lock:
        answer = _results.pop(attempt_id, None)
        if answer is not None:
            return answer
        return {"state": "running" if attempt_id in _running else otherwise}


def cancel(attempt_id: str) -> None:
    """End an attempt, or make one that has not begun end at once."""
    with _lock:
        supervisor = _running.get(attempt_id)
        if supervisor is not None:
            supervisor.cancel()
        elif attempt_id not in _results:
            _cancelled[attempt_id] = None
            _trim(_cancelled)


def cancel_all() -> None:
    for supervisor in list(_running.values()):
        supervisor.cancel()


def _held_results() -> list[Any]:
    told = ("assertions", "stdout", "stderr", "displays", "error", "stack", "tampering", "warnings", "scored")
    executions = [answer.get("execution", {}) for answer in _results.values()]
    return [execution.get(key) for execution in executions for key in told]


forget.holders["results"] = _held_results


def _wait(done: int, interrupted: int, grace_ms: float) -> None:
    poller = select.poll()
    for descriptor in (done, interrupted):
        poller.register(descriptor, select.POLLIN)
    found = poller.poll(max(0.0, grace_ms))
    if any(descriptor == interrupted for descriptor, _ in found):
        # Impatient users interrupt several times; ipykernel loses its reply to one that comes later.
        time.sleep(_MORE_INTERRUPTS_SECONDS)


def _supervise(supervisor: Supervisor, attempt_id: str, previews: Previews, done: int) -> None:
    processes.adopt_orphans(True)
    answer: dict[str, Any]
    try:
        answer = {"state": "done", "execution": supervisor.run()}
    except NotBegun as failure:
        told = {"message": str(failure), "traceback": failure.traceback}
        answer = {"state": "refused", "code": "child-failed", **told}
    except BaseException as error:
        # The harness itself failed; the attempt still ends with an outcome.
        answer = {"state": "done", "execution": supervisor.failed(error)}
    with _lock, forget.lock:
        _results[attempt_id] = answer
        _trim(_results)
        del _running[attempt_id], forget.holders[attempt_id]
        supervisor.release()
        # This frame lives on while the child is reaped.
        del answer
    # Ends the waiting: the pipe is at its end then.
    os.close(done)
    try:
        supervisor.close()
    finally:
        with _lock:
            if not _running:
                processes.adopt_orphans(False)
        previews.finish()


def _trim(kept: dict[str, Any]) -> None:
    while len(kept) > _KEPT:
        del kept[next(iter(kept))]


def _parent(kernel: Any) -> dict[str, Any]:
    """Of the request only what a reply needs: its content holds the checks."""
    parent = kernel.get_parent() if hasattr(kernel, "get_parent") else {}
    return {"header": parent["header"]} if "header" in parent else {}


def _stopped(job: dict[str, Any]) -> dict[str, Any]:
    plan = isolation.plan(job["allowNetwork"], job["allowWrites"])
    ended = outcome.Outcome(job["id"], limits.read(job["limits"]), isolation.told(plan))
    for key, role in (("assertions", "assertion"), ("holdouts", "holdout")):
        ended.statements += statements.checking({**cell, "role": role} for cell in job[key])
    ended.cut("stopped", "stopped before it began")
    return ended.execution(redact.Masker(redact.secret_environment().values()))
