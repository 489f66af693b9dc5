"""Assembles what an attempt gave: the type ``Execution`` of the TypeScript side."""

from __future__ import annotations

import re
from typing import Any

from . import redact, texts
from .limits import FILE_BYTES, Limits
from .overlay import LAYER_BYTES
from .statements import Statement

_DENIED = 50
_BLOCKED_SHARE = 0.2
_BEYOND = {
    "memory": ("memory", "memory: limit {}, an allocation"),
    "file": ("files", "file size: limit {}, a write"),
    "files": ("files", "files: limit {} together, a write"),
}


class Text:
    """Printed text, bounded: head and tail are kept."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._head = ""
        self._tail = ""
        self.total = 0

    def add(self, text: str) -> None:
        self.total += len(text)
        room = self._limit - len(self._head)
        self._head, text = self._head + text[:room], text[room:]
        self._tail = (self._tail + text)[-self._limit // 4 :]

    def held(self) -> list[str]:
        return [self._head, self._tail]

    def __str__(self) -> str:
        skipped = self.total - len(self._head) - len(self._tail)
        note = f"\n... ({skipped} characters left out) ...\n" if skipped > 0 else ""
        return self._head + note + self._tail


class Outcome:
    """Collects the events of one attempt."""

    def __init__(self, attempt_id: str, bounds: Limits, isolation: dict[str, Any]) -> None:
        self.id = attempt_id
        self.bounds = bounds
        self.isolation = isolation
        #: The checking statements; those of hold-outs included.
        self.statements: list[Statement] = []
        self.results: dict[str, dict[str, Any]] = {}
        self.texts = {"stdout": Text(bounds.output_bytes), "stderr": Text(bounds.output_bytes)}
        self.displays: list[dict[str, str]] = []
        #: Of the source, before it ran; None when nobody looked.
        self.findings: list[dict[str, Any]] | None = None
        #: What the scorer measured; None when it was not run.
        self.scored: dict[str, Any] | None = None
        self.error: dict[str, Any] | None = None
        #: What the candidate had too much of, see :func:`limits.exceeded`.
        self.exceeded: str | None = None
        #: ``ExecutionStop`` and its sentence, when the attempt was cut.
        self.stop: str | None = None
        self.stop_message = ""
        self.stack = ""
        self.files_written: list[str] = []
        self.denied: list[str] = []
        self.tampering: list[str] = []
        self.warnings: list[str] = []
        self.seconds = 0.0

    def cut(self, stop: str, message: str) -> None:
        if self.stop is None:
            self.stop, self.stop_message = stop, message

    def held(self) -> list[Any]:
        """What a process forked meanwhile must forget: sources of checks, and what they said."""
        told = [self.statements, self.results, self.error, self.findings, self.scored]
        return [*told, *(text.held() for text in self.texts.values())]

    def execution(self, masker: redact.Masker) -> dict[str, Any]:
        """The finished ``Execution``, without ``totalMs``; secret values masked."""
        if self.exceeded in _BEYOND:
            stop, what = _BEYOND[self.exceeded]
            sizes = {"memory": self.bounds.memory_bytes, "file": FILE_BYTES, "files": LAYER_BYTES}
            line = (self.error or {}).get("candidateLine")
            where = f", in line {line}" if line else ""
            self.cut(stop, f"{what.format(texts.megabytes(sizes[self.exceeded]))} beyond it failed{where}")
        status = "cut" if self.stop else "error" if self.error else "completed"
        told: dict[str, Any] = {
            "id": self.id,
            "status": status,
            "assertions": [self._result(statement) for statement in self.statements],
            "stdout": str(self.texts["stdout"]),
            "stderr": str(self.texts["stderr"]),
            "displays": self.displays,
            "isolation": self.isolation,
            "filesWritten": self.files_written,
            "denied": list(dict.fromkeys(self.denied))[:_DENIED],
            "tampering": self.tampering,
            "warnings": self.warnings,
            "durationMs": round(self.seconds * 1000, 3),
        }
        if self.findings is not None:
            told["findings"] = self.findings
        if self.scored is not None:
            told["scored"] = self._worth(self.scored)
        if self.stop:
            told["stop"] = self.stop
            told["stopMessage"] = self.stop_message
        if self.stack:
            told["stack"] = self.stack
        if self.error is not None:
            told["error"] = self.error
        return masker.value(told)

    def passed(self) -> bool:
        """Whether all told so far held: only then are the hold-outs worth running."""
        wanted = [s for s in self.statements if s.role == "assertion"]
        return all(self.results.get(s.id, {}).get("outcome") == "passed" for s in wanted)

    def held_all(self) -> bool:
        """Whether every check was run and held, hold-outs included: only then a score means something."""
        return not self.tampering and all(
            self.results.get(s.id, {}).get("outcome") == "passed" for s in self.statements
        )

    def _worth(self, scored: dict[str, Any]) -> dict[str, Any]:
        """A number that was tampered with is none."""
        if not self.tampering:
            return scored
        message = f"the score does not count: {'; '.join(self.tampering[:3])}"
        wrong = {"name": "ScorerError", "message": message, "traceback": message}
        return {**scored, "value": None, "error": wrong}

    def _result(self, statement: Statement) -> dict[str, Any]:
        found = self.results.get(statement.id)
        return found or {**statement.told(), "outcome": "not-run", "durationMs": 0}


def timeout_message(bounds: Limits, used: float, cpu: float | None, stack: str) -> str:
    """``timeout: limit 2 s, used 2.0 s, busy in line 3``"""
    blocked = cpu is not None and cpu < _BLOCKED_SHARE * used
    state = "blocked (it waits and computes nothing)" if blocked else "busy"
    return f"timeout: limit {bounds.seconds:g} s, used {used:.1f} s, {state}{place(stack)}"


def place(stack: str) -> str:
    """`` in line 3``, from a dump of faulthandler; empty when it is neither in candidate nor check."""
    line = re.search(r'File "<candidate>", line (\d+)', stack)
    check = re.search(r'File "<check \d+>", line (\d+)', stack)
    return f" in line {line[1]}" if line else f" in line {check[1]} of a check" if check else ""


def plain_stack(dump: str) -> str:
    """A dump of faulthandler without the frames of the harness and of IPython below the candidate."""
    lines = []
    for line in dump.splitlines():
        if '"<jupyterlab-refine/' in line:
            break
        lines.append(line)
    return texts.cut_middle(texts.plain("\n".join(lines)).strip(), 4000)
