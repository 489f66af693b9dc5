"""Errors as text: which frames of a syntax error are reported."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any

import pytest

from jupyterlab_refine.kernel.child.tracebacks import CANDIDATE, ErrorFormatter

SHELL = SimpleNamespace(compile=SimpleNamespace(_filename_map={}), user_ns={})


def traceback_of(work: Any) -> str:
    with pytest.raises(Exception) as caught:
        work()
    return str(ErrorFormatter(SHELL, "types").to_reply(caught.value)["traceback"])


def test_a_syntax_error_has_no_frame_of_the_parser() -> None:
    text = traceback_of(lambda: ast.parse("def f(n:\n    return n", CANDIDATE))
    assert "ast.py" not in text
    assert f'File "{CANDIDATE}", line 1\n    def f(n:\n' in text


def test_a_syntax_error_names_its_line_once() -> None:
    with pytest.raises(SyntaxError) as caught:
        ast.parse("def f(n:\n    return n", CANDIDATE)
    reply = ErrorFormatter(SHELL, "types").to_reply(caught.value)
    assert (reply["message"], reply["candidateLine"]) == ("'(' was never closed", 1)


def test_a_syntax_error_in_a_call_keeps_the_call() -> None:
    space = {"ast": ast}
    candidate = compile("def f():\n    return ast.literal_eval('[1')", CANDIDATE, "exec")
    exec(candidate, space)
    text = traceback_of(space["f"])
    assert f'File "{CANDIDATE}", line 2, in f' in text


def test_another_error_keeps_the_frames_of_a_library() -> None:
    assert "decoder.py" in traceback_of(lambda: __import__("json").loads("["))
