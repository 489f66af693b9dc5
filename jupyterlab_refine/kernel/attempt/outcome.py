"""The result of an attempt, assembled from its events: the type ``Execution`` of the TypeScript side."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

from .. import texts
from ..checks import statements
from ..checks.statements import Statement
from ..secrecy import redact
from .limits import FILE_BYTES, LAYER_BYTES, LAYER_FILES, OUTPUT_BYTES

_DENIED = 50
_SKIPPED = 50
#: Characters of the name of a test.
_NAME = 200

#: Error messages of what isolation denies; what was tried; what says it already: names of what was denied.
_DENIED_BY = (
    (
        re.compile(r"\[Errno (27|28)\]"),
        f"write more than attempts may, {texts.megabytes(FILE_BYTES)} in one file, "
        f"{texts.megabytes(LAYER_BYTES)} or {LAYER_FILES:,} files together",
        "tried to write more",
    ),
    (
        # What a process pool of multiprocessing gets, or who makes a socket.
        re.compile(r"^\[Errno 13\] Permission denied$"),
        "make a process pool, shared memory or a socket",
        "tried to ",
    ),
    (
        re.compile(
            r"attempt to write a readonly database|unable to open database file|Read-only file system"
            r"|[Cc]annot open file \"[^\"\n]{1,300}\": Permission denied"
        ),
        "change a file that attempts can only read",
        "tried to write ",
    ),
)


class Text:
    """Printed text of bounded length: the head and the tail."""

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

    def __str__(self) -> str:
        skipped = self.total - len(self._head) - len(self._tail)
        note = f"\n... ({skipped} characters left out) ...\n" if skipped > 0 else ""
        return self._head + note + self._tail


_OF_FAILURE = ("error", "operator", "expected", "observed", "operands", "difference")
#: The only reason shown for a hold-out that holds and is not confirmed.
_UNJUDGED = "the reason is hidden because it could reveal the hold-out"


class Outcome:
    """Collects what was reported of one attempt.

    Everything but the results of hold-outs belongs to the visible stage: the candidate
    and the visible checks. The hold-outs add one bit: whether all of them held.
    """

    def __init__(self, job: dict[str, Any], isolation: dict[str, Any]) -> None:
        self.id = job["id"]
        self.isolation = isolation
        self._cells = job["assertions"]
        #: By row, in order; a row is a statement's, or that of a test which it ran.
        self.results: dict[str, dict[str, Any]] = {}
        #: By statement: its rows.
        self._rows: dict[str, list[str]] = {}
        #: Whether all visible checks ran: those without a row only ran or defined tests.
        self.is_checked = False
        self.texts = {"stdout": Text(OUTPUT_BYTES), "stderr": Text(OUTPUT_BYTES)}
        self.displays: list[dict[str, Any]] = []
        #: Static findings in the source; None without an inspection.
        self.findings: list[dict[str, Any]] | None = job.get("findings")
        #: What a candidate that is to fix an error still does; None where none is to be fixed.
        self.repair: dict[str, Any] | None = None
        #: What the scorer measured; None when it was not run.
        self.scored: dict[str, Any] | None = None
        known = job.get("known", {})
        #: Fields of ``AssertionResult``, without sources.
        self.holdouts: list[dict[str, Any]] = known.get("holdouts", [])
        #: Whether there is a scorer.
        self.is_scored = known.get("scored", False)
        #: Of the candidate.
        self.error: dict[str, Any] | None = None
        #: ``ExecutionStop`` and its sentence, when the attempt was cut.
        self.stop: str | None = None
        self.stop_message = ""
        self.stack = ""
        self.files_written: list[str] = []
        self.denied: list[str] = []
        self.warnings: list[str] = []
        self.seconds = 0.0
        self.is_judged = False
        self.judge_seconds = 0.0
        self.runs_holdouts = False
        #: By visible statement: why it is not confirmed; None when it is.
        self._reasons: dict[str, str | None] = {}
        self._held: dict[str, bool] = {}
        self._unjudged = False

    @functools.cached_property
    def statements(self) -> list[Statement]:
        """Those of the visible checks, set-up included."""
        return [one for cell in self._cells for one in statements.split({**cell, "role": "assertion"})]

    def cut(self, stop: str, message: str) -> None:
        if self.stop is None:
            self.stop, self.stop_message = stop, message

    def take(self, result: dict[str, Any]) -> dict[str, Any]:
        """Add the attempt's result of one row; it cannot say that the check is confirmed.

        :raises KeyError, ValueError: for a result that no honest attempt sends.
        """
        row, name = str(result["id"]), result.get("name", "")[:_NAME]
        own = row.removesuffix(f".{result['name']}") if name else row
        statement = next((s for s in self.statements if s.id == own), None)
        if statement is None or result["outcome"] not in ("passed", "failed", "error", "not-run"):
            raise ValueError(row)
        before = self.results.get(row)
        if before is not None and before["outcome"] != "passed":
            # A test that ran twice.
            return before
        taken = {**statement.to_reply(), "outcome": result["outcome"]}
        if name:
            taken |= {"id": row, "source": texts.plain(name)}
        taken |= {key: result[key] for key in ("durationMs", *_OF_FAILURE) if key in result}
        if before is None:
            self._rows.setdefault(own, []).append(row)
        self.results[row] = taken
        return taken

    def skip(self, tests: list[str]) -> None:
        """Tests that were neither passed nor failed."""
        self.warnings += [f"Skipped: {texts.cut_end(texts.plain(test), _NAME)}" for test in tests[:_SKIPPED]]

    def has_failed(self) -> bool:
        """Whether one of the visible checks so far did not hold."""
        return any(result["outcome"] != "passed" for result in self.results.values())

    def judged(self, event: dict[str, Any]) -> None:
        """Add the judge's result of one check."""
        if event["role"] != "holdout":
            for row, reason in {event["id"]: event["reason"], **event["rows"]}.items():
                self._reasons[row] = self._reasons.get(row) or reason
            return
        self._held[event["id"]] = event["held"] or event["unjudged"]
        self._unjudged |= event["reason"] is not None

    def end_judgement(self, problem: str | None, late: bool = False, fault: bool = False) -> None:
        """:param problem: why the remaining checks are not judged.

        :param late: whether it took too long.
        :param fault: whether the worker broke the protocol, which no honest candidate does.
        """
        for statement in self.statements:
            reason = self._reasons.get(statement.id) or problem or "it did not run in the separate process"
            for row in self._rows.get(statement.id, [statement.id]):
                self._reasons.setdefault(row, reason)
        if problem is not None and self.is_scored and self.scored is None:
            error = {"name": "ScorerError", "message": problem, "traceback": problem}
            self.scored = {"value": None, "goal": "max", "name": "score", "error": error}
        missing = [holdout for holdout in self.holdouts if holdout["id"] not in self._held]
        if missing and (fault or (late and self.runs_holdouts)):
            # The process ended, or hangs although the visible checks did not.
            self._held[missing[0]["id"]] = False
        self._unjudged |= bool(missing)

    def mark_empty(self, held: list[str]) -> None:
        """:param held: rows that also hold where all that the candidate defines is empty."""
        for statement in self.statements:
            for row in self._rows.get(statement.id, []):
                # What only prepares something is no claim about the code, unless nothing else is there.
                claims = statement.asserts or row != statement.id or self.results.keys() <= set(held)
                if claims and row in held:
                    self.results[row]["holdsEmpty"] = True

    def execution(self, masker: redact.Masker) -> dict[str, Any]:
        """The finished ``Execution``, without ``totalMs``; secret values masked."""
        self._explain_errors()
        fields: dict[str, Any] = {
            "id": self.id,
            "status": "cut" if self.stop else "error" if self.error else "completed",
            "assertions": [*self._visible(), *self._holdout_results()],
            "stdout": str(self.texts["stdout"]),
            "stderr": str(self.texts["stderr"]),
            "displays": self.displays,
            "isolation": self.isolation,
            "filesWritten": self.files_written,
            "denied": list(dict.fromkeys(self.denied))[:_DENIED],
            "tampering": [],
            "warnings": self.warnings,
            "durationMs": round(self.seconds * 1000, 3),
        }
        optional = {
            "findings": self.findings,
            # The score counts only where all checks held.
            "scored": None if False in self._held.values() else self.scored,
            "stop": self.stop,
            "stopMessage": self.stop_message if self.stop else None,
            "stack": self.stack or None,
            "error": self.error,
            "repair": self.repair,
            "confirmMs": round(self.judge_seconds * 1000, 3) if self.is_judged else None,
        }
        fields |= {key: value for key, value in optional.items() if value is not None}
        return masker.value(fields)

    def _explain_errors(self) -> None:
        """Add the denials that an error hides, so that correct code is not repaired."""
        if self.isolation["files"] == "open":
            return
        failed = [self.error, *(result.get("error") for result in self.results.values())]
        messages = [str((error or {}).get("message", "")) for error in failed]
        for message in messages:
            for pattern, what, said in _DENIED_BY:
                found = pattern.search(message)
                if found and not any(text.startswith(said) for text in self.denied):
                    reason = "comes from the isolation of attempts and is not an error in the code"
                    self.denied.append(f"tried to {what}: `{found[0]}` {reason}")

    def _visible(self) -> Iterator[dict[str, Any]]:
        """The rows of the visible checks."""
        for statement in self.statements:
            rows = [self.results[row] for row in self._rows.get(statement.id, [])]
            if not rows and statement.checks:
                # Shown if it is all there is, or if the judge found what it did not report.
                if self.is_checked and self.results and self._reasons.get(statement.id) is None:
                    continue
                outcome = "passed" if self.is_checked else "not-run"
                rows = [{**statement.to_reply(), "outcome": outcome, "durationMs": 0}]
            for row in rows:
                is_judged = row["outcome"] == "passed" and row["id"] in self._reasons
                yield {**row, **confirmation(self._reasons[row["id"]])} if is_judged else row

    def _holdout_results(self) -> list[dict[str, Any]]:
        """The results of the hold-outs: one outcome for all of them."""
        if not self.is_judged:
            result: dict[str, Any] = {"outcome": "not-run"}
        elif False in self._held.values():
            result = {"outcome": "failed"}
        else:
            result = {"outcome": "passed", **confirmation(_UNJUDGED if self._unjudged else None)}
        return [{**fields, **result, "durationMs": 0} for fields in self.holdouts]


def confirmation(reason: str | None) -> dict[str, Any]:
    """The fields of a result that report whether the judge confirms it."""
    return {"confirmed": True} if reason is None else {"confirmed": False, "unconfirmed": reason}
