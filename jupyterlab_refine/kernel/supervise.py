"""The kernel's side of an attempt, in a helper thread: feed, bound and kill the child."""

from __future__ import annotations

import json
import os
import secrets
import select
import time
import traceback
from collections.abc import Callable
from typing import Any

from . import (
    child,
    forget,
    hiding,
    isolation,
    judges,
    limits,
    overlay,
    processes,
    redact,
    reliance,
    scoring,
    statements,
    static,
    tampering,
    temporary,
    texts,
)
from .ending import Ending, exit_descriptor, signal_child
from .fork import Child
from .outcome import Outcome, place, plain_stack, timeout_message
from .pipes import Feed, drain
from .previews import Previews

_READY_SECONDS = 10.0
#: For what the user has run of the checks, which may be hidden among millions of objects.
_HIDING_SECONDS = 60.0
_MEMORY_SECONDS = 0.2
_DUMP_SECONDS = 0.3
_SHOWN_OF_HOLDOUTS = ("id", "cellId", "role", "line", "outcome", "durationMs")


class NotBegun(Exception):
    """The child ended before the candidate began: nothing of it is the candidate's doing."""

    def __init__(self, message: str, trace: str) -> None:
        super().__init__(f"The forked kernel could not be made ready: {message}")
        #: Of the child, if it could tell.
        self.traceback = trace


