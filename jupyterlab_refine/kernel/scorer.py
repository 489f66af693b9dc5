"""In the child, after all checks held: runs the scorer cell and turns what it gives into one exact number."""

from __future__ import annotations

import ast
import binascii
import builtins
import inspect
import io
import json
import marshal
import math
import pickle
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from . import describe, texts
from .operands import Looker
from .running import remember
from .tracebacks import Teller

FILE = "<scorer>"
#: What the cell says of itself; a candidate that binds them says nothing.
_OWN = ("score", "goal", "name", "unit")
_LIMIT = 60
_COMMENT_LIMIT = 2000
_LENGTH_BYTES = 4

# As they were before the candidate.
_decode, _unpickler = json.JSONDecoder().decode, pickle.Unpickler
_load, _bytes = marshal.loads, binascii.a2b_base64


#: How the kernel says so of the scorer's cell; other errors may be a matter of what the candidate makes.
NOT_COMPILED = "the scorer cell cannot be compiled"


class _Wrong(Exception):
    """What is wrong with what the scorer gave, as a sentence."""


class _Broken(_Wrong):
    """What is wrong with the scorer itself, whatever the candidate is."""


class _Names(dict[str, Any]):
    def __missing__(self, name: object) -> Any:
        raise KeyError(f"{name}: the notebook has no such name after the candidate")


async def measure(
    cell: dict[str, Any], hidden: dict[str, Any], missing: dict[str, str], shell: Any, looker: Looker
) -> dict[str, Any]:
    """The ``ScorerResult`` (TypeScript); never raises for what the scorer does.

    :param cell: its ``text``, and its ``code`` from the kernel: what compiles here may be patched.
    :param hidden: the hidden data, which only the scorer sees.
    :param missing: names of hidden data that could not come over, with reasons.
    """
    told: dict[str, Any] = {"value": None, "goal": "max", "name": "score"}
    try:
        await _measure(cell, hidden, told, shell, looker)
    except _Wrong as wrong:
        if isinstance(wrong, _Broken):
            told["broken"] = str(wrong)
        told["error"] = {"name": "ScorerError", "message": str(wrong), "traceback": str(wrong)}
    except BaseException as error:
        # No locals: they may hold hidden data.
        told["error"] = Teller(shell, "none").tell(error)
        told["error"].pop("candidateLine", None)
        if isinstance(error, SyntaxError) and NOT_COMPILED in str(error):
            told["broken"] = texts.cut_end(texts.plain(f"SyntaxError: {error}"), 300)
    if "error" in told and missing:
        told["error"]["message"] += f" ({_absent(missing)})"
        read = _reads(cell["text"])
        if needed := {name: reason for name, reason in missing.items() if name in read}:
            told["broken"] = _absent(needed)
    return told


def _absent(missing: dict[str, str]) -> str:
    return "; ".join(f"{name} is not there: {reason}" for name, reason in missing.items())


