"""In the child, before the candidate: the names of ``refine-hide`` and what leads to their values go away."""

from __future__ import annotations

import gc
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

from . import describe

#: Shared by the interpreter, or equal wherever they are written: nothing to be told by identity.
_PLAIN = (int, float, complex, bool, str, bytes, type(None), type(...), range, types.ModuleType, type)
_DEPTH = 5
_NODES = 5000


def hide(names: Iterable[str], shell: Any) -> list[str]:
    """Remove the names, other names of the same objects, and outputs that show them.

    :returns: sentences on what a candidate sees of them all the same, or also does not see any more.
    """
    namespace = shell.user_ns
    for name in names:
        shell.user_ns_hidden.pop(name, None)
    values = {name: namespace.pop(name) for name in names if name in namespace}
    wanted = {id(value): name for name, value in values.items() if not isinstance(value, _PLAIN)}
    if not wanted:
        return []
    told = []
    for other, value in list(namespace.items()):
        if id(value) in wanted:
            if _is_shells(other):
                namespace[other] = ""
            else:
                del namespace[other]
                told.append(f"{other} is the same object as {wanted[id(value)]}, so it is hidden as well")
    value = None
    memory = {name: _memory(value) for name, value in values.items()}
    _hide_outputs(shell, wanted, memory)
    for other, value in namespace.items():
        if not _is_shells(other):
            told += [
                f"{name} shares its memory with {other}, which candidates see: hide that too, or hide a copy"
                for name, roots in memory.items()
                if roots & _memory(value)
            ]
    value = None
    if any(_is_held(values, name) for name in wanted.values()):
        _forget_errors(shell)
        told += [
            f"candidates can reach {name} through {other}: hide that too"
            for name, other in _reached(wanted, namespace)
        ]
    return list(dict.fromkeys(told))


def _is_shells(name: str) -> bool:
    return name.startswith("_") or name in ("In", "Out")


def _is_held(values: dict[str, Any], name: str) -> bool:
    # By the dictionary, and by the call itself.
    return sys.getrefcount(values[name]) > 2


def _memory(value: Any) -> set[int]:
    """Ids of the objects that own the memory of an array, a frame or a column."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return set()
    arrays: list[Any] = []
    if isinstance(value, numpy.ndarray):
        arrays = [value]
    elif any(describe.is_from(value, "pandas", name) for name in ("DataFrame", "Series", "Index")):
        try:
            manager = getattr(value, "_mgr", None)
            arrays = list(manager.arrays) if manager is not None else [value.array]
        except Exception:
            return set()
    return {id(_root(array, numpy)) for array in arrays}


def _root(array: Any, numpy: Any) -> Any:
    """The object whose memory it is; arrays of pandas wrap one of numpy's."""
    inner = getattr(array, "_ndarray", array)
    while isinstance(inner, numpy.ndarray) and inner.base is not None:
        inner = inner.base
    return inner


def _hide_outputs(shell: Any, wanted: dict[int, str], memory: dict[str, set[int]]) -> None:
    """``Out``, ``_``, ``_7``: the objects themselves, and those on the same memory (``X_test[:5]``)."""
    roots = set().union(*memory.values())
    outputs = shell.user_ns.get("_oh")
    found = [
        number
        for number, value in (outputs.items() if isinstance(outputs, dict) else ())
        if id(value) in wanted or roots & _memory(value)
    ]
    history = getattr(shell, "history_manager", None)
    for number in found:
        for kept in ("output_hist", "output_hist_reprs", "outputs"):
            values = getattr(history, kept, None)
            if isinstance(values, dict):
                values.pop(number, None)
        outputs.pop(number, None)
    for namespace in (shell.user_ns, shell.user_ns_hidden):
        for name in [name for name in namespace if name.startswith("_")]:
            value = namespace[name]
            if id(value) in wanted or roots & _memory(value):
                namespace[name] = ""
    hook = getattr(shell, "displayhook", None)
    for name in ("_", "__", "___"):
        if hasattr(hook, name):
            setattr(hook, name, None)


def _forget_errors(shell: Any) -> None:
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
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _reached(wanted: dict[int, str], namespace: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Pairs of a hidden name and one of the user's through which its value is found."""
    for other, value in list(namespace.items()):
        if _is_shells(other) or isinstance(value, _PLAIN):
            continue
        seen: set[int] = set()
        level = [value]
        for _ in range(_DEPTH):
            following = []
            for thing in level:
                for inner in gc.get_referents(thing):
                    if id(inner) in wanted:
                        yield wanted[id(inner)], other
                    if id(inner) not in seen and len(seen) < _NODES and _is_open(inner, namespace):
                        seen.add(id(inner))
                        following.append(inner)
            level = following


def _is_open(thing: Any, namespace: dict[str, Any]) -> bool:
    """Whether to look into it: not into modules, types, or the names of one."""
    if thing is namespace or isinstance(thing, _PLAIN):
        return False
    return not (type(thing) is dict and "__builtins__" in thing)
