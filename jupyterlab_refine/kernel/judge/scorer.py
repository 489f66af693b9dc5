"""Runs the scorer cell in the judge, after the visible checks and before the hold-outs: one exact number."""

from __future__ import annotations

import ast
import builtins
import contextlib
import inspect
import math
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

from .. import texts
from ..attempt.outcome import confirmation
from ..child import running
from ..child.tracebacks import ErrorFormatter
from ..source import names
from ..source.names import ipython_source
from ..values import describe
from . import judging
from .exchange import stubs
from .exchange.peer import Unconfirmable

FILE = "<scorer>"
#: Names in which the scorer cell describes itself; a candidate that binds them has no effect.
_OWN = ("score", "goal", "name", "unit")
_LIMIT = 60
_COMMENT_LIMIT = 2000
_RAISED = "raised by the candidate's code when the scorer called it"
#: Modules that measure the process in which they are called.
_OF_PROCESS = set("tracemalloc resource psutil time timeit perf_counter process_time getsizeof gc".split())


class _Wrong(Exception):
    """The scorer's value is invalid; the message is a sentence."""


class _Broken(_Wrong):
    """The scorer itself is invalid, whatever the candidate is."""


class _Names(dict[str, Any]):
    def __missing__(self, name: object) -> Any:
        raise KeyError(f"{name}: not defined after the candidate ran")


async def judge(
    cell: dict[str, Any], data: list[str], confirmation_: judging.Judging, shell: Any
) -> dict[str, Any]:
    """The ``ScorerResult`` (TypeScript); never raises for what the scorer does.

    :param data: names of hidden data.
    """
    reply: dict[str, Any] = {"value": None, "goal": "max", "name": "score"}
    text = ipython_source(cell["source"])
    missing = [name for name in data if name not in shell.user_ns]
    try:
        reply |= confirmation(await _measure(text, data, confirmation_, shell, reply))
    except _Wrong as wrong:
        if isinstance(wrong, _Broken):
            reply["broken"] = str(wrong)
        reply["error"] = {"name": "ScorerError", "message": str(wrong), "traceback": str(wrong)}
    except BaseException as error:
        # No locals: they may hold hidden data.
        reply["error"] = ErrorFormatter(shell, "none").to_reply(error)
        reply["error"].pop("candidateLine", None)
        if stubs.is_from_worker(error) and data:
            # The candidate has seen hidden data as arguments.
            name = type(error).__name__ if type(error).__module__ == "builtins" else "Error"
            reply["error"] = {"name": name, "message": _RAISED, "traceback": _RAISED}
    if "error" in reply and missing:
        absent = "; ".join(f"{name} is not there: the kernel has no such name" for name in missing)
        reply["error"]["message"] += f" ({absent})"
        if _words(text).intersection(missing):
            reply["broken"] = absent
    return reply


def _words(text: str) -> set[str]:
    return set().union(*map(names.words, names.trees([text])))


async def _measure(
    text: str, data: list[str], confirmation_: judging.Judging, shell: Any, reply: dict[str, Any]
) -> str | None:
    """Fill in the reply; returns why the value is not confirmed, None when it is."""
    words = _words(text)
    # Separate from the user's namespace: the names that the user's functions read stay as they were.
    namespace = {**shell.user_ns, **confirmation_.values(words)}
    space = {name: value for name, value in namespace.items() if name not in _OWN}
    space["__builtins__"] = builtins
    await _define(text, space, shell)
    _describe(space, reply)
    function = _checked(space.get("score"))
    judge = confirmation_.judge
    judge.forget_reasons()
    why = next((f"the scorer uses {word}" for word in sorted(words & _OF_PROCESS) if not data), "")
    given_names = _Names({name: value for name, value in namespace.items() if not name.startswith("_")})
    try:
        if not why:
            given = function(given_names)
            _take(reply, await given if inspect.isawaitable(given) else given)
    except _Wrong:
        raise
    except BaseException as error:
        if not (judge.problems or judge.opaque_types or isinstance(error, Unconfirmable)):
            raise
        kind = judge.opaque_types[0] if judge.opaque_types else ""
        why = judge.problems[0] if judge.problems else f"it needs an object of type {kind} itself"
        if data:
            # Hidden data never goes to the candidate's process.
            raise _Wrong(f"the score cannot be measured while data is hidden: {why}") from error
    if why:
        _take(reply, judge.ask("measure", text), comments=False)
        return f"measured in the candidate's own process: {why}"
    found = [*judge.problems, *confirmation_.changes(words), *judge.notes]
    return found[0] if found else None


async def _define(text: str, space: dict[str, Any], shell: Any) -> None:
    try:
        flags = running.flags(shell)
        code = compile(ast.parse(text, FILE), FILE, "exec", flags, True, 0)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise _Broken(f"SyntaxError: the scorer cell cannot be compiled: {error}") from error
    if code.co_flags & inspect.CO_COROUTINE:
        await eval(code, space)
    else:
        exec(code, space)


def _take(reply: dict[str, Any], given: Any, comments: bool = True) -> None:
    """:param comments: whether a comment is the scorer's own, not a text from the candidate's process."""
    comment = None
    if type(given) is tuple and len(given) == 2:
        given, comment = given
    if comments and comment is not None:
        reply["comment"] = texts.cut_end(texts.plain(str(comment)), _COMMENT_LIMIT)
    reply["value"] = exact(given)


def _describe(space: dict[str, Any], reply: dict[str, Any]) -> None:
    goal = space.get("goal", "max")
    if goal not in ("min", "max"):
        raise _Broken(f'goal must be "min" or "max", not {describe.safe_repr(goal, _LIMIT)}')
    reply["goal"] = goal
    for key in ("name", "unit"):
        if text := texts.plain(str(space.get(key) or "").strip()):
            reply[key] = texts.cut_end(text, _LIMIT)


def _checked(score: Any) -> Any:
    """The function ``score``, if it takes one argument."""
    if not callable(score):
        raise _Broken("the scorer cell defines no function score(ns)")
    # Of some nothing is known.
    with contextlib.suppress(ValueError):
        try:
            inspect.signature(score).bind({})
        except TypeError as error:
            takes = "score() must take one argument, the names of the notebook after the candidate"
            raise _Broken(f"{takes}: def score(ns)") from error
    return score


def exact(value: Any) -> float:
    """The number itself; no method of a class that is not the interpreter's or numpy's is called.

    :raises _Wrong: for anything else, and for what is not finite.
    """
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None and type(value) is numpy.ndarray:
        # Of one without dimensions the number in it, of others the array.
        value = value[()]
    of_numpy = () if numpy is None else (numpy.bool_, numpy.integer, numpy.floating)
    is_numpys = isinstance(value, of_numpy) and type(value).__module__ == "numpy"
    if type(value) not in (int, float, bool, Decimal, Fraction) and not is_numpys:
        kind = "None" if value is None else f"a value of type {describe.type_name(value)}"
        raise _Wrong(f"score() returned {kind}, not a plain number")
    try:
        number = float(value)
    except (OverflowError, ValueError):
        # It is too large, or a signalling NaN of `decimal`.
        number = math.nan
    if not math.isfinite(number):
        raise _Wrong(f"score() returned {number}, or a number too large for a float")
    return number
