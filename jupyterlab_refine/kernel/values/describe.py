"""Describe values: those of an attempt bounded in time, live ones without calling code that has effects."""

from __future__ import annotations

import inspect
import reprlib
import signal
import threading
import types
from collections.abc import Callable
from itertools import islice
from typing import Any, TypeVar

from .. import texts
from ..secrecy import redact

Result = TypeVar("Result")

REPR_LIMIT = 1500
_LOCALS = 20
_REPR_SECONDS = 0.5
_AGAIN_SECONDS = 0.1

_COLUMNS = 100
_SAMPLE = 300
_CONTAINERS = (list, tuple, set, frozenset, dict, str, bytes, bytearray, range)
#: One more than a repr shows, so that it ends in dots.
_ITEMS = 31
_DEPTH = 3
_SCALARS = (int, float, complex, bool, type(None), str, bytes, range)

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
    before = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_SECONDS)
    try:
        try:
            return work()
        finally:
            # On a busy machine the next one may come before the timer is stopped.
            works = False
    except _Overdue:
        return default
    finally:
        signal.setitimer(signal.ITIMER_REAL, *before)
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


def local_variable(
    name: str, value: Any, shown: Callable[[Any], str | None] | None, is_live: bool = False
) -> dict[str, Any]:
    """One local of a failing frame, as the type ``LocalVariable`` of the TypeScript side.

    :param shown: its repr; None for types alone.
    :param is_live: whether nothing of the value's may be called.
    """
    fields: dict[str, Any] = {"name": name, "type": type_name(value)}
    has_shape = not is_live or type(value) in _CONTAINERS or _is_array_like(value)
    if has_shape and (shape := describe_shape(value)) is not None:
        fields["shape"] = shape
    text = redact.MASK if redact.is_secret_name(name) else shown and shown(value)
    return {**fields, "repr": text} if shown and text is not None else fields


# -- live variables, read in the kernel


def variables(names: list[str], values: str, namespace: dict[str, Any]) -> list[dict[str, Any]]:
    """The type ``VariableInfo`` (TypeScript) of each name that exists; ``values`` as ``contextValues``."""
    if values == "none":
        return []
    return [_variable(name, namespace[name], values) for name in names if name in namespace]


def _variable(name: str, value: Any, values: str) -> dict[str, Any]:
    fields: dict[str, Any] = {"name": name, "type": type_name(value)}
    if redact.is_secret_name(name) or (isinstance(value, str) and redact.looks_secret(value[:10000])):
        fields["redacted"] = True
        return fields
    if isinstance(value, types.ModuleType):
        fields["doc"] = f"module {value.__name__}"
    elif isinstance(value, (types.FunctionType, type, types.BuiltinFunctionType)):
        _add_callable(fields, value)
    elif _is_array_like(value):
        _add_array(fields, value)
    elif type(value) in _CONTAINERS:
        fields["length"] = len(value)
    if values == "samples" and (text := sample(value)) is not None:
        fields["sample"] = text
    return fields


def _is_array_like(value: Any) -> bool:
    kinds = ["numpy.ndarray", "pandas.DataFrame", "pandas.Series", "pandas.Index", "torch.Tensor"]
    kinds += ["polars.DataFrame", "polars.Series"]
    return any(is_from(value, *kind.split(".")) for kind in kinds)


def _add_array(fields: dict[str, Any], value: Any) -> None:
    try:
        fields["shape"] = [int(n) for n in value.shape]
        columns = getattr(value, "columns", None)
        if columns is not None and len(fields["shape"]) == 2:
            pairs = zip(list(columns)[:_COLUMNS], list(value.dtypes)[:_COLUMNS], strict=False)
            fields["columns"] = [[texts.cut_end(str(c), 100), texts.cut_end(str(d), 60)] for c, d in pairs]
        else:
            fields["dtype"] = texts.cut_end(str(value.dtype), 60)
    except Exception:
        # A subclass that overrides these: only its type is reported.
        return


def _add_callable(fields: dict[str, Any], value: Any) -> None:
    if isinstance(value, type):
        fields["type"] = "type"
    try:
        fields["signature"] = texts.cut_end(str(inspect.signature(value)), 300)
    except (ValueError, TypeError):
        pass
    doc = value.__doc__
    if isinstance(doc, str) and doc.strip():
        fields["doc"] = texts.cut_end(texts.plain(doc.strip().splitlines()[0]), 200)


def sample(value: Any) -> str | None:
    """A short repr of values whose repr is known to be harmless."""
    try:
        if is_from(value, "pandas", "DataFrame") or is_from(value, "pandas", "Series"):
            text = repr(value.head(3))
        elif is_from(value, "numpy", "ndarray"):
            text = repr(value.ravel()[:10]) if value.dtype != object else ""
        else:
            text = plain_repr(_head(value, _DEPTH), _SAMPLE)
    except Exception:
        return None
    # Also of a key that is cut.
    if redact.looks_secret(value[:10000] if type(value) is str else text):
        return None
    return texts.cut_end(texts.plain(text), _SAMPLE) or None


def _head(value: Any, depth: int) -> Any:
    """A plain value without the items that are not shown: a repr sorts, and so compares, all of a set.

    :raises TypeError: when what is shown of it is not plain.
    """
    kind = type(value)
    if kind in _SCALARS:
        return value
    if depth == 0 or kind not in (list, tuple, set, frozenset, dict):
        raise TypeError
    items = islice(value.items() if kind is dict else value, _ITEMS)
    return kind([_head(item, depth - 1) for item in items])
