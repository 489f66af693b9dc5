"""Makes a child forget check cells that the user has run before: history, line cache, results.

What to forget is told by keyed digests, so that a child that waits for its
candidate never holds the sources themselves.
"""

from __future__ import annotations

import hashlib
import linecache
import os
import secrets
import sys
from collections.abc import Iterable
from typing import Any

from . import statements

#: Shorter lines are met in any cell.
_MIN_LENGTH = 10
_WORD = "assert"

#: For the user.
RAN = (
    "You ran a hold-out cell in this kernel: it was removed from the history, but traces of it can remain. "
    "Restart the kernel to hide it again."
)


def _digest(key: bytes, text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=key, digest_size=16).hexdigest()


def marks(cells: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """In the kernel: by what a child knows the cells, whole or one of their asserts, without reading them."""
    key = secrets.token_bytes(16)
    wanted: set[str] = set()
    for cell in cells:
        wanted |= {cell["source"].strip(), statements.python_source(cell["source"]).strip()}
        for statement in statements.split(cell):
            if statement.checks:
                lines = [line.strip() for line in statement.source.splitlines()]
                wanted |= {line for line in lines if len(lines) == 1 or line.startswith("assert")}
    wanted = {text for text in wanted if len(text) >= _MIN_LENGTH}
    return {
        # All that Python's own texts need be searched for: most hold-outs assert.
        "word": _WORD if all(_WORD in text for text in wanted) else "",
        "key": key.hex(),
        "lengths": sorted({len(text) for text in wanted}),
        "digests": sorted(_digest(key, text) for text in wanted),
    }


class _Known:
    """Tells the texts that hold a hidden cell, or one of its asserts."""

    def __init__(self, told: dict[str, Any]) -> None:
        self._key = bytes.fromhex(told["key"])
        #: What may be left out at a glance: lines without the word, texts of other lengths.
        self.word: str = told["word"]
        self.lengths = set(told["lengths"])
        self._digests = set(told["digests"])

    def holds(self, text: Any) -> bool:
        # Its type, not its `__class__`: a mock names any, and a dead proxy raises.
        if not issubclass(type(text), str) or not self._digests:
            return False
        # The characters themselves, whatever methods a class of the user's has.
        text = str.__str__(text)
        if self._is(text):
            return True
        return self.word in text and any(self._is(line) for line in text.splitlines())

    def _is(self, text: str) -> bool:
        if text[:1].isspace() or text[-1:].isspace():
            text = text.strip()
        return len(text) in self.lengths and _digest(self._key, text) in self._digests


def hide(told: dict[str, Any], names: Iterable[str], shell: Any) -> bool:
    """In an attempt, before the candidate: forget those cells and remove ``names`` from the namespace.

    Clears ``In``, ``Out``, history and line cache; whatever else refers to them stays.

    :param told: what :func:`marks` gave.
    :returns: whether the user ran one of them in this kernel.
    """
    known = _Known(told)
    for namespace in _namespaces(shell):
        for name in names:
            namespace.pop(name, None)
    hidden_files = _hide_lines(known)
    found = _hide_history(known, shell)
    _hide_variables(known, shell.user_ns)
    if hidden_files:
        for name in ("last_type", "last_value", "last_traceback", "last_exc"):
            if hasattr(sys, name):
                delattr(sys, name)
        shell._last_traceback = None
    return found or bool(hidden_files)


def _namespaces(shell: Any) -> list[dict[str, Any]]:
    """The user's, and the one that tells which of its names are not the user's; it keeps their values too."""
    return [shell.user_ns, shell.user_ns_hidden]


def _hide_history(known: _Known, shell: Any) -> bool:
    """Inputs, and the outputs of the same cells; whether there were any."""
    history = getattr(shell, "history_manager", None)
    if history is None:
        return False
    numbers = set()
    for inputs in (history.input_hist_raw, history.input_hist_parsed):
        for number, text in enumerate(inputs):
            if known.holds(text):
                numbers.add(number)
    for number in numbers:
        for inputs in (history.input_hist_raw, history.input_hist_parsed):
            if number < len(inputs):
                inputs[number] = ""
        _hide_last_outputs(history.output_hist.get(number), shell)
        for kept in ("output_hist", "output_hist_reprs", "outputs", "exceptions"):
            values = getattr(history, kept, None)
            if isinstance(values, dict):
                values.pop(number, None)
        for namespace in _namespaces(shell):
            for name in (f"_i{number}", f"_{number}"):
                namespace.pop(name, None)
    for name in ("_i00", "_i", "_ii", "_iii"):
        if known.holds(getattr(history, name, None)):
            setattr(history, name, "")
    return bool(numbers)


def _hide_last_outputs(output: Any, shell: Any) -> None:
    """``_``, ``__`` and ``___``, where they are the output of a hidden cell."""
    if output is None:
        return
    for name in ("_", "__", "___"):
        for namespace in _namespaces(shell):
            if namespace.get(name) is output:
                namespace[name] = ""
        if getattr(shell.displayhook, name, None) is output:
            setattr(shell.displayhook, name, "")


def _hide_lines(known: _Known) -> set[str]:
    """Forget sources kept for tracebacks; returns the names of those files."""
    hidden: set[str] = set()
    for cache in (linecache.cache, getattr(linecache, "_ipython_cache", {})):
        for name, entry in list(cache.items()):
            # Of real files the user's own copy stays: what is in it is no secret of a cell.
            if len(entry) < 3 or (entry[1] is not None and os.path.exists(name)):
                continue
            lines = entry[2]
            if any(known.holds(line) for line in lines) or known.holds("".join(lines)):
                hidden.add(name)
                del cache[name]
    return hidden


def _hide_variables(known: _Known, namespace: dict[str, Any]) -> None:
    """Texts in the namespace itself: ``_i``, ``_ii``, ``_i7``, or a copy that the user keeps."""
    for name, value in list(namespace.items()):
        if known.holds(value):
            namespace[name] = ""
