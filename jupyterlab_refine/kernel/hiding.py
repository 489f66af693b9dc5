"""Makes a child forget check cells that the user has run before: history, line cache, results.

What to forget is told by keyed digests, so that a child that waits for its
candidate never holds the sources themselves.
"""

from __future__ import annotations

import gc
import hashlib
import linecache
import os
import secrets
import sys
from collections.abc import Iterable
from typing import Any

from IPython.core import interactiveshell

from . import statements
from .forget import overwrite_text

#: Shorter lines are met in any cell.
_MIN_LENGTH = 10


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
        "key": key.hex(),
        "lengths": sorted({len(text) for text in wanted}),
        "digests": sorted(_digest(key, text) for text in wanted),
    }


class _Known:
    """Tells the texts that hold a hidden cell, or one of its asserts."""

    def __init__(self, told: dict[str, Any]) -> None:
        self._key = bytes.fromhex(told["key"])
        self._lengths = set(told["lengths"])
        self._digests = set(told["digests"])

    def holds(self, text: Any) -> bool:
        if not isinstance(text, str) or not self._digests:
            return False
        return self._is(text) or any(self._is(line) for line in text.splitlines())

    def _is(self, text: str) -> bool:
        text = text.strip()
        return len(text) in self._lengths and _digest(self._key, text) in self._digests


def hide(told: dict[str, Any], names: Iterable[str], shell: Any) -> None:
    """In the child, before the candidate: forget those cells and remove ``names`` from the namespace.

    :param told: what :func:`marks` gave.
    """
    known = _Known(told)
    namespace = shell.user_ns
    for name in names:
        namespace.pop(name, None)
    hidden_files = _hide_lines(known)
    found = _hide_history(known, shell)
    _hide_error(hidden_files)
    _hide_variables(known, namespace)
    _hide_kernel(known, shell)
    if found or hidden_files:
        _hide_shown_errors(shell)
        _hide_executions(known)


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
                _blank(inputs[number])
                inputs[number] = ""
        for kept in ("output_hist", "output_hist_reprs", "outputs", "exceptions"):
            values = getattr(history, kept, None)
            if isinstance(values, dict):
                values.pop(number, None)
        for name in (f"_i{number}", f"_{number}"):
            shell.user_ns.pop(name, None)
    for name in ("_i00", "_i", "_ii", "_iii"):
        if known.holds(getattr(history, name, None)):
            setattr(history, name, "")
    return bool(numbers)


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
                for line in lines:
                    _blank(line)
    return hidden


def _hide_error(files: set[str]) -> None:
    """The last error, when it was raised in a hidden cell: its frames lead to the cell's code."""
    trace = getattr(sys, "last_traceback", None)
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in files:
            for name in ("last_type", "last_value", "last_traceback", "last_exc"):
                if hasattr(sys, name):
                    delattr(sys, name)
            return
        trace = trace.tb_next


def _hide_shown_errors(shell: Any) -> None:
    """What was kept to show errors: texts, frames, and the sources that they were shown from."""
    shell._last_traceback = None
    for shower in (getattr(shell, name, None) for name in ("InteractiveTB", "SyntaxTB", "sys_excepthook")):
        for name in ("tb", "etb", "evalue", "last_syntax_error"):
            if hasattr(shower, name):
                setattr(shower, name, None)
    for module, kind in (("executing.executing", "Source"), ("stack_data.core", "Source")):
        source = getattr(sys.modules.get(module), kind, None)
        for value in list(vars(source).values()) if source else []:
            if isinstance(value, dict):
                value.clear()


def _hide_variables(known: _Known, namespace: dict[str, Any]) -> None:
    """Texts in the namespace itself: ``_i``, ``_ii``, ``_i7``, or a copy that the user keeps."""
    for name, value in list(namespace.items()):
        if type(value) is str and known.holds(value):
            _blank(value)
            namespace[name] = ""


def _hide_kernel(known: _Known, shell: Any) -> None:
    """What the shell keeps of the last execution."""
    _hide_information(known, getattr(getattr(shell, "last_execution_result", None), "info", None))
    if known.holds(getattr(shell, "_last_input_line", None)):
        shell._last_input_line = ""


def _hide_executions(known: _Known) -> None:
    """Earlier ones, which errors keep alive. Looks at every object, without touching it."""
    kind = interactiveshell.ExecutionInfo
    gc.unfreeze()
    # Errors and frames of those cells, which nothing reaches any more.
    gc.collect()
    found = [thing for thing in gc.get_referrers(kind) if type(thing) is kind]
    gc.freeze()
    for information in found:
        _hide_information(known, information)


def _hide_information(known: _Known, information: Any) -> None:
    for name in ("raw_cell", "transformed_cell"):
        text = getattr(information, name, None)
        if known.holds(text):
            _blank(text)
            setattr(information, name, "")


def _blank(text: Any) -> None:
    """In place, for whoever else holds the same object."""
    if type(text) is str and len(text) >= _MIN_LENGTH and not text.isidentifier():
        overwrite_text(text)