class Supervisor:
    """Supervises one child from its job to its death. ``run`` is called once, in a thread of its own."""

    def __init__(
        self,
        job: dict[str, Any],
        bounds: limits.Limits,
        forked: Child,
        plan: isolation.Plan,
        scratch: str | None,
        namespace: dict[str, Any],
        previews: Previews,
        scored: scoring.Scoring,
    ) -> None:
        self._job = job
        self._child = forked
        self._namespace = namespace
        self._previews = previews
        self._publish = previews.publish
        self._bounds = bounds
        self._outcome = Outcome(job["id"], self._bounds, isolation.told(plan))
        self._scratch = scratch
        self._layers = overlay.Layers((), ())
        self._lines = b""
        self._poller = select.poll()
        self._feed = Feed(forked.commands, self._poller)
        self._nonce: str | None = None
        self._chains: dict[str, list[int] | None] = {}
        self._judges = judges.Judges([], (), {})
        self._relied: dict[str, str | None] = {}
        self._scoring = scored
        self._stage = "starting"
        self._seconds_to_begin = _READY_SECONDS
        self._runs_holdouts = False
        self._failure = ""
        self._pending = [
            [{**cell, "role": role} for cell in job[key]]
            for key, role in (("assertions", "assertion"), ("holdouts", "holdout"))
        ]
        self._started = time.monotonic()
        self._dump = bytearray()
        self._wake_r, self._wake_w = os.pipe()
        os.set_blocking(self._wake_w, False)
        self._ending = Ending(forked)
        #: Readable when the child has exited, even while a fork of it holds its pipes.
        self._exit = exit_descriptor(forked.pid)

    def cancel(self) -> None:
        """End the attempt; from any thread, at any time before :meth:`run` returns."""
        try:
            os.write(self._wake_w, b"x")
        except OSError:
            return

    def run(self) -> dict[str, Any]:
        """Supervise to the end; returns the ``Execution``. Raises nothing that a candidate can cause.

        :raises NotBegun: when the child failed before the candidate began.
        """
        masker = redact.Masker(redact.secret_environment().values())
        try:
            with forget.lock:
                self._begin()
            self._loop()
        finally:
            self._end()
        with forget.lock:
            if self._stage == "starting" and self._outcome.stop != "stopped":
                reason = self._failure.strip().rpartition("\n")[2]
                reason = reason or self._outcome.stop_message.removeprefix("crashed: ")
                raise NotBegun(masker.text(reason), masker.text(self._failure))
            return self._outcome.execution(masker)

    def held(self) -> list[Any]:
        """What a child forked meanwhile must forget."""
        told = [self._job, self._pending, self._relied, self._chains, self._lines]
        return [*told, *self._judges.held(), *self._outcome.held(), *self._feed.held()]

    def release(self) -> None:
        """Drop what a child forked from now on must not know; :meth:`close` alone may follow."""
        self._scoring.release()
        del self._job, self._pending, self._relied, self._chains, self._judges
        del self._lines, self._outcome, self._feed

    def failed(self, error: BaseException) -> dict[str, Any]:
        """The ``Execution`` for a defect of the harness."""
        self._outcome.cut("harness", f"the harness failed: {type(error).__name__}: {error}")
        self._outcome.stack = "".join(traceback.format_exception(error))
        return self._outcome.execution(redact.Masker(redact.secret_environment().values()))

    def _begin(self) -> None:
        cells = [cell for part in self._pending for cell in part]
        told = {key: self._job[key] for key in ("candidate", "limits", "contextValues")}
        told |= {"static": self._job.get("static"), "hiddenData": self._scoring.hidden()}
        names = {*self._job.get("hiddenNames", []), *self._scoring.defined()}
        hidden = hiding.marks([*cells, *self._scoring.cells()])
        self._feed.send({**told, "hidden": hidden, "names": sorted(names)})
        self._feed.write()
        # Now, while nothing else has run here since the fork; the child works meanwhile.
        for part in self._pending:
            self._outcome.statements += statements.checking(part)
        wanted = {*reliance.names(c["source"] for c in cells), *self._scoring.values()}
        wanted -= {*names, *self._scoring.hidden()}
        free = {*names, *self._job.get("ownNames", []), *self._job.get("askedNames", [])}
        self._judges = judges.Judges(cells, free, self._namespace)
        wanted -= set(self._job.get("ownNames", [])) & reliance.made_anew(self._job["candidate"])
        self._relied = reliance.contents(sorted(wanted), self._namespace)

    def _loop(self) -> None:
        poller = self._poller
        readers: dict[int, Callable[[bytes], object]] = {
            self._child.events: self._read_events,
            self._child.stdout: lambda data: self._read_text("stdout", data),
            self._child.stderr: lambda data: self._read_text("stderr", data),
            self._child.dump: self._dump.extend,
        }
        for descriptor in (*readers, self._wake_r, *self._exit):
            poller.register(descriptor, select.POLLIN)
        next_memory = time.monotonic() + _MEMORY_SECONDS
        while self._stage != "ended" and self._outcome.stop is None:
            with forget.lock:
                self._feed.write()
            self._scoring.relay(self._feed, poller)
            now = time.monotonic()
            wait = max(0.0, min(self._deadline(), next_memory) - now)
            held = self._previews.seconds_left()
            wait = wait if held is None else min(wait, held)
            found = poller.poll(wait * 1000 + 0.5)
            with forget.lock:
                for descriptor, event in found:
                    self._handle_descriptor(descriptor, event, readers)
                self._previews.flush_due()
            now = time.monotonic()
            if now >= self._deadline():
                self._timed_out()
            elif now >= next_memory:
                next_memory = time.monotonic() + self._check_use()
        self._outcome.seconds = time.monotonic() - self._started

    def _handle_descriptor(
        self, descriptor: int, event: int, readers: dict[int, Callable[[bytes], object]]
    ) -> None:
        if descriptor == self._wake_r:
            self._outcome.cut("stopped", "stopped")
        elif descriptor in self._exit:
            drain(self._child.events, self._read_events, select.POLLHUP)
            self._crashed()
        elif descriptor in readers and not drain(descriptor, readers[descriptor], event):
            self._poller.unregister(descriptor)
            if descriptor == self._child.events:
                self._crashed()

    def _deadline(self) -> float:
        return self._started + (self._seconds_to_begin if self._stage == "starting" else self._bounds.seconds)

    def _read_text(self, stream: str, data: bytes) -> None:
        text = texts.plain(data.decode("utf-8", "replace"))
        self._add_text(stream, text)
        if self._outcome.texts[stream].total > self._bounds.hard_output_bytes:
            self._too_much_output(stream, self._outcome.texts[stream].total)

    def _add_text(self, stream: str, text: str) -> None:
        if self._scoring.is_silent:
            return
        self._outcome.texts[stream].add(text)
        if not self._runs_holdouts:
            self._publish({"type": "output", "stream": stream, "text": text})

    def _too_much_output(self, stream: str, used: int) -> None:
        limit = texts.megabytes(self._bounds.hard_output_bytes)
        self._outcome.cut("output", f"output: limit {limit}, used {texts.megabytes(used)}, on {stream}")

    def _read_events(self, data: bytes) -> None:
        *lines, self._lines = (self._lines + data).split(b"\n")
        for line in lines:
            try:
                event = json.loads(line)
                self._handle(event["t"], event)
            except (ValueError, KeyError, TypeError, AttributeError):
                # Only a candidate that writes to our pipe does this.
                self._outcome.tampering.append("something else was written to the harness's pipe")

    def _handle(self, kind: str, event: dict[str, Any]) -> None:
        outcome = self._outcome
        if kind == "ready" and self._stage == "starting":
            self._started = time.monotonic()
            self._seconds_to_begin = _HIDING_SECONDS
            outcome.isolation = event["isolation"]
            self._layers = overlay.Layers(*(tuple(part) for part in event["layers"]))
        elif kind == "hidden" and self._stage == "starting":
            outcome.warnings += event["warnings"]
        elif kind == "findings" and self._stage == "starting":
            self._found(event["findings"])
        elif kind == "begin" and self._stage == "starting":
            self._stage = "candidate"
            self._started = time.monotonic()
            outcome.warnings += event["warnings"]
            self._publish({"type": "started"})
        elif kind == "failed" and self._stage == "starting":
            self._failure = event["traceback"]
            outcome.cut("crashed", "")
        elif kind == "stream":
            self._add_text(event["stream"], event["text"])
        elif kind == "display":
            if not self._scoring.is_silent:
                outcome.displays.append({"mime": str(event["mime"]), "data": str(event["data"])})
        elif kind == "output":
            self._too_much_output(event["stream"], event["used"])
        elif kind == "broken":
            outcome.cut("harness", "the harness failed: " + event["message"].strip().splitlines()[-1])
            outcome.stack = event["message"]
        elif kind == "candidate" and self._stage == "candidate":
            outcome.error = event["error"]
            outcome.exceeded = event["exceeded"]
            outcome.denied += event.get("denied", [])
            self._next_stage()
        elif event.get("n") != self._nonce or self._nonce is None:
            outcome.tampering.append("a result was told before the checks were run")
        elif kind == "assertion":
            result = event["result"]
            outcome.results[result["id"]] = result
            if self._runs_holdouts:
                # A preview waits in queues of ipykernel's, where a child forked meanwhile would find it.
                result = {**{key: result[key] for key in _SHOWN_OF_HOLDOUTS}, "source": ""}
            self._publish({"type": "assertion", "result": result})
        elif kind == "checked":
            self._checked(event)

    def _found(self, findings: list[dict[str, Any]]) -> None:
        sources = [cell["source"] for cells in self._pending for cell in cells]
        judged = self._outcome.findings = static.judge(findings, sources)
        if self._job["static"] == "gate" and static.is_refused(judged):
            self._outcome.error = static.error(judged)
            self._stage = "ended"
        elif self._job["static"] == "gate" and static.is_refused(findings):
            # The child waits; what it has found is defined by a check.
            self._feed.send({"go": True})

    def _next_stage(self) -> None:
        """Send the next checks; they stay here until nothing before them can read them."""
        failed = self._outcome.error is not None or not (self._stage == "candidate" or self._outcome.passed())
        while self._pending and not self._pending[0]:
            self._pending.pop(0)
        scores = not failed and not self._pending and self._outcome.held_all()
        score = self._scoring.command() if scores else {}
        if failed or not (self._pending or score):
            self._stage = "ended"
            return
        self._stage = "checks"
        cells = self._pending.pop(0) if self._pending else []
        self._runs_holdouts = self._runs_holdouts or any(cell["role"] == "holdout" for cell in cells)
        self._nonce = secrets.token_hex()
        sources = [cell["source"] for cell in cells] or self._scoring.sources
        asked = self._job.get("askedNames", [])
        relied = [name for name in tampering.shadowed(sources, self._namespace) if name not in asked]
        self._chains = tampering.fingerprints(tampering.chains(sources), self._namespace)
        self._chains |= self._judges.next(len(cells))
        self._feed.send(
            {
                "nonce": self._nonce,
                "cells": cells,
                "chains": list(self._chains),
                "relied": relied,
                "values": list(self._relied),
                **score,
            }
        )

    def _checked(self, event: dict[str, Any]) -> None:
        self._outcome.denied += event["denied"]
        found = list(event["tampering"])
        replaced = tampering.replaced(self._chains, event["fingerprints"])
        same = [name for name in replaced if judges.same_elsewhere(name, event["fingerprints"].get(name))]
        replaced = [name for name in replaced if name not in same]
        told = [*reliance.warnings(self._relied, event["values"]), *map(reliance.changed, same)]
        self._outcome.warnings = list(dict.fromkeys([*self._outcome.warnings, *told]))
        replaced += [name for name in event["made"] if tampering.leads_from_module(name, self._namespace)]
        found += [f"{name} was replaced" for name in dict.fromkeys(replaced)]
        if "scored" in event:
            self._outcome.scored = event["scored"]
            found += self._scoring.tampering(event)
            self._outcome.warnings += event["warnings"]
        self._outcome.tampering += [text for text in found if text not in self._outcome.tampering]
        self._next_stage()

    def _timed_out(self) -> None:
        used = time.monotonic() - self._started
        # On a busy machine little CPU time alone does not mean that it waits.
        running = processes.is_running(self._child.pid)
        self._dump_stack()
        cpu = None if running else processes.cpu_seconds(self._child.pid)
        stack = self._dump.decode("utf-8", "replace")
        self._outcome.stack = plain_stack(stack)
        if self._stage == "starting":
            self._outcome.cut("crashed", f"no answer within {self._seconds_to_begin:g} s")
        else:
            where = self._scoring.where()
            self._outcome.cut("timeout", timeout_message(self._bounds, used, cpu, stack) + where)

    def _dump_stack(self) -> None:
        """Ask the child where it is: faulthandler answers even with the GIL held."""
        if self._stage == "starting":
            return
        signal_child(self._child.pid, child.DUMP_SIGNAL)
        poller, end = select.poll(), time.monotonic() + _DUMP_SECONDS
        poller.register(self._child.dump, select.POLLIN)
        while time.monotonic() < end:
            if poller.poll(50 if self._dump else 100):
                if not drain(self._child.dump, self._dump.extend, select.POLLIN):
                    return
            elif self._dump:
                return

    def _check_use(self) -> float:
        """Seconds until the next look: it may take at most about 5 % of a core."""
        start = time.monotonic()
        pid = self._child.pid
        started = processes.descendants(pid)
        used = limits.private_dirty(pid)
        limit, cpu_limit = self._bounds.memory_bytes, self._bounds.cpu_seconds
        cpu = 0.0 if cpu_limit is None else sum(filter(None, map(processes.cpu_seconds, (pid, *started))))
        if used is not None and used > limit:
            self._cut("memory", f"memory: limit {texts.megabytes(limit)}, used {texts.megabytes(used)}")
        elif len(started) > limits.PROCESSES:
            self._cut("processes", f"processes: limit {limits.PROCESSES}, used {len(started)}")
        elif cpu_limit is not None and cpu > cpu_limit:
            self._cut("cpu", f"CPU time: limit {cpu_limit:g} s, used {cpu:.1f} s")
        elif limits.machine_is_full():
            self._cut("memory", "memory: the machine, or its container, has almost none left")
        return max(_MEMORY_SECONDS, 20 * (time.monotonic() - start))

    def _cut(self, stop: str, message: str) -> None:
        """With the place where it was."""
        self._dump_stack()
        stack = self._dump.decode("utf-8", "replace")
        self._outcome.stack = plain_stack(stack)
        where = place(stack)
        self._outcome.cut(stop, f"{message},{where}" if where else message)

    def _crashed(self) -> None:
        if self._stage != "ended":
            self._outcome.cut("crashed", "")

    def _end(self) -> None:
        """Kill the child, after a look at what it wrote; its evidence is complete then."""
        if self._outcome.stop == "crashed":
            message = self._ending.explain_crash()
            self._outcome.stop_message = self._outcome.stop_message or message
            return
        if self._stage != "starting":
            self._outcome.files_written += overlay.changes(self._child.pid, self._layers)
        self._ending.kill()

    def close(self) -> None:
        """Reap the child and close the pipes; after :meth:`run`, when nobody can cancel any more."""
        self._ending.reap()
        temporary.remove(self._scratch)
        self._child.close()
        self._scoring.close()
        for descriptor in (self._wake_r, self._wake_w, *self._exit):
            os.close(descriptor)