def _reads(text: str) -> set[Any]:
    """Names that the scorer reads, also as ``ns["name"]``."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return set()
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    keys = {
        node.slice.value
        for node in nodes
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
    }
    return names | keys


async def _measure(
    cell: dict[str, Any], hidden: dict[str, Any], told: dict[str, Any], shell: Any, looker: Looker
) -> None:
    remember(FILE, cell["text"])
    code = _load(_bytes(cell["code"]))
    space = {name: value for name, value in shell.user_ns.items() if name not in _OWN}
    space.update(hidden)
    space["__builtins__"] = builtins
    setattr(builtins, looker.name, looker)
    if code.co_flags & inspect.CO_COROUTINE:
        await eval(code, space)
    else:
        exec(code, space)
    _describe(space, told)
    names = _Names({name: value for name, value in shell.user_ns.items() if not name.startswith("_")})
    names.update(hidden)
    given = await _call(space.get("score"), names)
    if type(given) is tuple and len(given) == 2:
        given, comment = given
        told["comment"] = texts.cut_end(texts.plain(str(comment)), _COMMENT_LIMIT)
    told["value"] = exact(given)


def _describe(space: dict[str, Any], told: dict[str, Any]) -> None:
    goal = space.get("goal", "max")
    if type(goal) is not str or goal not in ("min", "max"):
        raise _Broken(f'goal must be "min" or "max", not {describe.safe_repr(goal, _LIMIT)}')
    told["goal"] = goal
    for key in ("name", "unit"):
        value = space.get(key)
        if value is None:
            continue
        if type(value) is not str:
            raise _Broken(f"{key} of the scorer must be a text, not {describe.safe_repr(value, _LIMIT)}")
        if value.strip():
            told[key] = texts.cut_end(texts.plain(value.strip()), _LIMIT)


async def _call(score: Any, names: dict[str, Any]) -> Any:
    if score is None:
        raise _Broken("the scorer cell defines no function score(ns)")
    if not callable(score):
        raise _Broken(f"score must be a function, not {_kind(score)}: def score(ns)")
    try:
        inspect.signature(score).bind(names)
    except TypeError as error:
        raise _Broken(
            "score() must take one argument, the names of the notebook after the candidate: def score(ns)"
        ) from error
    except ValueError:
        # Nothing is known of its arguments.
        pass
    given = score(names)
    return await given if inspect.isawaitable(given) else given


def exact(value: Any) -> float:
    """The number itself; no method of a class that is not the interpreter's or numpy's is called.

    :raises _Wrong: for anything else, and for what is not finite.
    """
    try:
        number = _exact(value)
    except OverflowError as error:
        raise _Wrong("score() returned a number too large for a float") from error
    if not math.isfinite(number):
        raise _Wrong(f"score() returned {number}")
    return number


def _exact(value: Any) -> float:
    kind = type(value)
    if kind in (int, float, bool):
        return float(value)
    if kind is Decimal:
        return float(value) if not value.is_snan() else math.nan
    if kind is Fraction:
        above, below = value._numerator, value._denominator  # type: ignore[attr-defined]
        if type(above) is int and type(below) is int and below:
            return above / below
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        if kind is numpy.ndarray:
            # Of one without dimensions the number in it, of others the array.
            value = value[()]
            kind = type(value)
        if kind in _numpy_kinds(numpy):
            return float(value.item())
        if kind is numpy.ndarray:
            raise _Wrong(f"score() returned an array of shape {value.shape}, not a number")
    if value is None:
        raise _Wrong("score() returned None, not a number: is there a return?")
    if kind is str:
        raise _Wrong(f"score() returned the text {describe.safe_repr(value, _LIMIT)}, not a number")
    raise _Wrong(f"score() returned {_kind(value)}, not a plain number")


def _numpy_kinds(numpy: Any) -> set[type]:
    """numpy's own real scalars."""
    return {numpy.dtype(code).type for code in "?bBhHiIlLqQefdg"}


def _kind(value: Any) -> str:
    return f"a value of type {describe.type_name(value)}"


def receive(read: Callable[[int], bytes], wanted: list[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Values of hidden data as they come over the pipe, and reasons why others do not."""
    values: dict[str, Any] = {}
    missing: dict[str, str] = {}
    stream = io.BufferedReader(_Unframed(read), 1 << 16)
    while line := stream.readline():
        told = _decode(line.decode())
        name = told["name"]
        if "reason" in told:
            missing[name] = told["reason"]
            continue
        part = _Part(stream, told["size"])
        try:
            values[name] = _unpickler(part).load()
        except BaseException as error:
            missing[name] = texts.cut_end(texts.plain(f"{type(error).__name__}: {error}"), 300)
        part.skip()
    for name in wanted:
        if name not in values:
            missing.setdefault(name, "the kernel ended while it was copied")
    return values, missing


class _Unframed(io.RawIOBase):
    """The data within the chunks of :mod:`vault`."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._left = 0
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._left and not self._ended:
            self._left = int.from_bytes(self._read(_LENGTH_BYTES), "big")
            self._ended = not self._left
        size = min(len(buffer), self._left)
        buffer[:size] = self._read(size)
        self._left -= size
        return size


class _Part:
    """The next bytes of a stream as a file for pickle."""

    def __init__(self, stream: io.BufferedReader, size: int) -> None:
        self._stream = stream
        self._left = size

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data

    def readline(self) -> bytes:
        data = self._stream.readline(self._left)
        self._left -= len(data)
        return data

    def readinto(self, buffer: Any) -> int:
        size = self._stream.readinto(memoryview(buffer)[: self._left])
        self._left -= size
        return size

    def skip(self) -> None:
        while self.read(1 << 16):
            pass
