"""What the judge alone reads: hold-outs and scorer. Nothing here returns a text of them but to the judge."""

from __future__ import annotations

import ast
import keyword
import re
from typing import Any

from ..checks import statements
from ..secrecy import hiding, sealing

#: In the place of every sentence that could quote a hold-out.
HIDDEN = "the reason could reveal a hold-out"


class HeldOut:
    """The judge's key, and what was sealed for it: ``holdouts``, ``scorer``, ``hiddenNames``.

    Make it after all processes that run a candidate are forked.
    """

    def __init__(self) -> None:
        self._opener: sealing.Opener | None = None
        self._secrets: dict[str, Any] = {"holdouts": []}

    def make_key(self) -> str:
        """A key for what is sealed from now on; without one nothing can be opened."""
        self._opener = sealing.Opener()
        return self._opener.key

    def _open(self, sealed: dict[str, str]) -> Any:
        if self._opener is None:
            raise ValueError("sealed for another process")
        return self._opener.open(sealed)

    def take(self, sealed: dict[str, str], shell: Any) -> dict[str, Any]:
        """Take the secrets of an attempt; returns what the kernel may know of them.

        ``hidden``: what the user's own run of these cells has left (see :func:`hiding.marks`); ``holdouts``:
        their statements, without text; ``scored``: whether there is a scorer.

        :raises ValueError: see :meth:`sealing.Opener.open`.
        """
        self._secrets = secrets = self._open(sealed)
        holdouts = secrets["holdouts"]
        scorer = [{"cellId": "", "role": "", **secrets["scorer"]}] if "scorer" in secrets else []
        names = [*secrets.get("hiddenNames", []), *(name for cell in scorer for name in hiding.defined(cell))]
        return {
            "hidden": hiding.marks([*holdouts, *scorer], names, shell),
            "holdouts": [{**one.to_reply(), "source": ""} for one in statements.checking(holdouts)],
            "scored": bool(scorer),
        }

    def complete(self, command: dict[str, Any]) -> dict[str, Any]:
        """The command to judge, with these secrets."""
        secrets = self._secrets
        return {
            **command,
            "cells": [*command["cells"], *secrets["holdouts"]],
            "scorer": secrets.get("scorer"),
            "hidden": sorted({*secrets.get("hiddenNames", []), *command["data"]}),
        }

    def statements(self, sealed: dict[str, str], shell: Any) -> list[dict[str, Any]]:
        """The answer to the operation ``statements`` for sealed cells; no reason quotes a hold-out."""
        cells = self._open(sealed)["cells"]
        sources = {cell["cellId"]: cell["source"] for cell in cells if cell["role"] == "holdout"}
        found = statements.list_statements(cells, shell.user_ns)
        return [
            {**one, "problem": HIDDEN} if _quotes(one.get("problem"), sources.get(one["cellId"])) else one
            for one in found
        ]


def _quotes(problem: str | None, source: str | None) -> bool:
    """Whether a sentence has a name or a value of the source, in whatever notation."""
    if problem is None or source is None:
        return False
    try:
        # `0x4d` is quoted as 77.
        texts = [source, ast.unparse(ast.parse(source))]
    except (SyntaxError, ValueError, RecursionError):
        return True
    words = {word for text in texts for word in re.findall(r"\w+", text)}
    return not words.difference(keyword.kwlist).isdisjoint(re.findall(r"\w+", problem))
