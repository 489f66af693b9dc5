"""The kernel's side of an attempt, in a helper thread: feed, bound and kill its processes."""

from __future__ import annotations

import codecs
import contextlib
import functools
import json
import selectors
import socket
import time
import traceback
from collections.abc import Callable
from typing import Any

from .. import texts
from ..child import above
from ..ends import End
from ..secrecy import redact
from ..share import share
from . import limits
from .forms import Child, Refused, empty_folder, exit_words, place_in, plain_stack
from .outcome import Outcome
from .pipes import Feed, Lines, drain
from .previews import Previews

_UTF8 = codecs.getincrementaldecoder("utf-8")
#: Until the processes must have answered, once they have started.
_READY_SECONDS = 10.0
#: Where the candidate and its checks take longer, these are not run on an empty cell.
_QUICK_SECONDS = 0.5


class Supervisor:
    """Supervises one attempt from its job to the death of its processes. ``run`` is called once, in a thread.

    The processes start their work as soon as this object exists.

    :param job: without hold-outs and scorer.
    :param secrets: those; not kept here.
    """

    def __init__(
        self,
        job: dict[str, Any],
        secrets: dict[str, Any],
        forked: Child,
        previews: Previews,
    ) -> None:
        self._selector = selectors.DefaultSelector()
        self._feed = Feed(forked.commands, self._selector)
        self._judge_feed = Feed(forked.judge_commands, self._selector)
        head = {"head": _head(job)}
        self._feed.send(head)
        self._judge_feed.send({**head, "secrets": secrets})
        self._job = job
        self._child = forked
        self._previews = previews
        self._publish = previews.publish
        #: Of candidate and checks together, and of their confirmation.
        self._seconds = float(job["limits"]["seconds"])
        self._lines = {forked.events: Lines(), forked.judge_events: Lines()}
        #: A character may come in two reads.
        self._decoders = {stream: _UTF8("replace") for stream in ("stdout", "stderr")}
        self._readers: dict[End, Callable[[bytes], object]] = {
            forked.events: functools.partial(self._read_events, forked.events),
            forked.judge_events: functools.partial(self._read_events, forked.judge_events),
            forked.stdout: functools.partial(self._read_text, "stdout"),
            forked.stderr: functools.partial(self._read_text, "stderr"),
        }
        self._family = forked.family
        #: Where it was cut: ``above``, ``candidate``, ``checks``, ``judging``; else ``ended``.
        self._enter("starting", _READY_SECONDS + self._family.start_seconds)
        self._failure = ""
        #: Process ids of the attempt and, once there is one, of the worker.
        self._pid: int | None = None
        self._worker: int | None = None
        self._late = False
        self._no_worker = ""
        #: Errors of the cells above, where the attempt runs them itself.
        self._above: list[dict[str, Any]] = []
        self._above_seconds = 0.0
        #: Of them the one that the attempt runs, and since when.
        self._reached: tuple[str, float] | None = None
        #: Time that the judge used in the stages before this one.
        self._judge_seconds = 0.0
        self._woken, self._wake = socket.socketpair()
        self._wake.setblocking(False)
        self._outcome = Outcome(job, forked.plan.to_reply())

    def cancel(self) -> None:
        """End the attempt; from any thread, at any time before :meth:`run` returns."""
        # It may be closed by now, or full.
        with contextlib.suppress(OSError):
            self._wake.send(b"x")

    def run(self) -> dict[str, Any]:
        """Supervise to the end; returns the reply. Raises nothing that a candidate can cause."""
        masker = redact.of_environment()
        try:
            self._loop()
        finally:
            self._end()
        if self.stage == "starting" and self._outcome.stop != "stopped":
            reason = self._failure.strip().rpartition("\n")[2]
            reason = reason or self._outcome.stop_message.removeprefix("crashed: ")
            # The candidate cannot be the cause.
            refused = Refused("child-failed", f"The forked kernel could not start: {masker.text(reason)}")
            return {**refused.reply(), "traceback": masker.text(self._failure)}
        reply = {"state": "done", "execution": self._outcome.execution(masker), "stage": self.stage}
        if above.cells:
            # The cell above that did not end, with its seconds.
            cell, since = self._reached or (None, 0.0)
            reached = {"cellId": cell, "seconds": round(time.monotonic() - since, 1)} if cell else {}
            reply["above"] = {"errors": self._above, **reached}
        return reply

    def failed(self, error: BaseException) -> dict[str, Any]:
        """The ``Execution`` for a defect of the harness, or after events that no honest attempt sends."""
        ended = Outcome(self._job, self._outcome.isolation)
        ended.cut("harness", f"the harness failed: {type(error).__name__}: {error}")
        ended.stack = "".join(traceback.format_exception(error))
        return ended.execution(redact.of_environment())

    def _loop(self) -> None:
        selector = self._selector
        for end in (*self._readers, self._woken):
            selector.register(end, selectors.EVENT_READ)
        watch = limits.Watch(limits.memory_bytes(self._job["limits"]), self._family)
        while self.stage != "ended" and self._outcome.stop is None:
            self._feed.write()
            self._judge_feed.write()
            now = time.monotonic()
            waits = [self._deadline - now, watch.next - now, self._previews.seconds_left()]
            wait = max(0.0, min(seconds for seconds in waits if seconds is not None))
            for key, _ in selector.select(wait + 0.0005):
                self._handle_end(key.fileobj)
            self._previews.flush_due()
            now = time.monotonic()
            if now >= self._deadline:
                self._timed_out()
            elif now >= watch.next:
                judging = self.stage == "judging"
                found = watch.measure(self._worker or self._pid if judging else self._pid, self.stage)
                if found is not None:
                    self._cut(*found)
        seconds = self._judge_seconds + time.monotonic() - self._started
        if self._outcome.is_judged:
            self._outcome.judge_seconds = seconds
        else:
            self._outcome.seconds = seconds

    def _enter(self, stage: str, seconds: float) -> None:
        """:param seconds: that the stage may take."""
        self.stage, self._started = stage, time.monotonic()
        self._limit = seconds

    @property
    def _deadline(self) -> float:
        return self._started + self._limit

    def _handle_end(self, end: Any) -> None:
        if end is self._woken:
            self._outcome.cut("stopped", "stopped")
        elif end in self._readers and not drain(end, self._readers[end]):
            self._selector.unregister(end)
            if end == self._child.judge_events:
                self._crashed(None)
            elif end == self._child.events and self._family.are_started:
                self._attempt_ended(self._family.status_of_attempt())

    def _drain(self, *ends: End) -> None:
        """Read what was written there before the event that has arrived."""
        for end in ends:
            drain(end, self._readers[end], True)

    def _read_text(self, stream: str, data: bytes) -> None:
        if self._outcome.is_judged:
            return
        text = texts.plain(self._decoders[stream].decode(data))
        self._outcome.texts[stream].add(text)
        self._publish({"type": "output", "stream": stream, "text": text})
        used, limit = self._outcome.texts[stream].total, limits.HARD_OUTPUT_BYTES
        if used > limit:
            found = f"output: limit {texts.megabytes(limit)}, used {texts.megabytes(used)}, on {stream}"
            self._outcome.cut("output", found)

    def _read_events(self, end: End, data: bytes) -> None:
        of_judge = end == self._child.judge_events
        for line in self._lines[end].add(data):
            try:
                event = json.loads(line)
                handle = self._handle_judge if of_judge else self._handle
                handle(event["t"], event)
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                if of_judge:
                    raise
                continue  # Written to our pipe by a candidate; no verdict depends on this pipe.

    def _handle(self, kind: str, event: dict[str, Any]) -> None:
        """Handle an event of the attempt's process; once the candidate runs, it can forge these."""
        outcome = self._outcome
        if outcome.is_judged:
            return
        if kind == "ready" and self.stage == "starting":
            self._enter("starting", self._limit)
            self._pid = event["pid"]
            # What could not be copied.
            left = self._job["copies"]["left"] if "copies" in self._job else []
            outcome.warnings += left
            outcome.isolation = event["isolation"]
            outcome.isolation["reasons"] += left
            self._family.is_ready(event)
        elif kind == "hidden" and self.stage == "starting":
            outcome.warnings += event["warnings"]
        elif kind == "above" and self.stage in ("starting", "above"):
            if self.stage == "starting":
                self._enter("above", float(self._job["limits"].get("aboveSeconds") or self._seconds))
            self._reached = above.cells[event["number"]].id, time.monotonic()
        elif kind == "above-failed" and self.stage == "above":
            self._above.append({"cellId": above.cells[event["number"]].id, "error": event["error"]})
        elif kind == "start" and self.stage in ("starting", "above"):
            if self.stage == "above":
                self._above_seconds, self._reached = time.monotonic() - self._started, None
            self._enter("candidate", self._seconds)
            self._publish({"type": "started"})
        elif kind == "failed" and self.stage == "starting":
            self._failure = event["traceback"]
            if event.get("variable"):
                share.leave_out(*event["variable"])
            outcome.cut("crashed", "")
        elif kind == "display" and self.stage != "above":
            outcome.displays.append(event["display"])
        elif kind == "broken":
            outcome.cut("harness", "the harness failed: " + event["message"].strip().splitlines()[-1])
            outcome.stack = event["message"]
        elif kind == "candidate" and self.stage == "candidate":
            self._drain(self._child.stdout, self._child.stderr)
            outcome.error = event.get("error")
            if outcome.error is not None and outcome.error["name"].endswith("MemoryError"):
                outcome.cut("memory", "memory: an allocation failed")
            outcome.denied += event.get("denied", [])
            outcome.repair = event.get("repair")
            self._check()
        elif kind == "worker" and self.stage == "checks":
            self._worker = event["pid"]
            self._no_worker = str(event.get("reason", ""))
        elif kind == "assertion" and self.stage == "checks":
            self._publish({"type": "assertion", "result": outcome.take(event["result"])})
        elif kind == "checked" and self.stage == "checks":
            self._drain(self._child.stdout, self._child.stderr)
            outcome.denied += event["denied"]
            outcome.skip(event["skipped"])
            outcome.is_checked = True
            self._judge()

    def _handle_judge(self, kind: str, event: dict[str, Any]) -> None:
        if kind == "ended":
            self._attempt_ended(event["status"])
        elif kind == "failed":
            self._failure = event["traceback"]
            self._outcome.cut(
                "crashed" if self.stage == "starting" else "harness",
                "the process that confirms the checks failed",
            )
            self._outcome.stack = event["traceback"]
        elif kind == "worker":
            self._worker = event["pid"]
        elif kind == "holdouts":
            self._outcome.runs_holdouts = True
            self._judge_seconds += time.monotonic() - self._started
            self._enter("judging", self._seconds)
        elif kind == "check":
            self._outcome.judged(event)
        elif kind == "scored":
            self._outcome.scored = event["scored"]
        elif kind == "judged":
            self._outcome.end_judgement(event["problem"], fault=event.get("fault", False))
            self._outcome.mark_empty(event.get("empty", []))
            self.stage = "ended"

    def _attempt_ended(self, status: int | None) -> None:
        if self.stage not in ("judging", "ended"):
            self._drain(self._child.events, self._child.stdout, self._child.stderr)
            self._crashed(status)

    def _check(self) -> None:
        """Start the visible checks, after the candidate; where it is only judged, there are none."""
        outcome = self._outcome
        if outcome.error is not None:
            self.stage = "ended"
            return
        self.stage = "checks"
        seconds = self._above_seconds + time.monotonic() - self._started
        self._late = not self._family.is_repeatable(seconds, self._outcome.isolation, self._child.plan)
        cells = [{**cell, "role": "assertion"} for cell in self._job["assertions"]]
        self._feed.send({"cells": cells, "worker": self._late})
        asked = self._job.get("askedNames", [])
        free = [*self._job.get("ownNames", []), *asked]
        self._judge_feed.send({"cells": cells, "free": free, "asked": asked})
        # While they work.
        if not (outcome.statements or outcome.holdouts or outcome.is_scored):
            self.stage = "ended"

    def _judge(self) -> None:
        """All visible checks held: let the judge confirm them and run the hold-outs."""
        outcome = self._outcome
        if outcome.has_failed():
            self.stage = "ended"
            return
        assert self._pid is not None
        files, made, changed = self._family.after_checks(self._worker)
        outcome.files_written += files
        outcome.is_judged, outcome.seconds = True, time.monotonic() - self._started
        is_isolated = outcome.isolation["files"] != "open" and outcome.isolation["network"]
        is_quick = outcome.seconds < _QUICK_SECONDS
        # What attempts run of a notebook is not run in the judge.
        is_alone = is_isolated and not above.cells
        empties = is_alone and is_quick and not outcome.files_written
        self._enter("judging", self._seconds)
        if self._late and self._worker is None:
            outcome.end_judgement(f"the candidate's process could not be copied: {self._no_worker}")
            self.stage = "ended"
            return
        if not self._late:
            # The worker that runs the candidate again finds its folder as the attempt did.
            empty_folder(self._child.scratch)
        self._judge_feed.send({"made": made, "changed": changed, "late": self._late, "empties": empties})

    def _timed_out(self) -> None:
        if self._end_judging(f"the confirmation took longer than {self._seconds:g} s", late=True):
            return
        used = time.monotonic() - self._started
        if self.stage == "starting":
            self._outcome.cut("crashed", f"no answer within {self._limit:g} s")
        else:
            self._cut("timeout", f"timeout: limit {self._limit:g} s, used {used:.1f} s")

    def _end_judging(self, problem: str, late: bool = False) -> bool:
        """End the work of the judge; False before it has begun. What it has judged is kept."""
        if self.stage != "judging":
            return False
        self._outcome.end_judgement(problem, late)
        self.stage = "ended"
        return True

    def _cut(self, stop: str, message: str) -> None:
        """End the attempt with this stop, and note where the code was."""
        if self._end_judging(f"the confirmation was stopped ({stop})", late=True):
            return
        dump = ""
        if self.stage in ("above", "candidate", "checks") and self._pid is not None:
            dump = self._child.dump.request(self._pid)
        self._outcome.stack = plain_stack(dump)
        where = place_in(dump)
        self._outcome.cut(stop, f"{message},{where}" if where else message)

    def _crashed(self, status: int | None) -> None:
        if not self._end_judging("the separate process ended unexpectedly") and self.stage != "ended":
            how = self._family.lost if status is None else exit_words(status)
            self._outcome.cut("crashed", f"crashed: {how}")

    def _end(self) -> None:
        """List the written files and stop all processes; afterwards the result is complete."""
        if not self._outcome.is_judged:
            self._outcome.files_written += self._family.files_written()
        self._family.stop(self._worker)

    def close(self) -> None:
        """Kill the processes and close the pipes; after :meth:`run`, when a cancel comes too late."""
        self._family.reap(ran=True)
        self._child.close()
        self._selector.close()
        self._woken.close()
        self._wake.close()


def _head(job: dict[str, Any]) -> dict[str, Any]:
    """For those that run the candidate, before it starts."""
    return {
        **{key: job[key] for key in ("candidate", "limits", "contextValues")},
        "repair": job.get("repair"),
        "hidden": job["known"].get("hidden"),
        "hiddenData": job.get("hiddenData") or [],
        "copies": job["copies"]["folder"] if "copies" in job else None,
    }
