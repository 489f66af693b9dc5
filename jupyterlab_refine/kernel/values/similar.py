"""Names that are there, for an error about one that is not."""

from __future__ import annotations

import builtins
import difflib
import re
import sys
import traceback
from collections.abc import Iterable

#: ``append`` is not ``pipe`` (0.6), ``trapz`` is ``trapezoid`` (0.71).
_LIKENESS = 0.7
_MISSING = re.compile(r"cannot import name '(\w+)'")


def did_you_mean(error: BaseException) -> str:
    """`` Did you mean: 'group_by', 'group_by_dynamic'?``, as Python's own tracebacks ask; else empty.

    Messages have none: Python asks where it prints an error, which IPython does itself.
    """
    try:
        (name, names), text = _names(error), str(error)
        if not name or "Did you mean" in text:
            return ""
        public = [one for one in names if name.startswith("_") or not one.startswith("_")]
        near = ", ".join(f"'{one}'" for one in difflib.get_close_matches(name, public, cutoff=_LIKENESS))
        return near and f"{'' if text.endswith('.') else '.'} Did you mean: {near}?"
    except Exception:
        # A `__dir__` of the user's.
        return ""


def _names(error: BaseException) -> tuple[str | None, Iterable[str]]:
    """The name that is missing, and those that are where it was looked for."""
    if type(error) is AttributeError:
        return error.name, dir(error.obj)
    if type(error) is NameError:
        *_, (frame, _line) = traceback.walk_tb(error.__traceback__)
        return error.name, {*frame.f_locals, *frame.f_globals, *dir(builtins)}
    if isinstance(error, ImportError) and (missing := _MISSING.match(str(error))):
        return missing[1], dir(sys.modules.get(error.name or ""))
    return None, []
