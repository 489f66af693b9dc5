"""The kernel's side of an attempt, in a helper thread: feed, bound and kill its processes."""

from __future__ import annotations

import codecs
import json
import selectors
import time
import traceback
from collections.abc import Callable
from typing import Any

from .. import texts
from ..child import above
from ..ends import End
from ..secrecy import redact
from ..share import share
from . import limits, stack, temporary
from .forms import Child, NotStarted, exit_words
from .outcome import Outcome
from .pipes import Feed, Lines, Wake, drain
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
    :param secrets: those, from :func:`.attempts._take_secrets`; not kept here.
    :param isolation: what is expected of the plan; the attempt's process reports what it has.
    """

    def __init__(
        self,
        job: dict[str, Any],
        secrets: dict[str, Any] | None,
        forked: Child,
        isolation: dict[str, Any],
        previews: Previews,
    ) -> None:
        self._job = job
        self._child = forked
        self._previews = previews
        self._publish = previews.publish
        self._bounds = limits.read(job["limits"])
        self._lines = {forked.events: Lines(), forked.judge_events: Lines()}
        #: A character may come in two reads.
        self._decoders = {stream: _UTF8("replace") for stream in ("stdout", "stderr")}
        self._readers: dict[End, Callable[[bytes], object]] = {
            forked.events: lambda data: self._read_events(forked.events, data),
            forked.judge_events: lambda data: self._read_events(forked.judge_events, data),
            forked.stdout: lambda data: self._read_text("stdout", data),
            forked.stderr: lambda data: self._read_text("stderr", data),
        }
        self._selector = selectors.DefaultSelector()
        self._feed = Feed(forked.commands, self._selector)
        self._judge_feed = Feed(forked.judge_commands, self._selector)
        #: Where it was cut: ``above``, ``candidate``, ``checks``, ``judging``; else ``ended``.
        self.stage = "starting"
        self._failure = ""
        #: Process ids of the attempt and, once there is one, of the worker.
        self._pid: int | None = None
        self._worker: int | None = None
        self._late = False
        self._no_worker = ""
        self._started = time.monotonic()
        #: Errors of the cells above, where the attempt runs them itself.
        self._above: list[dict[str, Any]] = []
        self._above_seconds = 0.0
        #: Of them the one that the attempt runs, and since when.
        self._reached: tuple[str, float] | None = None
        #: Time that the judge used in the stages before this one.
        self._judge_seconds = 0.0
        self._wake = Wake()
        self._family = forked.family
        # With secrets the judge says first what the attempt's process must hide.
        if secrets is None:
            self._feed.send({"head": _head(job)})
        self._judge_feed.send({"head": _head(job), "secrets": secrets})
        # The processes compile the candidate while the rest is set up here.
        self._outcome = Outcome(job, isolation)

    def adopting(self) -> Any:
        """A context in which this process adopts what the attempt's processes have started."""
        return self._family.adopting()

    def cancel(self) -> None:
        """End the attempt; from any thread, at any time before :meth:`run` returns."""
        self._wake.up()

    def run(self) -> dict[str, Any]:
        """Supervise to the end; returns the ``Execution``. Raises nothing that a candidate can cause.

        :raises NotStarted: when the child failed before the candidate started.
        """
        masker = redact.Masker(redact.secret_environment().values())
        try:
            self._loop()
        finally:
            self._end()
        if self.stage == "starting" and self._outcome.stop != "stopped":
            reason = self._failure.strip().rpartition("\n")[2]
            reason = reason or self._outcome.stop_message.removeprefix("crashed: ")
            raise NotStarted(masker.text(reason), masker.text(self._failure))
        return self._outcome.execution(masker)

    def report_above(self) -> dict[str, Any]:
        """Errors of the cells above, and the cell that did not end, with its seconds."""
        if self._reached is None:
            return {"errors": self._above}
        cell, since = self._reached
        return {"errors": self._above, "cellId": cell, "seconds": round(time.monotonic() - since, 1)}

    def failed(self, error: BaseException) -> dict[str, Any]:
        """The ``Execution`` for a defect of the harness, or after events that no honest attempt sends."""
        ended = Outcome(self._job, self._outcome.isolation)
        ended.cut("harness", f"the harness failed: {type(error).__name__}: {error}")
        ended.stack = "".join(traceback.format_exception(error))
        return ended.execution(redact.Masker(redact.secret_environment().values()))

    def _loop(self) -> None:
        selector = self._selector
        for end in (*self._readers, self._wake.end):
            selector.register(end, selectors.EVENT_READ)
        watch = limits.Watch(self._bounds, self._family)
        while self.stage != "ended" and self._outcome.stop is None:
            self._feed.write()
            self._judge_feed.write()
            now = time.monotonic()
            wait = max(0.0, min(self._deadline(), watch.next) - now)
            held = self._previews.seconds_left()
            wait = wait if held is None else min(wait, held)
            for key, _ in selector.select(wait + 0.0005):
                self._handle_end(key.fileobj)
            self._previews.flush_due()
            now = time.monotonic()
            if now >= self._deadline():
                self._timed_out()
            elif now >= watch.next:
                judging = self.stage == "judging"
                found = watch.measure(self._worker or self._pid if judging else self._pid, self.stage)
                if found is not None:
                    self._cut(*found)
        self._outcome.finish(self._judge_seconds + time.monotonic() - self._started)

    def _handle_end(self, end: Any) -> None:
        if end is self._wake.end:
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

    def _deadline(self) -> float:
        return self._started + (self._ready_seconds if self.stage == "starting" else self._limit.seconds)

    @property
    def _ready_seconds(self) -> float:
        return _READY_SECONDS + self._family.start_seconds

    @property
    def _limit(self) -> limits.Limits:
        seconds = self._job["limits"].get("aboveSeconds") if self.stage == "above" else None
        return self._bounds._replace(seconds=float(seconds)) if seconds else self._bounds

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
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                if of_judge:
                    raise
                continue  # Written to our pipe by a candidate; no verdict depends on this pipe.

    def _handle(self, kind: str, event: dict[str, Any]) -> None:
        """Handle an event of the attempt's process; once the candidate runs, it can forge these."""
        outcome = self._outcome
        if outcome.is_judged:
            return
        if kind == "ready" and self.stage == "starting":
            self._started = time.monotonic()
            self._pid = event["pid"]
            outcome.isolation = self._with_copies(event["isolation"])
            self._family.is_ready(event)
        elif kind == "hidden" and self.stage == "starting":
            outcome.warnings += event["warnings"]
            if self._job["staticError"]:
                self.stage = "ended"
        elif kind == "above" and self.stage in ("starting", "above"):
            if self.stage == "starting":
                self.stage, self._started = "above", time.monotonic()
            self._reached = above.cell_of(event["number"]).id, time.monotonic()
        elif kind == "above-failed" and self.stage == "above":
            cell = above.cell_of(event["number"])
            self._above.append({"cellId": cell.id, "error": event["error"]})
        elif kind == "start" and self.stage in ("starting", "above"):
            if self.stage == "above":
                self._above_seconds, self._reached = time.monotonic() - self._started, None
            self.stage = "candidate"
            self._started = time.monotonic()
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
            taken = outcome.take(event["result"])
            if taken is not None:
                self._publish({"type": "assertion", "result": taken})
        elif kind == "checked" and self.stage == "checks":
            self._drain(self._child.stdout, self._child.stderr)
            outcome.denied += event["denied"]
            outcome.skip(event["skipped"])
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
        elif kind == "opened":
            self._outcome.expect(event["holdouts"], event["scored"])
            self._feed.send({"head": {**_head(self._job), "hidden": event["hidden"]}})
        elif kind == "worker":
            self._worker = event["pid"]
        elif kind == "holdouts":
            self._outcome.runs_holdouts = True
            self._judge_seconds += time.monotonic() - self._started
            self._started = time.monotonic()
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

    def _with_copies(self, isolation: dict[str, Any]) -> dict[str, Any]:
        """The isolation, with what could not be copied."""
        copies = self._job.get("copies")
        if copies is None:
            return isolation
        self._outcome.warnings += copies["left"]
        return {**isolation, "reasons": [*isolation["reasons"], *copies["left"]]}

    def _check(self) -> None:
        """Start the visible checks, after the candidate; where it is only judged, there are none."""
        is_checked = self._outcome.has_checks and self._outcome.error is None
        self.stage = "checks" if is_checked else "ended"
        if self.stage == "ended":
            return
        self._family.before_checks()
        seconds = self._above_seconds + time.monotonic() - self._started
        self._late = not self._family.is_repeatable(seconds, self._outcome.isolation, self._child.plan)
        cells = [{**cell, "role": "assertion"} for cell in self._job["assertions"]]
        self._feed.send({"cells": cells, "worker": self._late})
        asked = self._job.get("askedNames", [])
        free = [*self._job.get("ownNames", []), *asked]
        self._judge_feed.send({"cells": cells, "free": free, "asked": asked})

    def _judge(self) -> None:
        """All visible checks held: let the judge confirm them and run the hold-outs."""
        outcome = self._outcome
        if not outcome.passed():
            self.stage = "ended"
            return
        assert self._pid is not None
        written = self._family.after_checks(self._worker)
        outcome.files_written += written.files
        self.stage = "judging"
        seconds = time.monotonic() - self._started
        outcome.start_judgement(seconds)
        is_isolated = outcome.isolation["files"] != "open" and outcome.isolation["network"]
        is_quick = seconds < _QUICK_SECONDS
        # What attempts run of a notebook is not run in the judge.
        is_alone = is_isolated and not above.count()
        empties = is_alone and is_quick and not outcome.files_written
        self._started = time.monotonic()
        if self._late and self._worker is None:
            outcome.end_judgement(f"the candidate's process could not be copied: {self._no_worker}")
            self.stage = "ended"
            return
        if not self._late:
            self._family.end_attempt()
            # The worker that runs the candidate again finds its folder as the attempt did.
            temporary.empty(self._child.scratch)
        said = {"made": written.made, "changed": written.changed, "late": self._late, "empties": empties}
        self._judge_feed.send(said)

    def _timed_out(self) -> None:
        if self._end_judging(f"the confirmation took longer than {self._bounds.seconds:g} s", late=True):
            return
        used = time.monotonic() - self._started
        if self.stage == "starting" or self._pid is None:
            self._outcome.cut("crashed", f"no answer within {self._ready_seconds:g} s")
            return
        self._cut("timeout", f"timeout: limit {self._limit.seconds:g} s, used {used:.1f} s")

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
        self._outcome.stack = stack.plain(dump)
        where = stack.place(dump)
        self._outcome.cut(stop, f"{message},{where}" if where else message)

    def _crashed(self, status: int | None) -> None:
        if not self._end_judging("the separate process ended unexpectedly") and self.stage != "ended":
            how = self._family.lost if status is None else exit_words(status)
            self._outcome.cut("crashed", f"crashed: {how}")

    def _end(self) -> None:
        """List the written files and stop all processes; afterwards the result is complete."""
        if not self._outcome.is_judged:
            self._outcome.files_written += self._family.files_written()
        self._family.stop()

    def close(self) -> None:
        """Kill the processes and close the pipes; after :meth:`run`, when a cancel comes too late."""
        self._family.reap()
        self._child.close()
        self._selector.close()
        self._wake.close()


def _head(job: dict[str, Any]) -> dict[str, Any]:
    """For those that run the candidate, before it starts."""
    return {
        **{key: job[key] for key in ("candidate", "limits", "contextValues")},
        "isRefused": job["staticError"] is not None,
        "repair": job.get("repair"),
        # With hold-outs or a scorer the judge fills it in.
        "hidden": None,
        "hiddenData": job.get("hiddenData") or [],
        "copies": job["copies"]["folder"] if "copies" in job else None,
    }
