"""What the judge alone reads: hold-outs and scorer. Nothing here returns a text of them but to the judge."""

from __future__ import annotations

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
