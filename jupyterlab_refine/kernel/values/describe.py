"""Describe values for reports: type, shape and short repr, bounded in size and in time."""

from __future__ import annotations

import reprlib
import signal
import threading
import types
from collections.abc import Callable
from typing import Any, TypeVar

from .. import texts
from ..secrecy import redact

Result = TypeVar("Result")

REPR_LIMIT = 1500
_LOCALS = 20
_REPR_SECONDS = 0.5
_AGAIN_SECONDS = 0.1

_short = reprlib.Repr()
_short.maxlevel = 4
_short.maxlist = _short.maxtuple = _short.maxset = _short.maxfrozenset = _short.maxdict = _short.maxdeque = 30
_short.maxstring = _short.maxother = _short.maxlong = REPR_LIMIT


class _Overdue(BaseException):
    """Not an Exception, so that no ``except Exception`` of the user's swallows it."""


def bounded(work: Callable[[], Result], default: Result, seconds: float = _REPR_SECONDS) -> Result:
    """``work()``, or ``default`` when it takes longer. Only in the child: it uses SIGALRM if there is one."""
    if threading.get_ident() != threading.main_thread().ident or not hasattr(signal, "SIGALRM"):
        return work()

    works = True

    def overdue(*_: object) -> None:
        if works:
            raise _Overdue

    handler = signal.signal(signal.SIGALRM, overdue)
    # More than once: a check that it ends has failed, and the next one may hang as well.
    remaining = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_SECONDS)[0]
    try:
        try:
            return work()
        finally:
            # On a busy machine the next one may come before the timer is stopped.
            works = False
    except _Overdue:
        return default
    finally:
        signal.setitimer(signal.ITIMER_REAL, remaining)
        signal.signal(signal.SIGALRM, handler)


def type_name(value: Any) -> str:
    """Qualified name of the type, without ``builtins.``: ``pandas.core.frame.DataFrame``."""
    kind = type(value)
    name = getattr(kind, "__qualname__", kind.__name__)
    module = getattr(kind, "__module__", None)
    return name if module in ("builtins", "__main__", None) else f"{module}.{name}"


def plain_repr(value: Any, limit: int) -> str:
    """``repr`` cut short where the type allows it before it is made."""
    if type(value) in (list, tuple, set, dict, frozenset):
        return _short.repr(value)
    if type(value) in (str, bytes) and len(value) > limit:
        return repr(value[:limit]) + "..."
    text = repr(value)
    return text if isinstance(text, str) else object.__repr__(value)


def safe_repr(value: Any, limit: int = REPR_LIMIT) -> str:
    """A repr that always returns: for one that raises or hangs, a note instead."""

    def work() -> str:
        try:
            return texts.cut_middle(texts.plain(plain_repr(value, limit)), limit)
        except _Overdue:
            raise
        except BaseException as error:
            return f"<repr raised {type(error).__name__}>"

    return bounded(work, f"<repr of {type_name(value)} took longer than {_REPR_SECONDS} s>")


def is_from(value: Any, library: str, name: str) -> bool:
    """Whether the value is an instance of ``library``'s class ``name``, without importing it."""
    return any(
        base.__name__ == name and str(base.__module__).split(".")[0] == library
        for base in type(value).__mro__
    )


def describe_shape(value: Any) -> str | None:
    """``(12, 3)`` of arrays and frames, ``12 items`` of containers."""
    try:
        shape = getattr(value, "shape", None)
    except Exception:
        return None
    if isinstance(shape, tuple) and all(isinstance(n, int) for n in shape):
        return str(tuple(map(int, shape)))
    if type(value) in (list, tuple, set, dict, frozenset):
        return f"{len(value)} item" if len(value) == 1 else f"{len(value)} items"
    return None


def describe_dtype(value: Any) -> str | None:
    """``float64`` of arrays and series."""
    if not (is_from(value, "numpy", "ndarray") or is_from(value, "pandas", "Series")):
        return None
    return bounded(lambda: texts.cut_end(str(value.dtype), 100), None)


def observed_value(expression: str, value: Any) -> dict[str, Any]:
    """One operand of a check, as the type ``ObservedValue`` of the TypeScript side."""
    name = expression.strip()
    fields: dict[str, Any] = {"expression": texts.cut_end(name, 300), "type": type_name(value)}
    if redact.is_secret_name(name) and isinstance(value, (str, bytes)):
        fields["repr"] = redact.MASK
        return fields
    fields["repr"] = safe_repr(value)
    for field, text in (("shape", describe_shape(value)), ("dtype", describe_dtype(value))):
        if text is not None:
            fields[field] = text
    return fields


def names_of_frame(frame: types.FrameType, shell: Any) -> list[str]:
    """Names of a frame's first variables that hold data; at the top level of a cell those that it uses."""
    found = frame.f_locals
    chosen = list(found)
    if frame.f_globals is shell.user_ns and frame.f_code.co_name == "<module>":
        chosen = [name for name in dict.fromkeys(frame.f_code.co_names) if name in found]
    code = (types.ModuleType, type, types.FunctionType, types.BuiltinFunctionType)
    return [n for n in chosen if not n.startswith(("__", ".")) and not isinstance(found[n], code)][:_LOCALS]


def local_variable(name: str, value: Any, with_repr: bool) -> dict[str, Any]:
    """One local of a failing frame, as the type ``LocalVariable`` of the TypeScript side."""
    fields: dict[str, Any] = {"name": name, "type": type_name(value)}
    shape = describe_shape(value)
    if shape is not None:
        fields["shape"] = shape
    if with_repr:
        fields["repr"] = redact.MASK if redact.is_secret_name(name) else safe_repr(value, 300)
    return fields
