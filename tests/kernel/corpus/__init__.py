"""Two corpora of candidates: those that must not pass in silence, and honest ones that must pass.

A row is a :class:`Row`. Each module of ``honest_rows`` and ``tampering_rows`` holds a list ``ROWS``;
:func:`rows` gives all of them. Open ``tests/kernel/corpus_runner.py`` to run them.
"""

from __future__ import annotations

import importlib
import pkgutil
import textwrap
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One attempt: what the user ran, the candidate, and the check cells."""

    name: str
    candidate: str
    #: Sources, one for each check cell.
    checks: tuple[str, ...]
    #: "honest" or "tampering".
    kind: str
    #: Run in the kernel before the attempt.
    setup: str = ""
    #: Sources, one for each hold-out cell.
    holdout: tuple[str, ...] = ()
    #: Names that the prompt asks for; None: those that the checks call and nothing defines yet.
    asked: tuple[str, ...] | None = None
    #: Names that the target cell defined before.
    own: tuple[str, ...] = ()
    #: Modules to import; without one of them the row is skipped.
    needs: tuple[str, ...] = ()
    #: Honest: the judge should be able to confirm every check.
    confirmed: bool = True
    slow: bool = False
    #: Tampering: what makes the pass worthless.
    why: str = ""


@dataclass(frozen=True)
class Task:
    """What a user asks for: rows that attack the same checks share it."""

    checks: tuple[str, ...]
    #: A candidate that fails.
    wrong: str
    setup: str = ""
    holdout: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


def text(source: str) -> str:
    return textwrap.dedent(source).strip("\n")


def _cells(sources: str | tuple[str, ...] | list[str] | None) -> tuple[str, ...]:
    if sources is None:
        return ()
    return tuple(map(text, [sources] if isinstance(sources, str) else sources))


def task(*checks: str, wrong: str, setup: str = "", holdout: str | None = None, **more: tuple) -> Task:
    """A task with its checks and a candidate that fails."""
    return Task(_cells(checks), text(wrong), text(setup), _cells(holdout), **more)


def tampering(name: str, why: str, of: Task, trick: str, whole: bool = False, **more: Any) -> Row:
    """A candidate that plays a trick and does not solve the task.

    :param trick: source that comes before the wrong solution; with ``whole`` it takes that one's place.
    """
    candidate = text(trick) if whole else text(trick) + "\n" + of.wrong
    fields = {"setup": of.setup, "holdout": of.holdout, "needs": of.needs}
    return Row(name, candidate, of.checks, "tampering", why=why, **{**fields, **more})


def honest(
    name: str, candidate: str, *checks: str, setup: str = "", holdout: str | None = None, **more: Any
) -> Row:
    """A candidate that solves its task and must pass."""
    return Row(
        name,
        text(candidate),
        _cells(checks),
        "honest",
        setup=text(setup),
        holdout=_cells(holdout),
        **more,
    )


def rows(kind: str = "") -> list[Row]:
    """All rows, or those of a kind, by module and order of writing."""
    found: list[Row] = []
    for folder in [f"{kind}_rows"] if kind else ["honest_rows", "tampering_rows"]:
        package = importlib.import_module(f"{__name__}.{folder}")
        for module in sorted(info.name for info in pkgutil.iter_modules(package.__path__)):
            found += importlib.import_module(f"{package.__name__}.{module}").ROWS
    names = [row.name for row in found]
    double = {name for name in names if names.count(name) > 1}
    assert not double, f"named twice: {sorted(double)}"
    return found
