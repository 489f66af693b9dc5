"""The kernel's side of an attempt, in a helper thread: feed, bound and kill the child."""

from __future__ import annotations

import json
import os
import secrets
import select
import time
from typing import Any

from . import (
    child,
    hiding,
    isolation,
    limits,
    overlay,
    processes,
    redact,
    reliance,
    statements,
    tampering,
    texts,
)
from .ending import Ending, exit_descriptor, signal_child
from .fork import Child
from .outcome import Outcome, plain_stack, timeout_message
from .pipes import Feed, drain
from .previews import Previews

_READY_SECONDS = 10.0
_MEMORY_SECONDS = 0.2
_DUMP_SECONDS = 0.3


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
        self._relied: dict[str, str | None] = {}
        self._stage = "starting"
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
        """Supervise to the end; returns the ``Execution``. Raises nothing that a candidate can cause."""
        masker = redact.Masker(redact.secret_environment().values())
        try:
            for cells in self._pending:
                self._outcome.statements += statements.checking(cells)
            cells = [cell for part in self._pending for cell in part]
            told = {key: self._job[key] for key in ("candidate", "limits", "contextValues")}
            self._feed.send(
                {**told, "hidden": hiding.marks(cells), "names": self._job.get("hiddenNames", [])}
            )
            self._feed.write()
            # Now, while nothing else has run here since the fork; the child works meanwhile.
            wanted = set(reliance.names(c["source"] for c in cells)) - set(self._job.get("hiddenNames", []))
            self._relied = reliance.contents(sorted(wanted), self._namespace)
            self._loop()
        finally:
            self._end()
        return self._outcome.execution(masker)

    def held(self) -> list[Any]:
        """What a child forked meanwhile must forget."""
        return [self._job, self._pending, *self._outcome.held(), *self._feed.held()]

    def failed(self, error: BaseException) -> dict[str, Any]:
        """The ``Execution`` for a defect of the harness."""
        self._outcome.cut("crashed", f"the harness failed: {type(error).__name__}: {error}")
        return self._outcome.execution(redact.Masker(redact.secret_environment().values()))

    def _loop(self) -> None:
        poller = self._poller
        readers = {
            self._child.events: self._read_events,
            self._child.stdout: lambda data: self._read_text("stdout", data),
            self._child.stderr: lambda data: self._read_text("stderr", data),
            self._child.dump: self._dump.extend,
        }
        for descriptor in (*readers, self._wake_r, *self._exit):
            poller.register(descriptor, select.POLLIN)
        next_memory = time.monotonic() + _MEMORY_SECONDS
        while self._stage != "ended" and self._outcome.stop is None:
            self._feed.write()
            now = time.monotonic()
            wait = max(0.0, min(self._deadline(), next_memory) - now)
            held = self._previews.seconds_left()
            wait = wait if held is None else min(wait, held)
            for descriptor, event in poller.poll(wait * 1000 + 0.5):
                if descriptor == self._wake_r:
                    self._outcome.cut("stopped", "stopped")
                elif descriptor in self._exit:
                    drain(self._child.events, self._read_events, select.POLLHUP)
                    self._crashed()
                elif descriptor in readers and not drain(descriptor, readers[descriptor], event):
                    poller.unregister(descriptor)
                    if descriptor == self._child.events:
                        self._crashed()
            self._previews.flush_due()
            now = time.monotonic()
            if now >= self._deadline():
                self._timed_out()
            elif now >= next_memory:
                next_memory = time.monotonic() + self._check_memory()
        self._outcome.seconds = time.monotonic() - self._started

    def _deadline(self) -> float:
        return self._started + (_READY_SECONDS if self._stage == "starting" else self._bounds.seconds)

    def _read_text(self, stream: str, data: bytes) -> None:
        text = texts.plain(data.decode("utf-8", "replace"))
        self._add_text(stream, text)
        if self._outcome.texts[stream].total > self._bounds.hard_output_bytes:
            self._too_much_output(stream, self._outcome.texts[stream].total)

    def _add_text(self, stream: str, text: str) -> None:
        self._outcome.texts[stream].add(text)
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
            self._stage = "candidate"
            self._started = time.monotonic()
            outcome.isolation = event["isolation"]
            self._layers = overlay.Layers(*(tuple(part) for part in event["layers"]))
            self._publish({"type": "started"})
        elif kind == "stream":
            self._add_text(event["stream"], event["text"])
        elif kind == "display":
            outcome.displays.append({"mime": str(event["mime"]), "data": str(event["data"])})
        elif kind == "output":
            self._too_much_output(event["stream"], event["used"])
        elif kind == "broken":
            outcome.cut("crashed", "the harness failed: " + event["message"].strip().splitlines()[-1])
            outcome.stack = event["message"]
        elif kind == "candidate" and self._stage == "candidate":
            outcome.error = event["error"]
            outcome.out_of_memory = bool(event["memory"])
            outcome.denied += event.get("denied", [])
            self._next_stage()
        elif event.get("n") != self._nonce or self._nonce is None:
            outcome.tampering.append("a result was told before the checks were run")
        elif kind == "assertion":
            result = event["result"]
            outcome.results[result["id"]] = result
            self._publish({"type": "assertion", "result": result})
        elif kind == "checked":
            self._checked(event)

    def _next_stage(self) -> None:
        """Send the next checks; they stay here until nothing before them can read them."""
        failed = self._outcome.error is not None or not (self._stage == "candidate" or self._outcome.passed())
        while self._pending and not self._pending[0]:
            self._pending.pop(0)
        if failed or not self._pending:
            self._stage = "ended"
            return
        self._stage = "checks"
        cells = self._pending.pop(0)
        self._nonce = secrets.token_hex(16)
        sources = [cell["source"] for cell in cells]
        chains, relied = tampering.chains(sources), tampering.shadowed(sources, self._namespace)
        self._chains = tampering.fingerprints(chains, self._namespace)
        self._feed.send(
            {
                "nonce": self._nonce,
                "cells": cells,
                "chains": chains,
                "relied": relied,
                "values": list(self._relied),
            }
        )

    def _checked(self, event: dict[str, Any]) -> None:
        self._outcome.denied += event["denied"]
        found = list(event["tampering"])
        told = reliance.warnings(self._relied, event["values"])
        self._outcome.warnings = list(dict.fromkeys([*self._outcome.warnings, *told]))
        replaced = tampering.replaced(self._chains, event["fingerprints"])
        replaced += [name for name in event["made"] if tampering.leads_from_module(name, self._namespace)]
        found += [f"{name} was replaced" for name in dict.fromkeys(replaced)]
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
            self._outcome.cut("crashed", f"the forked kernel did not answer within {_READY_SECONDS:g} s")
        else:
            self._outcome.cut("timeout", timeout_message(self._bounds, used, cpu, stack))

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

    def _check_memory(self) -> float:
        """Seconds until the next look: it may take at most about 5 % of a core."""
        start = time.monotonic()
        used = limits.private_dirty(self._child.pid)
        limit = self._bounds.memory_bytes
        if used is not None and used > limit:
            told = f"memory: limit {texts.megabytes(limit)}, used {texts.megabytes(used)}"
            self._outcome.cut("memory", told)
        elif limits.machine_is_full():
            self._outcome.cut("memory", "memory: the machine, or its container, has almost none left")
        return max(_MEMORY_SECONDS, 20 * (time.monotonic() - start))

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
        self._ending.reap(crashed=self._outcome.stop == "crashed")
        isolation.remove_scratch(self._scratch)
        self._child.close()
        for descriptor in (self._wake_r, self._wake_w, *self._exit):
            os.close(descriptor)
