"""Remove the names of ``refine-hide``, and what leads to their values, from the child."""

from __future__ import annotations

import gc
import re
import sys
import types
from collections.abc import Iterable
from typing import Any

#: Types of shared or interned values, for which identity means nothing.
_PLAIN = (int, float, complex, str, bytes, type(None), type(...), range, types.ModuleType, type)
#: IPython's names for outputs.
_OUTPUT = re.compile(r"_{1,3}|_\d+")


def hide(names: Iterable[str], shell: Any) -> list[str]:
    """Remove the names, other names of the same objects, and outputs that show them.

    :returns: sentences for the user: what else was hidden, and ways that still lead to the data.
    """
    namespace = shell.user_ns
    for name in names:
        shell.user_ns_hidden.pop(name, None)
    values = {name: namespace.pop(name) for name in names if name in namespace}
    if not values:
        return []
    _clear_outputs(shell)
    wanted = {id(value): name for name, value in values.items() if not _is_plain(value)}
    warnings = []
    for other, value in list(namespace.items()):
        if id(value) in wanted:
            del namespace[other]
            warnings.append(f"{other} is the same object as {wanted[id(value)]}, so it is hidden as well")
    value = None
    if any(_is_held(values, name) for name in wanted.values()):
        forget_errors(shell)
        _collect()
        for other, value in list(namespace.items()):
            if not _is_plain(value):
                found = sorted(_names_within(value, wanted, namespace))
                warnings += [f"candidates can reach {name} through {other}: hide that too" for name in found]
    return list(dict.fromkeys(warnings))


def _is_plain(value: Any) -> bool:
    # By its type, not its `__class__`: a proxy whose object was deleted raises.
    return issubclass(type(value), _PLAIN)


def _is_held(values: dict[str, Any], name: str) -> bool:
    # By the dictionary, and by the call itself.
    return sys.getrefcount(values[name]) > 2


def _clear_outputs(shell: Any) -> None:
    """``Out``, ``_``, ``_7``, and printed text, which newer IPythons keep: each may show the data."""
    history = getattr(shell, "history_manager", None)
    kept = [getattr(history, name, None) for name in ("output_hist", "output_hist_reprs", "outputs")]
    for outputs in (shell.user_ns.get("_oh"), *kept):
        if isinstance(outputs, dict):
            outputs.clear()
    for namespace in (shell.user_ns, shell.user_ns_hidden):
        for name in filter(_OUTPUT.fullmatch, list(namespace)):
            namespace[name] = ""
    for name in ("_", "__", "___"):
        if hasattr(getattr(shell, "displayhook", None), name):
            setattr(shell.displayhook, name, None)


def forget_errors(shell: Any) -> None:
    """The frames of the last errors may hold the values."""
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        if hasattr(sys, name):
            delattr(sys, name)
    shell._last_traceback = None
    for shower in (getattr(shell, name, None) for name in ("InteractiveTB", "SyntaxTB", "sys_excepthook")):
        for name in ("tb", "etb", "evalue", "last_syntax_error"):
            if hasattr(shower, name):
                setattr(shower, name, None)
    last = getattr(shell, "last_execution_result", None)
    for name in ("error_in_exec", "error_before_exec", "result"):
        if hasattr(last, name):
            setattr(last, name, None)


def _collect() -> None:
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _names_within(value: Any, wanted: dict[int, str], namespace: dict[str, Any]) -> set[str]:
    """Hidden names whose values it holds, itself or in parts of its parts."""
    parts, found = [value], set()
    for _ in range(3):
        # Not the names of the notebook, or of a function's module.
        opened = (
            p
            for p in parts
            if not (p is namespace or type(p) is dict and "__builtins__" in p or _is_plain(p))
        )
        parts = gc.get_referents(*opened)
        found |= {wanted[id(part)] for part in parts if id(part) in wanted}
    return found
