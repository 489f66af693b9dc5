"""Errors as plain text, with the locals of each frame of the user's code."""

from __future__ import annotations

import functools
import re
import sys
import traceback
import types
from typing import Any

from .. import texts
from ..values import describe, similar

CANDIDATE = "<candidate>"
#: Of cells above, where an attempt runs them itself: ``<cell 3>``.
CELL = "<cell "
_LIMIT = 12000
_MESSAGE_LIMIT = 4000
_FRAMES = 10
_CHECK = "<check "
_OWN = "<jupyterlab-refine/"
_CELL_FILE = re.compile(r'File "([^"\n]*ipykernel_\d+[^"\n]*\.py|<ipython-input-[^"\n]*>)"')


class ErrorFormatter:
    """Converts an exception to an ``ExecutionError`` (TypeScript)."""

    def __init__(self, shell: Any, context_values: str) -> None:
        self._shell = shell
        self._context_values = context_values

    def to_reply(self, error: BaseException) -> dict[str, Any]:
        trace = _user_part(error.__traceback__)
        message = describe.bounded(lambda: _message(error), "(its message took too long to create)", 2.0)
        reply: dict[str, Any] = {
            "name": type(error).__name__,
            "message": texts.cut_middle(texts.plain(message), _MESSAGE_LIMIT),
            "traceback": self._traceback(error, trace, message),
        }
        line = _candidate_line(error, trace)
        if line is not None:
            reply["candidateLine"] = line
        if self._context_values != "none":
            frames = [self._frame(frame, line) for frame, line in self._user_frames(trace)]
            if frames and frames[-1]["locals"]:
                reply["locals"] = frames[-1]["locals"]
            if len(frames) > 1:
                reply["frames"] = frames
        return reply

    def _traceback(self, error: BaseException, trace: types.TracebackType | None, message: str) -> str:
        def work() -> str:
            # What parses is no part of the error: its text says where it is.
            shown = None if isinstance(error, SyntaxError) and error.filename == CANDIDATE else trace
            return "".join(traceback.TracebackException(type(error), error, shown, compact=True).format())

        try:
            text = describe.bounded(work, f"{type(error).__name__}: {message}", 3.0)
        except Exception as failure:
            text = f"{type(error).__name__}: {message}\n(no traceback: {type(failure).__name__})"
        text = _CELL_FILE.sub(self._cell_name, texts.plain(text))
        return texts.cut_middle(text.rstrip("\n"), _LIMIT)

    def _cell_name(self, match: re.Match[str]) -> str:
        """``Cell In[3]`` for the temporary file name of an earlier cell."""
        name_of = getattr(self._shell.compile, "format_code_name", None)
        try:
            named = name_of(match[1]) if name_of is not None else None
        except Exception:
            named = None
        return " ".join(named) if named else match[0]

    def _user_frames(self, trace: types.TracebackType | None) -> list[tuple[types.FrameType, int]]:
        """Frames of the user's code, each with its line, outermost first; of a deep recursion both ends."""
        names = getattr(self._shell.compile, "_filename_map", {})
        found = [
            (frame, line)
            for frame, line in traceback.walk_tb(trace)
            if (name := frame.f_code.co_filename) in names or name.startswith((CANDIDATE, _CHECK, CELL))
        ]
        return found if len(found) <= _FRAMES else [found[0], *found[1 - _FRAMES :]]

    def _frame(self, frame: types.FrameType, line: int) -> dict[str, Any]:
        """One frame, as the type ``ErrorFrame`` of the TypeScript side."""
        name = frame.f_code.co_filename
        where = "candidate" if name == CANDIDATE else "check" if name.startswith(_CHECK) else "cell"
        function = texts.cut_end(texts.plain(frame.f_code.co_name), 200)
        samples, names = self._context_values == "samples", describe.names_of_frame(frame, self._shell)
        shown = functools.partial(describe.safe_repr, limit=300) if samples else None
        found = [describe.local_variable(name, frame.f_locals[name], shown) for name in names]
        return {"function": function, "where": where, "line": line, "locals": found}


def _message(error: BaseException) -> str:
    try:
        if isinstance(error, SyntaxError) and error.filename == CANDIDATE:
            # Its text names the file and the line, which the reply has as candidateLine.
            return str(error.msg)
        return str(error) + similar.did_you_mean(error)
    except Exception as failure:
        return f"(its message could not be created: {type(failure).__name__})"


def _user_part(trace: types.TracebackType | None) -> types.TracebackType | None:
    """The traceback without the harness's frames at its start."""
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_OWN):
        trace = trace.tb_next
    return trace


def _candidate_line(error: BaseException, trace: types.TracebackType | None) -> int | None:
    lines = [line for frame, line in traceback.walk_tb(trace) if frame.f_code.co_filename == CANDIDATE]
    if lines:
        return lines[-1]
    return error.lineno if isinstance(error, SyntaxError) and error.filename == CANDIDATE else None


def warm_up() -> None:
    """Format one throw-away traceback, so that each failing attempt need not import for it."""
    try:
        raise ValueError("warm up")
    except ValueError:
        "".join(traceback.TracebackException(*sys.exc_info(), compact=True).format())
