"""The attempts of this kernel: the running ones, and the results that were not collected yet."""

from __future__ import annotations

import contextlib
import json
import queue
import sys
import threading
import time
from typing import Any

from ..secrecy import hidden_files, hiding, redact
from ..share import share
from ..source import static
from . import forms, outcome, pipes, spare
from .forms import Refused
from .previews import Previews
from .supervise import Supervisor

_KEPT = 32
_SECRET = ("holdouts", "scorer", "hiddenNames")
_THREAD = "refine-attempt"
_MORE_INTERRUPTS_SECONDS = 0.1
_PREPARE_FIRST = "Hold-outs and scorer need a fork that was made before they arrive: send prepare first."

_lock = threading.RLock()
#: By id: what runs, a result that was not collected yet, or None for what was cancelled before its start.
_attempts: dict[str, Supervisor | dict[str, Any] | None] = {}


def start(job: dict[str, Any], grace_ms: float, shell: Any) -> dict[str, Any]:
    """Fork an attempt in this (main) thread and wait for its end for at most ``grace_ms``.

    An interrupt of the kernel ends the waiting, never the attempt. A job with
    hold-outs or a scorer needs a spare: no process of a candidate is forked while they are here.
    """
    attempt_id = job["id"]
    with _lock:
        if attempt_id in _attempts:
            if _attempts[attempt_id] is not None:
                return collect(attempt_id)
            del _attempts[attempt_id]
            return _unrun(job, stop="stopped", stop_message="stopped before it started")
    hidden = hidden_files.paths(shell, job.get("notebookPath"))
    form = forms.of(job)
    plan = form.plan(job["allowNetwork"], job["allowWrites"], hidden)
    try:
        with pipes.interrupts() as arrived:
            # What only the judge may read.
            secrets = {key: value for key in _SECRET if (value := job.pop(key, None))}
            # Before there is a child, which an error here would leave behind.
            job["known"] = hiding.known(secrets, shell) if secrets else {}
            looked = static.look(job["candidate"], job["assertions"], shell) if job.get("static") else {}
            job["findings"] = looked.get("findings")
            if looked.get("error"):
                return _unrun(job, error=looked["error"])
            if form.COPIES:
                _copy(job, secrets, shell)
            child = spare.take(plan, shell)
            if child is None and secrets:
                # It would have a copy of them.
                raise Refused("prepare-first", _PREPARE_FIRST)
            child = child or form.spawn(plan, shell)
            return _start(job, secrets, grace_ms, shell, child, arrived)
    except share.Interrupted as cut:
        return _unrun(job, stop=str(cut), stop_message=f"{cut} while variables were copied")
    except Refused as refused:
        return refused.reply()


def _start(
    job: dict[str, Any],
    secrets: dict[str, Any],
    grace_ms: float,
    shell: Any,
    child: forms.Child,
    arrived: queue.SimpleQueue[str],
) -> dict[str, Any]:
    attempt_id = job["id"]
    with contextlib.ExitStack() as failing:
        # The caller reports the error.
        failing.callback(child.end)
        failing.callback(_attempts.pop, attempt_id, None)
        previews = Previews(shell.kernel, attempt_id, _parent(shell.kernel))
        supervisor = Supervisor(job, secrets, child, previews)
        secrets = {}
        with _lock:
            if attempt_id in _attempts:
                # Cancelled while it was forked.
                supervisor.cancel()
            _attempts[attempt_id] = supervisor
        arguments = (supervisor, child, attempt_id, previews, arrived, grace_ms > 0)
        threading.Thread(target=_supervise, args=arguments, name=_THREAD, daemon=True).start()
        failing.pop_all()
    with contextlib.suppress(queue.Empty):
        if arrived.get(timeout=max(0.0, grace_ms / 1000)) == "interrupt":
            # Impatient users interrupt several times; ipykernel loses its reply to one that comes later.
            time.sleep(_MORE_INTERRUPTS_SECONDS)
    return collect(attempt_id, "running")


def _copy(job: dict[str, Any], secrets: dict[str, Any], shell: Any) -> None:
    """Copy what the job names, and note in it which copies it has and what they lack.

    :raises Refused: where one that it needs cannot be copied.
    """
    copies, left = share.take(job, secrets, shell)
    sentences = {name: f"{name}: {reason}" for name, reason in left.items()}
    missing = "; ".join(sentence for name, sentence in sentences.items() if name not in copies.names)
    if missing:
        what = f"Some names of the attempt cannot be copied into a second kernel: {missing}."
        raise Refused("cannot-copy", what)
    job["copies"] = {"folder": copies.folder, "left": [*sentences.values()]}


def collect(attempt_id: str, otherwise: str = "unknown") -> dict[str, Any]:
    """Return the result and forget it."""
    with _lock:
        found = _attempts.get(attempt_id)
        if isinstance(found, dict):
            del _attempts[attempt_id]
            return found
        return {"state": otherwise if found is None else "running"}


def cancel(attempt_id: str) -> dict[str, bool]:
    """End an attempt; one that has not started ends as soon as it does."""
    share.cancel(attempt_id)
    with _lock:
        found = _attempts.setdefault(attempt_id, None)
        if isinstance(found, Supervisor):
            found.cancel()
        _trim()
    return {"ok": True}


def cancel_all() -> None:
    for found in list(_attempts.values()):
        if isinstance(found, Supervisor):
            found.cancel()


def wait_for_all(seconds: float) -> None:
    """Wait until the processes of all attempts are gone, at most so long."""
    end = time.monotonic() + seconds
    for thread in threading.enumerate():
        if thread.name == _THREAD and thread is not threading.current_thread():
            thread.join(max(0.0, end - time.monotonic()))


def _supervise(
    supervisor: Supervisor,
    child: forms.Child,
    attempt_id: str,
    previews: Previews,
    arrived: queue.SimpleQueue[str],
    is_awaited: bool,
) -> None:
    with child.family.adopting():
        answer = _answer(supervisor)
        with _lock:
            # It becomes the newest.
            del _attempts[attempt_id]
            _attempts[attempt_id] = answer
            _trim()
        arrived.put("end")
        if is_awaited:
            # Else the main thread would get the interpreter only after its switch interval.
            time.sleep(sys.getswitchinterval())
        # Large processes take seconds to give their memory back: the result does not wait for that.
        previews.finish()
        supervisor.close()


def _answer(supervisor: Supervisor) -> dict[str, Any]:
    try:
        answer = supervisor.run()
        # A candidate may have sent a number that JSON does not have, or endless nesting.
        json.dumps(answer, allow_nan=False)
        return answer
    except BaseException as error:
        # The harness itself failed; the attempt still ends with an outcome.
        return {"state": "done", "execution": supervisor.failed(error)}


def _trim() -> None:
    """Forget the oldest, each kind for itself: late cancels cost no result."""
    for kind in (dict, type(None)):
        for key in [key for key, found in _attempts.items() if isinstance(found, kind)][:-_KEPT]:
            del _attempts[key]


def _parent(kernel: Any) -> dict[str, Any]:
    """The parts of the request that a reply needs, without its content, which holds the checks."""
    parent = kernel.get_parent() if hasattr(kernel, "get_parent") else {}
    return {"header": parent["header"]} if "header" in parent else {}


def _unrun(job: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """The answer to a job whose candidate does not run. :param fields: of its outcome."""
    plan = forms.of(job).plan(job["allowNetwork"], job["allowWrites"])
    ended = outcome.Outcome(job, plan.to_reply())
    vars(ended).update(fields)
    return {"state": "done", "execution": ended.execution(redact.of_environment()), "stage": "ended"}
