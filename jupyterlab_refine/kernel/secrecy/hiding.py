"""Remove from a child what its candidate may not see: check cells that the user has run, and hidden data.

The cells are in history, line cache and results. The kernel finds them while it hands the sources over to the
judge, which alone keeps them; the other processes get the names of what to remove.
"""

from __future__ import annotations

import ast
import gc
import linecache
import os
import re
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

from ..checks import statements
from ..source.names import ipython_source, trees

#: Types of shared or interned values, for which identity means nothing.
_PLAIN = (int, float, complex, str, bytes, type(None), type(...), range, types.ModuleType, type)
#: IPython's names for inputs and outputs.
_RECENT = re.compile(r"_{1,3}|_i{1,3}|_i?\d+")
#: Of its history: by number of the input.
_OUTPUTS = ("output_hist", "output_hist_reprs", "outputs", "exceptions")
#: Shorter lines occur in any cell.
_MIN_LENGTH = 10

#: For the user.
RAN = (
    "You ran a hold-out cell in this kernel: it was removed from the history, but traces of it can remain. "
    "Restart the kernel to hide it again."
)


def known(secrets: dict[str, Any], shell: Any) -> dict[str, Any]:
    """What the kernel may keep of the secrets of a job.

    ``hidden``: what the user's own run of these cells has left, for :func:`hide`; ``holdouts``: their
    statements, without text; ``scored``: whether there is a scorer.
    """
    holdouts = secrets.get("holdouts", [])
    scorer = [{"cellId": "", "role": "", **secrets["scorer"]}] if "scorer" in secrets else []
    names = {*secrets.get("hiddenNames", []), *(name for cell in scorer for name in _defined(cell))}
    left = sorted(names.intersection([*shell.user_ns, *shell.user_ns_hidden]))
    return {
        "hidden": {**_traces([*holdouts, *scorer], shell), "names": left},
        "holdouts": [{**one.to_reply(), "source": ""} for one in statements.checking(holdouts)],
        "scored": bool(scorer),
    }


def _defined(scorer: dict[str, Any]) -> list[str]:
    """Names of the functions and classes that a scorer cell defines."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [node.name for tree in trees([scorer["source"]]) for node in tree.body if isinstance(node, kinds)]


def _traces(cells: Iterable[dict[str, Any]], shell: Any) -> dict[str, Any]:
    """Whether inputs, and which files of the line cache, have such a cell or one of its asserts."""
    wanted = {text for cell in cells for text in _texts(cell) if len(text) >= _MIN_LENGTH}
    if not wanted:
        return {"ran": False, "files": []}

    def holds(text: str) -> bool:
        """Also where only a part of a cell is held out, between ``BEGIN HIDDEN TESTS`` and its end."""
        lines = (line.strip() for line in text.splitlines())
        return any(line in wanted for line in lines) or any(one in text for one in wanted if "\n" in one)

    files = [
        name
        for cache in _line_caches()
        for name, entry in list(cache.items())
        # Of real files the user's own copy stays: what is in it is no secret of a cell.
        if len(entry) > 2 and (entry[1] is None or not os.path.exists(name)) and holds("".join(entry[2]))
    ]
    history = shell.history_manager
    inputs = [*history.input_hist_raw, *history.input_hist_parsed]
    return {"ran": bool(files) or any(map(holds, inputs)), "files": files}


def hide(left: dict[str, Any], shell: Any) -> bool:
    """In an attempt, before the candidate: remove those cells, and the names that they alone define.

    Where the user ran one of them, all of ``In``, ``Out`` and history goes; what else refers to them stays.

    :param left: ``hidden`` of :func:`known`.
    :returns: whether the user ran one of them, and this process has had traces of it.
    """
    # The second lists names that are not the user's, and has their values too.
    for namespace in (shell.user_ns, shell.user_ns_hidden):
        for name in left["names"]:
            namespace.pop(name, None)
    texts = [cache.pop(name, None) for cache in _line_caches() for name in left["files"]]
    # A second kernel has no history, and of the files those of the functions that were copied.
    if not left["ran"] or not (any(texts) or any(shell.history_manager.input_hist_raw)):
        return False
    _clear_history(shell)
    forget_errors(shell)
    return True


def _texts(cell: dict[str, Any]) -> Iterator[str]:
    """Texts that identify such a cell: all of it, one of its checks, or a line of one."""
    yield cell["source"].strip()
    yield ipython_source(cell["source"]).strip()
    for statement in statements.split(cell):
        if statement.checks:
            yield statement.source.strip()
            yield from filter(re.compile("assert").match, map(str.strip, statement.source.splitlines()))


def _line_caches() -> list[dict[str, Any]]:
    return [linecache.cache, getattr(linecache, "_ipython_cache", {})]


# -- the names of ``refine-hide``


def hide_data(names: Iterable[str], shell: Any) -> list[str]:
    """Remove the names, other names of the same objects, and outputs that show them.

    :returns: sentences for the user: what else was hidden.
    """
    namespace = shell.user_ns
    for name in names:
        shell.user_ns_hidden.pop(name, None)
    values = {name: namespace.pop(name) for name in names if name in namespace}
    if not values:
        return []
    _clear_history(shell)
    # By its type, not its `__class__`: a proxy whose object was deleted raises.
    wanted = {id(value): name for name, value in values.items() if not issubclass(type(value), _PLAIN)}
    others = {name: wanted[id(value)] for name, value in namespace.items() if id(value) in wanted}
    for name in others:
        del namespace[name]
    # By the dictionary, and by the call itself.
    if any(sys.getrefcount(values[name]) > 2 for name in wanted.values()):
        forget_errors(shell)
        gc.unfreeze()
        gc.collect()
        gc.freeze()
    return [f"{name} is the same object as {same}, so it is hidden as well" for name, same in others.items()]


def _clear_history(shell: Any) -> None:
    """``In``, ``Out``, ``_``, ``_i7``, and printed text, which newer IPythons keep: any may show it."""
    history = getattr(shell, "history_manager", None)
    for name in ("input_hist_raw", "input_hist_parsed"):
        inputs = getattr(history, name, [])
        inputs[:] = [""] * len(inputs)
    kept = [getattr(history, name, None) for name in _OUTPUTS]
    for outputs in (shell.user_ns.get("_oh"), *kept):
        if isinstance(outputs, dict):
            outputs.clear()
    for namespace in (shell.user_ns, shell.user_ns_hidden):
        for name in filter(_RECENT.fullmatch, list(namespace)):
            namespace[name] = ""
    for owner in (getattr(shell, "displayhook", None), history):
        _set(owner, ("_", "__", "___", "_i00", "_i", "_ii", "_iii"), "")


def forget_errors(shell: Any) -> None:
    """The frames of the last errors may hold the values."""
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        if hasattr(sys, name):
            delattr(sys, name)
    shell._last_traceback = None
    for shower in (getattr(shell, name, None) for name in ("InteractiveTB", "SyntaxTB", "sys_excepthook")):
        _set(shower, ("tb", "etb", "evalue", "last_syntax_error"), None)
    last = getattr(shell, "last_execution_result", None)
    _set(last, ("error_in_exec", "error_before_exec", "result"), None)


def _set(owner: Any, names: Iterable[str], value: Any) -> None:
    """Those of the attributes that it has."""
    for name in names:
        if hasattr(owner, name):
            setattr(owner, name, value)
