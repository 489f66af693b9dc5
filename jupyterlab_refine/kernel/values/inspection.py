"""Types and shapes of live variables, read in the kernel without calling code that has effects."""

from __future__ import annotations

import inspect
import types
from itertools import islice
from typing import Any

from .. import texts
from ..secrecy import redact
from . import describe

_COLUMNS = 100
_SAMPLE = 300
_CONTAINERS = (list, tuple, set, frozenset, dict, str, bytes, bytearray, range)
#: One more than a repr shows, so that it ends in dots.
_ITEMS = 31
_DEPTH = 3
_SCALARS = (int, float, complex, bool, type(None), str, bytes, range)


def variables(names: list[str], values: str, namespace: dict[str, Any]) -> list[dict[str, Any]]:
    """The type ``VariableInfo`` (TypeScript) of each name that exists; ``values`` as ``contextValues``."""
    if values == "none":
        return []
    return [_variable(name, namespace[name], values) for name in names if name in namespace]


def _variable(name: str, value: Any, values: str) -> dict[str, Any]:
    fields: dict[str, Any] = {"name": name, "type": describe.type_name(value)}
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
    if values == "samples" and (text := _sample(value)) is not None:
        fields["sample"] = text
    return fields


def _is_array_like(value: Any) -> bool:
    kinds = ["numpy.ndarray", "pandas.DataFrame", "pandas.Series", "pandas.Index", "torch.Tensor"]
    kinds += ["polars.DataFrame", "polars.Series"]
    return any(describe.is_from(value, *kind.split(".")) for kind in kinds)


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


def _sample(value: Any) -> str | None:
    """A short repr of values whose repr is known to be harmless."""
    try:
        if describe.is_from(value, "pandas", "DataFrame") or describe.is_from(value, "pandas", "Series"):
            text = repr(value.head(3))
        elif describe.is_from(value, "numpy", "ndarray"):
            text = repr(value.ravel()[:10]) if value.dtype != object else ""
        else:
            text = describe.plain_repr(_head(value, _DEPTH), _SAMPLE)
    except Exception:
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
